//! Zero-offset sections by exploding reflectors: two-way times by geometry, and the section sent
//! back.

use crate::common::{self, figures::figure};
use huygens::{
    acquisition::{Recording, Ricker, Shot, line},
    boundary::Boundary,
    engine::cpu::Parallel,
    grid::Axes,
    model::VelocityModel,
    operations::zero_offset::{backward, forward, image, section},
    plan::Setup,
};
use ndarray::{Array2, Array3, ArrayView1, Axis, s};
use std::ops::ControlFlow;

const H: f64 = 10.0;
const NX: usize = 301;
const NZ: usize = 151;
const DT: f64 = 1e-3;
/// Nine nodes per wavelength at half of 1500 m/s.
const PEAK_HZ: f64 = 8.0;

/// A setup as for a shot, with a receiver at every second node of the surface. Everything that a
/// zero-offset section ignores differs as much as possible.
fn setup(velocity: impl Fn(f64, f64) -> f64) -> Setup {
    let at = |(x, z): (usize, usize)| velocity(x as f64 * H, z as f64 * H) as f32;
    let model = VelocityModel::new(Array2::from_shape_fn((NX, NZ), at), H, H).expect("a model");
    let last = (NX - 1) as f64 * H;
    let receivers = line(Axes::xz(0.0, 0.0), Axes::xz(last, 0.0), NX.div_ceil(2));
    let shot = Shot {
        sources: vec![common::ricker(70.0, 330.0, PEAK_HZ, 0.1)],
        receivers: receivers.into(),
    };
    let boundary = Boundary { top: huygens::boundary::Top::Free, ..common::CPML_20 };
    let time = common::every_step(DT, 2.0);
    Setup { model, boundary, ..common::homogeneous((1, 1), H, 1.0, time, shot) }
}

/// The mistake: velocities that, halved, are those of the model.
fn not_halved(setup: &Setup) -> Setup {
    let velocity = setup.model.velocity().mapv(|v| 2.0 * v);
    let model = VelocityModel::volume(velocity, setup.model.grid().h).expect("a model");
    Setup { model, ..setup.clone() }
}

fn recorded(setup: &Setup) -> Recording {
    let forward = forward(setup.clone()).expect("a valid setup");
    assert_eq!(forward.interval(), DT);
    let (gather, _) = section(&Parallel, &forward, &mut go_on, &mut |_| ()).expect("a stable run");
    Recording { gather, interval: DT, receivers: setup.shots[0].receivers.to_vec() }
}

