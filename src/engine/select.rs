//! The choice of an engine.

use super::{
    DeviceFailure, Engine, EngineError,
    cpu::{Parallel, Reference},
    gpu::{self, Adapter, Gpu},
};
use crate::message::mistake;
use serde::Serialize;
use std::{
    io,
    panic::resume_unwind,
    thread::{self, ScopedJoinHandle},
};

/// A requested engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Choice {
    /// A discrete GPU, else an integrated one, else the CPU engine; never software Vulkan.
    #[default]
    Auto,
    /// [`Parallel`].
    Cpu,
    /// [`Reference`].
    Reference,
    /// An adapter of an API.
    Gpu(gpu::Backend),
}

impl Choice {
    /// All that can be asked for, with their names.
    pub const NAMED: [(&'static str, Self); 7] = [
        ("auto", Choice::Auto),
        ("cpu", Choice::Cpu),
        ("reference", Choice::Reference),
        ("vulkan", Choice::Gpu(gpu::Backend::Vulkan)),
        ("metal", Choice::Gpu(gpu::Backend::Metal)),
        ("dx12", Choice::Gpu(gpu::Backend::Dx12)),
        ("gl", Choice::Gpu(gpu::Backend::Gl)),
    ];
}

/// An error of the choice.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum SelectError {
    #[error(
        "there is no {backend} adapter here; choose one that `huygens devices` lists, or --backend cpu"
    )]
    NoAdapter { backend: String },
    /// No known adapter with that name or number.
    #[error("no adapter matches \"{wanted}\"; there are: {known}")]
    NoMatch { wanted: String, known: String },
    /// None of several requested devices.
    #[error(
        "there is no device \"{wanted}\"; --devices takes all, cpu, and numbers and names of these: {known}"
    )]
    NoDevice { wanted: String, known: String },
    #[error(
        "an adapter is a GPU, and a CPU engine is asked for; leave --adapter out with --backend cpu or reference"
    )]
    NotAGpu,
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// The adapters that `auto` takes, the best first; empty if the CPU engine is better.
pub fn preferred(adapters: &[Adapter]) -> Vec<&Adapter> {
    let able = |adapter: &&Adapter| adapter.is_hardware() && adapter.lacks.is_empty();
    let mut able: Vec<_> = adapters.iter().filter(able).collect();
    able.sort_by_key(|adapter| adapter.rank());
    able
}

/// Refuses a GPU that computes no waves.
type Proof<'p> = &'p (dyn Fn(&Gpu) -> Result<(), EngineError> + Sync);

/// The engine for a choice; `adapter` selects a GPU by its number in [`gpu::list`] or by a part of
/// its name. `auto` skips a GPU that `ensure_proved` refuses: see [`prove`](super::prove).
pub fn open(
    choice: Choice,
    adapter: Option<&str>,
    checked: bool,
    ensure_proved: Proof<'_>,
) -> Result<Box<dyn Engine>, SelectError> {
    if matches!(choice, Choice::Cpu | Choice::Reference) {
        return if adapter.is_some() { Err(SelectError::NotAGpu) } else { Ok(cpu(choice)) };
    }
    let all = gpu::list(choice == Choice::Gpu(gpu::Backend::Gl));
    if choice == Choice::Auto && adapter.is_none() {
        return Ok(auto(&all, checked, ensure_proved));
    }
    let chosen = choose(&all, choice, adapter)?;
    Ok(Box::new(Gpu::open(chosen, checked)?))
}

/// One of several devices: a choice, and the number or name of a GPU.
pub(crate) type Wanted = (Choice, Option<String>);

