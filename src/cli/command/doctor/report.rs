//! The report of `huygens doctor`.

use super::{
    advice,
    shot::{ShotReport, shot_on},
    vulkan::{self, Vulkan},
};
use crate::{
    Bound,
    cli::{
        command::devices::{ListedEngine, Row, listed},
        failure::Failure,
    },
    engine::{
        TrialShot,
        cpu::Parallel,
        gpu::{self, Gpu},
    },
    host,
    io::cache,
    program::{PROGRAM, Program},
};
use serde::Serialize;
use std::{env::consts, num::NonZero, path::PathBuf, thread::available_parallelism, time::Instant};

/// The optional features of this build.
const FEATURES: [(&str, bool); 10] = [
    ("cli", cfg!(feature = "cli")),
    ("gpu", cfg!(feature = "gpu")),
    ("ladder", cfg!(feature = "ladder")),
    ("files", cfg!(feature = "files")),
    ("jobs", cfg!(feature = "jobs")),
    ("invert", cfg!(feature = "invert")),
    ("render", cfg!(feature = "render")),
    ("runs", cfg!(feature = "runs")),
    ("mpi", cfg!(feature = "mpi")),
    ("faults", cfg!(feature = "faults")),
];

/// What `huygens doctor` finds.
#[derive(Serialize)]
pub(super) struct Report {
    #[serde(flatten)]
    pub(super) program: Program,
    pub(super) features: Vec<&'static str>,
    /// Operating system and processor.
    pub(super) system: String,
    pub(super) threads: usize,
    /// Memory that this process may take, bytes.
    pub(super) memory: Option<u64>,
    /// What limits it.
    pub(super) memory_limit: &'static str,
    pub(super) cache: Cache,
    /// Files of Vulkan; on Linux only.
    pub(super) vulkan: Option<Vulkan>,
    pub(super) devices: Vec<DeviceReport>,
    /// Remedies, the most useful first.
    pub(super) advice: Vec<String>,
}

/// The folder of tested devices, measured kernels and speeds.
#[derive(Serialize)]
pub(super) struct Cache {
    pub(super) folder: Option<PathBuf>,
    pub(super) files: Vec<CacheFile>,
}

#[derive(Serialize)]
pub(super) struct CacheFile {
    pub(super) name: String,
    pub(super) bytes: u64,
}

/// A device as `huygens devices` lists it, and its shot.
#[derive(Serialize)]
pub(super) struct DeviceReport {
    #[serde(flatten)]
    pub(super) row: Row,
    pub(super) shot: ShotReport,
}

impl Report {
    /// Looks at everything. OpenGL adapters only with `gl`.
    pub(super) fn collect(gl: bool) -> Result<Self, Failure> {
        let adapters = gpu::list(gl);
        let began = Instant::now();
        let trial = TrialShot::new().map_err(Failure::run)?;
        let oracle_seconds = began.elapsed().as_secs_f64();
        let shot = |engine| match engine {
            ListedEngine::Gpu(adapter) => match adapter.lacks.as_slice() {
                [] => shot_on(&trial, || Ok(Box::new(Gpu::open(adapter, false)?))),
                lacks => ShotReport::NotRun { why: format!("it lacks {}", lacks.join(", ")) },
            },
            ListedEngine::Parallel => shot_on(&trial, || Ok(Box::new(Parallel))),
            ListedEngine::Reference => ShotReport::Oracle { seconds: oracle_seconds },
        };
        let devices: Vec<_> = listed(&adapters)
            .map(|(row, engine)| DeviceReport { row, shot: shot(engine) })
            .collect();
        let vulkan = vulkan::find();
        let files = cache::files().into_iter().map(|(name, bytes)| CacheFile { name, bytes });
        let cache = Cache { folder: cache::folder(), files: files.collect() };
        let memory = host::memory();
        Ok(Report {
            program: PROGRAM,
            features: FEATURES.iter().filter(|(_, on)| *on).map(|(name, _)| *name).collect(),
            system: format!("{} {}", consts::OS, consts::ARCH),
            threads: available_parallelism().map_or(1, NonZero::get),
            memory: memory.map(|memory| memory.bytes),
            memory_limit: memory.map_or("nothing", |memory| match memory.by {
                Bound::Host => "the host",
                Bound::Group => "the batch job or container",
                Bound::Set => "--max-memory",
                Bound::Addresses => "ulimit -v",
            }),
            advice: advice::of(&devices, vulkan.as_ref(), &cache),
            cache,
            vulkan,
            devices,
        })
    }
}
