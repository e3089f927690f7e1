//! `huygens locate`.

mod arguments;
mod report;

pub(crate) use arguments::Arguments;

use crate::{
    cli::{
        face::KernelChoice,
        failure::Failure,
        flags::share::ShareArguments,
        session::planning,
        terminal::{progress::tell, say::print},
    },
    io::{dir::FolderPath, earlier_runs::EarlierRuns},
    operations::locate::{
        files::record_folders,
        operation::{COMMAND, RECORD},
    },
    run::{EarlierRun, Operation, counted},
};
use std::path::Path;

/// Names of the folders of records begin so.
const PREFIX: &str = "record-";

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { run, .. } = arguments;
    let out = run.output.path("located");
    let (file, others) = arguments.open()?;
    let terminal = run.terminal(&file, &ShareArguments::default(), KernelChoice::default());
    let reading = planning();
    let recordings = file.back(&others)?;
    drop(reading);
    let earlier_runs = EarlierRuns::find(&out, RECORD, PREFIX);
    let (job, folders) = (&file.job, earlier_runs.folders());
    let earlier = EarlierRun { command: COMMAND, job, record: RECORD, folders };
    let existing = earlier.existing(run.force.given, run.output.is_default())?;
    let of_out = earlier_runs.treated(existing)?;
    let several = recordings.len() > 1;
    let names = record_folders(recordings.iter().map(|back| back.record));
    let mut written = Vec::new();
    for (back, name) in recordings.into_iter().zip(names) {
        let (folder, existing) = match several {
            true => (FolderPath::within(&out, name), existing),
            false => (FolderPath::from(&out), of_out),
        };
        if several {
            tell(format_args!("record {}", back.record));
        }
        let order = arguments.order(folder.clone(), existing);
        let mut operation = arguments.prepare(&file, back, several)?;
        let done = run.carry_out(&mut operation, &file, order, &terminal);
        done.map_err(|failure| match written.len() {
            0 => failure,
            count => failure.with_note(located(count, &out)),
        })?;
        written.push(folder);
        if let Some(report) = operation.report().filter(|_| !run.output.json) {
            print(report::text(report, operation.plan().grid.is_volume()))?;
        }
    }
    Ok(earlier_runs.remove(&written)?)
}

/// What is kept of a run that ends before all records are located.
fn located(count: usize, out: &Path) -> String {
    let are = if count == 1 { "is" } else { "are" };
    format!("{} before it {are} located, in {}", counted(count, "record"), out.display())
}
