//! The examples run, say nothing on standard error, and what they print is so.
//!
//! `cargo test` builds them beforehand; with `--test examples` alone they are those of the last
//! build.

use std::{env, fs, path::Path, process::Command};

/// The numbers of each line that an example prints.
fn numbers(example: &str) -> Vec<Vec<f64>> {
    let folder = env::current_exe().expect("it runs");
    let folder = folder.ancestors().nth(2).expect("it lies in deps").join("examples");
    let program = folder.join(format!("{example}{}", env::consts::EXE_SUFFIX));
    let ran = Command::new(&program).output().unwrap_or_else(|error| {
        panic!("{}: {error}; build it: cargo build --examples", program.display())
    });
    let (said, complained) =
        (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success() && complained.is_empty(), "{example}: {said}{complained}");
    println!("{said}");
    let of = |line: &str| line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    said.lines().map(of).collect()
}

/// True if two times, s, differ by a few samples at most.
fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 0.006
}

/// 1000 m of 2000 m/s.
#[test]
fn a_first_shot_travels_at_the_velocity_of_the_rock() {
    let heard = numbers("first-shot");
    let [first, second] = heard.as_slice() else { panic!("{heard:?}") };
    assert!(near(second[1] - first[1], 0.5), "{heard:?}");
    // A plane's wave is loudest a little after its way and its delay.
    assert!((0.2..0.22).contains(&first[1]), "{heard:?}");
}

/// Down to the interface, which lies between the nodes at 390 and 400 m, and up again, straight or
/// 400 m on.
#[test]
fn a_layer_reflects_at_the_time_of_its_depth() {
    let heard = numbers("own-model");
    let [straight, aside] = heard.as_slice() else { panic!("{heard:?}") };
    let way = |offset: f64| 690f64.hypot(offset) / 1500.0;
    assert!(near(aside[1] - straight[1], way(400.0) - way(0.0)), "{heard:?}");
    assert!((0.0..0.02).contains(&(straight[1] - way(0.0) - 0.1)), "{heard:?}");
}

#[test]
fn an_observer_sees_the_wave_move_and_ends_the_run() {
    let heard = numbers("custom-tap");
    let [ended, first, .., last] = heard.as_slice() else { panic!("{heard:?}") };
    assert!(ended[0] < 0.2 * ended[1], "{heard:?}");
    let speed = (last[1] - first[1]) / (last[0] - first[0]);
    assert!((speed / 2000.0 - 1.0).abs() < 0.05, "{speed} m/s, {heard:?}");
}

/// At the peak of the wavelet, 0.15 s after the start.
#[test]
fn a_source_is_found_where_it_was() {
    let found = numbers("locate");
    let [x, z, time] = found[0][..] else { panic!("{found:?}") };
    assert!((x - 1200.0).hypot(z - 900.0) < 40.0 && (time - 0.15).abs() < 0.03, "{found:?}");
}

/// Half way between the nodes at 390 and 400 m.
#[test]
fn an_image_is_largest_at_the_interface() {
    let found = numbers("rtm");
    assert!((found[0][0] - 395.0).abs() < 30.0, "{found:?}");
}

/// A faster model has a smaller misfit.
#[test]
fn a_gradient_points_to_the_rock() {
    let found = numbers("gradient");
    let (misfit, slope) = (found[0][0], found[1][0]);
    assert!(misfit > 0.0 && slope < 0.0, "{misfit:e} {slope:e}");
}

/// The code of docs/rust.md is that of the examples, line by line.
#[test]
fn the_page_shows_the_examples() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/rust.md")).expect("the page");
    let folder = fs::read_dir(root.join("examples")).expect("the examples");
    let examples: String = folder
        .map(|file| fs::read_to_string(file.expect("an entry").path()).expect("an example"))
        .collect();
    let known: Vec<&str> = examples.lines().collect();
    let blocks = page.split("```text\n").skip(1).filter_map(|rest| rest.split("```").next());
    let code = blocks.filter(|block| !block.starts_with('['));
    let shown = code.flat_map(str::lines).filter(|line| line.trim() != "...");
    let other: Vec<_> = shown.filter(|line| !known.contains(line)).collect();
    assert!(page.contains("```text\nuse huygens"), "the page has lost its code");
    assert!(other.is_empty(), "docs/rust.md has lines of no example: {other:#?}");
}
