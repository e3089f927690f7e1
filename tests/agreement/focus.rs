//! The focus of a field: every engine the same, and what the fields of every look say.

use crate::common::{self, engines};
use huygens::{
    acquisition::Shot,
    engine::{Engine, FocusMap, Observer, cpu::Reference},
    grid::Axes,
    plan::{Condition, Focus, Plan, Setup},
};
use ndarray::Array3;

#[derive(Default)]
struct Maps(Vec<FocusMap>);

impl Observer for Maps {
    fn focus(&mut self, map: FocusMap) {
        self.0.push(map);
    }
}

const CASES: [Focus; 5] = [
    Focus { every: 1, groups: 1, condition: Condition::Amplitude },
    Focus { every: 4, groups: 1, condition: Condition::Energy { half: 5 } },
    Focus { every: 3, groups: 2, condition: Condition::Amplitude },
    Focus { every: 2, groups: 4, condition: Condition::Energy { half: 8 } },
    Focus { every: 7, groups: 4, condition: Condition::Amplitude },
];

/// Four shots, in a plane and in a volume whose extents are odd.
fn setups() -> [Setup; 2] {
    let shot = |x: f64, z: f64| Shot {
        sources: vec![common::ricker(x, z, 20.0, 0.05)],
        receivers: Vec::new(),
    };
    let shots = vec![shot(100.0, 200.0), shot(253.0, 20.0), shot(403.7, 310.0), shot(30.0, 90.0)];
    let time = common::every_step(1e-3, 0.211);
    let mut plane = common::homogeneous((61, 43), 10.0, 2000.0, time, shots[0].clone());
    plane.shots = shots.clone();
    let mut volume = plane.clone();
    let velocity = Array3::from_elem((17, 45, 35), 2000.0);
    let h = Axes { z: 10.0, x: 10.0, y: 10.0 };
    volume.model = huygens::model::VelocityModel::volume(velocity, h).expect("a model");
    volume.boundary = common::cpml(5);
    [plane, volume]
}

fn maps(engine: &dyn Engine, setup: &Setup, focus: Focus) -> Vec<FocusMap> {
    let plan = Plan::new(setup.clone()).expect("a valid setup").focused(focus);
    let mut maps = Maps::default();
    engine.run(&plan, &mut maps).expect("a stable run");
    maps.0
}

#[test]
fn maps_agree_with_the_oracle() {
    for setup in setups() {
        for focus in CASES {
            let oracle = maps(&Reference, &setup, focus);
            assert_eq!(oracle.len(), 4 / focus.groups);
            for engine in engines::under_test() {
                let ours = maps(engine.as_ref(), &setup, focus);
                assert_eq!(ours.len(), oracle.len());
                for (ours, oracle) in ours.iter().zip(&oracle) {
                    let of = format!("{:?}, {focus:?}, set {}", engine.describe(), oracle.set);
                    let most = oracle.largest.iter().copied().fold(0.0, f32::max);
                    // Roots of small numbers: rounding of 2e-6 of a field is more of a product of four.
                    let bar = if focus.groups == 1 { 1e-5 } else { 2e-4 } * most;
                    let pairs = ours.largest.iter().zip(&oracle.largest);
                    let worst = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                    assert!(most > 0.0 && worst <= bar, "{of}: {worst:e} of {most:e}");
                    // Where two looks saw the same, either may have been the largest.
                    let same = ours.step.iter().zip(&oracle.step).filter(|(a, b)| a == b).count();
                    assert!(same * 100 >= 99 * oracle.step.len(), "{of}: {same} steps agree");
                }
            }
        }
    }
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
        let mut run = engine.start(&plan).expect("the engine starts");
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
