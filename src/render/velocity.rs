//! Velocities as shares of a colour bar, and the bar.

use super::axes::{decimals, number, round_ticks};
use super::colour::Colour;
use super::frame::ColourBar;

/// Where a velocity lies between the slowest and the fastest, 0..=1; half way
/// where those are equal.
pub(super) fn share_of(velocity: f32, (slowest, fastest): (f32, f32)) -> f32 {
    if fastest > slowest {
        (velocity - slowest) / (fastest - slowest)
    } else {
        0.5 + 0.0 * velocity
    }
}

/// The colour bar of a model, in km/s.
pub(super) fn velocity_bar<'a>(
    (slowest, fastest): (f32, f32),
    colour: impl Fn(f32) -> Colour + 'a,
) -> ColourBar<'a> {
    let (low, high) = (f64::from(slowest) / 1000.0, f64::from(fastest) / 1000.0);
    let ticks = if high > low {
        let (step, values) = round_ticks(low, high, 5, 0.0);
        let label = |v: f64| ((v - low) / (high - low), number(v, decimals(step)));
        values.into_iter().map(label).collect()
    } else {
        vec![(0.5, number(low, 2))]
    };
    ColourBar {
        label: "Velocity (km/s)".to_owned(),
        ticks,
        colour: Box::new(move |share| colour(share as f32)),
    }
}
