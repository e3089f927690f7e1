//! Reverse time migration puts reflectors where they are.

use crate::common::{
    self, engines,
    figures::{figure, percent},
};
use huygens::{
    acquisition::Shot,
    boundary::{Absorber, Boundary, Cpml, Top},
    engine::{
        Engine, Observer, OffsetGathers, Run,
        cpu::Parallel,
        gpu::{GATHER_KERNELS, Gpu},
    },
    grid::{Axes, Axis as Axis3},
    model::VelocityModel,
    operations::{
        rtm::{
            self, Condition, Conditioning, Migration, Mute, Partial, RecordedTraces, Resampling,
            Stack, Stacked, laplacian,
        },
        shot,
    },
    plan::{Imaging, Offsets, Plan, Setup, Summed},
};
use ndarray::{Array1, Array2, Array3, ArrayView1, Axis, s};
use std::sync::Arc;

const H: f64 = 10.0;
const NODES: (usize, usize) = (161, 111);
/// The first row of the lower layer; the interface lies half a cell above it.
const ROW: usize = 70;
const V: (f32, f32) = (2000.0, 2400.0);

fn setup(lower: f32, record: Option<f64>, (count, duration): (u8, f64)) -> Setup {
    let velocity = Array2::from_shape_fn(NODES, |(_, z)| if z < ROW { V.0 } else { lower });
    let receivers: Vec<_> = (0..NODES.0).map(|x| Axes::xz(x as f64 * H, 20.0)).collect();
    let shots = (0..count).map(|i| Shot {
        sources: vec![common::ricker(
            200.0 + 1200.0 / f64::from(count - 1) * f64::from(i),
            20.0,
            15.0,
            0.1,
        )],
        receivers: receivers.clone().into(),
    });
    let shots: Vec<_> = shots.collect();
    let mut time = common::every_step(1e-3, duration);
    time.record = record;
    Setup {
        model: VelocityModel::new(velocity, H, H).expect("a valid model"),
        boundary: Boundary { top: Top::Absorb, sides: Absorber::Cpml(Cpml::new(15)) },
        shots: shots.clone(),
        ..common::homogeneous((1, 1), H, 1500.0, time, shots[0].clone())
    }
}

const OFFSETS: [Offsets; 2] = [
    Offsets { along: Axis3::X, line: 0, most: 12, step: 4 },
    Offsets { along: Axis3::Z, line: 0, most: 6, step: 2 },
];

/// The gathers of the two layers, every 4 ms.
fn recorded(engine: &dyn Engine, shots: (u8, f64)) -> Vec<Array2<f32>> {
    let plan = Plan::new(setup(V.1, Some(4e-3), shots)).expect("a valid setup");
    let mut gathers = vec![Array2::zeros((0, 0)); plan.shots.len()];
    let mut done = |result: shot::ShotResult| {
        gathers[result.shot] = result.gather;
        Ok::<_, huygens::engine::EngineError>(())
    };
    let mut go_on = |_| std::ops::ControlFlow::Continue(());
    shot::model(engine, &plan, &mut go_on, &mut |_, _| false, &mut done).expect("a stable run");
    gathers
}

/// The images of the shots, migrated through the upper layer.
fn migrated(
    engine: &dyn Engine,
    gathers: &[Array2<f32>],
    shots: (u8, f64),
    kept: (usize, u64),
) -> Vec<Partial> {
    migrated_through(engine, gathers, 1.0, shots, kept)
}

/// [`migrated`] through its velocity times a factor.
fn migrated_through(
    engine: &dyn Engine,
    gathers: &[Array2<f32>],
    factor: f64,
    shots: (u8, f64),
    (every, memory): (usize, u64),
) -> Vec<Partial> {
    let mut setup = setup(V.0, None, shots);
    setup.model = setup.model.scaled(factor).expect("a factor of use");
    let plan = Plan::new(setup).expect("a valid setup");
    let migration = Migration::new(engine, &plan, every, &OFFSETS, memory).expect("it fits");
    run(&migration, &plan, gathers)
}

