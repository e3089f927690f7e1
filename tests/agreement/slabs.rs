//! A wavefield cut into slabs gives what it gives in one piece, bit for bit.

use crate::{
    common::{self, engines},
    kernels::is_tested,
};
use huygens::{
    acquisition::Shot,
    boundary::{Absorber, Boundary, Sponge, Top},
    engine::{
        Engine, EngineError, FocusMap, FocusSummary, Gathers, Image, Observer, Run, Snapshot,
        SnapshotView, TraceBlock, gpu::Gpu,
    },
    grid::{Axes, Position},
    model::VelocityModel,
    plan::{Condition, Focus, Imaging, Initial, Mask, Plan, Setup},
    stencil::Family,
};
use ndarray::{Array2, Array3};
use std::sync::Arc;

const SLABS: [usize; 3] = [2, 3, 5];

/// All results of a run.
#[derive(Default, PartialEq)]
pub struct Results {
    gathers: Vec<Array2<f32>>,
    snapshots: Vec<Snapshot>,
    maps: Vec<FocusMap>,
    images: Vec<Image>,
    fields: Vec<Array3<f32>>,
}

struct Listener(Gathers, Results);

impl Observer for Listener {
    fn traces(&mut self, block: TraceBlock<'_>) {
        self.0.traces(block);
    }

    fn snapshot(&mut self, snapshot: SnapshotView<'_>) {
        self.1.snapshots.push(snapshot.to_owned());
    }

    fn focus(&mut self, map: FocusMap) {
        self.1.maps.push(map);
    }

    fn image(&mut self, image: Image) {
        self.1.images.push(image);
    }
}

impl Results {
    /// True if anything was recorded.
    pub fn sounds(&self) -> bool {
        self.gathers[0].iter().any(|p| *p != 0.0)
    }
}

pub fn results_by(engine: &dyn Engine, plan: &Plan) -> Results {
    results_of(engine.start(Arc::new(plan.clone())).expect("it fits").as_mut(), plan)
}

/// The results of a run, from its beginning.
pub fn results_of(run: &mut dyn Run, plan: &Plan) -> Results {
    let mut listener = Listener(Gathers::new(plan), Results::default());
    run.advance(plan.time.steps, &mut listener).expect("a stable run");
    run.finish(&mut listener).expect("a stable run");
    let Listener(gathers, mut results) = listener;
    results.gathers = gathers.shots;
    results.fields = (0..plan.shots.len()).map(|s| run.field(s).expect("a field")).collect();
    results
}

/// The names of the results that differ.
pub fn differences(one: &Results, other: &Results) -> Vec<&'static str> {
    let parts = [
        ("gathers", one.gathers == other.gathers),
        ("snapshots", one.snapshots == other.snapshots),
        ("maps", one.maps == other.maps),
        ("images", one.images == other.images),
        ("fields", one.fields == other.fields),
    ];
    parts.into_iter().filter(|(_, same)| !same).map(|(name, _)| name).collect()
}

/// Two shots with a source near each end and between nodes, and receivers along the slowest axis,
/// `off` the nodes.
pub fn setup(volume: bool, order: usize, boundary: Boundary, off: f64) -> Setup {
    let n: Axes<usize> =
        if volume { Axes { z: 13, x: 11, y: 33 } } else { Axes { z: 40, x: 53, y: 1 } };
    let mut random = common::random(7);
    let velocity =
        Array3::from_shape_simple_fn((n.y, n.x, n.z), || 1500.0 + 500.0 * random() as f32);
    let at = |z: f64, along: f64| -> Position {
        if volume { Axes { z, x: 83.0, y: along } } else { Axes::xz(along, z) }
    };
    let end = 10.0 * (if volume { n.y } else { n.x } - 1) as f64;
    let source = |along: f64| {
        let mut source = common::ricker(0.0, 0.0, 25.0, 0.03);
        source.at = at(70.0, along);
        source
    };
    let receivers: Vec<_> = (0..40)
        .map(|i| at(50.0 + off, (end * f64::from(i) / 39.0).floor() + off.min(0.0)))
        .collect();
    let shot = |along: f64| Shot {
        sources: vec![source(along), source(end - along)],
        receivers: receivers.clone().into(),
    };
    let time = common::every_step(1e-3, 0.09);
    let mut setup = common::homogeneous((1, 1), 10.0, 2000.0, time, shot(60.0));
    setup.model =
        VelocityModel::volume(velocity, Axes { z: 10.0, x: 10.0, y: 10.0 }).expect("a model");
    setup.shots = vec![shot(60.0), shot(123.0)];
    setup.operator = Family::Taylor { order };
    setup.boundary = boundary;
    setup.snapshots = vec![0.0, 0.05, 0.09];
    setup
}

