//! The files of a shot: arrays, traces, pictures and movies.

mod archive;
mod figures;
mod movie;
mod receiver_line;
mod traces;

pub use figures::{gather as gather_figure, snapshot as snapshot_figure};
pub use movie::Reels;
pub use receiver_line::{PlacedBy, along};
pub use traces::{of_one, shared};

use super::{Pictures, Results, ResultsError};
use crate::{
    engine::Snapshot,
    io::{
        folder::{FolderError, OutputFolder},
        journal::Piece,
        npy,
        segy::SurveyFile,
    },
    job::{GatherFormat, Inputs},
    plan::Plan,
    render::WiggleFigure,
    workflow::shot::ShotResult,
};
use ndarray::{ArrayView2, Axis};
use std::ops::Range;

/// The destination of shots' files.
pub struct Output<'a> {
    /// The folder, which all shots share.
    pub results: &'a Results<'a>,
    /// The inputs of the job.
    pub inputs: &'a Inputs,
    /// The files that all shots share, each with its name.
    pub shared: Vec<(String, SurveyFile)>,
    /// The first shot in them.
    pub first: usize,
}

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
}

impl Output<'_> {
    /// The beginnings of the files that all shots share, up to the first trace.
    pub fn heads(&self) -> Result<Vec<(Piece, Vec<u8>)>, ResultsError> {
        let heads = self.shared.iter().map(|(name, survey)| {
            let bytes = survey.headers().map_err(ResultsError::failed)?;
            Ok((Piece::new(0, name, 0, &bytes), bytes))
        });
        heads.collect()
    }

    /// Creates the files that all shots share.
    pub fn begin(&self, heads: &[(Piece, Vec<u8>)]) -> Result<(), FolderError> {
        let folder = self.results.folder;
        heads.iter().try_for_each(|(piece, bytes)| folder.write_part(&piece.file, 0, bytes))
    }

    /// Trims them to the length of these shots.
    pub fn end(&self, shots: Range<usize>) -> Result<(), ResultsError> {
        for (name, survey) in &self.shared {
            self.results.folder.cut(name, survey.length(shots.clone()))?;
        }
        Ok(())
    }

    /// Writes the results of one shot: into the folder itself for a single shot, else into its own
    /// folder or into the shared files.
    pub fn write(&self, result: &ShotResult) -> Result<Vec<Piece>, ResultsError> {
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
                to.write(&format!("{gather}.npy"), &npy::bytes(result.gather.view().into_dyn()))?;
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
                        let traces = traces::of_one(*format, file, inputs, result)?;
                        to.write(&format!("{gather}.{ending}"), &traces)?;
                    }
                }
            }
        }
        match inputs.plan.grid.is_volume() {
            true => self.volumes(&mut to, &prefix, result)?,
            false => self.sections(&mut to, &format!("{prefix}snapshots{until}.npy"), result)?,
        }
        if output.draws(result.shot, shots) {
            self.draw(result, &gather, &prefix, &mut to)?;
        }
        Ok(to.pieces)
    }

    /// Writes the traces of a shot to their place in the shared files.
    fn share(&self, result: &ShotResult, pieces: &mut Vec<Piece>) -> Result<(), ResultsError> {
        for (name, survey) in &self.shared {
            let bytes =
                survey.shot(result.shot, result.gather.view()).map_err(ResultsError::failed)?;
            let before = survey.place(self.first) - survey.place(0);
            let from = survey.place(result.shot) - before;
            self.results.folder.write_part(name, from, &bytes)?;
            pieces.push(Piece::new(result.shot + 1, name, from, &bytes));
        }
        Ok(())
    }

    fn draw(
        &self,
        result: &ShotResult,
        gather: &str,
        prefix: &str,
        to: &mut Written<'_>,
    ) -> Result<(), ResultsError> {
        let (inputs, file) = (self.inputs, self.results.file);
        let mut pictures: Pictures<'_> = Vec::new();
        if !result.gather.is_empty() {
            let figure = figures::gather(file, inputs, result);
            let wiggles = WiggleFigure { gather: figure.clone() };
            let wiggles_name = gather.replacen("gather", "gather-wiggle", 1);
            pictures.push((format!("{gather}.png"), Box::new(figure)));
            pictures.push((format!("{wiggles_name}.png"), Box::new(wiggles)));
        }
        for snapshot in &result.snapshots {
            let name = snapshot_name(prefix, snapshot);
            let (shot, step) = (result.shot, snapshot.step);
            let figure = figures::snapshot(file, inputs, (shot, step), snapshot.field.view())?;
            pictures.push((format!("{name}.png"), figure));
            for (plane, slice) in figures::slices(file, inputs, result.shot, snapshot) {
                pictures.push((format!("{name}-{plane}.png"), Box::new(slice)));
            }
        }
        for (name, bytes) in self.results.all_drawn(pictures)? {
            to.write(&name, &bytes)?;
        }
        Ok(())
    }

    /// Writes the snapshots of a volume, shape `[y][x][z]`, one file each: together they may exceed
    /// memory.
    fn volumes(
        &self,
        to: &mut Written<'_>,
        prefix: &str,
        result: &ShotResult,
    ) -> Result<(), ResultsError> {
        for snapshot in result.snapshots.iter().filter(|_| self.inputs.volumes) {
            let name = format!("{}.npy", snapshot_name(prefix, snapshot));
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
        result: &ShotResult,
    ) -> Result<(), ResultsError> {
        if result.snapshots.is_empty() {
            return Ok(());
        }
        let fields: Vec<ArrayView2<'_, f32>> =
            result.snapshots.iter().map(|snapshot| snapshot.field.index_axis(Axis(0), 0)).collect();
        let _writing = (self.results.show)(&format!("writing {name}"), 0);
        let stacked = ndarray::stack(Axis(0), &fields).map_err(ResultsError::failed)?;
        Ok(to.write(name, &npy::bytes(stacked.view().into_dyn()))?)
    }
}

/// The prefix of a shot's files: its own folder, numbered from 1, if there are several shots.
pub fn prefix(plan: &Plan, shot: usize) -> String {
    if plan.shots.len() > 1 { format!("shot{:04}/", shot + 1) } else { String::new() }
}

/// The name of a snapshot's files, without the extension.
fn snapshot_name(prefix: &str, snapshot: &Snapshot) -> String {
    format!("{prefix}snapshots/t{:07}", snapshot.step)
}
