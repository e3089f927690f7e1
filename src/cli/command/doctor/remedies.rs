//! Sentences of what to install or set.

pub(super) const LOADER: &str = "install the Vulkan loader: libvulkan1 on Debian and Ubuntu, vulkan-loader on \
    Fedora and RHEL, vulkan-icd-loader on Arch";
pub(super) const NVIDIA_DRIVER: &str =
    "install NVIDIA's driver, which includes Vulkan: nvidia-driver on Debian";
pub(super) const NVIDIA_CONTAINER: &str = "NVIDIA's kernel module is loaded, but its Vulkan driver is not here: \
    install the driver's user part; in a container, set NVIDIA_DRIVER_CAPABILITIES=all";
pub(super) const NVIDIA_FILE: &str = "NVIDIA's driver is here, but not the device file /dev/nvidia0: in a \
    container, pass the GPU (docker run --gpus all, apptainer run --nv); in a batch job, ask for a GPU";
pub(super) const MESA_FILE: &str = "a driver is here, but no device file /dev/dri/renderD128: load the kernel \
    driver (amdgpu, i915 or xe); in a container, pass the GPU (docker run --device /dev/dri)";
pub(super) const MESA: &str =
    "install Mesa's Vulkan drivers: mesa-vulkan-drivers on Debian, Ubuntu and Fedora";
pub(super) const SOFTWARE: &str = "no GPU was found, so jobs run on the CPU; that needs nothing else. To try \
    the GPU engine, install Mesa's software driver: mesa-vulkan-drivers on Debian, Ubuntu and Fedora";
pub(super) const OTHER_SYSTEMS: &str =
    "no GPU was found, so jobs run on the CPU; if there is a GPU, install its vendor's driver";
pub(super) const CACHE: &str = "there is no cache folder, so that devices are tested at each start: set HOME \
    or XDG_CACHE_HOME";