pub fn boundaries() -> [Boundary; 4] {
    let free = Boundary { top: Top::Free, ..common::cpml(6) };
    let sides = Absorber::Sponge(Sponge { cells: 6, strength: Sponge::STRENGTH });
    [common::NO_LAYER, Boundary { sides, ..common::NO_LAYER }, common::cpml(6), free]
}

/// Each cut against the whole, which sounds.
fn same(gpu: &Gpu, plan: &Plan, cuts: &[usize], case: &str) {
    let whole = results_by(&gpu.with_slabs(1), plan);
    assert!(whole.sounds());
    for slabs in cuts {
        let cut = results_by(&gpu.with_slabs(*slabs), plan);
        assert_eq!(differences(&whole, &cut), [""; 0], "{case}, {slabs} slabs");
    }
}

/// With a focus.
fn plan(setup: Setup) -> Plan {
    let focus = Focus { every: 3, groups: 2, condition: Condition::Energy { quarter: 2 } };
    Plan::new(setup).expect("a valid setup").focused(focus)
}

#[test]
fn slabs_give_the_same_bits() {
    for gpu in engines::opened(false) {
        for volume in [false, true] {
            // Every cut where everything meets, and one of each boundary.
            let all = if common::full() { &SLABS[..] } else { &SLABS[2..] };
            let cuts = [&SLABS[..1], &SLABS[1..2], &SLABS[2..], all];
            let cuts: Vec<_> = boundaries().into_iter().zip(cuts).collect();
            for (boundary, cuts) in common::all_or(&cuts, &[cuts[1], cuts[3]]) {
                let plan = plan(setup(volume, 8, boundary, 3.7));
                same(&gpu, &plan, cuts, &format!("{boundary:?}, volume: {volume}"));
            }
            // A window of receivers wider than the stencil.
            same(&gpu, &plan(setup(volume, 2, common::cpml(6), 3.7)), &[5], "order 2");
        }
    }
}

#[test]
fn whichever_kernel_steps_them() {
    for gpu in engines::opened(false) {
        for volume in [false, true] {
            let [.., layers] = boundaries();
            let plan = plan(setup(volume, 8, layers, 0.0));
            for kernel in gpu.kernels(&plan).into_iter().filter(|it| is_tested(it)) {
                same(&gpu.with_kernel(kernel), &plan, &[3], kernel.name);
            }
        }
    }
}

#[test]
fn so_do_other_ways_of_stepping() {
    for gpu in engines::opened(common::full()) {
        for volume in [false, true] {
            let with = setup(volume, 8, common::cpml(6), 3.7);
            let plan = Plan::new(with.clone()).expect("a valid setup");
            let mut random = common::random(3);
            let now = Array3::from_shape_simple_fn(plan.grid.shape(), || random() as f32 - 0.5);
            let initial = Some(Initial { before: now.mapv(|p| 0.9 * p), now });
            let from_a_field = Plan::new(Setup { initial, ..with }).expect("a valid setup");
            if common::full() {
                same(&gpu, &from_a_field, &[5], "from a field");
            }
            let by_increments = Plan { by_increments: true, ..from_a_field };
            same(&gpu, &by_increments, &[3], "by increments");
        }
    }
}

