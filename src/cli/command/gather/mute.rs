//! `huygens gather mute`.

use super::file::FromTo;
use crate::{
    cli::failure::Failure,
    conditioning::{
        Mute,
        mute::{self, Muted},
    },
    message::about,
};

#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  huygens gather mute shots.sgy muted.sgy --velocity 1500 --delay 0.2 --taper 0.1\n\
                  The line of the mute is at the time delay + |offset| / velocity."
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    files: FromTo,
    /// Velocity of the mute line, m/s [default: the same time at all offsets]
    #[arg(long, value_name = "M/S", default_value_t = f64::INFINITY, hide_default_value = true, allow_negative_numbers = true)]
    velocity: f64,
    /// The time of the line at offset 0, s.
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0, allow_negative_numbers = true)]
    delay: f64,
    /// Length of the cosine taper, s.
    #[arg(long, value_name = "SECONDS", default_value_t = 0.1, allow_negative_numbers = true)]
    taper: f64,
    /// Mute samples after the line, instead of before it.
    #[arg(long)]
    tail: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { ref files, velocity, delay, taper, .. } = *arguments;
    files.may_write()?;
    let mut gathers = files.headers.read_finite(&files.from)?;
    let muted = if arguments.tail { Muted::After } else { Muted::Before };
    for gather in &mut gathers {
        let line = Mute { velocity, delay, taper };
        let refused = |error| {
            let of = format_args!("record {}", gather.record);
            Failure::input(about(of, error))
        };
        let offsets = line.offsets(gather.source, &gather.receivers).map_err(refused)?;
        mute::apply(&mut gather.traces, gather.interval, &offsets, line, muted)
            .map_err(Failure::input)?;
    }
    files.write(&gathers)
}
