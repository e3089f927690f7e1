//! Several steps per pass give the same bits as one at a time.

use super::*;
use crate::cpu::front::Front;
use crate::{
    FocusMap, Gathers, Snapshot, SnapshotView, TraceBlock,
    acquisition::{Ricker, Shot, Source, Wavelet},
    boundary::{Absorber, Boundary, Cpml, Sponge, Top},
    grid::Axes,
    model::VelocityModel,
    plan::{Condition, Focus, Setup, Step, Time},
    stencil::{Family, ete::Points},
};

const STEPS: usize = 23;

/// All results of a run.
struct Results {
    gathers: Gathers,
    snapshots: Vec<Snapshot>,
    focus: Vec<Array3<f32>>,
}

impl Observer for Results {
    fn traces(&mut self, block: TraceBlock<'_>) {
        self.gathers.traces(block);
    }

    fn snapshot(&mut self, snapshot: SnapshotView<'_>) {
        self.snapshots.push(snapshot.to_owned());
    }

    fn focus(&mut self, map: FocusMap) {
        self.focus.push(map.largest);
    }
}

fn layers() -> [Boundary; 4] {
    let cpml = Absorber::Cpml(Cpml::new(6));
    let sponge = Absorber::Sponge(Sponge { cells: 7, strength: Sponge::STRENGTH });
    [
        Boundary { top: Top::Absorb, sides: cpml },
        Boundary { top: Top::Free, sides: cpml },
        Boundary { top: Top::Free, sides: sponge },
        Boundary { top: Top::Zero, sides: Absorber::Zero },
    ]
}

/// Two shots with sources and receivers on nodes and between them all along the slowest axis,
/// recorded every `record` steps.
fn setup(n: Axes<usize>, order: usize, boundary: Boundary, record: usize) -> Setup {
    setup_with(Family::Taylor { order }, n, boundary, record)
}

fn setup_with(operator: Family, n: Axes<usize>, boundary: Boundary, record: usize) -> Setup {
    let h = 10.0;
    let velocity = Array3::from_shape_fn((n.y, n.x, n.z), |(y, x, z)| {
        1500.0 + ((x * 31 + y * 17 + z * 7) % 97) as f32 * 10.0
    });
    let volume = n.y > 1;
    let wavelet = Wavelet::Ricker(Ricker { peak_hz: 25.0, delay: 0.004 });
    let along = |i: usize, from: f64| {
        let slow = i as f64 * h + from;
        let (x, y) = if volume { (h * (i % n.x) as f64, slow) } else { (slow, 0.0) };
        Axes { z: h * (i % n.z) as f64, x, y }
    };
    let slowest = if volume { n.y } else { n.x };
    let source = |i: usize| {
        let at = along(i, if i.is_multiple_of(2) { 0.0 } else { 3.0 });
        Source::new(at, wavelet.clone())
    };
    let shot = |first: usize| Shot {
        sources: (first..slowest - 1).step_by(3).map(source).collect(),
        receivers: (first..slowest - 1)
            .map(|i| along(i, if i % 5 == 0 { 4.0 } else { 0.0 }))
            .collect(),
    };
    let model = match volume {
        true => VelocityModel::volume(velocity, Axes { z: h, x: h, y: h }),
        false => {
            let plane = velocity.into_shape_with_order((n.x, n.z)).expect("a plane");
            VelocityModel::new(plane, h, h)
        }
    };
    let dt = 5e-4;
    Setup {
        operator,
        boundary,
        time: Time {
            step: Step::Seconds(dt),
            record: Some(dt * record as f64),
            ..Time::new(dt * STEPS as f64)
        },
        snapshots: vec![0.0, 7.0 * dt, 8.0 * dt, 19.0 * dt],
        ..Setup::new(model.expect("a valid model"), vec![shot(0), shot(1)], dt * STEPS as f64)
    }
}

