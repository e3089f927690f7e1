//! Every engine that a test runs on: one suite for all of them.

use huygens::engine::{
    Engine, cpu,
    gpu::{self, Gpu},
};
use std::sync::OnceLock;

/// The oracle and those [`under_test`].
pub fn all() -> Vec<Box<dyn Engine>> {
    let mut engines: Vec<Box<dyn Engine>> = vec![Box::new(cpu::Reference)];
    engines.extend(under_test());
    engines
}

/// All but the oracle; the GPUs with run-time checks where all cases are wanted.
pub fn under_test() -> Vec<Box<dyn Engine>> {
    let mut engines = fast();
    if super::full() {
        engines.extend(gpus(true));
    }
    engines
}

/// The oracle and [`fast`].
pub fn fast_and_oracle() -> Vec<Box<dyn Engine>> {
    let mut engines = fast();
    engines.insert(0, Box::new(cpu::Reference));
    engines
}

/// All but the oracle, each GPU without run-time checks only.
pub fn fast() -> Vec<Box<dyn Engine>> {
    let mut engines: Vec<Box<dyn Engine>> = vec![Box::new(cpu::Parallel)];
    engines.extend(gpus(false));
    engines
}

/// The engines of a study of physics: the CPU's, and with `cargo xtask test --full` [`fast`]. Whether a
/// GPU agrees with it is what the agreement tests show.
pub fn of_studies() -> Vec<Box<dyn Engine>> {
    if super::full() { fast() } else { vec![Box::new(cpu::Parallel)] }
}

/// [`adapters`], opened once per process: what one test compiles, the others reuse.
pub fn opened(checked: bool) -> Vec<Gpu> {
    static GPUS: [OnceLock<Vec<Gpu>>; 2] = [OnceLock::new(), OnceLock::new()];
    let open = |adapter| Gpu::open(adapter, checked).expect("an adapter that lacks nothing opens");
    let all = GPUS[usize::from(checked)].get_or_init(|| adapters().iter().map(open).collect());
    all.clone()
}

/// [`opened`] as engines.
pub fn gpus(checked: bool) -> Vec<Box<dyn Engine>> {
    opened(checked).into_iter().map(|gpu| -> Box<dyn Engine> { Box::new(gpu) }).collect()
}

/// The adapters to test on: those with a part of their name, or of an API and with a part of their
/// name, `gl:llvmpipe`. All but those of OpenGL are tested without.
const ADAPTER: &str = "HUYGENS_ADAPTER";
/// If set, adapters are restricted to what WebGPU guarantees.
const WITHIN_WEBGPU: &str = "HUYGENS_WITHIN_WEBGPU";

/// Every adapter that can run the engine. If there is none, the test prints so, and fails if
/// `HUYGENS_REQUIRE_GPU` is set, as `cargo xtask test` sets it.
pub fn adapters() -> &'static [gpu::Adapter] {
    static ADAPTERS: OnceLock<Vec<gpu::Adapter>> = OnceLock::new();
    let adapters = ADAPTERS.get_or_init(|| {
        let able = |adapter: &gpu::Adapter| match adapter.lacks.as_slice() {
            [] => true,
            lacks => {
                println!("NOT RUN on {}: it lacks {}", adapter.name, lacks.join(", "));
                false
            }
        };
        let wanted = std::env::var(ADAPTER).unwrap_or_default().to_lowercase();
        let (api, name) = wanted.split_once(':').unwrap_or(("", &wanted));
        let of = |adapter: &gpu::Adapter| {
            adapter.name.to_lowercase().contains(name)
                && (api.is_empty() || adapter.backend.name() == api)
        };
        let adapters = gpu::list(api == "gl").into_iter().filter(of);
        match std::env::var_os(WITHIN_WEBGPU) {
            Some(_) => adapters.map(gpu::Adapter::within_webgpu).filter(able).collect(),
            None => adapters.filter(able).collect(),
        }
    });
    if adapters.is_empty() {
        let required = std::env::var_os("HUYGENS_REQUIRE_GPU").is_some();
        assert!(!required, "no adapter can run the GPU tests; `cargo xtask test` installs one");
        println!("NOT RUN on a GPU: no adapter can run the engine");
    }
    adapters
}
