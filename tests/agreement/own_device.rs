//! The engine on a device that a program has opened for itself.

use crate::common::engines;
use huygens::engine::{
    EngineError,
    gpu::{Gpu, wgpu},
    prove,
};
use pollster::block_on;

/// A device and its queue of every adapter that the GPU tests run on, opened with these limits or
/// less.
fn opened(limits: &wgpu::Limits, features: wgpu::Features) -> Vec<(wgpu::Device, wgpu::Queue)> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapters = block_on(instance.enumerate_adapters(wgpu::Backends::PRIMARY));
    let tested = |adapter: &wgpu::Adapter| {
        engines::adapters().iter().any(|tested| tested.name == adapter.get_info().name)
    };
    let open = |adapter: wgpu::Adapter| {
        let descriptor = wgpu::DeviceDescriptor {
            required_limits: limits.clone().or_worse_values_from(&adapter.limits()),
            required_features: features & adapter.features(),
            ..Default::default()
        };
        block_on(adapter.request_device(&descriptor)).expect("it has these limits")
    };
    adapters.into_iter().filter(tested).map(open).collect()
}

#[test]
fn a_device_of_the_callers_computes_right_waves_and_stays_the_callers() {
    let immediates = wgpu::Limits { max_immediate_size: 64, ..Default::default() };
    for (limits, features) in [
        (wgpu::Limits::default(), wgpu::Features::empty()),
        (immediates, wgpu::Features::IMMEDIATES | wgpu::Features::TIMESTAMP_QUERY),
    ] {
        for (device, queue) in opened(&limits, features) {
            let gpu = Gpu::on(device.clone(), queue.clone(), false).expect("limits that do");
            assert!(!gpu.copies_beside());
            prove(&gpu).expect("right waves");
            drop(gpu);
            device.poll(wgpu::PollType::wait_indefinitely()).expect("nothing is left to wait for");
            queue.submit([]);
        }
    }
}

#[test]
fn a_device_with_too_little_is_refused_with_what_it_lacks() {
    let few = wgpu::Limits { max_storage_buffers_per_shader_stage: 4, ..Default::default() };
    let no_room = wgpu::Limits { max_immediate_size: 4, ..Default::default() };
    for (limits, features, lacks) in [
        (few, wgpu::Features::empty(), "8 storage buffers a shader (it has 4)"),
        (no_room, wgpu::Features::IMMEDIATES, "16 bytes of immediates (it has 4)"),
    ] {
        for (device, queue) in opened(&limits, features) {
            if !device.features().contains(features) {
                continue;
            }
            let refused = Gpu::on(device, queue, false).map(drop);
            let Err(EngineError::Lacks { lacks: said, .. }) = refused else {
                panic!("{refused:?}")
            };
            assert!(said.contains(lacks), "{said}");
        }
    }
}
