//! A state taken and put back: a run goes on with the same bits.

use crate::{
    common::{self, engines},
    slabs::{boundaries, setup},
};
use huygens::{
    engine::{
        Engine, EngineError, Gathers, ShotState, Snapshots, State, StateError, StateFileError,
        cpu::{Parallel, Reference},
    },
    plan::{Condition, Focus, Plan, Setup},
};
use ndarray::Array3;
use std::{
    fs::File,
    io::{Read, Write},
    path::Path,
    sync::Arc,
};
use zip::{ZipArchive, ZipWriter, write::SimpleFileOptions};

fn plans() -> Vec<Arc<Plan>> {
    let mut plans = Vec::new();
    let boundaries = boundaries();
    for volume in [false, true] {
        for boundary in common::all_or(&boundaries, &[boundaries[1], boundaries[3]]) {
            plans.push(Plan::new(setup(volume, 8, boundary, 3.7)).expect("a valid setup"));
        }
    }
    // In steps so short that f32 engines go by increments.
    let last = plans.last().expect("several").clone();
    plans.push(Plan { by_increments: true, ..last });
    plans.into_iter().map(Arc::new).collect()
}

/// The traces and the last fields of a run that may be taken elsewhere on its way.
fn run(
    engine: &dyn Engine,
    plan: &Arc<Plan>,
    mut other: impl FnMut(usize) -> Option<State>,
) -> (Gathers, Vec<Array3<f32>>) {
    let mut gathers = Gathers::new(plan);
    let mut run = engine.start(plan.clone()).expect("it fits");
    while run.step() < plan.time.steps {
        run.advance(60, &mut gathers).expect("a stable run");
        if let Some(state) = other(run.step()) {
            run = engine.start(plan.clone()).expect("it fits");
            run.restore(&state).expect("a state of this job");
            assert_eq!(run.step(), state.step());
        }
    }
    run.finish(&mut gathers).expect("a stable run");
    let fields = (0..plan.shots.len()).map(|shot| run.field(shot).expect("a field")).collect();
    (gathers, fields)
}

fn at(engine: &dyn Engine, plan: &Arc<Plan>, step: usize) -> State {
    let mut run = engine.start(plan.clone()).expect("it fits");
    run.advance(step, &mut ()).expect("a stable run");
    run.state().expect("a state")
}

#[test]
fn a_restored_run_goes_on_with_the_same_bits() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut random = common::random(11);
    for plan in plans() {
        for engine in engines::fast_and_oracle() {
            let engine = engine.as_ref();
            let straight = run(engine, &plan, |_| None);
            let step = 30 + (30.0 * random()) as usize;
            let state = at(engine, &plan, step);
            assert!(state.shots[1].now.f64().iter().any(|p| *p != 0.0));
            let file = folder.path().join("state.npz");
            state.write(&file, true).expect("written");
            let states = [state, State::read(&file).expect("it is whole")];
            for state in states {
                // From the first stop on it is the state's run: what it does again, it records
                // again.
                let mut once = Some(state);
                let other = run(engine, &plan, |_| once.take());
                let case = format!("{:?}, step {step}", engine.describe());
                assert!(straight.1 == other.1, "{case}");
                assert_eq!(straight.0.shots, other.0.shots, "{case}");
            }
        }
    }
}

#[test]
fn a_state_kept_on_the_device_is_restored() {
    for plan in plans() {
        let focus = Focus { every: 3, groups: 2, condition: Condition::Amplitude };
        let plan = Arc::new((*plan).clone().focused(focus));
        for engine in engines::fast_and_oracle() {
            let straight = run(engine.as_ref(), &plan, |_| None).1;
            let mut run = engine.start(plan.clone()).expect("it fits");
            run.advance(37, &mut ()).expect("a stable run");
            let kept = run.keep().expect("there is room");
            for steps in [3, 40] {
                run.advance(steps, &mut ()).expect("a stable run");
                run.put_back(&kept).expect("its own");
                assert_eq!(run.step(), 37);
            }
            run.advance(plan.time.steps, &mut ()).expect("a stable run");
            let fields: Vec<_> = (0..2).map(|shot| run.field(shot).expect("a field")).collect();
            assert!(straight == fields, "{:?}", engine.describe());
            // After its end as well, with everything that reads the field.
            run.finish(&mut ()).expect("a stable run");
            run.put_back(&kept).expect("its own");
            let mut snapshots = Snapshots::default();
            run.advance(plan.time.steps, &mut snapshots).expect("a stable run");
            run.finish(&mut snapshots).expect("a stable run");
            assert_eq!(snapshots.0.iter().map(|s| s.step).collect::<Vec<_>>(), [50, 50, 90, 90]);
            let again: Vec<_> = (0..2).map(|shot| run.field(shot).expect("a field")).collect();
            assert!(straight == again, "{:?}", engine.describe());
            let mut other = engine.start(plan.clone()).expect("it fits");
            let refused = other.put_back(&kept);
            assert!(engine.gpus().is_empty() || refused == Err(StateError::Run.into()));
        }
    }
}

