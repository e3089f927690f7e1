//! The focus of a field: every engine the same, and what the fields of every look say.

use crate::common::{self, engines};
use huygens::{
    acquisition::Shot,
    engine::{Engine, FocusMap, FocusSummary, Observer, cpu::Reference},
    grid::Axes,
    plan::{Condition, Focus, Mask, Plan, Setup},
};
use ndarray::Array3;

#[derive(Default)]
struct Maps(Vec<FocusMap>);

#[derive(Default)]
struct Summaries(Vec<FocusSummary>);

impl Observer for Summaries {
    fn summary(&mut self, summary: FocusSummary) {
        self.0.push(summary);
    }
}

impl Observer for Maps {
    fn focus(&mut self, map: FocusMap) {
        self.0.push(map);
    }
}

const CASES: [Focus; 5] = [
    Focus { every: 1, groups: 1, condition: Condition::Amplitude },
    Focus { every: 4, groups: 1, condition: Condition::Energy { quarter: 3 } },
    Focus { every: 3, groups: 2, condition: Condition::Amplitude },
    Focus { every: 2, groups: 4, condition: Condition::Energy { quarter: 4 } },
    Focus { every: 7, groups: 4, condition: Condition::Amplitude },
];

/// Four shots, in a plane and in a volume whose extents are odd and larger than a block of a
/// summary (`shaders/summary.wgsl`) along one axis or the other.
fn setups() -> [Setup; 2] {
    let shots = |depth: f64| -> Vec<Shot> {
        let places = [(90.0, 160.0), (153.0, 20.0), (126.7, 110.0), (30.0, 60.0)];
        let source = |(x, z)| common::ricker(x, depth * z, 40.0, 0.025);
        let shot = |at| Shot { sources: vec![source(at)], receivers: Default::default() };
        places.into_iter().map(shot).collect()
    };
    let time = common::every_step(1e-3, 0.151);
    let mut plane = common::homogeneous((35, 67), 10.0, 2500.0, time, shots(1.0).remove(0));
    plane.boundary = common::cpml(5);
    let mut volume = plane.clone();
    (plane.shots, volume.shots) = (shots(3.0), shots(0.7));
    let velocity = Array3::from_elem((3, 17, 13), 2500.0);
    let h = Axes { z: 10.0, x: 10.0, y: 10.0 };
    volume.model = huygens::model::VelocityModel::volume(velocity, h).expect("a model");
    [plane, volume]
}

fn maps(engine: &dyn Engine, setup: &Setup, focus: Focus) -> Vec<FocusMap> {
    let plan = Plan::new(setup.clone()).expect("a valid setup").focused(focus);
    let mut maps = Maps::default();
    engine.run(&plan, &mut maps).expect("a stable run");
    maps.0
}

/// The summary of a map agrees with the map: the node to the bit, and sums to rounding. With a mask
/// that excludes the strongest node, and without; with weights.
#[test]
fn maps_agree_with_the_oracle_and_summaries_are_of_the_maps() {
    let mut summits = 0;
    for (first, setup) in setups().into_iter().enumerate() {
        let cases = CASES.into_iter().zip([0.0, 60.0, 30.0, 0.0, 45.0]);
        // Every other case in the plane, and the others in the volume.
        let (skipped, each) = if common::full() { (0, 1) } else { (first, 2) };
        for (focus, radius) in cases.skip(skipped).step_by(each) {
            let oracle = maps(&Reference, &setup, focus);
            assert_eq!(oracle.len(), 4 / focus.groups);
            for engine in engines::under_test() {
                let ours = maps(engine.as_ref(), &setup, focus);
                agree(&ours, &oracle, &format!("{:?}, {focus:?}", engine.describe()), focus);
                summits += summarised(engine.as_ref(), &setup, focus, radius, &ours);
            }
        }
    }
    assert!(summits > if common::full() { 10 } else { 4 }, "{summits} summits");
}

fn agree(ours: &[FocusMap], oracle: &[FocusMap], of: &str, focus: Focus) {
    assert_eq!(ours.len(), oracle.len());
    for (ours, oracle) in ours.iter().zip(oracle) {
        let of = format!("{of}, set {}", oracle.set);
        let most = oracle.largest.iter().copied().fold(0.0, f32::max);
        // Roots of small numbers: rounding of 2e-6 of a field is more of a product of four.
        let bar = if focus.groups == 1 { 1e-5 } else { 2e-4 } * most;
        let pairs = ours.largest.iter().zip(&oracle.largest);
        let worst = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(most > 0.0 && worst <= bar, "{of}: {worst:e} of {most:e}");
        // If two looks had the same value, either may have been the largest.
        let same = ours.step.iter().zip(&oracle.step).filter(|(a, b)| a == b).count();
        assert!(same * 100 >= 99 * oracle.step.len(), "{of}: {same} steps agree");
    }
}

