//! What a run has kept for a later one: journals, states, inversions, the choices of kernels. Anyone
//! may have changed them.

use huygens::{
    acquisition::{Shot, Source, Wavelet},
    boundary::{Absorber, Boundary, Top},
    engine::{Engine, State, StateFileError, cpu::Parallel, tune::Choices},
    grid::Axes,
    io::{
        dir::Dir,
        journal::{self, Contents, Done, JournalError, Piece},
    },
    job::{Inputs, JobFile},
    model::VelocityModel,
    operations::{
        invert::{Inversion, Inverted},
        recorded::Recorded,
    },
    plan::{Plan, Setup},
};
use ndarray::Array2;
use proptest::{prelude::*, sample::Index, test_runner::RngSeed};
use std::{error::Error, ops::ControlFlow, path::Path, sync::Arc};

/// The journal of a survey of three shots.
pub fn whole_journal() -> Vec<u8> {
    let done = |shot: usize| {
        let piece = Piece::new(shot, "gathers.sgy", 240 * shot as u64, b"traces");
        Done::of_shot(shot, vec![piece])
    };
    let survey =
        serde_json::json!({ "survey": { "shots": 3, "job": { "time": 1.0 } }, "engine": {} });
    journal::text(&survey, &[done(1), done(2), done(3)])
}

/// Reads bytes as the journal of a folder, and the pieces that it lists.
pub fn read_journal(bytes: &[u8]) -> Result<Contents, JournalError> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("journal.jsonl"), bytes).expect("written");
    std::fs::write(folder.path().join("gathers.sgy"), [7; 1000]).expect("written");
    let folder = Dir::open(folder.path()).expect("a folder");
    let contents = journal::read(&folder)?;
    let (whole, damaged) = journal::whole(&folder, contents.done.clone());
    assert_eq!(whole.len() + damaged.len(), contents.done.len());
    Ok(contents)
}

/// A plane of two shots.
fn plan() -> Arc<Plan> {
    let model =
        VelocityModel::new(Array2::from_elem((12, 9), 2000.0), 10.0, 10.0).expect("a model");
    let source = Source::new(Axes::xz(50.0, 40.0), Wavelet::ricker(20.0));
    let shots = vec![Shot::new(source, vec![Axes::xz(20.0, 20.0)]); 2];
    let boundary = Boundary { top: Top::Zero, sides: Absorber::Zero };
    let setup = Setup { boundary, ..Setup::new(model, shots, 0.02) };
    Arc::new(Plan::new(setup).expect("a valid setup"))
}

/// Its state after three steps.
pub fn whole_state() -> Vec<u8> {
    let mut run = Parallel.start(plan()).expect("it fits");
    run.advance(3, &mut ()).expect("a stable run");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("state.npz");
    run.state().expect("a state").write(&path, false).expect("written");
    std::fs::read(path).expect("read")
}

/// Reads bytes as a state; a run goes on from it, if it can.
pub fn read_state(bytes: &[u8]) -> Result<State, StateFileError> {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), bytes).expect("written");
    let state = State::read(Path::new(file.path()))?;
    let mut run = Parallel.start(plan()).expect("it fits");
    if run.restore(&state).is_ok() {
        // A field that was changed may blow up.
        let _ = run.advance(2, &mut ());
    }
    Ok(state)
}

/// A job whose inversion takes milliseconds.
const INVERSION: &str = include_str!("../../fuzz/inversion.toml");

/// An inversion of it, for traces that are not its model's.
fn inversion() -> (Inputs, Inversion) {
    let file = JobFile::parse("a job", INVERSION, Default::default()).expect("a job");
    let (inputs, bounds) = file.inputs_to_invert().expect("a valid job");
    let kept = inputs.plan.time.kept();
    let traces = Array2::from_shape_fn((4, kept), |(r, t)| (0.3 * (r + t) as f32).sin());
    let observed =
        file.observed(Recorded::whole(vec![traces], inputs.plan.time.interval()), &inputs);
    let inversion = file.inversion(observed.expect("traces"), &inputs, bounds);
    (inputs, inversion.expect("valid keys"))
}

/// What it has done after an iteration.
pub fn whole_inversion() -> Vec<u8> {
    let ((inputs, inversion), mut kept) = (inversion(), Vec::new());
    let mut each = |done: &Inverted, _: &VelocityModel| {
        kept.push(postcard::to_allocvec(done).expect("bytes"));
        Ok::<_, Box<dyn Error>>(())
    };
    let mut hear = |_, _| ControlFlow::Continue(());
    inversion.run(&[&Parallel], &inputs, None, &mut hear, &mut each).expect("it descends");
    kept.swap_remove(0)
}

/// Reads bytes as what an inversion has done, from which it goes on.
pub fn read_inversion(bytes: &[u8]) -> Result<(), String> {
    let done: Inverted = postcard::from_bytes(bytes).map_err(|error| error.to_string())?;
    let (inputs, inversion) = inversion();
    let mut each = |_: &Inverted, _: &VelocityModel| Ok::<_, Box<dyn Error>>(());
    let mut hear = |_, _| ControlFlow::Continue(());
    let found = inversion.run(&[&Parallel], &inputs, Some(done), &mut hear, &mut each);
    found.map(drop).map_err(|error| error.to_string())
}

/// The choices of kernels of a program with a CPU that was timed.
pub fn whole_choices() -> Vec<u8> {
    let mut choices = Choices::default();
    assert!(choices.remember_run(&Parallel.describe(), &plan(), 1e9, 2.0));
    choices.text().into_bytes()
}

