//! `huygens devices`.

use crate::{
    cli::{failure::Failure, session::json, terminal::say::print},
    engine::{
        Description, Engine,
        cpu::{Parallel, Reference},
        gpu::{self, Adapter},
        select::preferred,
    },
};
use serde::Serialize;
use std::fmt::Write;

#[derive(clap::Args)]
#[command(after_help = "Example: huygens devices --json")]
pub(crate) struct Arguments {
    /// Print the list as JSON.
    #[arg(long)]
    json: bool,
    /// Look for OpenGL adapters too.
    #[arg(long)]
    gl: bool,
}

/// One line of the list.
#[derive(Default, Serialize)]
pub(super) struct Row {
    /// Value for `--adapter`; none for a CPU engine.
    pub(super) index: Option<usize>,
    pub(super) backend: String,
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) driver: String,
    pub(super) auto: bool,
    /// Largest buffer binding of a shader, bytes.
    pub(super) max_binding: Option<u64>,
    /// Largest buffer, bytes.
    pub(super) max_buffer: Option<u64>,
    pub(super) max_invocations: Option<u32>,
    /// Bytes per workgroup.
    pub(super) workgroup_storage: Option<u32>,
    pub(super) timestamps: Option<bool>,
    /// True if a dispatch takes immediate values, without a buffer.
    pub(super) immediates: Option<bool>,
    /// The supported step kernels.
    pub(super) kernels: Vec<&'static str>,
    pub(super) lacks: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let adapters = gpu::list(arguments.gl);
    let rows: Vec<Row> = listed(&adapters).map(|(row, _)| row).collect();
    if arguments.json { print(json(&rows)?) } else { print(table(&rows)) }
}

/// What computes on a line of the list.
#[derive(Clone, Copy)]
pub(super) enum ListedEngine<'a> {
    Gpu(&'a Adapter),
    Parallel,
    /// The oracle.
    Reference,
}

/// The lines of these GPUs, then those of the CPU engines.
pub(super) fn listed(adapters: &[Adapter]) -> impl Iterator<Item = (Row, ListedEngine<'_>)> {
    let auto = preferred(adapters).first().copied().map(std::ptr::from_ref);
    let is_auto = move |adapter| auto == Some(std::ptr::from_ref(adapter));
    let gpus = (0..).zip(adapters).map(move |(n, adapter)| {
        (gpu_row(n, adapter, is_auto(adapter)), ListedEngine::Gpu(adapter))
    });
    let cpus = [
        (cpu_row(&Parallel, auto.is_none()), ListedEngine::Parallel),
        (cpu_row(&Reference, false), ListedEngine::Reference),
    ];
    gpus.chain(cpus)
}

fn cpu_row(engine: &dyn Engine, auto: bool) -> Row {
    let Description { backend, device: name, kernel: kind, driver } = engine.describe();
    Row { backend, name, kind, driver, auto, ..Row::default() }
}

fn gpu_row(index: usize, adapter: &Adapter, auto: bool) -> Row {
    Row {
        index: Some(index),
        backend: adapter.backend.name().into(),
        name: adapter.name.clone(),
        kind: adapter.kind.into(),
        driver: adapter.driver.clone(),
        auto,
        max_binding: Some(adapter.max_binding),
        max_buffer: Some(adapter.max_buffer),
        max_invocations: Some(adapter.max_invocations),
        workgroup_storage: Some(adapter.workgroup_storage),
        timestamps: Some(adapter.timestamps),
        immediates: Some(adapter.immediates),
        kernels: adapter.kernels.clone(),
        lacks: adapter.lacks.clone(),
    }
}

/// The list as text.
pub(super) fn table<'r>(rows: impl IntoIterator<Item = &'r Row> + Clone) -> String {
    let mib = |bytes: u64| format!("{:.0} MiB", bytes as f64 / f64::from(1 << 20));
    let mut table = String::from("  #  backend    device\n");
    for row in rows.clone() {
        let mark = if row.auto { '*' } else { ' ' };
        let index = row.index.map_or_else(|| "-".to_owned(), |index| index.to_string());
        let _ = writeln!(table, "{mark} {index}  {:<9}  {} ({})", row.backend, row.name, row.kind);
        if !row.driver.is_empty() {
            let _ = writeln!(table, "                driver {}", row.driver);
        }
        if let (Some(binding), Some(invocations), Some(storage)) =
            (row.max_binding, row.max_invocations, row.workgroup_storage)
        {
            let has = |has: Option<bool>, what| {
                format!("{}{what}", if has == Some(true) { "" } else { "no " })
            };
            let _ = writeln!(
                table,
                "                {} a binding, {invocations} invocations and {} KiB a workgroup, {}, {}",
                mib(binding),
                storage / 1024,
                has(row.timestamps, "timestamps"),
                has(row.immediates, "immediates"),
            );
            let kernels = match row.kernels.as_slice() {
                [] => "none".to_owned(),
                all if all.len() == gpu::KERNELS.len() => "all".to_owned(),
                some => some.join(", "),
            };
            let _ = writeln!(table, "                kernels: {kernels}");
        }
        if !row.lacks.is_empty() {
            let _ =
                writeln!(table, "                cannot run: it lacks {}", row.lacks.join(", "));
        }
    }
    let why = match rows.into_iter().find(|row| row.auto) {
        Some(row) if row.index.is_some() => "a real GPU",
        _ => "no real GPU is here, and software Vulkan is slower than the native CPU engine",
    };
    table + "* what --backend auto takes: " + why
}
