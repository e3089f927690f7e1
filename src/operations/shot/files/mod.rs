//! The files of a shot: arrays, traces, pictures and movies.

mod archive;
mod figures;
mod movie;
mod receiver_line;
mod snapshots;
#[cfg(feature = "cli")]
mod stored;
mod traces;

pub(crate) use figures::traces as traces_figure;
pub use figures::{gather as gather_figure, snapshot as snapshot_figure};
pub(crate) use movie::Reels;
pub use receiver_line::{PlacedBy, along};
pub(crate) use snapshots::{OfShot, Snapshots};
#[cfg(feature = "cli")]
pub(crate) use stored::PICTURES;
pub use traces::of_one;
pub(crate) use traces::{SurveyTraces, position_warning, shared};

use crate::{
    engine::Snapshot,
    io::{
        folder::{FolderError, OutputFolder},
        journal::{Piece, PieceWriter},
        npy,
        segy::SurveyFile,
    },
    job::{GatherFormat, Inputs},
    operations::shot::ShotResult,
    plan::Plan,
    render::{Backdrop, WiggleFigure},
    results::{Caption, Pictures, Results, ResultsError},
};
use ndarray::{ArrayView2, s};
use std::ops::Range;

/// The destination of shots' files.
pub(crate) struct Output<'a> {
    /// The folder, which all shots share.
    pub(crate) results: &'a Results<'a>,
    /// The inputs of the job.
    pub(crate) inputs: &'a Inputs,
    /// The files that all shots share, each with its name.
    pub(crate) shared: &'a [(String, SurveyFile)],
    /// The first shot in them.
    pub(crate) first: usize,
}

/// Bytes of traces that are turned into those of a file at once.
const PART: usize = 8 << 20;

/// The files of a shot, and their journal entries.
struct Written<'a> {
    folder: &'a OutputFolder,
    /// Counted from 1.
    shot: usize,
    pieces: Vec<Piece>,
    /// False for a single shot, which needs no journal.
    journalled: bool,
}

impl Written<'_> {
    fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), FolderError> {
        self.folder.write(name, bytes)?;
        if self.journalled {
            self.pieces.push(Piece::new(self.shot, name, 0, bytes));
        }
        Ok(())
    }

    /// Writes a file in parts.
    fn write_parts(
        &mut self,
        name: &str,
        parts: impl Iterator<Item = Result<Vec<u8>, ResultsError>>,
    ) -> Result<(), ResultsError> {
        let writer = PieceWriter::whole(self.folder, name)?;
        let mut writer = if self.journalled { writer.of_shot(self.shot) } else { writer };
        for part in parts {
            writer.push(&part?)?;
        }
        self.pieces.extend(writer.end());
        Ok(())
    }

    /// Writes the rows of an array as a .npy.
    fn write_rows(&mut self, name: &str, rows: ArrayView2<'_, f32>) -> Result<(), ResultsError> {
        let together = (PART / (size_of::<f32>() * rows.ncols()).max(1)).max(1);
        let some = |first: usize| {
            let some = rows.slice(s![first..rows.nrows().min(first + together), ..]);
            Ok(npy::values(&some.iter().copied().collect::<Vec<f32>>()).to_vec())
        };
        let head = npy::header(rows.shape()).map_err(ResultsError::failed);
        let rest = (0..rows.nrows()).step_by(together).map(some);
        self.write_parts(name, std::iter::once(head).chain(rest))
    }
}

