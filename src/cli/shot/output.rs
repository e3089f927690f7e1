//! The files that a shot leaves: arrays and pictures.

use super::{figures, traces};
use crate::cli::{failure::Failure, picture::about, progress};
use huygens::{
    engine::Snapshot,
    io::{
        folder::OutputFolder,
        npy,
        png::{self, About},
    },
    job::{GatherFormat, Inputs, JobFile},
    plan::Plan,
    render::{Figure, FigureSize, Planes, RenderError, WiggleFigure},
    workflow::shot::ShotResult,
};
use ndarray::{ArrayView2, Axis};
use rayon::prelude::*;

/// Writes what one shot gave: into the folder itself for a single shot, else into one of its own.
pub fn write(
    folder: &OutputFolder,
    file: &JobFile,
    inputs: &Inputs,
    result: &ShotResult,
    size: FigureSize,
) -> Result<(), Failure> {
    let prefix = prefix(&inputs.plan, result.shot);
    // Files that hold less than was asked for say so.
    let until = result.until.map_or_else(String::new, |step| format!("-until-step{step}"));
    let mut pictures: Vec<(String, Box<dyn Figure + '_>)> = Vec::new();
    if !result.gather.is_empty() {
        folder
            .write(
                &format!("{prefix}gather{until}.npy"),
                &npy::bytes(result.gather.view().into_dyn()),
            )
            .map_err(Failure::run)?;
        for format in [GatherFormat::Sgy, GatherFormat::Su] {
            if file.job.output.writes(format) {
                let _writing = progress::doing(format!("writing {prefix}gather as {format:?}"));
                let (ending, traces) = traces::gather(format, file, inputs, result)?;
                let name = format!("{prefix}gather{until}.{ending}");
                folder.write(&name, &traces)?;
            }
        }
        let figure = figures::gather(file, inputs, result);
        let wiggles = WiggleFigure { gather: figure.clone() };
        pictures.push((format!("{prefix}gather{until}.png"), Box::new(figure)));
        pictures.push((format!("{prefix}gather-wiggle{until}.png"), Box::new(wiggles)));
    }
    if inputs.plan.grid.is_volume() {
        volumes(folder, &prefix, inputs, result)?;
    } else {
        sections(folder, &format!("{prefix}snapshots{until}.npy"), result)?;
    }
    for snapshot in &result.snapshots {
        let name = snapshot_name(&prefix, snapshot);
        if inputs.plan.grid.is_volume() {
            let at = figures::through(inputs, result.shot);
            let view = Planes::of(snapshot.field.view(), at).and_then(|planes| {
                figures::three_planes(file, inputs, result.shot, snapshot.step, planes, None)
            });
            pictures.push((format!("{name}.png"), Box::new(view.map_err(Failure::run)?)));
            for (plane, slice) in figures::slices(file, inputs, result, snapshot) {
                pictures.push((format!("{name}-{plane}.png"), Box::new(slice)));
            }
        } else {
            let field = snapshot.field.index_axis(Axis(0), 0);
            let figure = figures::section(file, inputs, result.shot, snapshot.step, field, None);
            pictures.push((format!("{name}.png"), Box::new(figure)));
        }
    }
    let drawing = progress::counting("picture", pictures.len());
    let draw = |(name, figure): (String, Box<dyn Figure + '_>)| {
        let about = About { job: Some(file.text.to_string()), ..about(figure.title(), size) };
        let drawn = figure.draw(size).map(|picture| png::bytes(&picture, &about));
        drawing.one_more();
        (name, drawn)
    };
    let drawn: Vec<(String, Result<Vec<u8>, RenderError>)> =
        pictures.into_par_iter().map(draw).collect();
    drop(drawing);
    for (name, bytes) in drawn {
        folder.write(&name, &bytes.map_err(Failure::run)?)?;
    }
    Ok(())
}

/// What the files of a shot begin with: a folder of its own where there are several, by its number from 1.
pub fn prefix(plan: &Plan, shot: usize) -> String {
    if plan.shots.len() > 1 { format!("shot{:04}/", shot + 1) } else { String::new() }
}

/// What the files of a snapshot are called, without their ending.
fn snapshot_name(prefix: &str, snapshot: &Snapshot) -> String {
    format!("{prefix}snapshots/t{:07}", snapshot.step)
}

/// The snapshots of a volume, shape `[y][x][z]`, a file each: together they may be larger than memory.
fn volumes(
    folder: &OutputFolder,
    prefix: &str,
    inputs: &Inputs,
    result: &ShotResult,
) -> Result<(), Failure> {
    for snapshot in result.snapshots.iter().filter(|_| inputs.volumes) {
        let name = format!("{}.npy", snapshot_name(prefix, snapshot));
        let _writing = progress::doing(format!("writing {name}"));
        let bytes = npy::bytes(snapshot.field.view().into_dyn());
        folder.write(&name, &bytes)?;
    }
    Ok(())
}

/// The snapshots of a plane in one file, shape `[snapshot][x][z]`.
fn sections(folder: &OutputFolder, name: &str, result: &ShotResult) -> Result<(), Failure> {
    if result.snapshots.is_empty() {
        return Ok(());
    }
    let fields: Vec<ArrayView2<'_, f32>> =
        result.snapshots.iter().map(|snapshot| snapshot.field.index_axis(Axis(0), 0)).collect();
    let _writing = progress::doing(format!("writing {name}"));
    let stacked = ndarray::stack(Axis(0), &fields).map_err(Failure::run)?;
    Ok(folder.write(name, &npy::bytes(stacked.view().into_dyn()))?)
}
