//! The chores of huygens: `cargo xtask help` lists them.
//!
//! Exit codes: 0 done, 1 the chore failed, 2 the command line is wrong.

mod accuracy;
mod chore;
mod ci;
mod debian;
mod deny;
mod dist;
mod docs;
mod drivers;
mod figures;
mod golden;
mod layout;
mod mesa;
mod mpi;
mod palette;
mod peers;
mod python;
mod run;
mod slurm;
mod soak;
mod tables;
mod targets;
mod test;
mod validators;
mod vulkan;
mod web;

use chore::Chore;
use run::{Outcome, cargo, run};
use std::process::ExitCode;

fn main() -> ExitCode {
    let line: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let chore = match chore::parse(&line) {
        Ok(chore) => chore,
        Err(wrong) => {
            eprintln!("error: {wrong}");
            return ExitCode::from(2);
        }
    };
    match perform(chore) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

fn perform(chore: Chore) -> Outcome {
    match chore {
        Chore::Help => {
            print!("{}", chore::help());
            Ok(())
        }
        Chore::Wheel => python::wheel(),
        Chore::Dist(wanted) => dist::dist(&wanted),
        Chore::Web => web::web(),
        Chore::Test { python: true, .. } => python::test(),
        Chore::Test { web: true, .. } => web::test(),
        Chore::Test { tests, slurm, mpi, .. } => {
            if mpi {
                mpi::obtain(tests.install)?;
            }
            test::test(&tests)?;
            match mpi {
                true => mpi::test()?,
                false => println!("{}", mpi::not_run()),
            }
            if slurm { slurm::test(tests.install) } else { Ok(()) }
        }
        Chore::Ci { full } => ci::ci(full),
        Chore::Golden { against } => golden::golden(against.as_deref()),
        Chore::Layout => layout::layout(),
        Chore::Soak { minutes, seed } => soak::soak(minutes, seed),
        // Benchmark targets only: the library's own harness does not know criterion's options.
        Chore::Bench { peers: true, args } => peers::bench(&args),
        Chore::Bench { peers: false, args } => {
            run(cargo(&["bench", "-p", "huygens", "--bench", "*", "--"]).args(args))
        }
        Chore::Shaders => {
            run(&mut cargo(&["test", "--test", "agreement", "shaders", "--", "--nocapture"]))
        }
        Chore::Docs => docs::docs(),
        Chore::Figures => figures::figures(),
        Chore::Pages => figures::pages(),
        Chore::Accuracy => accuracy::accuracy(),
        Chore::Papers => figures::papers(),
    }
}
