//! Copies to the host on a queue of their own, while another steps.
//!
//! wgpu has one queue a device, on which a copy waits for what steps and what steps for a copy. In Vulkan many devices have a family of queues
//! that do nothing but copy, with engines of their own; such a device is opened with one of them beside wgpu's. Where there is none,
//! [`open`] gives nothing, and whoever copies does so in turn.

#![allow(unsafe_code, reason = "wgpu opens one queue; each SAFETY says why")]

pub mod array;
mod host_copy;

pub use host_copy::{HostCopy, Way};

use ash::vk;
use std::sync::Mutex;

type Vulkan = wgpu::hal::api::Vulkan;

/// A queue that copies, or two: one each way.
pub struct TransferQueue {
    queues: Vec<Mutex<vk::Queue>>,
    /// The families of wgpu's queue and of this one.
    families: [u32; 2],
    memory: vk::PhysicalDeviceMemoryProperties,
    pub raw: ash::Device,
    /// Takes memory of the host as it is, a page or more.
    imports: ash::ext::external_memory_host::Device,
}

/// What a family may do besides copying and still have engines of its own for that.
const BESIDE: vk::QueueFlags = vk::QueueFlags::from_raw(
    vk::QueueFlags::SPARSE_BINDING.as_raw() | vk::QueueFlags::PROTECTED.as_raw(),
);
/// Bytes of a page, which the host's memory is taken by.
const PAGE: u64 = 4096;

/// Opens a device with such a queue, where its driver has one; or, for tests on drivers that have none, with wgpu's own in its place: then no two
/// threads may use the device.
pub fn open(
    adapter: &wgpu::Adapter,
    descriptor: &wgpu::DeviceDescriptor<'_>,
    own: bool,
) -> Option<(wgpu::Device, wgpu::Queue, TransferQueue)> {
    // SAFETY: its handles are asked for properties, and open a device; none is destroyed. The callback adds an extension that there is and a
    // queue of a family that was just found, and takes nothing away. The device that wgpu then makes is of this adapter, with the features it
    // was opened with.
    unsafe {
        let hal = adapter.as_hal::<Vulkan>()?;
        let (instance, physical) =
            (hal.shared_instance().raw_instance().clone(), hal.raw_physical_device());
        let extensions = instance.enumerate_device_extension_properties(physical).ok()?;
        let imports = ash::ext::external_memory_host::NAME;
        if !extensions.iter().any(|known| known.extension_name_as_c_str() == Ok(imports)) {
            return None;
        }
        let mut host = vk::PhysicalDeviceExternalMemoryHostPropertiesEXT::default();
        let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut host);
        instance.get_physical_device_properties2(physical, &mut all);
        if host.min_imported_host_pointer_alignment > PAGE {
            return None;
        }
        let families = instance.get_physical_device_queue_family_properties(physical);
        let copies = |family: &vk::QueueFamilyProperties| {
            family.queue_flags & !BESIDE == vk::QueueFlags::TRANSFER
        };
        let family = match own {
            true => Some(families.iter().position(copies)? as u32),
            false => None,
        };
        let count = family.map_or(1, |family| families[family as usize].queue_count.min(2));
        let queue = family.map(|family| {
            vk::DeviceQueueCreateInfo::default()
                .queue_family_index(family)
                .queue_priorities(&[1.0; 2][..count as usize])
        });
        let wgpu::DeviceDescriptor { required_features, required_limits, memory_hints, .. } =
            descriptor;
        let add: Box<wgpu::hal::vulkan::CreateDeviceCallback<'_>> = Box::new(|asked| {
            asked.extensions.push(imports);
            asked.queue_create_infos.extend(queue);
        });
        let opened =
            hal.open_with_callback(*required_features, required_limits, memory_hints, Some(add));
        drop(hal);
        let (device, queue) = adapter.create_device_from_hal(opened.ok()?, descriptor).ok()?;
        let (raw, first) = {
            let hal = device.as_hal::<Vulkan>()?;
            (hal.raw_device().clone(), hal.queue_family_index())
        };
        let family = family.unwrap_or(first);
        let transfer = TransferQueue {
            queues: (0..count).map(|i| Mutex::new(raw.get_device_queue(family, i))).collect(),
            families: [first, family],
            memory: instance.get_physical_device_memory_properties(physical),
            imports: ash::ext::external_memory_host::Device::new(&instance, &raw),
            raw,
        };
        Some((device, queue, transfer))
    }
}