#[test]
fn a_state_does_not_know_how_it_was_cut() {
    for gpu in engines::opened(false) {
        for plan in plans() {
            let [whole, cut] = [1, 3].map(|slabs| at(&gpu.with_slabs(slabs), &plan, 41));
            assert!(whole.shots == cut.shots);
            let from = run(&gpu.with_slabs(5), &plan, |step| (step == 60).then(|| whole.clone()));
            assert!(from.1 == run(&gpu, &plan, |_| None).1);
        }
    }
}

/// A run that blew up goes on from before it as if it had not.
#[test]
fn the_remains_of_an_ended_run_are_forgotten() {
    let mut unstable = setup(false, 8, common::NO_LAYER, 0.0);
    unstable.allow_unstable = true;
    let limit = Plan::new(unstable.clone()).expect("a valid setup").time.limit;
    unstable.time = common::every_step(1.2 * limit, 2.0);
    let plan = Arc::new(Plan::new(unstable).expect("forced"));
    for engine in engines::fast() {
        let mut run = engine.start(plan.clone()).expect("it fits");
        run.advance(3, &mut ()).expect("not yet");
        let kept = run.keep().expect("there is room");
        run.advance(plan.time.steps, &mut ()).expect_err("it blows up");
        run.put_back(&kept).expect("its own");
        run.advance(10, &mut ()).expect("not yet");
        assert_eq!(run.step(), 13);
    }
}

/// In a closed box a wave that is turned around comes back.
#[test]
fn a_reversed_wave_comes_back() {
    let plan = Plan::new(setup(true, 8, common::NO_LAYER, 0.0)).expect("a valid setup");
    for by_increments in [false, true] {
        let plan = Arc::new(Plan { by_increments, ..plan.clone() });
        let mut silent = (*plan).clone();
        silent.wavelets.iter_mut().for_each(|row| *row = vec![0.0; row.len()].into());
        let silent = Arc::new(silent);
        for (engine, name) in [(&Reference as &dyn Engine, "reference"), (&Parallel, "cpu")] {
            let increments = by_increments && name == "cpu";
            // The sources have fired by then.
            let (middle, end) = (at(engine, &plan, 70), at(engine, &plan, 90));
            let mut run = engine.start(silent.clone()).expect("it fits");
            let forward = run.state_of(0, middle.shots.clone());
            run.restore(&forward).expect("its own");
            run.advance(20, &mut ()).expect("a stable run");
            let free = run.state().expect("a state").shots;
            let back = free.into_iter().map(|shot| shot.reversed(increments)).collect();
            run.restore(&run.state_of(0, back)).expect("its own");
            // One less: p before is now.
            run.advance(19, &mut ()).expect("a stable run");
            let found = run.field(0).expect("a field");
            let expected = middle.shots[0].now.f64();
            let norm = |v: &mut dyn Iterator<Item = f64>| v.map(|v| v * v).sum::<f64>().sqrt();
            let pairs = found.iter().zip(expected.iter());
            let error = norm(&mut pairs.map(|(a, b)| f64::from(*a) - b));
            let error = error / norm(&mut expected.iter().copied());
            assert!(error < 1e-5, "{name}, by increments: {by_increments}: {error:e}");
            assert!(end.shots[0] != middle.shots[0]);
        }
    }
}

/// A state from a file that says something else of it.
fn but_for(state: &State, key: &str, value: &str) -> State {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [whole, other] = ["whole.npz", "other.npz"].map(|name| folder.path().join(name));
    state.write(&whole, false).expect("written");
    let mut from = ZipArchive::new(File::open(whole).expect("there")).expect("an archive");
    let mut to = ZipWriter::new(File::create(&other).expect("made"));
    for index in 0..from.len() {
        let mut entry = from.by_index(index).expect("an entry");
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).expect("read");
        if entry.name() == "state.json" {
            let mut said: serde_json::Value = serde_json::from_slice(&bytes).expect("JSON");
            said[key] = value.into();
            bytes = said.to_string().into_bytes();
        }
        to.start_file(entry.name(), SimpleFileOptions::default()).expect("begun");
        to.write_all(&bytes).expect("written");
    }
    to.finish().expect("whole");
    State::read(&other).expect("a state")
}

