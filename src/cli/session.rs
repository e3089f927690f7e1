//! Common parts of the commands that run a job: opening the folder, describing the engine, and
//! writing a record.

use crate::cli::{
    engines,
    failure::Failure,
    flags::{force::ForceArguments, output::OutputArguments},
    ranks,
    terminal::{
        progress::{self, Ends, Progress, end_on_ctrl_c, tell},
        say::print,
        shell::command,
    },
};
use huygens::{
    engine::{Description, Engine, tune::Unlike},
    grid::{Axes, Grid},
    io::folder::{FolderPath, OutputFolder, RUN},
    job::JobFile,
    plan::{Plan, TimeAxis},
    render::FigureSize,
    results::{Results, Show},
    rounded::rounded,
};
use serde::Serialize;
use std::{
    fmt::Display,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};
use tracing::span::EnteredSpan;

/// The results of a job in a folder, with pictures of a size.
pub fn results<'a>(
    folder: &'a OutputFolder,
    file: &'a JobFile,
    size: FigureSize,
    show: &'a Show<'a>,
) -> Results<'a> {
    Results { folder, file, size, command: command(), show, units: Default::default() }
}

/// Values along x, y in a volume, and z: "200 x 200 x 100".
pub fn by<T: std::fmt::Display>(grid: &Grid, of: Axes<T>, unit: &str) -> String {
    let y = if grid.is_volume() { format!(" x {}{unit}", of.y) } else { String::new() };
    format!("{}{unit}{y} x {}{unit}", of.x, of.z)
}

/// The steps of a run, for its heading.
pub fn steps(time: &TimeAxis) -> String {
    let (ms, part) = (rounded(1e3 * time.dt), 100.0 * time.dt / time.limit);
    format!("{} steps of {ms} ms ({part:.0} % of the largest stable one)", time.steps)
}

/// " on 2 devices" if there are several.
pub fn on(devices: usize) -> String {
    if devices > 1 { format!(" on {devices} devices") } else { String::new() }
}

/// The summary of a run that stepped a Plan on `devices` devices.
pub fn stepped((plan, devices): (&Plan, usize), seconds: f64, out: &Path) -> String {
    let rate = plan.updates() / seconds.max(1e-9) * 1e-9;
    let (on, out) = (on(devices), out.display());
    format!("stepped in {seconds:.3} s, {rate:.2} Gpts/s{on}; results in {out}")
}

/// The JSON text of a record.
pub fn json(record: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(record).map_err(Failure::run)
}

/// Displays reading and planning, until dropped.
pub fn planning() -> (Progress, EnteredSpan) {
    let span = tracing::info_span!(target: "timeline", "reading and planning").entered();
    (progress::doing("reading and planning"), span)
}

/// A command in progress.
pub struct Session {
    started: Instant,
    ends: Ends,
}

impl Session {
    pub fn begin() -> Self {
        Session { started: Instant::now(), ends: end_on_ctrl_c() }
    }

    /// The flag that Ctrl-C sets. Until the first call Ctrl-C ends the program: reading and
    /// planning leave no output.
    pub fn stop(&self) -> Arc<AtomicBool> {
        self.ends.listening()
    }

    /// The size of pictures, and the folder of a run, in which an earlier one that did not end may be
    /// resumed.
    pub fn open(
        &self,
        output: &OutputArguments,
        (command, file, least): (&str, &JobFile, (u32, u32)),
        (force, resume): (ForceArguments, Option<bool>),
    ) -> Result<(FigureSize, OutputFolder), Failure> {
        let size = output.figure.over(file.job.output.figures, least)?;
        self.stop();
        let out = output.path("out");
        let before = &[FolderPath::from(&out)];
        let earlier = output.earlier(force.given, (command, &file.job), (RUN, before))?;
        let folder = match resume {
            Some(resume) => OutputFolder::unfinished(&out, Some(RUN), earlier, resume),
            None => OutputFolder::new(&out, Some(RUN), earlier),
        }?;
        Ok((size, folder))
    }

    /// Seconds since the start.
    pub fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Returns an error after Ctrl-C.
    pub fn check_stop(&self) -> Result<(), Failure> {
        match self.stop().load(Ordering::Relaxed) {
            true => Err(Failure::stopped()),
            false => Ok(()),
        }
    }
}

/// Prints the engine of the job.
pub fn introduce(engine: &dyn Engine) -> Description {
    let description = engine.describe();
    tell(format_args!("on {}, {}", description.device, description.kernel));
    description
}

/// Prints what is run, on which devices, which share the shots, and its warnings; returns the first
/// device.
pub fn begin<W: Display>(
    heading: [String; 2],
    (engines, shots): (&[&dyn Engine], usize),
    warnings: impl IntoIterator<Item = W>,
) -> Description {
    heading.into_iter().for_each(tell);
    let description = introduce_all(engines, shots);
    warnings.into_iter().for_each(|warning| tracing::warn!("{warning}"));
    description
}

/// Prints the devices that share the shots; returns the first.
fn introduce_all(engines: &[&dyn Engine], shots: usize) -> Description {
    let count = engines.len();
    if count == 1 {
        return introduce(engines[0]);
    }
    for (engine, number) in engines.iter().zip(1..) {
        let Description { device, kernel, .. } = engine.describe();
        tell(format_args!("device {number} of {count}: {device}, {kernel}"));
    }
    engines::warn(Unlike::find(engines.iter().map(|engine| engine.describe()), "shot"));
    if count > shots {
        tracing::warn!(
            "there are more devices, {count}, than shots, {shots}; name fewer with --devices"
        );
    }
    engines[0].describe()
}

/// Adds the record to the files, moves them into place, and prints the record if requested.
pub fn finish(
    folder: OutputFolder,
    (name, record): (&str, &impl Serialize),
    output: &OutputArguments,
) -> Result<(), Failure> {
    let (json, at) = (json(record)?, folder.path());
    folder.write(name, json.as_bytes())?;
    folder.commit()?;
    if output.json && ranks::all().is_none_or(|ranks| ranks.is_first()) {
        let whole = || format!("the results are whole, in {}", at.display());
        print(json).map_err(|failure| failure.with_note(whole()))?;
    }
    Ok(())
}

/// Prints the location of the results.
pub fn tell_where(out: &Path) {
    tell(format_args!("results in {}", out.display()));
}
