//! Copies to the host by a separate queue, during the steps.
//!
//! wgpu has one queue per device, on which copies and steps wait for each other. In Vulkan many
//! devices have a queue family that does nothing but copy, with engines of its own; such a device
//! is opened with one of these queues beside wgpu's. Otherwise [`open`] returns `None`, and copies
//! are made in turn with the steps.

#![allow(unsafe_code, reason = "wgpu opens one queue; each SAFETY says why")]

pub(crate) mod array;
mod host_copy;

pub(crate) use host_copy::{Direction, HostCopy};

use ash::vk;
use std::sync::Mutex;

type Vulkan = wgpu::hal::api::Vulkan;

/// One or two copying queues, with two one per direction.
pub(crate) struct TransferQueue {
    queues: Vec<Mutex<vk::Queue>>,
    /// The families of wgpu's queue and of this one.
    families: [u32; 2],
    memory: vk::PhysicalDeviceMemoryProperties,
    pub(crate) raw: ash::Device,
    /// Imports host memory in place, in pages.
    imports: ash::ext::external_memory_host::Device,
}

/// Capabilities that a family may have besides copying and still have separate copy engines.
const BESIDE: vk::QueueFlags = vk::QueueFlags::from_raw(
    vk::QueueFlags::SPARSE_BINDING.as_raw() | vk::QueueFlags::PROTECTED.as_raw(),
);
/// Page size in bytes, the unit of imported host memory.
const PAGE: u64 = 4096;

/// Opens a device with such a queue, if its driver has one; or, for tests on drivers without one,
/// with wgpu's own in its place: then only one thread may use the device.
pub(crate) fn open(
    adapter: &wgpu::Adapter,
    descriptor: &wgpu::DeviceDescriptor<'_>,
    own: bool,
) -> Option<(wgpu::Device, wgpu::Queue, TransferQueue)> {
    // SAFETY: its handles are queried for properties, and open a device; none is destroyed. The
    // callback adds an available extension and a queue of a family that was just found, and removes
    // nothing. The device that wgpu then makes is of this adapter, with the features that it was
    // opened with.
    unsafe {
        let hal = adapter.as_hal::<Vulkan>()?;
        let (instance, physical) =
            (hal.shared_instance().raw_instance().clone(), hal.raw_physical_device());
        if !imports_pages(&instance, physical) {
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
            asked.extensions.push(ash::ext::external_memory_host::NAME);
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

/// True if a driver imports pages of the host's memory.
///
/// # Safety
///
/// The device must be one of the instance.
unsafe fn imports_pages(instance: &ash::Instance, physical: vk::PhysicalDevice) -> bool {
    // SAFETY: as the caller promises.
    let known = unsafe { instance.enumerate_device_extension_properties(physical) };
    let imports = Ok(ash::ext::external_memory_host::NAME);
    let mut known = known.unwrap_or_default().into_iter();
    if !known.any(|known| known.extension_name_as_c_str() == imports) {
        return false;
    }
    let mut host = vk::PhysicalDeviceExternalMemoryHostPropertiesEXT::default();
    let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut host);
    // SAFETY: the same.
    unsafe { instance.get_physical_device_properties2(physical, &mut all) };
    host.min_imported_host_pointer_alignment <= PAGE
}
