//! What a device has compiled. A run whose shaders an earlier run had takes theirs: drivers need up
//! to a third of a second for each.

use crate::locked;
use sha2::{Digest, Sha256};
use std::{collections::HashMap, hash::Hash, sync::Mutex};

/// Pipelines that are kept; beyond, all go.
const MOST: usize = 256;

/// The digest of a shader's text, and whether it has run-time checks.
pub(crate) type Text = ([u8; 32], bool);
/// A module, an entry point, the layouts of its groups, and bytes of immediates.
pub(crate) type Entry = (wgpu::ShaderModule, String, Vec<wgpu::BindGroupLayout>, u32);

/// Modules, layouts and pipelines of a device.
#[derive(Debug, Default)]
pub(crate) struct Compiled(Mutex<Cache>);

#[derive(Debug, Default)]
struct Cache {
    modules: HashMap<Text, wgpu::ShaderModule>,
    layouts: HashMap<Vec<Option<bool>>, wgpu::BindGroupLayout>,
    pipelines: HashMap<Entry, wgpu::ComputePipeline>,
}

impl Compiled {
    /// The module of a text.
    pub(crate) fn module(
        &self,
        text: &str,
        checked: bool,
        compile: impl FnOnce() -> wgpu::ShaderModule,
    ) -> wgpu::ShaderModule {
        let key = (Sha256::digest(text).into(), checked);
        self.get(|kept| &mut kept.modules, key, compile)
    }

    /// The layout of a bind group, by which of its buffers are written.
    pub(crate) fn layout(
        &self,
        written: &[Option<bool>],
        create: impl FnOnce() -> wgpu::BindGroupLayout,
    ) -> wgpu::BindGroupLayout {
        self.get(|kept| &mut kept.layouts, written.to_vec(), create)
    }

    /// The pipeline of an entry point.
    pub(crate) fn pipeline(
        &self,
        entry: Entry,
        compile: impl FnOnce() -> wgpu::ComputePipeline,
    ) -> wgpu::ComputePipeline {
        self.get(|kept| &mut kept.pipelines, entry, compile)
    }

    /// Forgets all: one of them may have failed.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn clear(&self) {
        *locked(&self.0) = Cache::default();
    }

    /// Nothing waits while one is compiled, so that several are at once.
    fn get<K: Hash + Eq, V: Clone>(
        &self,
        of: impl Fn(&mut Cache) -> &mut HashMap<K, V>,
        key: K,
        compile: impl FnOnce() -> V,
    ) -> V {
        let lock = || locked(&self.0);
        if let Some(known) = of(&mut lock()).get(&key) {
            return known.clone();
        }
        let compiled = {
            let _compiling = tracing::info_span!(target: "timeline", "compiling").entered();
            compile()
        };
        let mut kept = lock();
        if kept.pipelines.len() >= MOST {
            *kept = Cache::default();
        }
        // Of two that were compiled at once, the first stands for both.
        of(&mut kept).entry(key).or_insert(compiled).clone()
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Engine,
        gpu::{self, Gpu},
        grid::Axes,
        proof,
    };
    use std::sync::Arc;

    /// A second run compiles nothing, and one of another shape its own.
    #[test]
    fn a_run_takes_what_an_earlier_one_compiled() {
        let adapters = gpu::list(false);
        let Some(adapter) = adapters.iter().find(|adapter| adapter.lacks.is_empty()) else {
            assert!(std::env::var_os("HUYGENS_REQUIRE_GPU").is_none(), "there is no GPU");
            return println!("NOT RUN: there is no GPU");
        };
        let gpu = Gpu::open(adapter, false).expect("it opens");
        let kept = |gpu: &Gpu| gpu.device.compiled.0.lock().expect("no panic").pipelines.len();
        let run = |x| {
            let plan = proof::plan(Axes { z: 40, x, y: 1 });
            let mut run = gpu.start(Arc::new(plan)).expect("it starts");
            run.advance(3, &mut ()).expect("it steps");
            kept(&gpu)
        };
        let first = run(40);
        assert!(first > 1);
        assert_eq!(run(40), first);
        assert!(run(44) > first);
    }
}