/// The results of a migration.
fn run(migration: &Migration<'_>, plan: &Plan, gathers: &[Array2<f32>]) -> Vec<Partial> {
    let mute = Mute { velocity: f64::from(V.0), delay: 0.2, taper: 0.05 };
    let conditioning = Conditioning {
        mute: Some(mute),
        taper: 0.1,
        integrated_above: Some(1.5),
        ..Conditioning::default()
    };
    let resampling = Resampling::new(4e-3, plan);
    let mut images = Vec::new();
    migration
        .run::<huygens::engine::EngineError>(
            &|shot| {
                let traces = conditioning.apply(&gathers[shot], &resampling, plan, shot);
                Ok(traces.expect("steps short enough").into())
            },
            &mut |_| std::ops::ControlFlow::Continue(()),
            &mut |image| {
                images.push(image);
                Ok(())
            },
        )
        .expect("a stable run");
    images
}

fn sum(images: &[Partial]) -> Stacked {
    let mut stack = Stack::default();
    images.iter().for_each(|image| stack.add(image.clone()));
    let plan = Plan::new(setup(V.0, None, (2, 0.1))).expect("a valid setup");
    stack.sum(&rtm::scale(&plan, 8), &OFFSETS).expect("shots")
}

fn stacked(images: &[Partial], condition: Condition) -> Array3<f64> {
    let plan = Plan::new(setup(V.0, None, (2, 0.1))).expect("a valid setup");
    laplacian(&sum(images).image(condition), &plan.model_grid)
}

/// At the true velocity a flat reflector is a peak of one sign, that of a rising velocity, within a
/// cell of where it is, all along the middle of the line.
#[test]
fn a_flat_reflector_is_where_it_is() {
    for engine in engines::fast() {
        let engine = engine.as_ref();
        let shots = (5, 1.2);
        let gathers = recorded(engine, shots);
        let images = migrated(engine, &gathers, shots, (8, u64::MAX));
        for condition in [Condition::SourceNormalised, Condition::CrossCorrelation] {
            let image = stacked(&images, condition);
            let mut worst = 0.0f64;
            for x in 50..110 {
                let column = image.index_axis(Axis(0), 0);
                // Below what the muted direct waves leave.
                let column = (40..NODES.1).map(|z| (z, column[[x, z]]));
                let peak = column.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())).expect("rows");
                assert!(peak.1 < 0.0, "{condition:?}, column {x}: {peak:?}");
                worst = worst.max((peak.0 as f64 - (ROW as f64 - 0.5)).abs());
            }
            let case = format!("flat reflector, {condition:?}");
            figure("imaging", &case, engine, &format!("{worst} cells"), "1 cell", "");
            assert!(worst <= 1.0, "{condition:?}: {worst} cells off");
        }
    }
}

