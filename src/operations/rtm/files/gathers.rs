//! The gathers of a migration, by offset and by angle, as files and as pictures.

use super::{Output, panels::Panels};
use crate::{
    grid,
    operations::rtm::{Stacked, angle_gathers},
    plan::Offsets,
    render::FigureSize,
    results::{ResultsError, axis, divided},
    single::Single,
};
use ndarray::{Array2, Array3, ArrayView3, Axis};
use rayon::prelude::*;

/// Kinds of offsets whose gathers are made into files at once.
pub(in crate::operations::rtm) const AT_ONCE: usize = 2;

/// The letter of the axis of offsets.
fn letter(offsets: &Offsets) -> char {
    match offsets.along {
        grid::Axis::X => 'x',
        grid::Axis::Y => 'y',
        grid::Axis::Z => 'z',
    }
}

impl Output<'_> {
    /// Writes gathers of the first condition, two kinds at once.
    pub(crate) fn gathers(&self, stack: &Stacked) -> Result<(), ResultsError> {
        let gathers = stack.gathers(self.migrated.rtm.conditions[0]);
        let mut kinds = self.migrated.offsets.iter().zip(gathers);
        loop {
            let some: Vec<_> = kinds.by_ref().take(AT_ONCE).collect();
            if some.is_empty() {
                return Ok(());
            }
            some.into_par_iter().try_for_each(|(offsets, gathers)| self.kind(offsets, gathers))?;
        }
    }

    /// Writes gathers of one kind.
    fn kind(&self, offsets: &Offsets, mut gathers: Array3<f64>) -> Result<(), ResultsError> {
        let condition = self.migrated.rtm.conditions[0];
        let images: Vec<_> = gathers.axis_iter_mut(Axis(0)).collect();
        images.into_par_iter().for_each(|mut image| {
            let whole = image.to_owned().insert_axis(Axis(0));
            let filtered = self.migrated.filtered(condition, &whole, Some(offsets.line));
            image.assign(&filtered.remove_axis(Axis(0)));
        });
        let name = self.offsets_name(offsets);
        let Single { values, unit } = self.single(&name, &gathers)?;
        drop(gathers);
        self.by_offset(offsets, &name, unit, &values)?;
        match offsets.along {
            grid::Axis::X => self.by_angle(offsets, unit, &values),
            _ => Ok(()),
        }
    }

    fn offsets_name(&self, offsets: &Offsets) -> String {
        format!("offsets-{}{}", letter(offsets), self.of_line(offsets))
    }

    /// Writes offset gathers, shape `[offset][x][z]`, which are divided by a unit; in a picture offsets have the
    /// scale of x.
    fn by_offset(
        &self,
        offsets: &Offsets,
        name: &str,
        unit: f64,
        gathers: &Array3<f32>,
    ) -> Result<(), ResultsError> {
        let (letter, h) = (letter(offsets), &self.migrated.plan.survey_grid().h);
        let cell = *offsets.along.of(h);
        let (most, step) = (offsets.most as f64 * cell, offsets.step as f64 * cell);
        let said = axis(&format!("Offset along {letter}"), "m", -most, step);
        let what = format!(
            "offset gathers along {letter}, up to {:.3} km either way on the scale of x{}",
            most / 1000.0,
            divided(unit)
        );
        let draw = || {
            let shown = self.side_by_side(&self.panels(name, unit, gathers.view()), most / h.x);
            self.picture(name, &what, shown.view(), offsets.line)
        };
        let write = || self.values(name, "Image", gathers.view().into_dyn(), &[said]);
        let (values, picture) = rayon::join(write, draw);
        values.and(picture)
    }

    /// Writes angle gathers, shape `[angle][x][z]`, if requested, divided by the unit of the offset gathers.
    fn by_angle(
        &self,
        offsets: &Offsets,
        unit: f64,
        gathers: &Array3<f32>,
    ) -> Result<(), ResultsError> {
        let Some(wanted) = self.migrated.rtm.angles else { return Ok(()) };
        let grid = self.migrated.plan.survey_grid();
        let (angles, most) = (wanted.all(), offsets.most as isize);
        let cells = (-most..=most).step_by(offsets.step);
        let cells: Vec<_> = cells.map(|cells| cells as f64 * grid.h.x / grid.h.z).collect();
        let gathers = angle_gathers(gathers.view(), &cells, &angles);
        let said = axis("Angle", "deg", angles[0], wanted.step);
        let name = format!("angles{}", self.of_line(offsets));
        self.results.divide(&name, unit);
        self.values(&name, "Image", gathers.view().into_dyn(), &[said])?;
        if !self.results.draws() {
            return Ok(());
        }
        let size = self.results.size;
        let panels = self.panels(&name, unit, gathers.view()).drawn(Some(size));
        let mut page = panels.page();
        // A panel with its title needs more space than a map.
        let size = if page.fits(size) { size } else { FigureSize::default() };
        for (name, bytes) in self.results.drawn(&name, &mut page, size)? {
            self.results.folder.write(&name, &bytes)?;
        }
        Ok(())
    }

    /// Gathers in a file of this name, which are divided by a unit, in pictures.
    fn panels<'a>(&'a self, name: &'a str, unit: f64, gathers: ArrayView3<'a, f32>) -> Panels<'a> {
        let file = self.results.file;
        Panels {
            gathers,
            name,
            rtm: &self.migrated.rtm,
            grid: self.migrated.plan.survey_grid(),
            model: file.medium_name(),
            note: divided(unit),
            largest: file.job.output.figures.largest(),
            percentile: None,
        }
    }

    /// Suffix of the names of a line's gathers: in a volume its y, metres.
    fn of_line(&self, offsets: &Offsets) -> String {
        let grid = self.migrated.plan.survey_grid();
        match grid.is_volume() {
            true => format!("-y{}", (1e3 * offsets.line as f64 * grid.h.y).round() / 1e3),
            false => String::new(),
        }
    }

    /// Gathers at their x, each with its offsets over `width` columns either way: shape `[x][z]`.
    fn side_by_side(&self, panels: &Panels<'_>, width: f64) -> Array2<f32> {
        let grid = self.migrated.plan.survey_grid();
        let mut shown = Array2::zeros((grid.n.x, grid.n.z));
        let wanted = self.migrated.rtm.offsets.iter().flat_map(|offsets| &offsets.drawn);
        let columns = (width.round() as usize).max(1);
        let mut at: Vec<usize> = wanted.map(|x| (x / grid.h.x).round() as usize).collect();
        if at.is_empty() {
            at = (columns.min(grid.n.x / 2)..grid.n.x)
                .step_by(2 * columns + columns / 2 + 1)
                .collect();
        }
        for x in at {
            let gather = panels.at(x);
            for across in -(columns as isize)..=columns as isize {
                // The nearest one.
                let share = (across as f64 / width + 1.0).clamp(0.0, 2.0) / 2.0;
                let index = (share * (gather.nrows() - 1) as f64).round() as usize;
                let column = x.checked_add_signed(across).filter(|column| *column < grid.n.x);
                if let Some(column) = column {
                    shown.row_mut(column).assign(&gather.row(index));
                }
            }
        }
        shown
    }
}