/// Of a migration: a wave is stored at the nodes of the model, and such a slab has none.
#[test]
fn so_does_a_slab_of_layers_alone() {
    let sponge = Absorber::Sponge(Sponge { cells: 30, strength: Sponge::STRENGTH });
    let imaging = Imaging { every: 3, slots: 31 };
    for gpu in engines::opened(false) {
        for volume in common::all_or(&[false, true], &[true]) {
            let with = setup(volume, 8, Boundary { sides: sponge, ..common::NO_LAYER }, 0.0);
            let plan = Plan::new(with).expect("a valid setup");
            let traces = Array2::from_elem((40, plan.time.samples), 1.0);
            let back = plan.sent_back(&[traces.clone(), traces], imaging).expect("they fit");
            let images = |gpu: &Gpu| {
                let mut run = gpu.start(Arc::new(plan.stored(imaging))).expect("it fits");
                run.advance(plan.time.steps, &mut ()).expect("a stable run");
                run.finish(&mut ()).expect("a stable run");
                let wave = run.source_wavefield().expect("it is stored");
                let mut run = gpu.start_with(Arc::new(back.clone()), &wave).expect("it fits");
                results_of(run.as_mut(), &back).images
            };
            let whole = images(&gpu.with_slabs(1));
            assert!(whole[0].values.iter().any(|value| *value != 0.0));
            assert!(whole == images(&gpu.with_slabs(5)), "volume: {volume}");
        }
    }
}

#[test]
fn summaries_are_those_of_the_maps() {
    for gpu in engines::opened(false) {
        let plan = Plan::new(setup(false, 8, common::cpml(6), 3.7)).expect("a valid setup");
        let mask = Mask::new(&plan.model_grid, &[], 0.0);
        let focus = Focus { every: 3, groups: 2, condition: Condition::Amplitude };
        let maps = results_by(&gpu, &plan.clone().focused(focus)).maps;
        let mut results = Summaries::default();
        let plan = plan.summarised(focus, mask.clone());
        gpu.with_slabs(3).run(&plan, &mut results).expect("a stable run");
        let expected: Vec<_> = maps.iter().map(|map| map.summary(&mask)).collect();
        assert_eq!(results.0, expected);
    }
}

#[derive(Default)]
struct Summaries(Vec<FocusSummary>);

impl Observer for Summaries {
    fn summary(&mut self, summary: FocusSummary) {
        self.0.push(summary);
    }
}

#[test]
fn a_blow_up_is_seen_where_it_is() {
    for gpu in engines::opened(false) {
        for volume in [false, true] {
            let mut setup = setup(volume, 8, common::NO_LAYER, 0.0);
            setup.allow_unstable = true;
            let limit = Plan::new(setup.clone()).expect("a valid setup").time.limit;
            setup.time = common::every_step(1.2 * limit, 1.0);
            let plan = Plan::new(setup).expect("forced");
            let whole = gpu.with_slabs(1).run(&plan, &mut ()).expect_err("it blows up");
            assert!(matches!(whole, EngineError::BlowUp { at: Some(_), .. }), "{whole}");
            for slabs in SLABS {
                assert_eq!(gpu.with_slabs(slabs).run(&plan, &mut ()), Err(whole.clone()));
            }
        }
    }
}

#[test]
fn more_slabs_than_planes_allow_are_refused() {
    for gpu in engines::opened(false) {
        let plan = Plan::new(setup(true, 8, common::NO_LAYER, 0.0)).expect("a valid setup");
        for slabs in [0, 9, 1000] {
            let refused = gpu.with_slabs(slabs).batch(&plan).expect_err("33 planes");
            let said = refused.to_string();
            assert_eq!(
                said,
                format!("{slabs} slabs of 33 planes are not available; give from 1 to 8")
            );
            assert_eq!(gpu.with_slabs(slabs).run(&plan, &mut ()), Err(refused));
        }
        assert!(gpu.with_slabs(8).run(&plan, &mut ()).is_ok());
    }
}