impl Output<'_> {
    /// Creates the files that all shots share, up to the first trace.
    pub(crate) fn begin(&self) -> Result<(), ResultsError> {
        self.shared.iter().try_for_each(|(name, survey)| {
            let head = survey.headers().map_err(ResultsError::failed)?;
            Ok(self.results.folder.write_part(name, 0, &head)?)
        })
    }

    /// Trims them to the length of these shots.
    pub(crate) fn end(&self, shots: Range<usize>) -> Result<(), ResultsError> {
        for (name, survey) in self.shared {
            self.results.folder.cut(name, survey.length(shots.clone()))?;
        }
        Ok(())
    }

    /// Writes the results of one shot, with its snapshots: into the folder itself for a single shot,
    /// else into its own folder or into the shared files.
    pub(crate) fn write(
        &self,
        result: &ShotResult,
        mut snapshots: OfShot,
    ) -> Result<Vec<Piece>, ResultsError> {
        let (file, inputs, shots) = (self.results.file, self.inputs, self.inputs.plan.shots.len());
        let mut to = Written {
            folder: self.results.folder,
            shot: result.shot + 1,
            pieces: Vec::new(),
            journalled: shots > 1,
        };
        let (output, prefix) = (&file.job.output, prefix(&inputs.plan, result.shot));
        // The name of an incomplete file says so.
        let until = result.until.map_or_else(String::new, |step| format!("-until-step{step}"));
        let gather = format!("{prefix}gather{until}");
        if !result.gather.is_empty() {
            if output.writes(GatherFormat::Npy, shots) {
                to.write_rows(&format!("{gather}.npy"), result.gather.view())?;
            }
            if output.writes(GatherFormat::Npz, shots) {
                to.write(&format!("{gather}.npz"), &archive::gather(inputs, result)?)?;
            }
            match result.until {
                None if !self.shared.is_empty() => self.share(result, &mut to.pieces)?,
                _ => {
                    let formats = traces::FORMATS.iter();
                    for (format, ending) in formats.filter(|(f, _)| output.writes(*f, shots)) {
                        let _writing =
                            (self.results.show)(&format!("writing {gather} as {format:?}"), 0);
                        let survey = traces::of_one(*format, file, inputs, result)?;
                        let head = survey.headers().map_err(ResultsError::failed);
                        let parts = survey.parts(0, result.gather.view(), PART);
                        let parts = parts.map(|part| part.map_err(ResultsError::failed));
                        let all = std::iter::once(head).chain(parts);
                        to.write_parts(&format!("{gather}.{ending}"), all)?;
                    }
                }
            }
        }
        match inputs.plan.grid.is_volume() {
            true => self.volumes(&mut to, &prefix, &mut snapshots)?,
            false => {
                self.sections(&mut to, &format!("{prefix}snapshots{until}.npy"), &mut snapshots)?
            }
        }
        if output.draws(result.shot, shots) {
            self.draw(result, &gather, &mut to)?;
            self.draw_snapshots(&prefix, &mut to, &mut snapshots)?;
        }
        Ok(to.pieces)
    }

    /// Writes the traces of a shot to their place in the shared files.
    fn share(&self, result: &ShotResult, pieces: &mut Vec<Piece>) -> Result<(), ResultsError> {
        for (name, survey) in self.shared {
            let before = survey.place(self.first) - survey.place(0);
            let from = survey.place(result.shot) - before;
            let writer = PieceWriter::part(self.results.folder, name, from);
            let mut writer = writer.of_shot(result.shot + 1);
            for part in survey.parts(result.shot, result.gather.view(), PART) {
                writer.push(&part.map_err(ResultsError::failed)?)?;
            }
            pieces.extend(writer.end());
        }
        Ok(())
    }

    fn draw(
        &self,
        result: &ShotResult,
        gather: &str,
        to: &mut Written<'_>,
    ) -> Result<(), ResultsError> {
        if result.gather.is_empty() {
            return Ok(());
        }
        let figure = figures::gather(self.results.file, self.inputs, result);
        let wiggles = WiggleFigure { gather: figure.clone() };
        let wiggles_name = gather.replacen("gather", "gather-wiggle", 1);
        let pictures: Pictures<'_> =
            vec![(gather.to_owned(), Box::new(figure)), (wiggles_name, Box::new(wiggles))];
        self.write_drawn(pictures, to)
    }

    /// Draws the snapshots, some at once.
    fn draw_snapshots(
        &self,
        prefix: &str,
        to: &mut Written<'_>,
        snapshots: &mut OfShot,
    ) -> Result<(), ResultsError> {
        let (inputs, file) = (self.inputs, self.results.file);
        let backdrop = Backdrop::default();
        for part in snapshots.parts() {
            let some = part.map(|index| snapshots.read(index)).collect::<Result<Vec<_>, _>>()?;
            let mut pictures: Pictures<'_> = Vec::new();
            for snapshot in &some {
                let name = snapshot_name(prefix, snapshot);
                let Snapshot { shot, step, field } = snapshot;
                let caption = figures::caption(file, &inputs.plan, *shot, *step);
                let caption = Caption { backdrop: backdrop.clone(), ..caption };
                let view = figures::view(inputs, *shot);
                let figure = view.figure(field.view(), &inputs.model, caption)?;
                for (plane, slice) in figures::slices(file, inputs, snapshot.shot, snapshot) {
                    pictures.push((format!("{name}-{plane}"), Box::new(slice)));
                }
                pictures.push((name, figure));
            }
            self.write_drawn(pictures, to)?;
        }
        Ok(())
    }

    fn write_drawn(
        &self,
        pictures: Pictures<'_>,
        to: &mut Written<'_>,
    ) -> Result<(), ResultsError> {
        for (name, bytes) in self.results.all_drawn(pictures)? {
            to.write(&name, &bytes)?;
        }
        Ok(())
    }

    /// Writes the snapshots of a volume, shape `[y][x][z]`, one file each.
    fn volumes(
        &self,
        to: &mut Written<'_>,
        prefix: &str,
        snapshots: &mut OfShot,
    ) -> Result<(), ResultsError> {
        snapshots.check()?;
        let count = if self.inputs.volumes { snapshots.count() } else { 0 };
        for index in 0..count {
            let snapshot = snapshots.read(index)?;
            let name = format!("{}.npy", snapshot_name(prefix, &snapshot));
            let _writing = (self.results.show)(&format!("writing {name}"), 0);
            to.write(&name, &npy::bytes(snapshot.field.view().into_dyn()))?;
        }
        Ok(())
    }

    /// Writes the snapshots of a plane to one file, shape `[snapshot][x][z]`.
    fn sections(
        &self,
        to: &mut Written<'_>,
        name: &str,
        snapshots: &mut OfShot,
    ) -> Result<(), ResultsError> {
        snapshots.check()?;
        let (count, (_, x, z)) = (snapshots.count(), snapshots.shape);
        if count == 0 {
            return Ok(());
        }
        let _writing = (self.results.show)(&format!("writing {name}"), 0);
        let head = npy::header(&[count, x, z]).map_err(ResultsError::failed);
        let fields = (0..count).map(|index| {
            let field = snapshots.read(index)?.field.into_raw_vec_and_offset().0;
            Ok(npy::values(&field).to_vec())
        });
        to.write_parts(name, std::iter::once(head).chain(fields))
    }
}

/// The prefix of a shot's files: its own folder, numbered from 1, if there are several shots.
pub(crate) fn prefix(plan: &Plan, shot: usize) -> String {
    if plan.shots.len() > 1 { format!("shot{:04}/", shot + 1) } else { String::new() }
}

/// The name of a snapshot's files, without the extension.
fn snapshot_name(prefix: &str, snapshot: &Snapshot) -> String {
    format!("{prefix}snapshots/t{:07}", snapshot.step)
}
