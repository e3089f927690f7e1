//! From the section back to the reflectivity.

use super::{ZeroOffsetError, exploding};
use crate::{
    acquisition::{Recording, SourceKind},
    engine::{Engine, EngineError, SnapshotView, Timings},
    grid::{Axis, Position},
    operations::{OnSnapshot, OnStep, shot},
    plan::{Plan, Setup},
};
use ndarray::Array3;

/// A simulation that sends a section back.
#[derive(Clone, Debug)]
pub struct Backward {
    /// One shot whose snapshot at its last step is the image.
    pub(crate) plan: Plan,
}

/// Half of the field at t = 0 went up and was recorded; and the field of a dipole jumps, from minus
/// half its strength above it to plus half below.
const RECORDED: f64 = 2.0;
const BELOW: f64 = 2.0;

/// The simulation that sends a section back through a setup written as for a shot. It uses the
/// setup's model, operator, sides and snapshots, at times of the section. The duration is that of
/// the section; shots and top are not used.
///
/// Each receiver is a vertical dipole that fires its trace, the last sample first. Below a line of
/// dipoles the field is the trace itself (Rayleigh's second integral; Berkhout 1985, "Seismic
/// migration", ch. 5), whereas below a line of monopoles it would be its integral over time. Their
/// strength is the surface that a receiver stands for, so that under full receiver coverage the
/// image is the reflectivity in the section's band. It is not valid within four nodes of a dipole,
/// or five if it lies between nodes.
pub fn backward(setup: Setup, section: &Recording) -> Result<Backward, ZeroOffsetError> {
    let setup = exploding(setup)?;
    let surface = surface(&section.receivers, setup.model.grid().is_volume());
    let mut snapshots = section.back_at(&setup.snapshots);
    // A dipole of strength s adds s d(delta)/dz, and the field falls by s across it.
    let (dipole, strength) = (SourceKind::Dipole(Axis::Z), -RECORDED * BELOW * surface);
    let mut setup = setup.time_reversed(section, 1, dipole, strength)?;
    snapshots.push(section.duration());
    setup.snapshots = snapshots;
    Ok(Backward { plan: Plan::new(setup)? })
}

/// The length, or in a volume the area, that each of evenly spread receivers stands for, m or m^2.
fn surface(receivers: &[Position], volume: bool) -> f64 {
    let along = |of: fn(&Position) -> f64| {
        let mut places: Vec<f64> = receivers.iter().map(of).collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        let reach = places.last().zip(places.first()).map_or(0.0, |(last, first)| last - first);
        // A single place stands for a metre.
        if reach > 0.0 { reach / (places.len() - 1) as f64 } else { 1.0 }
    };
    along(|at| at.x) * if volume { along(|at| at.y) } else { 1.0 }
}

/// The image: the field at t = 0, shape `[y][x][z]` on the model's nodes. `progress` receives the
/// steps done and may stop the run; `heard` receives each snapshot as it comes, the image included.
pub fn image(
    engine: &dyn Engine,
    backward: &Backward,
    progress: &mut OnStep<'_>,
    heard: &mut OnSnapshot<'_>,
) -> Result<(Array3<f32>, Timings), EngineError> {
    let mut image = Array3::zeros((0, 0, 0));
    let last = backward.plan.time.steps;
    let mut keep = |_, snapshot: &SnapshotView<'_>| {
        heard(snapshot);
        snapshot.step == last
    };
    let timings = shot::model(engine, &backward.plan, progress, &mut keep, &mut |result| {
        if let Some(last) = result.snapshots.into_iter().next_back() {
            image = last.field;
        }
        Ok::<_, EngineError>(())
    })?;
    Ok((image, timings))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{acquisition, grid::Axes};

    #[test]
    fn a_receiver_stands_for_the_surface_around_it() {
        let line = acquisition::line(Axes::xz(0.0, 0.0), Axes::xz(500.0, 0.0), 26);
        assert!((surface(&line, false) - 20.0).abs() < 1e-9);
        let from = Axes { z: 0.0, x: 0.0, y: 100.0 };
        let grid = acquisition::grid(from, Axes { x: 90.0, y: 160.0, ..from }, 10, 4);
        assert!((surface(&grid, true) - 200.0).abs() < 1e-9);
        assert_eq!(surface(&line[..1], false), 1.0);
    }
}
