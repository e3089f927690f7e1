//! `huygens gather mute`.

use super::file::FromTo;
use crate::cli::terminal::failure::Failure;
use huygens::{
    conditioning::{ConditioningError, Mute, mute},
    grid::Position,
    io::segy::Gather,
};

#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  huygens gather mute shots.sgy muted.sgy --velocity 1500 --delay 0.2 --taper 0.1\n\
                  The line of the mute is at the time delay + |offset| / velocity."
)]
pub struct Arguments {
    #[command(flatten)]
    files: FromTo,
    /// The velocity of the line, m/s; by default one time at all offsets.
    #[arg(long, value_name = "M/S", default_value_t = f64::INFINITY, hide_default_value = true, allow_negative_numbers = true)]
    velocity: f64,
    /// The time of the line at offset 0, s.
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0, allow_negative_numbers = true)]
    delay: f64,
    /// The length of the cosine taper beside what is muted, s.
    #[arg(long, value_name = "SECONDS", default_value_t = 0.1, allow_negative_numbers = true)]
    taper: f64,
    /// Mute what comes after the line, instead of before it.
    #[arg(long)]
    tail: bool,
}

/// Returns an error if the offsets of a mute by velocity are unknown: headers or arrays without
/// positions have them at 0.
fn check_positions(gather: &Gather, velocity: f64) -> Result<(), Failure> {
    let at_zero = |at: &Position| at.x == 0.0 && at.y == 0.0;
    let (none, source) = (gather.receivers.iter().all(at_zero), at_zero(&gather.source));
    let lacks = match (none, source) {
        _ if velocity.is_infinite() => return Ok(()),
        (true, _) if gather.receivers.len() > 1 => "receivers",
        (false, true) if !gather.receivers.iter().any(at_zero) && far(gather) => "source",
        _ => return Ok(()),
    };
    Err(Failure::input(format!(
        "the {lacks} of record {} are at x = 0 m, y = 0 m, so that no offset is known; give their positions, or mute by --delay alone",
        gather.record
    )))
}

/// True if the receivers are farther from x = 0, y = 0 than they are apart.
fn far(gather: &Gather) -> bool {
    let from = |at: Position| gather.receivers.iter().map(move |r| (r.x - at.x).hypot(r.y - at.y));
    let nearest = from(Position::default()).fold(f64::INFINITY, f64::min);
    gather.receivers.first().is_some_and(|first| nearest > from(*first).fold(0.0, f64::max))
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { ref files, velocity, delay, taper, .. } = *arguments;
    files.may_write()?;
    let mut gathers = files.headers.read_finite(&files.from)?;
    let mute: fn(_, _, &[f64], _) -> Result<(), ConditioningError> =
        if arguments.tail { mute::tail } else { mute::top };
    for gather in &mut gathers {
        let source = gather.source;
        let offset = |at: &Position| (at.x - source.x).hypot(at.y - source.y);
        let offsets: Vec<f64> = gather.receivers.iter().map(offset).collect();
        check_positions(gather, velocity)?;
        let line = Mute { velocity, delay, taper };
        mute(&mut gather.traces, (gather.interval, 0.0), &offsets, line).map_err(Failure::input)?;
    }
    files.write(&gathers)
}