/// Runs a Plan in advances of `at_once` steps, by a schedule or step by step.
fn run(plan: &Plan, schedule: Option<Schedule>, at_once: usize) -> (Vec<ShotState>, Results) {
    let mut run = ParallelRun::new(Share::whole(&Arc::new(plan.clone())), None).expect("it starts");
    run.passes = schedule.map(|schedule| {
        let most_steps = schedule.most_steps();
        Passes { schedule, together: None, most_steps, stations: Vec::new() }
    });
    run.find_stations();
    let mut results =
        Results { gathers: Gathers::new(plan), snapshots: Vec::new(), focus: Vec::new() };
    while run.step < plan.time.steps {
        run.advance(at_once, &mut results).expect("a stable run");
    }
    run.finish(&mut results).expect("a stable run");
    (run.shots.iter().map(Wavefield::state).collect(), results)
}

fn compare(plan: &Plan, schedules: Vec<Schedule>, at_once: usize) {
    let (state, alone) = run(plan, None, 1);
    assert!(alone.gathers.shots.iter().all(|gather| gather.iter().any(|p| *p != 0.0)));
    for (i, schedule) in schedules.into_iter().enumerate() {
        let (passes, together) = run(plan, Some(schedule), at_once);
        assert!(passes == state, "the state by schedule {i}");
        assert!(together.gathers.shots == alone.gathers.shots, "gathers by schedule {i}");
        assert!(together.snapshots == alone.snapshots, "snapshots by schedule {i}");
        assert!(together.focus == alone.focus, "focus by schedule {i}");
    }
}

/// Fronts of all shapes over a Plan.
fn fronts(plan: &Plan) -> Vec<Front> {
    let layout = Layout::of_lines(plan, LARGEST_BLOCK);
    let ((pieces, _), columns) = (layout.slowest(), layout.columns());
    let forms = [(1, 1, 5, 16), (2, 2, 16, 3), (3, 4, 7, 2), (2, 3, 64, 16)];
    let front = |(blocks, width, group, steps)| {
        let radius = layout.radius;
        Front { radius, pieces, columns, blocks, width, group, steps }
    };
    forms.map(front).into_iter().filter(|front| front.most_steps() > 1).collect()
}

/// At least two fronts, and single steps of several parts.
fn schedules(plan: &Plan) -> Vec<Schedule> {
    let layout = Layout::of_lines(plan, LARGEST_BLOCK);
    let fronts: Vec<_> = fronts(plan).into_iter().map(Schedule::Front).collect();
    assert!(fronts.len() >= 2, "{layout:?}");
    let steps = [1, 5].map(|threads| Schedule::steps(plan, &layout, threads));
    fronts.into_iter().chain(steps).collect()
}

#[test]
fn passes_have_the_bits_of_steps_in_a_plane() {
    for order in [2, 8, 16] {
        for (boundary, record) in layers().into_iter().zip([1, 3, 2, 1]) {
            let plan = Plan::new(setup(Axes { z: 37, x: 131, y: 1 }, order, boundary, record));
            let plan = plan.expect("a valid setup");
            assert!(!plan.by_increments);
            compare(&plan, schedules(&plan), usize::MAX);
            compare(&plan, schedules(&plan), 10);
        }
    }
}

#[test]
fn passes_have_the_bits_of_steps_in_a_volume() {
    for order in [2, 4, 8, 16] {
        for (boundary, record) in layers().into_iter().zip([1, 3, 2, 1]) {
            let n = Axes { z: 35, x: 21, y: if order == 16 { 99 } else { 67 } };
            let plan = Plan::new(setup(n, order, boundary, record)).expect("a valid setup");
            compare(&plan, schedules(&plan), usize::MAX);
        }
    }
}

#[test]
fn explicit_time_evolution_has_them_too() {
    for n in [Axes { z: 37, x: 131, y: 1 }, Axes { z: 35, x: 21, y: 67 }] {
        for (boundary, record) in layers().into_iter().zip([1, 3, 2, 1]) {
            for points in [Points::Few, Points::Many] {
                let setup = setup_with(Family::Ete { points }, n, boundary, record);
                let plan = Plan::new(setup).expect("a valid setup");
                compare(&plan, schedules(&plan), usize::MAX);
            }
        }
    }
}

