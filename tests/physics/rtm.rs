//! Reverse time migration puts reflectors where they are.

use crate::common::{self, engines, figures::figure};
use huygens::{
    acquisition::Shot,
    boundary::{Absorber, Boundary, Cpml, Top},
    engine::Engine,
    grid::Axes,
    model::VelocityModel,
    plan::{Plan, Setup},
    workflow::{
        rtm::{Condition, Conditioning, Migration, Mute, Resampling, ShotImage, Stack, laplacian},
        shot,
    },
};
use ndarray::{Array2, Array3, Axis};

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
    (every, memory): (usize, u64),
) -> Vec<ShotImage> {
    let plan = Plan::new(setup(V.0, None, shots)).expect("a valid setup");
    let mute = Mute { velocity: f64::from(V.0), delay: 0.2, taper: 0.05 };
    let conditioning = Conditioning { mute: Some(mute), taper: 0.1, integrated_above: Some(1.5) };
    let resampling = Resampling::new(4e-3, &plan);
    let migration = Migration::new(engine, &plan, every, memory).expect("it fits");
    let mut images = Vec::new();
    migration
        .run::<huygens::engine::EngineError>(
            &|shot| {
                let traces = conditioning.apply(&gathers[shot], &resampling, (&plan, shot));
                Ok(traces.expect("steps short enough"))
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

fn stacked(images: &[ShotImage], condition: Condition) -> Array3<f64> {
    let plan = Plan::new(setup(V.0, None, (2, 0.1))).expect("a valid setup");
    let mut stack = Stack::new(&plan.model_grid);
    images.iter().for_each(|image| stack.add(image));
    laplacian(&stack.image(condition), &plan.model_grid)
}

/// At the true velocity a flat reflector is a peak of one sign, that of a rising velocity, within a cell of where it is, all along the middle of the line.
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

/// Where not all of the source wavefield is kept it is computed again, to the same bits; and so it is whatever is migrated together.
#[test]
fn what_is_kept_does_not_matter() {
    for engine in engines::fast() {
        let engine = engine.as_ref();
        let shots = (2, 0.4);
        let gathers = recorded(engine, shots);
        let all = migrated(engine, &gathers, shots, (8, u64::MAX));
        // Of 51 imaging steps 10 and 40.
        for memory in [4 * 161 * 111 * 10, 4 * 161 * 111 * 40] {
            assert!(migrated(engine, &gathers, shots, (8, memory)) == all, "{memory} bytes");
        }
        // A test of the test: other imaging steps are another sum.
        assert!(migrated(engine, &gathers, shots, (9, u64::MAX)) != all);
    }
}