/// Reads bytes as choices, and asks them.
pub fn read_choices(bytes: &[u8]) -> Result<Choices, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
    let choices = Choices::parse(text)?;
    let (engine, plan) = (Parallel.describe(), plan());
    if let Some(speed) = choices.speed(&engine, &plan) {
        assert!(speed > 0.0 && speed.is_finite(), "{speed}");
    }
    choices.batch(&engine, "", &plan, 2);
    Ok(choices)
}

#[test]
fn whole_ones_are_read() {
    let journal = read_journal(&whole_journal()).expect("a journal");
    assert_eq!((journal.heading["survey"]["shots"].as_u64(), journal.done.len()), (Some(3), 3));
    assert_eq!(read_state(&whole_state()).expect("a state").shots.len(), 2);
    assert_eq!(read_inversion(&whole_inversion()), Ok(()));
    let choices = read_choices(&whole_choices()).expect("choices");
    assert_eq!(choices.speed(&Parallel.describe(), &plan()), Some(0.5));
}

#[test]
fn cut_states_are_refused() {
    let bytes = whole_state();
    for end in (0..bytes.len()).step_by(7) {
        assert!(read_state(&bytes[..end]).is_err(), "cut at {end}");
    }
}

/// Numbers whose sum with anything overflows, and files outside the folder, in lines with checksums.
#[test]
fn lines_of_a_journal_that_no_run_wrote_are_ignored() {
    let piece = |file: &str, from| Piece { from, ..Piece::new(2, file, 0, b"traces") };
    let right = Done::of_shot(2, vec![piece("gathers.sgy", 480)]);
    let journal = |second: &Done| {
        let others = [1, 3].map(|shot| Done { shot, ..right.clone() });
        let text = journal::text(&serde_json::json!({}), [&others[0], second, &others[1]]);
        read_journal(&text).expect("a journal")
    };
    for wrong in [
        Done { shot: usize::MAX, ..right.clone() },
        Done { shot: 0, ..right.clone() },
        Done { count: usize::MAX, ..right.clone() },
        Done { count: 0, ..right.clone() },
        Done { pieces: vec![piece("../gathers.sgy", 480)], ..right.clone() },
        Done { pieces: vec![piece("/etc/hostname", 480)], ..right.clone() },
    ] {
        let found = journal(&wrong);
        let shots: Vec<_> = found.done.iter().map(|done| done.shot).collect();
        assert_eq!((shots, found.damaged.len()), (vec![1, 3], 1), "{wrong:?}");
    }
    // A piece past the end of its file is a shot to model again.
    let far = Done { pieces: vec![piece("gathers.sgy", u64::MAX)], ..right.clone() };
    assert_eq!(journal(&far).done.len(), 3);
    // A changed line is not believed, whatever it says.
    let text = String::from_utf8(whole_journal()).expect("text");
    let changed = text.replace("\"shot\":1,", "\"shot\":9,");
    assert_ne!(changed, text);
    let found = read_journal(changed.as_bytes()).expect("a journal");
    let shots: Vec<_> = found.done.iter().map(|done| done.shot).collect();
    assert_eq!((shots, found.damaged), (vec![2, 3], vec![2]));
}

#[test]
fn speeds_that_are_none_are_ignored() {
    let text = String::from_utf8(whole_choices()).expect("text");
    for speed in ["0.0", "-1.0", "-0.0"] {
        let choices = read_choices(text.replace("0.5", speed).as_bytes()).expect("choices");
        assert_eq!(choices.speed(&Parallel.describe(), &plan()), None, "{speed}");
    }
    assert!(read_choices(text.replace("0.5", "1e999").as_bytes()).is_err());
}

fn damaged(whole: &[u8], damage: &[(Index, u8)], end: Option<Index>) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    for (at, byte) in damage {
        let at = at.index(bytes.len());
        bytes[at] = *byte;
    }
    bytes.truncate(end.map_or(bytes.len(), |end| end.index(bytes.len())));
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(17),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn damage_never_panics(
        damage in proptest::collection::vec((any::<Index>(), any::<u8>()), 0..8),
        end: Option<Index>,
    ) {
        if let Ok(journal) = read_journal(&damaged(&whole_journal(), &damage, end)) {
            prop_assert!(journal.done.iter().all(|done| done.pieces.iter().all(|piece| !piece.file.contains(".."))));
        }
        let _ = read_choices(&damaged(&whole_choices(), &damage, end));
    }

    /// Bytes that are printed replace bytes, so that the text stays JSON more often.
    #[test]
    fn nor_do_other_numbers(at: Index, digits in "[0-9eE.+-]{1,20}") {
        for (whole, journal) in [(whole_journal(), true), (whole_choices(), false)] {
            let text = String::from_utf8(whole).expect("text");
            let numbers: Vec<_> = text.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at).collect();
            let at = numbers[at.index(numbers.len())];
            let changed = format!("{}{digits}{}", &text[..at], &text[at + 1..]);
            match journal {
                true => drop(read_journal(changed.as_bytes())),
                false => drop(read_choices(changed.as_bytes())),
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(19),
        failure_persistence: None,
        cases: 64,
        ..ProptestConfig::default()
    })]

    #[test]
    fn damaged_states_are_refused_or_gone_on_with(
        damage in proptest::collection::vec((any::<Index>(), any::<u8>()), 1..8),
    ) {
        let _ = read_state(&damaged(&whole_state(), &damage, None));
    }

    #[test]
    fn so_are_damaged_inversions(damage in proptest::collection::vec((any::<Index>(), any::<u8>()), 1..8)) {
        let _ = read_inversion(&damaged(&whole_inversion(), &damage, None));
    }
}
