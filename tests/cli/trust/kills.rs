//! Runs that are killed at random.

use super::{migration, same};
use crate::{
    run::{done, folder, names, told},
    survey::begun,
};
use std::{
    fs,
    io::Read,
    path::Path,
    thread,
    time::{Duration, Instant},
};

/// SplitMix64.
struct Random(u64);

impl Random {
    /// From 0 to 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as f64 / u64::MAX as f64
    }
}

/// Kills runs of a command, each of which goes on from the last, until `HUYGENS_KILLS` were killed,
/// and compares what they come to with what a run comes to that is left alone.
fn killed(folder: &Path, command: &'static str, seed: u64) {
    let cpu = [command, "job.toml", "--backend", "cpu", "--no-pictures", "--out"];
    let run = |more: &[&'static str]| [&cpu[..], more].concat();
    let began = Instant::now();
    done(folder, &run(&["whole"]));
    let took = began.elapsed().as_secs_f64();
    let whole = same(&folder.join("whole"));
    let (out, mut random) = (folder.join("out"), Random(seed));
    let (kills, mut ended, mut began_again) = (told("HUYGENS_KILLS", 2), 0, 0);
    // Killed before its end, or while its files were moved into place.
    let is_unfinished =
        || out.join("unfinished").exists() || out.join(".huygens-finished").exists();
    let mut left = kills;
    while left > 0 {
        let again: &[&'static str] = if is_unfinished() { &["out", "--resume"] } else { &["out"] };
        let mut child = begun(folder, &run(again));
        let until = Duration::from_secs_f64(random.next() * took);
        let began = Instant::now();
        while began.elapsed() < until && child.try_wait().expect("a child").is_none() {
            thread::sleep(Duration::from_millis(1));
        }
        child.kill().expect("killed");
        let status = child.wait().expect("over");
        match status.code() {
            None => left -= 1,
            Some(code) => {
                let mut said = String::new();
                let stderr = child.stderr.as_mut().expect("piped");
                stderr.read_to_string(&mut said).expect("text");
                assert_eq!(code, 0, "seed {seed}: {said}");
                ended += 1;
            }
        }
        if status.success() || (!is_unfinished() && out.join("run.json").exists()) {
            done(folder, &run(&["out", "--resume"]));
            assert!(same(&out) == whole, "seed {seed}");
            fs::remove_dir_all(&out).expect("removed");
        } else if !is_unfinished() {
            began_again += 1;
        }
    }
    let again: &[&'static str] = if is_unfinished() { &["out", "--resume"] } else { &["out"] };
    done(folder, &run(again));
    assert!(same(&out) == whole, "seed {seed}");
    let hidden = names(&out).into_iter().filter(|name| name.starts_with('.')).count();
    assert_eq!(hidden, 0, "what killed runs left is gone");
    println!(
        "{command}: {kills} runs killed from seed {seed}, {began_again} before their first file; {ended} more came to an end"
    );
}

#[test]
fn runs_that_are_killed_at_random_come_to_the_same_bytes() {
    let seed = told("HUYGENS_SEED", 26);
    for command in ["shot", "rtm", "lsrtm", "gradient", "invert"] {
        let folder = folder();
        let of_all = migration(64).replace("duration = 0.02", "duration = 0.1");
        let compared =
            "[gradient]\nobserved = \"observed/gathers.sgy\"\n[invert]\niterations = 4\n";
        let job = folder.path().join("job.toml");
        let few = if command == "lsrtm" { "[lsrtm]\niterations = 4\nimages = true\n" } else { "" };
        fs::write(&job, format!("{of_all}{few}")).expect("written");
        if ["gradient", "invert"].contains(&command) {
            // Of other rock.
            let rock = ["--model", "builtin:homogeneous", "--out", "observed", "--no-pictures"];
            done(folder.path(), &[&["shot", "job.toml", "--backend", "cpu"][..], &rock].concat());
            fs::write(&job, of_all + compared).expect("written");
        }
        killed(folder.path(), command, seed);
    }
}