/// The recording minus the direct wave, modelled through the velocity at the source, is zero before
/// the reflection.
#[test]
fn the_direct_wave_is_modelled_away() {
    for engine in engines::fast() {
        let (engine, shots) = (engine.as_ref(), (2, 1.2));
        let recorded = recorded(engine, shots);
        let modelled = setup(V.1, Some(4e-3), shots);
        assert_eq!(rtm::NotUniform::find(&modelled), None);
        let loudest = |trace: ArrayView1<'_, f32>| trace.fold(0.0f32, |peak, v| peak.max(v.abs()));
        // The rest before the reflection, and after it, relative to the direct wave of each trace.
        let left = |setup: &Setup| {
            let mut gathers = recorded.clone();
            for direct in rtm::direct_waves(setup, 1e-3, 4e-3, &[0, 1]) {
                let (plan, shots) = direct.expect("a valid setup");
                let mut done = |result: shot::ShotResult| {
                    rtm::without_direct(&mut gathers[shots[result.shot]], &result.gather);
                    Ok::<_, huygens::engine::EngineError>(())
                };
                let mut go_on = |_| std::ops::ControlFlow::Continue(());
                shot::model(engine, &plan, &mut go_on, &mut |_, _| false, &mut done)
                    .expect("a stable run");
            }
            let (mut before, mut after) = (0.0f32, 0.0f32);
            for (shot, gather) in gathers.iter().enumerate() {
                let x = 200.0 + 1200.0 * shot as f64;
                for (receiver, trace) in gather.outer_iter().enumerate() {
                    let offset = (receiver as f64 * H - x).hypot(2.0 * (ROW as f64 * H - 30.0));
                    let arrives = (offset / f64::from(V.0) / 4e-3) as usize;
                    let direct = loudest(recorded[shot].row(receiver));
                    let (early, late) = trace.split_at(Axis(0), arrives.min(trace.len()));
                    before = before.max(loudest(early) / direct);
                    after = after.max(loudest(late) / direct);
                }
            }
            (before, after)
        };
        let (before, after) = left(&modelled);
        let said = percent(f64::from(before));
        figure("imaging", "direct wave modelled away", engine, &said, "0.1 %", "");
        assert!(before < 1e-3 && after > 0.03, "{before} {after}");
        // Tests the test: a velocity 1 % off.
        let mut wrong = modelled.clone();
        wrong.model = wrong.model.scaled(1.01).expect("a factor of use");
        assert!(left(&wrong).0 > 0.01);
    }
}

/// A receiver in the lower layer hears another direct wave.
#[test]
fn a_receiver_at_another_velocity_is_named() {
    let mut setup = setup(V.1, None, (2, 0.1));
    let deep = Axes::xz(500.0, (ROW + 5) as f64 * H);
    setup.shots[1].receivers = vec![Axes::xz(0.0, 20.0), deep].into();
    let found = rtm::NotUniform::find(&setup).expect("one");
    assert_eq!((found.shot, found.at, found.there, found.at_source), (1, deep, V.1, V.0));
}

/// A band takes out of traces what lies beyond it, and nothing else.
#[test]
fn a_band_passes_before_migration() {
    let plan = Plan::new(setup(V.0, None, (2, 1.2))).expect("a valid setup");
    let receivers = plan.shots[0].receivers.len();
    let sine = |hz: f64| {
        Array2::from_shape_fn((receivers, 301), |(_, n)| {
            (std::f64::consts::TAU * hz * 4e-3 * n as f64).sin() as f32
        })
    };
    let conditioned = |gather: &Array2<f32>, band| {
        let conditioning = Conditioning { band, taper: 0.1, ..Conditioning::default() };
        let resampling = Resampling::new(4e-3, &plan);
        conditioning.apply(gather, &resampling, &plan, 0).expect("steps short enough")
    };
    let band = Some([3.0, 6.0, 20.0, 30.0]);
    let low = conditioned(&sine(12.0), None);
    let (both, passed) =
        (&sine(12.0) + &sine(45.0), conditioned(&(&sine(12.0) + &sine(45.0)), band));
    let middle = s![.., 400..800];
    let off = |traces: &Array2<f32>| {
        let difference = traces - &low;
        let difference = difference.slice(middle);
        difference.iter().fold(0.0f32, |most, v| most.max(v.abs()))
    };
    assert!(off(&passed) < 0.01, "{}", off(&passed));
    assert!(off(&conditioned(&both, None)) > 0.5);
}

