//! The files of a migration: images, the illumination, and their pictures.

use crate::cli::{failure::Failure, picture::about, progress};
use huygens::{
    io::{
        folder::OutputFolder,
        npy,
        png::{self, About},
        segy::{ByteOrder, Format, LengthUnit, ModelSpec, Revision, write_model},
    },
    job::{JobFile, Migrated},
    plan::Offsets,
    render::{Extent, Figure, FigureSize, Plane, ReflectivityFigure, SnapshotFigure},
    workflow::rtm::{Stacked, laplacian},
};
use ndarray::{Array3, ArrayView2, ArrayView3, Axis, s};
use rayon::prelude::*;

/// Amplitudes beyond this percentile are clipped in a picture.
const CLIP: f64 = 99.5;

/// Where it goes, and what it is of.
pub struct Output<'a> {
    pub folder: &'a OutputFolder,
    pub file: &'a JobFile,
    pub migrated: &'a Migrated,
    pub size: FigureSize,
}

impl Output<'_> {
    /// An image of each condition, and what the sources light.
    pub fn all(&self, stack: &Stacked) -> Result<(), Failure> {
        let _writing = progress::doing("writing images");
        for (index, condition) in self.migrated.rtm.conditions.iter().enumerate() {
            let image = stack.image(condition.condition());
            let image = match self.migrated.rtm.laplacian {
                true => self.filtered(&image),
                false => image.mapv(|v| v as f32),
            };
            let name = match index {
                0 => "image".to_owned(),
                _ => format!("image-{}", condition.name()),
            };
            self.map(&name, &format!("image, {}", condition.name()), &image)?;
        }
        self.array("illumination.npy", &stack.illumination())?;
        let condition = self.migrated.rtm.conditions[0].condition();
        let kinds = self.migrated.offsets.iter().zip(stack.gathers(condition));
        kinds.into_iter().try_for_each(|(offsets, gathers)| self.gathers(offsets, gathers))
    }

    /// Offset gathers as an array `[offset][x][z]` and as a picture.
    fn gathers(&self, offsets: &Offsets, gathers: Array3<f64>) -> Result<(), Failure> {
        let images: Vec<_> = gathers.axis_iter(Axis(0)).collect();
        let images: Vec<_> = images
            .into_par_iter()
            .map(|image| {
                let image = image.to_owned().insert_axis(Axis(0));
                if self.migrated.rtm.laplacian {
                    self.filtered(&image)
                } else {
                    image.mapv(|v| v as f32)
                }
            })
            .collect();
        let views: Vec<_> = images.iter().map(|image| image.index_axis(Axis(0), 0)).collect();
        let gathers = ndarray::stack(Axis(0), &views).map_err(Failure::run)?;
        let name = format!("offsets-{}", letter(offsets.along));
        finite(&name, &gathers)?;
        self.folder.write(&format!("{name}.npy"), &npy::bytes(gathers.view().into_dyn()))?;
        let what = format!(
            "offset gathers along {}, up to {:.3} km either way",
            letter(offsets.along),
            offsets.most as f64 * offsets.along.of(&self.migrated.plan.model_grid.h) / 1000.0
        );
        self.picture(&name, &what, &self.side_by_side(offsets, &gathers))
    }

    /// Gathers where they are, each with its offsets across, zero at its x: shape `[1][x][z]`.
    fn side_by_side(&self, offsets: &Offsets, gathers: &Array3<f32>) -> Array3<f32> {
        let grid = &self.migrated.plan.model_grid;
        let mut shown = Array3::zeros(grid.shape());
        let wanted = self.migrated.rtm.offsets.iter().flat_map(|offsets| &offsets.drawn);
        // Columns that the largest offset is wide.
        let width = offsets.most as f64 * offsets.along.of(&grid.h) / grid.h.x;
        let columns = (width.round() as usize).max(1);
        let mut at: Vec<usize> = wanted.map(|x| (x / grid.h.x).round() as usize).collect();
        if at.is_empty() {
            at = (columns..grid.n.x).step_by(2 * columns + columns / 2 + 1).collect();
        }
        for x in at {
            for across in -(columns as isize)..=columns as isize {
                // The nearest offset of those there are.
                let share = (across as f64 / width + 1.0).clamp(0.0, 2.0);
                let index = (share * (offsets.most / offsets.step) as f64).round() as usize;
                let column = x.checked_add_signed(across).filter(|column| *column < grid.n.x);
                if let (Some(column), true) = (column, index < offsets.count()) {
                    shown.slice_mut(s![0, column, ..]).assign(&gathers.slice(s![index, x, ..]));
                }
            }
        }
        shown
    }

    /// The reflectivity of an image whose traces were integrated, by its Laplacian ([`laplacian`]).
    fn filtered(&self, image: &Array3<f64>) -> Array3<f32> {
        let mut filtered = laplacian(image, &self.migrated.plan.model_grid);
        filtered.zip_mut_with(&self.migrated.model.velocity(), |v, velocity| {
            *v *= -0.125 * f64::from(*velocity);
        });
        filtered.mapv(|v| v as f32)
    }

    /// An image as an array, as traces and as a picture.
    fn map(&self, name: &str, what: &str, image: &Array3<f32>) -> Result<(), Failure> {
        self.array(&format!("{name}.npy"), image)?;
        let traces = write_model(Vec::new(), image.view(), self.spec(what));
        self.folder.write(&format!("{name}.sgy"), &traces.map_err(Failure::run)?)?;
        self.picture(name, what, image)
    }

    fn picture(&self, name: &str, what: &str, image: &Array3<f32>) -> Result<(), Failure> {
        if !self.file.job.output.draws(0, 1) {
            return Ok(());
        }
        let figure = self.figure(what, image);
        let about =
            About { job: Some(self.file.text.to_string()), ..about(figure.title(), self.size) };
        let picture = figure.draw(self.size).map_err(Failure::run)?;
        Ok(self.folder.write(&format!("{name}.png"), &png::bytes(&picture, &about))?)
    }

    /// Of shape `[x][z]`, in a volume `[y][x][z]`.
    fn array(&self, name: &str, values: &Array3<f32>) -> Result<(), Failure> {
        finite(name, values)?;
        let array = match self.migrated.plan.grid.is_volume() {
            true => values.view().into_dyn(),
            false => values.index_axis(Axis(0), 0).into_dyn(),
        };
        Ok(self.folder.write(name, &npy::bytes(array))?)
    }

    fn figure<'a>(&'a self, what: &str, image: &'a Array3<f32>) -> ReflectivityFigure<'a> {
        let grid = &self.migrated.plan.model_grid;
        let (last, middle) = (grid.last(), grid.n.y / 2);
        let y = match grid.is_volume() {
            true => format!(", y = {:.3} km", middle as f64 * grid.h.y / 1000.0),
            false => String::new(),
        };
        let shown = image.index_axis(Axis(0), middle);
        let velocity: ArrayView3<'a, f32> = self.migrated.model.velocity();
        let velocity: ArrayView2<'a, f32> = velocity.index_axis_move(Axis(0), middle);
        ReflectivityFigure {
            map: SnapshotFigure {
                plane: Plane::Xz,
                wavefield: shown,
                velocity,
                largest: clip(shown),
                extent: Extent { across: (0.0, last.x), down: (0.0, last.z) },
                title: format!("{}, {what}{y}", self.file.model_name()),
                sources: Vec::new(),
                found: Vec::new(),
            },
        }
    }

    fn spec(&self, what: &str) -> ModelSpec {
        let (grid, version) = (&self.migrated.plan.model_grid, env!("CARGO_PKG_VERSION"));
        ModelSpec {
            text: vec![
                format!("REVERSE TIME MIGRATION, {what}, by huygens {version}"),
                format!("Job: {}", self.file.name),
                format!(
                    "Samples are depths, {} m apart from 0; the sample interval is in mm",
                    grid.h.z
                ),
            ],
            spacing: (grid.h.x, grid.h.y),
            interval: 1000.0 * grid.h.z,
            revision: Revision::default(),
            format: Format::F32,
            order: ByteOrder::Big,
            unit: LengthUnit::Metre,
        }
    }
}

/// Refuses what f32 did not hold.
pub fn finite(name: &str, values: &Array3<f32>) -> Result<(), Failure> {
    match values.iter().all(|v| v.is_finite()) {
        true => Ok(()),
        false => Err(Failure::run(format!(
            "{name} has values that f32 does not hold: the products of both waves are too large; give survey.amplitude, or the amplitude of \
             the sources, nearer to 1, and gathers in a unit as large"
        ))),
    }
}

fn letter(axis: huygens::grid::Axis) -> &'static str {
    match axis {
        huygens::grid::Axis::X => "x",
        huygens::grid::Axis::Y => "y",
        huygens::grid::Axis::Z => "z",
    }
}

/// The amplitude at which colours end.
fn clip(image: ArrayView2<'_, f32>) -> Option<f32> {
    let mut sizes: Vec<f32> = image.iter().map(|v| v.abs()).filter(|v| *v > 0.0).collect();
    let at = (sizes.len() as f64 * CLIP / 100.0) as usize;
    let at = at.min(sizes.len().checked_sub(1)?);
    Some(*sizes.select_nth_unstable_by(at, f32::total_cmp).1)
}
