//! The error of spreading a dipole over nodes. Everything else is as exact as possible, with an
//! operator of order 16 and an analytic solution that includes the scheme's error in time.

use crate::common::{
    self,
    analytic::plane_dipole,
    figures::{cell, mistake, percent},
    relative_error,
};
use huygens::{
    acquisition::{Shot, SourceKind},
    boundary::{Boundary, Top},
    engine::cpu::Reference,
    grid::{Axes, Axis, Position},
    plan::Setup,
    stencil::Family,
};
use ndarray::{Array1, Array2};

const V: f64 = 1500.0;
const PEAK: f64 = 10.0;
const DURATION: f64 = 0.45;
/// The figure in docs/job.md.
const BAR: f64 = 0.0013;
/// Nodes in a wavelength of the peak frequency.
const POINTS: [usize; 3] = [10, 20, 40];

/// A dipole some cells off a node in the middle, receivers on nodes two wavelengths away along x, z
/// and between, and the exact traces. Under a free surface the node is a few below it, and so is
/// the receiver along x.
struct Case {
    setup: Setup,
    exact: Array2<f64>,
}

impl Case {
    fn new(points: usize, axis: Axis, off: (f64, f64), rows: Option<usize>) -> Self {
        let h = V / PEAK / points as f64;
        let dt = 0.4 * h / V;
        // The shortest way by an edge, four wavelengths, ends with the run.
        let half = 3 * points;
        let middle = (half, rows.unwrap_or(half));
        let far = 2 * points;
        let nodes = [
            (middle.0 + far, if rows.is_some() { middle.1 + far / 4 } else { middle.1 }),
            (middle.0 + far * 7 / 10, middle.1 + far * 7 / 10),
            (middle.0, middle.1 + far),
        ];
        let at = |x: f64, z: f64| Axes::xz(h * x, h * z);
        let from = at(middle.0 as f64 + off.0, middle.1 as f64 + off.1);
        let receivers: Vec<Position> =
            nodes.iter().map(|(x, z)| at(*x as f64, *z as f64)).collect();
        let mut source = common::ricker(from.x, from.z, PEAK, 1.5 / PEAK);
        source.kind = SourceKind::Dipole(axis);
        let shot = Shot { sources: vec![source], receivers: receivers.clone().into() };
        let time = common::every_step(dt, DURATION);
        let size = (2 * half + 1, middle.1 + half + 1);
        let mut setup = common::homogeneous(size, h, V as f32, time, shot);
        setup.operator = Family::Taylor { order: 16 };
        if rows.is_some() {
            setup.boundary = Boundary { top: Top::Free, ..common::CPML_20 };
        }
        let samples = (DURATION / dt * (1.0 + 1e-9)) as usize + 1;
        let s = setup.shots[0].sources[0].wavelet.samples(dt, samples).expect("a Ricker");
        let of = |from: Position, to: &Position| {
            let (dx, dz) = (to.x - from.x, to.z - from.z);
            let along = if axis == Axis::X { dx } else { dz };
            plane_dipole(&s, dt, dx.hypot(dz), along, V, samples, true)
        };
        // A dipole along z has an image of the same sign, one along x of the other.
        let sign = if axis == Axis::Z { 1.0 } else { -1.0 };
        let traces = receivers.iter().map(|to| {
            let mut trace = Array1::from(of(from, to));
            if rows.is_some() {
                trace += &(sign * Array1::from(of(Axes { z: -from.z, ..from }, to)));
            }
            trace
        });
        let traces: Vec<_> = traces.collect();
        let exact = Array2::from_shape_fn((traces.len(), samples), |(r, n)| traces[r][n]);
        Case { setup, exact }
    }

    fn error(&self) -> f64 {
        let gather = common::gathers(&Reference, self.setup.clone()).remove(0);
        let ours: Array1<f64> = gather.iter().map(|p| f64::from(*p)).collect();
        let exact: Array1<f64> = self.exact.iter().copied().collect();
        relative_error(ours.view(), exact.view())
    }
}

#[test]
fn a_dipole_is_as_exact_as_the_job_page_says() {
    for (place, off) in
        [("on a node", 0.0), ("a quarter of a cell off", 0.25), ("half a cell off", 0.5)]
    {
        for points in POINTS {
            let along = [(Axis::X, (off, 0.0)), (Axis::Z, (0.0, off)), (Axis::X, (off, off))];
            let errors = along.map(|(axis, off)| Case::new(points, axis, off, None).error());
            let worst = errors.into_iter().fold(0.0, f64::max);
            cell("dipoles", place, &format!("{points} points per wavelength"), &percent(worst));
            assert!(worst <= BAR, "{place}, {points} points: {errors:?}");
        }
    }
}

#[test]
fn a_dipole_near_a_free_surface_has_its_image() {
    for (rows, off) in [(0, 0.0), (0, 0.25), (0, 0.5), (2, 0.25)] {
        for points in POINTS {
            let error = Case::new(points, Axis::Z, (0.0, off), Some(rows)).error();
            let place = format!("along z, {} cells below a free surface", rows as f64 + off);
            cell("dipoles", &place, &format!("{points} points per wavelength"), &percent(error));
            assert!(error <= BAR, "{place}, {points} points: {error}");
        }
    }
}

/// Tests the test: a twentieth of a cell off, and half a per cent too strong.
#[test]
fn a_dipole_that_is_not_quite_one_is_seen() {
    for (what, off, strength) in [("0.05 cells off", 0.05, 1.0), ("0.5 % too strong", 0.0, 1.005)] {
        let mut case = Case::new(10, Axis::X, (0.0, 0.0), None);
        let source = &mut case.setup.shots[0].sources[0];
        source.at.x += off * V / PEAK / 10.0;
        source.amplitude *= strength;
        let error = case.error();
        mistake("dipole", what, error, 2.0 * BAR);
        assert!(error > 2.0 * BAR, "{what}: {error}");
    }
}