/// Steps that samples which were not recorded reach are silent, and a trace fades at its own end.
#[test]
fn what_was_not_recorded_is_not_migrated() {
    let plan = Plan::new(setup(V.0, None, (2, 1.2))).expect("a valid setup");
    let receivers = plan.shots[0].receivers.len();
    let sine = |n: usize| (std::f64::consts::TAU * 12.0 * 4e-3 * n as f64).sin() as f32;
    let whole = Array2::from_shape_fn((receivers, 301), |(_, n)| sine(n));
    let of = |first: usize, end: usize| {
        let mut gather = whole.clone();
        gather.slice_mut(s![.., ..first]).fill(0.0);
        gather.slice_mut(s![.., end..]).fill(0.0);
        let samples = vec![first..end; receivers];
        let conditioning = Conditioning { taper: 0.1, ..Conditioning::default() };
        let traces = RecordedTraces { gather: &gather, samples: &samples };
        let resampling = Resampling::new(4e-3, &plan);
        conditioning.apply_to(traces, &resampling, &plan, 0).expect("steps short enough").values
    };
    let known = of(0, 301);
    // A sample is 4 steps; a sample reaches 40.
    let late = of(50, 301);
    assert!(late.slice(s![.., ..4 * 90]).iter().all(|v| *v == 0.0));
    let off = (&late - &known).mapv(f32::abs);
    assert!(off.slice(s![.., 4 * 90..]).iter().all(|off| *off < 1e-3));
    let short = of(0, 200);
    let largest = |from: usize, to: usize, of: &Array2<f32>| {
        of.slice(s![.., from..to]).iter().fold(0.0f32, |most, v| most.max(v.abs()))
    };
    // The taper of 0.1 s is that of an end at 0.8 s.
    let faded =
        |n: usize| (0.5 * std::f64::consts::PI * (0.8 - 1e-3 * n as f64) / 0.1).sin().powi(2);
    for n in [640, 720, 760] {
        let wanted = f64::from(known[[3, n]]) * if n < 700 { 1.0 } else { faded(n) };
        assert!(
            (f64::from(short[[3, n]]) - wanted).abs() < 2e-3,
            "{n}: {} {wanted}",
            short[[3, n]]
        );
    }
    assert!(largest(640, 700, &short) > 0.5 && largest(800, 1200, &short) < 1e-3);
    // A mute after the start leaves nothing to be cut.
    let muted = |first: usize| {
        let mut gather = whole.clone();
        gather.slice_mut(s![.., ..first]).fill(0.0);
        let samples = vec![first..301; receivers];
        let mute = Some(Mute { velocity: 1e9, delay: 0.3, taper: 0.05 });
        let conditioning = Conditioning { mute, taper: 0.1, ..Conditioning::default() };
        let traces = RecordedTraces { gather: &gather, samples: &samples };
        let resampling = Resampling::new(4e-3, &plan);
        conditioning.apply_to(traces, &resampling, &plan, 0).expect("steps short enough").values
    };
    assert_eq!(muted(50), muted(0));
}