/// The requested engines in order, each GPU proved; a repeated one is opened twice. By default,
/// every GPU that `auto` would take, or, without one, the engine that it takes.
pub fn open_several(
    wanted: Option<Vec<Wanted>>,
    checked: bool,
    ensure_proved: Proof<'_>,
) -> Result<Vec<Box<dyn Engine>>, SelectError> {
    let open = |adapter: &Adapter| match proved(adapter, checked, ensure_proved) {
        Err(error) if error.of_device() == Some(DeviceFailure::Lost) => {
            tracing::warn!("{}; it is opened again", mistake(&error.to_string()));
            proved(adapter, checked, ensure_proved)
        }
        opened => opened,
    };
    let has = |of: Choice| wanted.iter().flatten().any(|(choice, _)| *choice == of);
    let all = gpu::list(has(Choice::Gpu(gpu::Backend::Gl)));
    let Some(wanted) = wanted else {
        let opened = side_by_side(&preferred(&all), |gpu| open(gpu).inspect_err(passed_over).ok());
        let opened: Vec<_> = opened.into_iter().flatten().collect();
        return match opened.is_empty() {
            true => Ok(vec![cpu(Choice::Cpu)]),
            false => Ok(opened),
        };
    };
    let each = side_by_side(&wanted, |(choice, adapter)| match (choice, adapter) {
        (Choice::Cpu | Choice::Reference, _) => Ok(cpu(*choice)),
        (Choice::Auto, None) => Ok(auto(&all, checked, ensure_proved)),
        _ => {
            let chosen = choose(&all, *choice, adapter.as_deref()).map_err(|error| match error {
                SelectError::NoMatch { wanted, known } => SelectError::NoDevice { wanted, known },
                error => error,
            });
            Ok(open(chosen?)?)
        }
    });
    each.into_iter().collect()
}

/// What opens each device, at once: a driver needs a fifth of a second for one.
fn side_by_side<I: Sync, T: Send>(all: &[I], open: impl Fn(&I) -> T + Sync) -> Vec<T> {
    let (Some((last, others)), open) = (all.split_last(), &open) else { return Vec::new() };
    thread::scope(|scope| {
        let begun = others.iter().map(|one| {
            let thread = thread::Builder::new().spawn_scoped(scope, move || open(one));
            (thread, one)
        });
        let begun: Vec<_> = begun.collect();
        let last = open(last);
        let end = |(thread, one): (io::Result<ScopedJoinHandle<'_, T>>, _)| match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            // The system has no thread left.
            Err(_) => open(one),
        };
        begun.into_iter().map(end).chain([last]).collect()
    })
}

/// What a name in a list of devices stands for: a backend, or a GPU by its number or name.
pub fn wanted(name: &str) -> Wanted {
    match Choice::NAMED.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)) {
        Some((_, choice)) => (*choice, None),
        None => (Choice::Auto, Some(name.to_owned())),
    }
}

/// The engine that `auto` gives to process `turn` of several on a host, counted from 0: the best
/// GPUs of one kind in turn, proved; `None` if the CPU engine is better.
pub fn open_in_turn(
    turn: usize,
    checked: bool,
    ensure_proved: Proof<'_>,
) -> Result<Option<Box<dyn Engine>>, SelectError> {
    let all = gpu::list(false);
    let able = preferred(&all);
    let alike: Vec<_> = able.iter().filter(|gpu| gpu.rank() == able[0].rank()).collect();
    let Some(adapter) = alike.get(turn % alike.len().max(1)) else { return Ok(None) };
    Ok(Some(proved(adapter, checked, ensure_proved)?))
}

/// Opens an adapter that computes waves.
fn proved(
    adapter: &Adapter,
    checked: bool,
    ensure_proved: Proof<'_>,
) -> Result<Box<dyn Engine>, EngineError> {
    let gpu = Gpu::open(adapter, checked)?;
    ensure_proved(&gpu)?;
    Ok(Box::new(gpu))
}

/// A CPU engine.
fn cpu(choice: Choice) -> Box<dyn Engine> {
    match choice {
        Choice::Reference => Box::new(Reference),
        _ => Box::new(Parallel),
    }
}

/// The best GPU that opens and computes waves, else the CPU engine.
fn auto(all: &[Adapter], checked: bool, ensure_proved: Proof<'_>) -> Box<dyn Engine> {
    let wanted = preferred(all);
    if let Some(gpu) = first(&wanted, |adapter| proved(adapter, checked, ensure_proved)) {
        return gpu;
    }
    if !wanted.is_empty() {
        tracing::warn!("running on the CPU instead");
    }
    cpu(Choice::Cpu)
}

