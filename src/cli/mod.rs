//! The command line: commands, the flags that they share, what is said and shown, exit codes. No
//! physics, no GPU code.

mod command;
mod engines;
mod face;
mod failure;
mod flags;
mod ranks;
mod session;
mod terminal;

use crate::message::Names;
use clap::{CommandFactory, Parser};
use command::Command;
use failure::Failure;
use std::{process::ExitCode, sync::Mutex, thread};
use terminal::{progress, say};

/// Acoustic seismic waves on every GPU.
#[derive(Parser)]
#[command(
    version,
    about,
    after_help = "Example: huygens shot            models the built-in salt case into the folder out\n\
                  Exit codes: 0 done, 1 the run failed, 2 the input is wrong."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Print errors only.
    #[arg(short, long, global = true, display_order = 900, conflicts_with = "verbose")]
    quiet: bool,
    /// Print more; twice for everything.
    #[arg(short, long, global = true, display_order = 901, action = clap::ArgAction::Count)]
    verbose: u8,
    /// Limit for the arrays on the host. A job that needs more is refused before it begins.
    #[arg(long, global = true, display_order = 902, value_name = "GB", value_parser = gigabytes)]
    max_memory: Option<f64>,
}

fn gigabytes(word: &str) -> Result<f64, String> {
    let gigabytes: f64 = word.parse().map_err(|_| "a number of GB is wanted, such as 4 or 0.5")?;
    match gigabytes > 0.0 {
        true => Ok(gigabytes),
        false => Err("a number of GB above 0 is wanted".into()),
    }
}

/// Starts the threads that all commands share, and returns an error if limits of the process leave
/// no room for them.
fn room_to_start() -> Result<(), Failure> {
    crate::check_start().map_err(Failure::input)?;
    let none = |error: &dyn std::error::Error| {
        Failure::input(format!(
            "this program gets too few threads: {error}; raise the limits of processes and of \
             addresses (ulimit -u, ulimit -v)"
        ))
    };
    rayon::ThreadPoolBuilder::new().build_global().map_err(|error| none(&error))?;
    // A run and its drivers start more, and end the process where they get none. All are there at once.
    let gate = Mutex::new(());
    let closed = gate.lock();
    let all = thread::scope(|scope| {
        let spare = || thread::Builder::new().spawn_scoped(scope, || drop(gate.lock()));
        let all = (0..SPARE).try_for_each(|_| spare().map(drop));
        drop(closed);
        all
    });
    all.map_err(|error| none(&error))
}

/// Threads beside those of the pool.
const SPARE: usize = 8;

/// Runs the given command.
pub fn run() -> ExitCode {
    // Of a file that reaches the limit of its size (ulimit -f) the write itself tells.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return say::answer(&error),
    };
    let names = match cli.command {
        Command::Gather(_) => Some(Names::Gather),
        Command::Model(_) => Some(Names::Model),
        _ => None,
    };
    if let Some(gigabytes) = cli.max_memory {
        crate::limit_memory((1e9 * gigabytes) as u64);
    }
    let (speaks, begun) = ranks::begin(cli.command.takes_ranks());
    let quiet = cli.quiet || !speaks;
    say::log(quiet, if speaks { cli.verbose } else { 0 }, cli.command.is_traced(), names);
    if quiet {
        progress::be_quiet();
    }
    match begun {
        Ok(()) => ranks::end(
            room_to_start().and_then(|()| cli.command.run(Cli::command())),
            || cli.command.merge(),
            |failure| say::report(failure, names),
        ),
        Err(failure) if speaks => say::report(failure, names),
        Err(failure) => ExitCode::from(failure.code()),
    }
}
