//! A gather as traces: SEG-Y, or Seismic Unix.

use crate::cli::failure::Failure;
use huygens::{
    grid::Position,
    io::segy::{ByteOrder, Format, GatherSpec, LengthUnit, Point, write_gather, write_su_gather},
    job::{GatherFormat, Inputs, JobFile},
    workflow::shot::ShotResult,
};

/// The ending and the bytes of a file of one shot: a trace a receiver, the first source's position in each header.
pub fn gather(
    format: GatherFormat,
    file: &JobFile,
    inputs: &Inputs,
    result: &ShotResult,
) -> Result<(&'static str, Vec<u8>), Failure> {
    let plan = &inputs.plan;
    let shot = &plan.shots[result.shot].asked;
    let point = |at: Position| Point { x: at.x, y: at.y, z: at.z };
    let spec = GatherSpec {
        text: text(file, inputs, result),
        record: result.shot as i64 + 1,
        source: shot.sources.first().map_or(Point::default(), |source| point(source.at)),
        receivers: shot.receivers.iter().copied().map(point).collect(),
        interval: plan.time.interval(),
        format: Format::F32,
        order: if format == GatherFormat::Su { ByteOrder::Little } else { ByteOrder::Big },
        unit: LengthUnit::Metre,
    };
    let traces = result.gather.view();
    match format {
        GatherFormat::Sgy => write_gather(Vec::new(), traces, spec).map(|bytes| ("sgy", bytes)),
        GatherFormat::Su => write_su_gather(Vec::new(), traces, spec).map(|bytes| ("su", bytes)),
    }
    .map_err(Failure::run)
}

/// What made the file, for its textual header.
fn text(file: &JobFile, inputs: &Inputs, result: &ShotResult) -> Vec<String> {
    let (version, revision) = (env!("CARGO_PKG_VERSION"), option_env!("HUYGENS_REVISION"));
    let revision = revision.map_or_else(String::new, |revision| format!(", git {revision}"));
    let (shot, shots) = (result.shot + 1, inputs.plan.shots.len());
    let sources = inputs.plan.shots[result.shot].asked.sources.len();
    let mut lines = vec![
        format!("PRESSURE, modelled by huygens {version}{revision}"),
        format!("Job: {}", file.name),
        format!("Shot {shot} of {shots}; sources that fire together: {sources}"),
        "Positions in headers: first source and receiver, metres from the model's".into(),
        "first node; depth is positive down: bytes 49 and minus bytes 41".into(),
        format!("Sample interval {} s, the first sample at t = 0", inputs.plan.time.interval()),
        "Samples: IEEE floating point (5), big-endian".into(),
    ];
    if let Some(step) = result.until {
        lines.push(format!("The field blew up; traces end at step {step}"));
    }
    lines
}