/// The sum of the products of both waves' time derivatives and gradients, taken step by step, is
/// the Laplacian of their image: what docs/theory/migration.md says of the inverse scattering condition.
#[test]
fn the_inverse_scattering_condition_is_the_laplacian_of_the_image() {
    let (engine, shots): (&dyn Engine, _) = (&Parallel, (3, 1.2));
    let gathers = recorded(engine, shots);
    let plan = Plan::new(setup(V.0, None, shots)).expect("a valid setup");
    let mute = Mute { velocity: f64::from(V.0), delay: 0.2, taper: 0.05 };
    let conditioning = Conditioning {
        mute: Some(mute),
        taper: 0.1,
        integrated_above: Some(1.5),
        ..Conditioning::default()
    };
    let traces = conditioning.apply(&gathers[1], &Resampling::new(4e-3, &plan), &plan, 1);
    let (plan, steps) = (plan.part(&[1]), plan.time.steps);
    let imaging = Imaging { every: 1, slots: steps + 1 };
    let back = plan.sent_back(&[traces.expect("steps short enough")], imaging);
    // First differences in time of a wave, by its steps.
    let differences = |run: &mut dyn Run| -> Vec<Array3<f32>> {
        let mut fields = vec![run.field(0).expect("a field")];
        for _ in 0..steps {
            run.advance(1, &mut ()).expect("a stable run");
            fields.push(run.field(0).expect("a field"));
        }
        run.finish(&mut ()).expect("a stable run");
        fields.windows(2).map(|two| &two[1] - &two[0]).collect()
    };
    let mut forward = engine.start(plan.stored(imaging).into()).expect("it fits");
    let source = forward.source_wavefield().expect("it is kept");
    let f = differences(forward.as_mut());
    let mut backward = engine.start_with(back.expect("gathers").into(), &source).expect("it fits");
    let mut b = differences(backward.as_mut());
    b.reverse();
    let (origin, dt, v) = (plan.origin, plan.time.dt, f64::from(V.0));
    // Eighth order, so that what is left is not the differences' own error.
    const FIRST: [f64; 4] = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
    const SECOND: [f64; 5] = [-205.0 / 72.0, 8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0];
    let at =
        |wave: &Array3<f32>, x: usize, z: usize| f64::from(wave[[0, origin.x + x, origin.z + z]]);
    let gradient = |wave: &Array3<f32>, x: usize, z: usize| {
        let (mut along_x, mut along_z) = (0.0, 0.0);
        for (j, d) in (1..).zip(FIRST) {
            along_x += d * (at(wave, x + j, z) - at(wave, x - j, z)) / H;
            along_z += d * (at(wave, x, z + j) - at(wave, x, z - j)) / H;
        }
        (along_x, along_z)
    };
    let image = Array2::from_shape_fn(NODES, |(x, z)| {
        f.iter().zip(&b).map(|(f, b)| at(f, x, z) * at(b, x, z)).sum::<f64>()
    });
    let (mut off, mut all, mut raw) = (0.0, 0.0, 0.0);
    for (x, z) in (50..110).flat_map(|x| (ROW - 12..ROW + 12).map(move |z| (x, z))) {
        let products = (1..steps - 1).map(|n| {
            let rate = |wave: &[Array3<f32>]| {
                (at(&wave[n + 1], x, z) - at(&wave[n - 1], x, z)) / (2.0 * dt)
            };
            let (of_f, of_b) = (gradient(&f[n], x, z), gradient(&b[n], x, z));
            rate(&f) * rate(&b) / (v * v) - (of_f.0 * of_b.0 + of_f.1 * of_b.1)
        });
        let condition = products.sum::<f64>();
        let sides = |j: usize| {
            image[[x + j, z]] + image[[x - j, z]] + image[[x, z + j]] + image[[x, z - j]]
        };
        let laplacian =
            2.0 * SECOND[0] * image[[x, z]] + (1..5).map(|j| SECOND[j] * sides(j)).sum::<f64>();
        let filtered = -0.5 * laplacian / (H * H);
        off += (condition - filtered).powi(2);
        all += filtered.powi(2);
        raw += image[[x, z]].powi(2);
    }
    let error = (off / all).sqrt();
    let case = "inverse scattering against the Laplacian of the image";
    figure("imaging", case, engine, &percent(error), "2 %", "");
    assert!(raw > 0.0 && error < 0.02, "{error}");
}

/// At offset 0 the gathers are the image, to the bit; at the true velocity their energy is there.
#[test]
fn gathers_at_no_offset_are_the_image() {
    for engine in [&Parallel as &dyn Engine] {
        let shots = (9, 1.2);
        let images = migrated(engine, &recorded(engine, shots), shots, (8, u64::MAX));
        for image in &images {
            assert_eq!(image.arrays.len(), 4);
            for gathers in &image.arrays[2..] {
                assert_eq!(gathers.index_axis(Axis(0), 3), image.arrays[0].index_axis(Axis(0), 0));
            }
        }
        let stack = sum(&images);
        // Flat reflectors focus along x; along z they are the same at any offset.
        let energy: Vec<_> = (0..7)
            .map(|offset| {
                let gather = along_x(&stack, offset);
                let near = gather.slice(s![60..100, ROW - 12..ROW + 12]);
                near.iter().map(|v| v.powi(2)).sum::<f64>()
            })
            .collect();
        let others = energy.iter().enumerate().filter(|(offset, _)| *offset != 3);
        assert!(others.clone().all(|(_, e)| *e < 0.2 * energy[3]), "{energy:?}");
    }
}