/// Warns of an adapter that is skipped.
fn passed_over(error: &EngineError) {
    tracing::warn!("{error}; it is passed over");
}

/// The first that can be taken; warns of those before it.
fn first<W, T>(wanted: &[W], take: impl Fn(&W) -> Result<T, EngineError>) -> Option<T> {
    wanted.iter().find_map(|wanted| take(wanted).inspect_err(passed_over).ok())
}

/// The GPU for a choice, to be measured: `auto` falls back on software Vulkan. `None` for the CPU,
/// and for `auto` without an adapter.
pub fn gpu(
    choice: Choice,
    adapter: Option<&str>,
    checked: bool,
) -> Result<Option<Gpu>, SelectError> {
    if matches!(choice, Choice::Cpu | Choice::Reference) {
        return if adapter.is_some() { Err(SelectError::NotAGpu) } else { Ok(None) };
    }
    let all = gpu::list(choice == Choice::Gpu(gpu::Backend::Gl));
    let chosen = if choice == Choice::Auto && adapter.is_none() {
        let able = all.iter().filter(|adapter| adapter.lacks.is_empty());
        able.min_by_key(|adapter| adapter.rank())
    } else {
        Some(choose(&all, choice, adapter)?)
    };
    Ok(chosen.map(|adapter| Gpu::open(adapter, checked)).transpose()?)
}

/// The adapter requested by its API, its name or its number.
fn choose<'a>(
    all: &'a [Adapter],
    choice: Choice,
    wanted: Option<&str>,
) -> Result<&'a Adapter, SelectError> {
    let of_backend = |adapter: &Adapter| match choice {
        Choice::Gpu(backend) => adapter.backend == backend,
        _ => true,
    };
    let matching = |(index, adapter): &(usize, &Adapter)| {
        let by_name = |wanted: &str| adapter.name.to_lowercase().contains(&wanted.to_lowercase());
        let by_wish = wanted.is_none_or(|wanted| match wanted.parse::<usize>() {
            Ok(number) => number == *index,
            Err(_) => by_name(wanted),
        });
        of_backend(adapter) && by_wish
    };
    let best = all.iter().enumerate().filter(matching).min_by_key(|(_, adapter)| adapter.rank());
    match (best, wanted) {
        (Some((_, adapter)), _) => Ok(adapter),
        (None, Some(wanted)) => {
            let known = all.iter().enumerate().filter(|(_, adapter)| of_backend(adapter));
            let known: Vec<_> =
                known.map(|(index, adapter)| format!("{index} {}", adapter.name)).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            Err(SelectError::NoMatch { wanted: wanted.to_owned(), known })
        }
        (None, None) => {
            let backend = match choice {
                Choice::Gpu(backend) => backend.name().to_owned(),
                _ => "GPU".to_owned(),
            };
            Err(SelectError::NoAdapter { backend })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn a_name_is_a_backend_or_a_gpu() {
        assert_eq!(wanted("CPU"), (Choice::Cpu, None));
        assert_eq!(wanted("1"), (Choice::Auto, Some("1".into())));
    }

    #[test]
    fn one_that_fails_is_passed_over() {
        let device = String::from("a device");
        let refused = EngineError::Device { device: device.clone(), message: "no memory".into() };
        let wrong = EngineError::Wrong { device, error: 0.3, limit: 1e-4 };
        let tried = RefCell::new(Vec::new());
        let take = |wanted: &Result<u32, EngineError>| {
            tried.borrow_mut().push(wanted.clone());
            wanted.clone()
        };
        let wanted = [Err(refused.clone()), Err(wrong.clone()), Ok(3), Ok(4)];
        assert_eq!(first(&wanted, take), Some(3));
        assert_eq!(*tried.borrow(), wanted[..3]);
        assert_eq!(first(&[Err(refused), Err(wrong)], take), None);
    }
}