/// An engine's summaries are those of its maps; how many summits there are.
fn summarised(
    engine: &dyn Engine,
    setup: &Setup,
    focus: Focus,
    radius: f64,
    maps: &[FocusMap],
) -> usize {
    let plan = Plan::new(setup.clone()).expect("a valid setup");
    let around: Vec<_> = setup.shots[..2].iter().map(|shot| shot.sources[0].at).collect();
    let weight = |(y, x, z)| 0.25 + ((7 * y + 5 * x + 3 * z) % 13) as f32 / 13.0;
    let weights = Array3::from_shape_fn(plan.model_grid.shape(), weight);
    let mask = Mask::new(&plan.model_grid, &around, radius).weighed(&weights);
    let mut summaries = Summaries::default();
    let plan = plan.summarised(focus, mask.clone());
    engine.run(&plan, &mut summaries).expect("a stable run");
    assert_eq!(summaries.0.len(), maps.len());
    for (ours, map) in summaries.0.iter().zip(maps) {
        let theirs = map.summary(&mask);
        let of = format!("{:?}, {focus:?}: {ours:?}, {theirs:?}", engine.describe());
        assert_eq!(ours.summit, theirs.summit, "{of}");
        assert_eq!((ours.set, ours.largest), (map.set, theirs.largest), "{of}");
        let near = |a: f64, b: f64| b > 0.0 && (a / b - 1.0).abs() < 1e-5;
        assert!(near(ours.square, theirs.square), "{of}");
        assert!(near(ours.fourth, theirs.fourth), "{of}");
    }
    summaries.0.iter().filter(|summary| summary.summit.is_some()).count()
}

/// The largest |p| of a map is that of the field at the step that it names, and no look saw more.
#[test]
fn a_map_is_the_largest_of_the_fields() {
    let [setup, _] = setups();
    for engine in engines::all() {
        let focus = Focus { every: 3, groups: 1, condition: Condition::Amplitude };
        let plan = Plan::new(setup.clone()).expect("a valid setup").focused(focus);
        let map = &maps(engine.as_ref(), &setup, focus)[1];
        let mut largest = Array3::<f32>::zeros(map.largest.dim());
        let mut step = Array3::<u32>::zeros(map.largest.dim());
        let mut run = engine.start(plan.clone().into()).expect("the engine starts");
        for at in (0..=plan.time.steps).step_by(3) {
            run.advance(at - run.step(), &mut ()).expect("a stable run");
            let field = run.field(1).expect("a field");
            let Axes { z, x, .. } = plan.origin;
            for ((y, ix, iz), largest) in largest.indexed_iter_mut() {
                let p = field[[y, ix + x, iz + z]].abs();
                if p > *largest {
                    (*largest, step[[y, ix, iz]]) = (p, at as u32);
                }
            }
        }
        assert_eq!(map.largest, largest, "{:?}", engine.describe());
        assert_eq!(map.step, step, "{:?}", engine.describe());
    }
}

/// The summary of a map, counted in another way.
#[test]
fn a_summary_is_of_the_admitted_nodes() {
    let grid = huygens::grid::Grid::plane(9, 7, 10.0, 10.0).expect("a grid");
    let value = |(_, x, z): (usize, usize, usize)| ((5 * x + 3 * z) % 11) as f32;
    let largest = Array3::from_shape_fn(grid.shape(), value);
    let step = Array3::from_shape_fn(grid.shape(), |(_, x, z)| (10 * x + z) as u32);
    let map = FocusMap { set: 3, largest, step };
    let mask = Mask::new(&grid, &[Axes::xz(0.0, 0.0)], 35.0);
    let left = || map.largest.indexed_iter().filter(|(node, _)| !mask.leaves_out(*node));
    let summary = map.summary(&mask);
    let top = left().map(|(_, v)| *v).fold(0.0, f32::max);
    let mean = |power: i32| {
        left().map(|(_, v)| (f64::from(*v) / f64::from(top)).powi(power)).sum::<f64>()
            / left().count() as f64
    };
    assert_eq!((summary.set, summary.largest), (3, top));
    assert!((summary.square - mean(2)).abs() < 1e-12 && (summary.fourth - mean(4)).abs() < 1e-12);
    let summit = summary.summit.expect("a summit");
    let (_, x, z) = summit.node;
    assert_eq!((summit.value, summit.step), (top, (10 * x + z) as u32));
    let first = left().find(|(_, v)| **v == top).map(|(node, _)| node);
    assert_eq!(Some(summit.node), first, "of equal ones the first");
    let at = |x: usize, z: usize| (x < 9 && z < 7).then(|| value((0, x, z)));
    let beside = [
        [at(x, z.wrapping_sub(1)), at(x, z + 1)],
        [at(x.wrapping_sub(1), z), at(x + 1, z)],
        [None; 2],
    ];
    assert_eq!(summit.beside, beside);
}