/// One that has memory for all imaging steps.
fn migration<'a>(
    engine: &'a dyn Engine,
    plan: &'a Plan,
    (every, offsets): (usize, &[Offsets]),
) -> Migration<'a> {
    Migration::new(engine, plan, every, offsets, u64::MAX).expect("it fits")
}

/// By every kernel, and summed where they are or by the stack: at offset 0 always the image.
#[test]
fn gathers_are_the_same_however_they_are_made() {
    let shots = (3, 0.4);
    let plan = Plan::new(setup(V.0, None, shots)).expect("a valid setup");
    let gathers = recorded(&Parallel, shots);
    let offsets = [
        Offsets { along: Axis3::X, line: 0, most: 20, step: 1 },
        Offsets { along: Axis3::Z, line: 0, most: 12, step: 3 },
    ];
    // 50 imaging steps: two are left after rows of eight.
    let how = (8, &offsets[..]);
    let images_of = |engine: &dyn Engine| run(&migration(engine, &plan, how), &plan, &gathers);
    let twins = images_of(&Parallel);
    for engine in engines::fast() {
        let engine = engine.as_ref();
        let images = images_of(engine);
        same_as_twins(&images, &twins, 0, engine);
        let numbered = migration(engine, &plan, how).part_of(&[6, 7, 8]);
        let numbered = numbered.expect("as many as shots").summing();
        let sums = run(&numbered, &plan, &gathers);
        if !engine.gpus().is_empty() {
            let shots = sums.iter().map(|sum| sum.shots.clone());
            assert_eq!(shots.collect::<Vec<_>>(), [6..8, 8..9]);
        }
        let mut stacks = [Stack::default(), Stack::default()];
        sums.into_iter().for_each(|sum| stacks[0].add(sum));
        for image in images.iter().cloned() {
            let shots = image.shots.start + 6..image.shots.end + 6;
            stacks[1].add(Partial { shots, ..image });
        }
        assert!(stacks[0] == stacks[1], "{:?}", engine.describe());
        let Some(gpu) = Gpu::of(engine) else { continue };
        for kernel in &GATHER_KERNELS {
            assert!(images_of(&gpu.with_gathers(kernel)) == images, "{}", kernel.name());
        }
        // The runs of two shots are taken for the next, and there is one left.
        assert!(images_of(&gpu.with_at_once(2)) == images);
    }
}

/// Units and pairs are taken by every engine.
#[test]
fn gathers_are_summed_as_a_plan_says() {
    let plan = Plan::new(setup(V.0, None, (3, 0.15))).expect("a valid setup");
    let imaging = Imaging { every: 15, slots: 10 };
    let samples = plan.time.samples;
    let gathers = (0..3).map(|shot| {
        Array2::from_shape_fn((NODES.0, samples), |(i, t)| ((i * 7 + t * 3 + shot) % 11) as f32)
    });
    let back = plan.sent_back(&gathers.collect::<Vec<_>>(), imaging).expect("they fit");
    let back = back.with_offsets(imaging, &OFFSETS[..1]);
    for engine in engines::fast() {
        let mut forward = engine.start(Arc::new(plan.stored(imaging))).expect("it starts");
        let source = forward.source_wavefield().expect("it is kept");
        forward.advance(plan.time.steps, &mut ()).expect("a stable run");
        forward.finish(&mut ()).expect("it ends");
        let heard = |summed: Summed| {
            let back = Arc::new(back.clone().with_sums(summed));
            let mut run = engine.start_with(back, &source).expect("it starts");
            let mut heard = Heard::default();
            run.advance(plan.time.steps, &mut heard).expect("a stable run");
            run.finish(&mut heard).expect("it ends");
            heard.0
        };
        let each = heard(Summed::default());
        let (units, pairs) = (vec![2.0, 0.5, 4.0], vec![[0, 2]]);
        let sums = heard(Summed { units, pairs, ..Summed::default() });
        assert_eq!(sums.iter().map(|(of, _)| *of).collect::<Vec<_>>(), [0, 1]);
        let pair = &each[0].1 * 2.0 + &each[2].1 * 4.0;
        for (ours, expected) in [(&sums[0].1, pair), (&sums[1].1, &each[1].1 * 0.5)] {
            // But for numbers that are below the least normal one before or after.
            let same = ours.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-36);
            assert!(same && ours.iter().any(|v| v.abs() > 1e-6), "{:?}", engine.describe());
        }
    }
}