/// Processors multiply denormal numbers slowly, and the memory of a layer decays to them.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[test]
fn a_step_leaves_no_denormal_numbers() {
    let small = 1.1 * f32::MIN_POSITIVE;
    for n in [Axes { z: 37, x: 33, y: 1 }, Axes { z: 20, x: 11, y: 12 }] {
        let plan = Plan::new(setup(n, 8, layers()[0], 1)).expect("a valid setup");
        for adjoint in [false, true] {
            let plan = Arc::new(Plan { adjoint, ..plan.clone() });
            let mut run = ParallelRun::new(Share::whole(&plan), None).expect("it starts");
            let mut state = run.state().expect("a state");
            for shot in &mut state.shots {
                let len = shot.memory.f32().map_or(0, <[f32]>::len);
                shot.memory.f32s(len).fill(small);
            }
            run.restore(&state).expect("its own state");
            run.advance(1, &mut ()).expect("a stable run");
            for shot in run.state().expect("a state").shots {
                let memory = shot.memory.f32().expect("f32");
                assert!(memory.iter().any(|value| *value != small), "{n:?}, {adjoint}");
                assert!(!memory.iter().any(|value| value.is_subnormal()), "{n:?}, {adjoint}");
            }
        }
    }
}

/// A tap that reads every few steps bounds a pass.
#[test]
fn looks_find_the_field_whole() {
    let plan = Plan::new(setup(Axes { z: 37, x: 131, y: 1 }, 8, layers()[0], 1));
    let focus = |every| Focus { every, groups: 2, condition: Condition::Amplitude };
    for every in [1, 3, 4] {
        let plan = plan.clone().expect("a valid setup").focused(focus(every));
        compare(&plan, schedules(&plan), usize::MAX);
    }
}

/// Steps one column too close to each other give another field.
#[test]
fn a_front_that_is_too_steep_is_seen() {
    let plan = Plan::new(setup(Axes { z: 37, x: 131, y: 1 }, 8, layers()[0], 1));
    let plan = plan.expect("a valid setup");
    let (state, _) = run(&plan, None, 1);
    // Blocks own no more than they may read, and a single block owns the whole field.
    let whole: Vec<_> = fronts(&plan).into_iter().filter(|front| front.blocks == 1).collect();
    assert!(!whole.is_empty());
    for mut front in whole {
        front.radius -= 1;
        let (passes, _) = run(&plan, Some(Schedule::Front(front.clone())), usize::MAX);
        assert!(passes != state, "{front:?}");
    }
}

/// Shots that each have a thread have the bits of shots that have all threads in turn.
#[test]
fn shots_side_by_side_have_the_bits_of_one_after_the_other() {
    for boundary in layers() {
        let plan = Plan::new(setup(Axes { z: 37, x: 131, y: 1 }, 8, boundary, 1));
        let plan = plan.expect("a valid setup");
        for plan in [plan.clone().adjoint(), plan] {
            let states = [false, true].map(|is_alone| {
                let share = Share::whole(&Arc::new(plan.clone()));
                let mut run = ParallelRun::new(share, None).expect("it starts");
                let stepped = if plan.adjoint { &plan.without_cpml() } else { &plan };
                let alone = (Schedule::steps(stepped, &run.layout, 1), Pool::new(1));
                (run.passes, run.alone) = (None, is_alone.then_some(alone));
                run.advance(STEPS, &mut ()).expect("a stable run");
                run.shots.iter().map(Wavefield::state).collect::<Vec<_>>()
            });
            assert!(states[0] == states[1], "adjoint: {}", plan.adjoint);
            assert!(states[0][0] != states[0][1], "shots differ");
        }
    }
}
