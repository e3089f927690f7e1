//! A chart of a job's dispersion: the errors of phase velocities, and the limit of them.

use crate::{
    plan::{Dispersion, MOST_PERIODS, Plan},
    render::{Across, Curve, CurveFigure, Line},
    results::numbers::short,
    stencil::dispersion::{Direction, directions},
};

const POINTS: usize = 33;
/// Minimum and maximum points per wavelength.
const RANGE: (f64, f64) = (2.0, 32.0);
/// Tolerance of a velocity, per cent.
const RIGHT: f64 = 1e-4;

/// |c/v - 1| against points per wavelength in the slowest medium, with the frequencies of the job of
/// this name; `None` without a source.
pub(crate) fn dispersion(name: &str, plan: &Plan) -> Option<CurveFigure> {
    let known = plan.dispersion()?;
    let mut curves = errors(plan, &known);
    let all = || curves.iter().flat_map(|curve| &curve.points).map(|point| point.1);
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(RIGHT, f64::max));
    for (sampling, which, of) in
        [(known.dominant, "dominant", ""), (known.highest, "highest", " (5 % of the amplitude)")]
    {
        let at = sampling.points_per_wavelength;
        let hertz = sampling.frequency;
        curves.push(Curve {
            name: format!("{which} {hertz:.1} Hz{of}: {at:.1} points"),
            points: vec![(at, low.min(high)), (at, high)],
            line: Line::Dashed,
        });
    }
    // A quarter period over the path, as a velocity error.
    let periods = known.path / known.velocity * known.dominant.frequency;
    let limit = 100.0 * MOST_PERIODS / periods;
    let path = known.path / 1000.0;
    let frequency = known.dominant.frequency;
    let figure = CurveFigure {
        title: format!("Numerical dispersion of {}", name),
        subtitle: format!(
            "at {} m/s, steps of {} ms{}",
            // As the model stores it: the further digits of an f64 are noise.
            known.velocity as f32,
            short(1e3 * plan.time.dt),
            match plan.scheme().dt {
                0.0 => ", whose own error is corrected in the traces",
                _ => "; a dip is where the errors of space and time cancel",
            }
        ),
        across: "Points per wavelength along the coarsest axis (log)".into(),
        up: "Phase velocity error, |c/v - 1| (%, log)".into(),
        ticks: Across::Log2,
        log: true,
        curves,
        lines: vec![(
            limit,
            format!("limit: off by {MOST_PERIODS} periods after {path:.1} km at {frequency:.1} Hz"),
        )],
    };
    Some(figure)
}

/// |c/v - 1|, per cent, in the slowest medium against points per wavelength, one curve per
/// direction.
fn errors(plan: &Plan, known: &Dispersion) -> Vec<Curve> {
    let most = RANGE.1.max(1.1 * known.dominant.points_per_wavelength);
    let error = |points: f64, direction: &Direction| {
        // Points per wavelength are those of the coarsest axis, as in the report.
        let sampled = known.dominant.points_per_wavelength * known.dominant.frequency;
        let error = plan.scheme().velocity_ratio(sampled / points, direction)? - 1.0;
        Some((100.0 * error.abs()).max(RIGHT))
    };
    let mut curves: Vec<Curve> = Vec::new();
    for direction in directions(plan.grid.is_volume()).iter().filter(|d| d.name != "yz") {
        let point = |i: usize| {
            let points = RANGE.0 * (most / RANGE.0).powf(i as f64 / (POINTS - 1) as f64);
            error(points, direction).map(|error| (points, error))
        };
        let points: Vec<_> = (0..POINTS).filter_map(point).collect();
        match curves.iter_mut().find(|curve| same(&curve.points, &points)) {
            Some(curve) => curve.name += &format!(", {}", direction.name),
            None => curves.push(Curve {
                name: format!("along {}", direction.name),
                points,
                line: Line::Solid,
            }),
        }
    }
    curves.retain(|curve| !curve.points.is_empty());
    curves
}

/// True if two curves coincide.
fn same(a: &[(f64, f64)], b: &[(f64, f64)]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a.1 / b.1 - 1.0).abs() < 1e-6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        acquisition::{Ricker, Shot, Source, TimeDispersion, Wavelet},
        boundary::{Absorber, Boundary, Top},
        grid::{Axes, PlaneAxes},
        model::builtin,
        plan::{Setup, Step, Time},
        stencil::Family,
    };

    #[test]
    fn the_picture_shows_what_the_report_says() {
        let plan = |step: f64, dispersion| {
            let source = Source::new(
                Axes::xz(0.0, 0.0),
                Wavelet::Ricker(Ricker { peak_hz: 6.0, delay: 0.25 }),
            );
            let model = builtin(
                "homogeneous",
                Some(PlaneAxes { x: 80, z: 40 }),
                Some(PlaneAxes { x: 40.0, z: 40.0 }),
            )
            .expect("a model");
            let shots = vec![Shot { sources: vec![source], receivers: Default::default() }];
            let setup = Setup {
                operator: Family::Taylor { order: 4 },
                boundary: Boundary { top: Top::Zero, sides: Absorber::Zero },
                time: Time { step: Step::Seconds(step), dispersion, ..Time::new(1.0) },
                ..Setup::new(model, shots, 1.0)
            };
            Plan::new(setup).expect("a valid setup")
        };
        let drawn = |plan: &Plan| {
            let known = plan.dispersion().expect("there is a source");
            let curves = errors(plan, &known);
            let largest = |curve: &Curve| {
                let distance = |x: f64| (x / known.dominant.points_per_wavelength).ln().abs();
                let near =
                    |a: &&(f64, f64), b: &&(f64, f64)| distance(a.0).total_cmp(&distance(b.0));
                curve.points.iter().min_by(near).map_or(0.0, |point| point.1)
            };
            let largest = curves.iter().map(largest).fold(0.0, f64::max);
            let said = 100.0 * known.dominant.velocity_error.expect("it travels").abs();
            // As close as the spacing of a curve's points allows.
            assert!((0.6..1.7).contains(&(largest / said)), "{largest} and {said}");
            curves.into_iter().map(|curve| curve.points).collect::<Vec<_>>()
        };
        let (kept, corrected) = (TimeDispersion::Kept, TimeDispersion::Corrected);
        assert_ne!(drawn(&plan(1e-2, kept)), drawn(&plan(1e-3, kept)));
        // The remaining error is the operator's, for any step.
        assert_eq!(drawn(&plan(1e-2, corrected)), drawn(&plan(1e-3, corrected)));
    }
}