/// Offset gathers, and the first shot of each.
#[derive(Default)]
struct Heard(Vec<(usize, Array3<f32>)>);

impl Observer for Heard {
    fn offset_gathers(&mut self, gathers: OffsetGathers) {
        self.0.push((gathers.of, gathers.values));
    }
}

/// Offset gathers at offset 0 are the image on a line, to the bit, and those of the CPU engine.
fn same_as_twins(images: &[Partial], twins: &[Partial], line: usize, engine: &dyn Engine) {
    for (image, twin) in images.iter().zip(twins) {
        for (gathers, twin) in image.arrays.iter().zip(&twin.arrays).skip(2) {
            let zero = gathers.index_axis(Axis(0), gathers.dim().0 / 2);
            assert_eq!(zero, image.arrays[0].index_axis(Axis(0), line), "{:?}", engine.describe());
            let flat = |values: &Array3<f32>| values.iter().map(|v| f64::from(*v)).collect();
            let (ours, twin): (Array1<f64>, Array1<f64>) = (flat(gathers), flat(twin));
            let error = common::relative_error(ours.view(), twin.view());
            // The bar of the images: the waves of two engines differ in their last digits.
            assert!(error < 1e-4, "{:?}: {error}", engine.describe());
        }
    }
}

/// On a line of a volume as in a plane.
#[test]
fn gathers_of_a_volume_are_made_on_lines() {
    let mut volume = setup(V.0, None, (2, 0.15));
    let h = Axes { z: H, x: H, y: H };
    let velocity = Array3::from_elem((30, 36, 33), V.0);
    volume.model = VelocityModel::volume(velocity, h).expect("a valid model");
    volume.boundary.sides = Absorber::Cpml(Cpml::new(5));
    let at = |x: f64, y: f64| Axes { z: 20.0, x, y };
    let receivers: Vec<_> = (0..20).map(|i| at(50.0 + 10.0 * f64::from(i), 160.0)).collect();
    volume.shots.truncate(1);
    volume.shots[0].sources[0].at = at(170.0, 140.0);
    volume.shots[0].receivers = receivers.into();
    let plan = Plan::new(volume).expect("a valid setup");
    let traces = Array2::from_shape_fn((20, 1 + plan.time.steps), |(trace, i)| {
        let t = 1e-3 * i as f64 - 0.1 - 0.001 * trace as f64;
        (-(120.0 * t).powi(2)).exp() as f32
    });
    let line = 15;
    let offsets = [Axis3::X, Axis3::Z].map(|along| Offsets { along, line, most: 6, step: 2 });
    let images = |engine: &dyn Engine| {
        let migration = Migration::new(engine, &plan, 6, &offsets, u64::MAX).expect("it fits");
        let mut images = Vec::new();
        let mut done = |image| {
            images.push(image);
            Ok::<_, huygens::engine::EngineError>(())
        };
        let mut go_on = |_| std::ops::ControlFlow::Continue(());
        migration.run(&|_| Ok(traces.clone().into()), &mut go_on, &mut done).expect("a stable run");
        images
    };
    let twins = images(&Parallel);
    for engine in engines::fast() {
        same_as_twins(&images(engine.as_ref()), &twins, line, engine.as_ref());
        // Tests the test: the next line has another image.
        let next = twins[0].arrays[0].index_axis(Axis(0), line + 1);
        assert_ne!(twins[0].arrays[2].index_axis(Axis(0), 3), next);
    }
}