fn go_on(_step: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// The time of the largest |sample| within 60 ms of a time, between samples by a parabola, s.
fn peak_near(trace: ArrayView1<f32>, time: f64) -> f64 {
    let middle = (time / DT).round() as usize;
    let window = middle - 60..(middle + 61).min(trace.len() - 1);
    let value = |n: usize| f64::from(trace[n].abs());
    let n = window.max_by(|a, b| value(*a).total_cmp(&value(*b))).expect("a window");
    let (a, b, c) = (value(n - 1), value(n), value(n + 1));
    (n as f64 + 0.5 * (a - c) / (a - 2.0 * b + c)) * DT
}

/// The largest error of two-way times of receivers from and to some x, s.
fn worst(recording: &Recording, (from, to): (f64, f64), time: impl Fn(f64) -> f64) -> f64 {
    let traces = recording.receivers.iter().zip(recording.gather.outer_iter());
    let within = traces.filter(|(at, _)| (from..=to).contains(&at.x));
    let off = within.map(|(at, trace)| (peak_near(trace, time(at.x)) - time(at.x)).abs());
    off.fold(0.0, f64::max)
}

/// An error of two-way times, on record.
fn late(case: &str, off: f64) {
    figure("exploding", case, &Parallel, &format!("{:.2} ms", 1e3 * off), "1 ms", "");
}

#[test]
fn flat_reflectors_are_at_their_two_way_times() {
    // Interfaces lie half way between two nodes.
    let two = |_: f64, z: f64| if z < 605.0 { 2000.0 } else { 3000.0 };
    let three = |_: f64, z: f64| match z {
        z if z < 405.0 => 1500.0,
        z if z < 905.0 => 2500.0,
        _ => 4000.0,
    };
    let whole = (0.0, 3000.0);
    let first = 2.0 * 405.0 / 1500.0;
    for (name, setup, times) in [
        ("two layers", setup(two), vec![2.0 * 605.0 / 2000.0]),
        ("three layers", setup(three), vec![first, first + 2.0 * 500.0 / 2500.0]),
    ] {
        let (right, wrong) = (recorded(&setup), recorded(&not_halved(&setup)));
        for time in times {
            let off = worst(&right, whole, |_| time);
            late(&format!("{name}, {time:.3} s"), off);
            assert!(off <= DT, "{name}: {off} s");
            assert!(worst(&wrong, whole, |_| time) > 5.0 * DT);
        }
    }
}

/// A reflector below `z0` at x = 0, rising to the right.
const DIP: f64 = 15.0;
const Z0: f64 = 1100.0;
const ABOVE: f64 = 2000.0;

/// Distance along the normal above a reflector that dips, m.
fn height(x: f64, z: f64) -> f64 {
    let (sin, cos) = DIP.to_radians().sin_cos();
    (Z0 - z) * cos - x * sin
}

fn dipping() -> Setup {
    setup(|x, z| if height(x, z) > 0.0 { ABOVE } else { 2600.0 })
}

/// The range of the surface that hears only the reflector: beyond the model it continues
/// horizontally, and the bend sends a wave of its own.
const REACHED: (f64, f64) = (600.0, 2200.0);

#[test]
fn a_dipping_reflector_is_recorded_along_its_normal() {
    let setup = dipping();
    let normal = |x: f64| 2.0 * height(x, 0.0) / ABOVE;
    let off = worst(&recorded(&setup), REACHED, normal);
    late(&format!("a dip of {DIP} degrees, by its normal"), off);
    assert!(off <= DT, "{off} s");
    // Straight below it would be another time, and so would it be at whole velocities.
    let below = |x: f64| normal(x) / DIP.to_radians().cos();
    assert!(worst(&recorded(&setup), REACHED, below) > 5.0 * DT);
    assert!(worst(&recorded(&not_halved(&setup)), REACHED, normal) > 5.0 * DT);
}

fn correlation(a: &Array2<f32>, b: &Array2<f32>) -> f64 {
    let product = |a: &Array2<f32>, b: &Array2<f32>| {
        a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>()
    };
    product(a, b) / (product(a, a) * product(b, b)).sqrt()
}

/// The image of a recording within some x and z, every node.
fn imaged(setup: &Setup, recording: &Recording, (x, z): ((f64, f64), (f64, f64))) -> Array2<f32> {
    let backward = backward(setup.clone(), recording).expect("a sound section");
    let (field, _) = image(&Parallel, &backward, &mut go_on, &mut |_| ()).expect("a stable run");
    let field: Array3<f32> = field;
    let node = |along: f64| (along / H).round() as usize;
    let part = field.index_axis_move(Axis(0), 0);
    part.slice(s![node(x.0)..=node(x.1), node(z.0)..=node(z.1)]).to_owned()
}

#[test]
fn a_section_sent_back_is_the_reflectivity_in_its_band() {
    // A band of frequencies is a band of wavenumbers by the velocity that halves both ways: 2 f /
    // v.
    let ricker = Ricker { peak_hz: PEAK_HZ, delay: 0.0 };
    let flat = |z: f64| if z < 605.0 { 2000.0 } else { 3000.0 };
    let (x, z) = ((600.0, 2000.0), (200.0, 1300.0));
    let map = |of: &dyn Fn(f64, f64) -> f64| {
        let n = |(from, to): (f64, f64)| ((to - from) / H).round() as usize + 1;
        let at = |n: usize, from: f64| from + n as f64 * H;
        Array2::from_shape_fn((n(x), n(z)), |(i, k)| of(at(i, x.0), at(k, z.0)) as f32)
    };
    let layers = setup(|_, z| flat(z));
    let flat_map = map(&|_, z| ricker.at(2.0 * (z - 605.0) / flat(z)));
    let dip = dipping();
    let dip_map = map(&|x, z| {
        let d = height(x, z);
        ricker.at(2.0 * d / if d > 0.0 { ABOVE } else { 2600.0 })
    });
    for (name, setup, map) in [("flat", layers, flat_map), ("dipping", dip, dip_map)] {
        let recording = recorded(&setup);
        let found = correlation(&imaged(&setup, &recording, (x, z)), &map);
        let wrong = correlation(&imaged(&not_halved(&setup), &recording, (x, z)), &map);
        let case = format!("{name}, sent back: correlation with the reflectivity");
        figure("exploding", &case, &Parallel, &format!("{found:.3}"), "0.9", "");
        println!("{name}, sent back with velocities not halved: {wrong:.3}");
        assert!(found > 0.9, "{name}: {found}");
        assert!(wrong < 0.5, "{name}: {wrong}");
    }
}

/// The image of two layers along z, by d'Alembert's solution and the coefficients of reflection and transmission, in
/// the band of a Ricker wavelet with a gain of 1 at its peak.
///
/// The spike is shared by the nodes half a cell above and below the interface, as equal sources. Three waves come up:
/// that of the upper node, its reflection, and that of the lower node. Sent back, they meet the interface again.
fn two_layers(v1: f64, v2: f64, z0: f64, z: f64) -> f64 {
    let (c1, c2) = (0.5 * v1, 0.5 * v2);
    let reflected = (c2 - c1) / (c2 + c1);
    let source = reflected * H / (c1 * c1 + c2 * c2);
    let gain = 2.0 / (std::f64::consts::PI.sqrt() * std::f64::consts::E * PEAK_HZ);
    let ricker = Ricker { peak_hz: PEAK_HZ, delay: 0.0 };
    let section = |t: f64| {
        let wave = |amplitude: f64, at: f64| amplitude * source * ricker.at(t - at) / gain;
        wave(0.5 * c1, (z0 - 0.5 * H) / c1)
            + wave(0.5 * c1 * reflected, (z0 + 0.5 * H) / c1)
            + wave(0.5 * c2 * (1.0 - reflected), z0 / c1 + 0.5 * H / c2)
    };
    // Half went up.
    2.0 * match z < z0 {
        true => section(z / c1) + reflected * section((2.0 * z0 - z) / c1),
        false => (1.0 + reflected) * section(z0 / c1 + (z - z0) / c2),
    }
}

#[test]
fn an_image_keeps_amplitudes() {
    let z0 = 605.0;
    for (v1, v2) in [(2000.0, 2400.0), (2400.0, 2000.0), (2000.0, 4000.0)] {
        let setup = setup(|_, z| if z < z0 { v1 } else { v2 });
        let recording = recorded(&setup);
        let (top, bottom) = (300.0, 900.0);
        let found = imaged(&setup, &recording, ((1500.0, 1500.0), (top, bottom)));
        let expected = Array2::from_shape_fn(found.dim(), |(_, k)| {
            two_layers(v1, v2, z0, top + k as f64 * H) as f32
        });
        let norm = |a: &Array2<f32>| a.iter().map(|p| f64::from(*p).powi(2)).sum::<f64>().sqrt();
        let off = norm(&(&found - &expected)) / norm(&expected);
        let case = format!("the image of {v1} over {v2} m/s, by d'Alembert");
        figure("exploding", &case, &Parallel, &format!("{:.2} %", 1e2 * off), "2 %", "");
        assert!(off < 0.02, "{v1} over {v2} m/s: {off}");
    }
}