#[test]
fn states_of_something_else_are_refused() {
    let plan = Arc::new(Plan::new(setup(false, 8, common::cpml(6), 0.0)).expect("a valid setup"));
    let other = |change: &dyn Fn(&mut Setup)| {
        let mut setup = setup(false, 8, common::cpml(6), 0.0);
        change(&mut setup);
        Arc::new(Plan::new(setup).expect("a valid setup"))
    };
    let amplitude = other(&|setup| setup.shots[1].sources[0].amplitude = 2.0);
    let one = other(&|setup| drop(setup.shots.pop()));
    let wide = other(&|setup| setup.boundary = common::cpml(7));
    let short = other(&|setup| (setup.time.duration, setup.snapshots) = (0.04, Vec::new()));
    let mut finer = (*plan).clone();
    finer.time.dt *= 0.999;
    for engine in engines::fast_and_oracle() {
        let engine = engine.as_ref();
        let state = at(engine, &plan, 50);
        let refused = |plan: &Arc<Plan>, state: &State| {
            let mut run = engine.start(plan.clone()).expect("it fits");
            let before = run.state().expect("a state").shots;
            let refused = run.restore(state);
            assert!(run.state().expect("a state").shots == before, "nothing has changed");
            match refused {
                Err(EngineError::State(error)) => error,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(refused(&amplitude, &state), StateError::Job);
        assert_eq!(refused(&Arc::new(finer.clone()), &state), StateError::Job);
        assert_eq!(refused(&one, &state), StateError::Shots { found: 2, expected: 1 });
        let grid = StateError::Grid { found: [1, 65, 52], expected: [1, 67, 54] };
        assert_eq!(refused(&wide, &state), grid);
        assert_eq!(
            refused(&short, &state),
            StateError::Step { found: 50, steps: short.time.steps }
        );
        let said = refused(&plan, &but_for(&state, "engine", "abacus")).to_string();
        assert!(said.contains("the engine abacus") && said.contains("resume it"), "{said}");
        let said = refused(&plan, &but_for(&state, "program", "huygens 0.0.1")).to_string();
        assert!(said.contains("is of huygens 0.0.1, this is huygens"), "{said}");
        assert_eq!(refused(&plan, &but_for(&state, "job", "")), StateError::Job);
        let mut foreign = state.clone();
        foreign.shots[1] = ShotState { now: state.shots[1].memory.clone(), ..ShotState::silent() };
        let said = refused(&plan, &foreign).to_string();
        assert!(said.contains("now of shot 2 of the state holds"), "{said}");
        // Sources that fire later than it may be others.
        assert!(engine.start(plan.clone()).expect("it fits").restore(&state).is_ok());
    }
}

#[test]
fn broken_files_are_no_states() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("state.npz");
    let plan = Arc::new(Plan::new(setup(false, 8, common::cpml(6), 0.0)).expect("a valid setup"));
    at(&Parallel, &plan, 20).write(&file, false).expect("written");
    let again = at(&Parallel, &plan, 20).write(&file, false);
    assert!(matches!(again, Err(StateFileError::Write(_))), "{again:?}");
    let whole = std::fs::read(&file).expect("it is there");
    let refused = |bytes: &[u8]| {
        let path = folder.path().join("broken.npz");
        std::fs::write(&path, bytes).expect("written");
        State::read(&path).expect_err("it is broken").to_string()
    };
    for cut in [0, 1, 100, whole.len() / 2, whole.len() - 1] {
        refused(&whole[..cut]);
    }
    // A version of its own, and a length that is not its array's.
    let replaced = |from: &str, to: &str| {
        assert_eq!(from.len(), to.len());
        let at = whole.windows(from.len()).position(|w| w == from.as_bytes()).expect("it says so");
        let mut bytes = whole.clone();
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        bytes
    };
    // A checksum tells that it was changed.
    refused(&replaced("\"cpu\"", "\"gpu\""));
    assert!(State::read(Path::new("nowhere.npz")).is_err());
}