/// The gathers along x at an offset, `[x][z]`, without what waves leave that run along with each
/// other.
fn along_x(stack: &Stacked, offset: usize) -> Array2<f64> {
    let gathers = stack.gathers(Condition::CrossCorrelation).next().expect("those along x");
    let gather = gathers.slice(s![offset..=offset, .., ..]).to_owned();
    let grid = Plan::new(setup(V.0, None, (2, 0.1))).expect("a valid setup").model_grid;
    laplacian(&gather, &grid).remove_axis(Axis(0)).to_owned()
}

/// Along a gather a reflector is the deeper the larger the offset at a velocity that is too low,
/// and the shallower at one that is too high.
#[test]
fn gathers_curve_either_way_at_wrong_velocities() {
    {
        let engine: &dyn Engine = &Parallel;
        let shots = (9, 1.2);
        let gathers = recorded(engine, shots);
        let along = |factor: f64| {
            let images = migrated_through(engine, &gathers, factor, shots, (8, u64::MAX));
            let stack = sum(&images);
            // The energy at an offset about where the velocity puts the reflector, and its depth,
            // cells.
            let middle = (factor * ROW as f64) as usize;
            let energy = |offset: usize| {
                let (gather, rows) = (along_x(&stack, offset), middle - 15..middle + 15);
                let of_rows = rows.map(|z| {
                    let row = gather.slice(s![60..100, z]);
                    (z as f64, row.iter().map(|v| v * v).sum::<f64>())
                });
                let (sum, all) =
                    of_rows.fold((0.0, 0.0), |(sum, all), (z, e)| (sum + z * e, all + e));
                (all, sum / all)
            };
            let at: Vec<_> = (0..7).map(energy).collect();
            // At 80 m either way, and how much of the energy is not at h = 0.
            let curved = 0.5 * (at[1].1 + at[5].1) - at[3].1;
            (curved, 1.0 - at[3].0 / at.iter().map(|(energy, _)| energy).sum::<f64>())
        };
        let [(slow, _), (_, away), (fast, _)] = [0.95, 1.0, 1.05].map(along);
        let said = format!("{slow:.1} and {fast:.1} cells");
        let case = "depth of a gather at 80 m less that at 0, 5 % slow and 5 % fast";
        figure("imaging", case, engine, &said, "below and above", "");
        let case = "energy of a gather away from h = 0, true velocity";
        figure("imaging", case, engine, &percent(away), "20 %", "");
        assert!(slow > 1.0 && fast < -1.0 && away < 0.2, "{said}, {away}");
    }
}

/// Parts of the source wavefield that are not stored are computed again, to the same bits, for any
/// number of shots at once.
#[test]
fn the_storage_does_not_change_an_image() {
    for engine in engines::fast() {
        let engine = engine.as_ref();
        let shots = (2, 0.4);
        let gathers = recorded(engine, shots);
        let all = migrated(engine, &gathers, shots, (8, u64::MAX));
        // All of both shots at once, of one alone, and parts of one, with a state each and with
        // fewer.
        let all_of_one = 4 * 161 * 111 * 51;
        for memory in [2 * all_of_one, all_of_one, 3 * all_of_one / 5, all_of_one / 4] {
            assert!(migrated(engine, &gathers, shots, (8, memory)) == all, "{memory} bytes");
        }
        // One shot at a time, on the runs of the shot before.
        if let Some(gpu) = Gpu::of(engine) {
            let one = migrated(&gpu.with_at_once(1), &gathers, shots, (8, u64::MAX));
            assert!(one == all, "one at a time");
        }
        // Tests the test: other imaging steps are another sum.
        assert!(migrated(engine, &gathers, shots, (9, u64::MAX)) != all);
    }
}
