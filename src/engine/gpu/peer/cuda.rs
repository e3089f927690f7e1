//! The part of the CUDA driver API that copies between devices, loaded from NVIDIA's driver library
//! at run time.
//!
//! A device's primary context is retained at its first use and kept as long as the process.

use libloading::Library;
use std::{
    ffi::{c_int, c_uint, c_void},
    fmt,
    os::fd::{FromRawFd, OwnedFd},
    ptr::null_mut,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

/// Reasons why there are no peer copies.
#[derive(Clone, Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub(crate) enum CudaError {
    #[error("NVIDIA's driver library is not available: {0}")]
    Library(String),
    #[error("NVIDIA's driver library does not have this device")]
    NoDevice,
    #[error("{call} of NVIDIA's driver library failed with error {code}")]
    Call { call: &'static str, code: c_int },
}

/// A context or a stream of the library's.
type Handle = *mut c_void;
/// An address on a device.
type Address = u64;

/// `CUmemLocation`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Location {
    kind: c_int,
    device: c_int,
}

/// `CUmemAllocationProp`.
#[repr(C)]
struct Kind {
    kind: c_int,
    handles: c_int,
    location: Location,
    win32: Handle,
    flags: [u8; 8],
}

/// `CUmemAccessDesc`.
#[repr(C)]
struct Access {
    location: Location,
    flags: c_int,
}

// The sizes of the library's structures.
const _: () = assert!(size_of::<Kind>() == 32 && size_of::<Access>() == 12);

/// Memory that stays where it is.
const PINNED: c_int = 1;
const FILE_DESCRIPTOR: c_int = 1;
const OF_A_DEVICE: c_int = 1;
const READ_AND_WRITE: c_int = 3;
/// A stream that does not wait for the default one.
const NON_BLOCKING: c_uint = 1;

macro_rules! functions {
    ($($name:ident($($argument:ty),*);)*) => {
        #[allow(non_snake_case, reason = "the library's names")]
        struct Functions { $($name: unsafe extern "C" fn($($argument),*) -> c_int,)* }

        impl Functions {
            fn of(library: &Library) -> Result<Self, libloading::Error> {
                // SAFETY: these are their types in cuda.h, and the library outlives their use.
                unsafe { Ok(Functions { $($name: *library.get(stringify!($name).as_bytes())?,)* }) }
            }
        }
    };
}

functions! {
    cuInit(c_uint);
    cuDeviceGetCount(*mut c_int);
    cuDeviceGet(*mut c_int, c_int);
    cuDeviceGetUuid(*mut [u8; 16], c_int);
    cuDeviceCanAccessPeer(*mut c_int, c_int, c_int);
    cuDevicePrimaryCtxRetain(*mut Handle, c_int);
    cuCtxPushCurrent_v2(Handle);
    cuCtxPopCurrent_v2(*mut Handle);
    cuMemGetAllocationGranularity(*mut usize, *const Kind, c_int);
    cuMemCreate(*mut u64, usize, *const Kind, u64);
    cuMemExportToShareableHandle(*mut c_void, u64, c_int, u64);
    cuMemRelease(u64);
    cuMemAddressReserve(*mut Address, usize, usize, Address, u64);
    cuMemAddressFree(Address, usize);
    cuMemMap(Address, usize, usize, u64, u64);
    cuMemUnmap(Address, usize);
    cuMemSetAccess(Address, usize, *const Access, usize);
    cuStreamCreate(*mut Handle, c_uint);
    cuStreamSynchronize(Handle);
    cuStreamDestroy_v2(Handle);
    cuMemcpyDtoDAsync_v2(Address, Address, usize, Handle);
    cuMemcpyDtoH_v2(*mut c_void, Address, usize);
}

/// Calls a function of the library and names it in the error.
macro_rules! call {
    ($functions:expr, $name:ident($($argument:expr),*)) => {
        match ($functions.$name)($($argument),*) {
            0 => Ok(()),
            code => Err(CudaError::Call { call: stringify!($name), code }),
        }
    };
}

struct Cuda {
    functions: Functions,
    /// Number and UUID.
    devices: Vec<(c_int, [u8; 16])>,
    _library: Library,
}

impl Cuda {
    fn open(name: &str) -> Result<Self, CudaError> {
        let missing = |error: libloading::Error| CudaError::Library(error.to_string());
        // SAFETY: the library's initialisers are sound; it is never closed.
        let library = unsafe { Library::new(name) }.map_err(missing)?;
        let functions = Functions::of(&library).map_err(missing)?;
        let mut count = 0;
        // SAFETY: the library writes to locals that live.
        let devices = unsafe {
            call!(functions, cuInit(0))?;
            call!(functions, cuDeviceGetCount(&mut count))?;
            let device = |number| {
                let (mut device, mut uuid) = (0, [0; 16]);
                call!(functions, cuDeviceGet(&mut device, number))?;
                call!(functions, cuDeviceGetUuid(&mut uuid, device))?;
                Ok((device, uuid))
            };
            (0..count).map(device).collect::<Result<_, CudaError>>()?
        };
        Ok(Cuda { functions, devices, _library: library })
    }

    fn get() -> Result<&'static Cuda, CudaError> {
        static CUDA: OnceLock<Result<Cuda, CudaError>> = OnceLock::new();
        CUDA.get_or_init(|| Cuda::open("libcuda.so.1")).as_ref().map_err(Clone::clone)
    }
}

/// The primary context of a device.
#[derive(Clone, Copy)]
pub(crate) struct Context {
    cuda: &'static Cuda,
    device: c_int,
    raw: Handle,
}

// SAFETY: the library's functions may be called on any thread, and a context be current on several.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "device {}", self.device)
    }
}

impl Context {
    /// For the device that has this UUID in Vulkan too.
    pub(crate) fn of(uuid: [u8; 16]) -> Result<Self, CudaError> {
        let cuda = Cuda::get()?;
        let known = cuda.devices.iter().find(|(_, known)| *known == uuid);
        let (device, mut raw) = (known.ok_or(CudaError::NoDevice)?.0, null_mut());
        // SAFETY: the device is one of the library's. The context is kept, so objects made in it
        // may outlive this value.
        unsafe { call!(cuda.functions, cuDevicePrimaryCtxRetain(&mut raw, device))? };
        Ok(Context { cuda, device, raw })
    }

    /// Calls `what` with this context current on this thread.
    fn within<T>(
        &self,
        what: impl FnOnce(&Functions) -> Result<T, CudaError>,
    ) -> Result<T, CudaError> {
        let functions = &self.cuda.functions;
        // SAFETY: the context lives as long as the process, and the previous one is restored.
        unsafe { call!(functions, cuCtxPushCurrent_v2(self.raw))? };
        let done = what(functions);
        // SAFETY: as above.
        unsafe { call!(functions, cuCtxPopCurrent_v2(&mut null_mut()))? };
        done
    }

    /// True if both are of the same device.
    pub(crate) fn is(&self, other: &Context) -> bool {
        self.raw == other.raw
    }

    /// True if this device can reach another's memory.
    pub(crate) fn reaches(&self, other: &Context) -> Result<bool, CudaError> {
        if self.is(other) {
            return Ok(true);
        }
        let mut can = 0;
        // SAFETY: both devices are the library's, which writes to a local that lives.
        unsafe {
            call!(self.cuda.functions, cuDeviceCanAccessPeer(&mut can, self.device, other.device))?;
        }
        Ok(can != 0)
    }
}

/// Memory on a device, for CUDA and for whoever imports its file. It is mapped until this is dropped;
/// an importer keeps it longer.
#[derive(Debug)]
pub(crate) struct Memory {
    pub(crate) context: Context,
    pub(crate) bytes: usize,
    /// Size of the allocation, bytes.
    pub(crate) allocated: usize,
    handle: u64,
    at: Address,
    /// Whether a neighbour may read it.
    is_open: AtomicBool,
}

impl Memory {
    /// Of `bytes` bytes and more, and its file.
    pub(crate) fn new(context: &Context, bytes: usize) -> Result<(Self, OwnedFd), CudaError> {
        context.within(|functions| {
            let location = Location { kind: OF_A_DEVICE, device: context.device };
            let (win32, flags) = (null_mut(), [0; 8]);
            let kind = Kind { kind: PINNED, handles: FILE_DESCRIPTOR, location, win32, flags };
            let (mut least, mut fd) = (0, -1);
            let is_open = AtomicBool::new(false);
            let mut memory =
                Memory { context: *context, bytes, allocated: 0, handle: 0, at: 0, is_open };
            // SAFETY: the library writes to locals that live, and reads structures of its types. What is
            // made before a failure is freed as the memory is dropped; the descriptor is new, and ours.
            unsafe {
                call!(functions, cuMemGetAllocationGranularity(&mut least, &kind, 0))?;
                memory.allocated = bytes.next_multiple_of(least.max(1));
                let (size, align) = (memory.allocated, least);
                call!(functions, cuMemCreate(&mut memory.handle, size, &kind, 0))?;
                call!(functions, cuMemAddressReserve(&mut memory.at, size, align, 0, 0))?;
                call!(functions, cuMemMap(memory.at, size, 0, memory.handle, 0))?;
                memory.open_to(context, functions)?;
                let (to, handle) = ((&raw mut fd).cast(), memory.handle);
                call!(functions, cuMemExportToShareableHandle(to, handle, FILE_DESCRIPTOR, 0))?;
                Ok((memory, OwnedFd::from_raw_fd(fd)))
            }
        })
    }

    /// Lets a device read and write it.
    fn open_to(&self, context: &Context, functions: &Functions) -> Result<(), CudaError> {
        let location = Location { kind: OF_A_DEVICE, device: context.device };
        let access = Access { location, flags: READ_AND_WRITE };
        // SAFETY: it is mapped, and the structure is of the library's type.
        unsafe { call!(functions, cuMemSetAccess(self.at, self.allocated, &access, 1)) }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // A failure here leaks until the process ends.
        let _ = self.context.within(|functions| {
            // SAFETY: no copy is under way, since each copy holds the memory. What was made is freed
            // once; nothing is mapped at an address where mapping failed, and unmapping fails there.
            unsafe {
                if self.at != 0 {
                    let _ = call!(functions, cuMemUnmap(self.at, self.allocated));
                    call!(functions, cuMemAddressFree(self.at, self.allocated))?;
                }
                if self.handle != 0 { call!(functions, cuMemRelease(self.handle)) } else { Ok(()) }
            }
        });
    }
}

/// Memory into which another's is copied.
pub(crate) struct Inbox {
    /// The memory that copies go into.
    pub(crate) memory: Memory,
    stream: Handle,
    /// The source of the copy under way.
    from: Option<Arc<Memory>>,
}

// SAFETY: a stream may be used by any thread.
unsafe impl Send for Inbox {}

impl Inbox {
    /// Copies go into `memory`.
    pub(crate) fn new(memory: Memory) -> Result<Self, CudaError> {
        let mut inbox = Inbox { memory, stream: null_mut(), from: None };
        let stream = &mut inbox.stream;
        // SAFETY: the library writes to a local that lives.
        let make = |functions: &Functions| unsafe {
            call!(functions, cuStreamCreate(stream, NON_BLOCKING))
        };
        inbox.memory.context.within(make)?;
        Ok(inbox)
    }

    /// Copies the beginning of another memory into it. The other is held until [`Inbox::arrive`]
    /// has waited for the copy. Nothing else may read or write either meanwhile.
    ///
    /// # Panics
    ///
    /// If the other is smaller.
    pub(crate) fn fetch(&mut self, from: Arc<Memory>) -> Result<(), CudaError> {
        self.arrive()?;
        assert!(from.bytes >= self.memory.bytes, "both ends of a copy have as many values");
        let (to, stream, of) = (&self.memory, self.stream, self.from.insert(from));
        to.context.within(|functions| {
            if !of.is_open.load(Relaxed) {
                of.open_to(&to.context, functions)?;
                of.is_open.store(true, Relaxed);
            }
            // SAFETY: both memories are large enough, and live until the copy is over.
            unsafe { call!(functions, cuMemcpyDtoDAsync_v2(to.at, of.at, to.bytes, stream)) }
        })
    }

    /// Waits for the copy under way.
    pub(crate) fn arrive(&mut self) -> Result<(), CudaError> {
        if self.from.is_none() {
            return Ok(());
        }
        let stream = self.stream;
        // SAFETY: the stream is of this context.
        let wait = |functions: &Functions| unsafe { call!(functions, cuStreamSynchronize(stream)) };
        self.memory.context.within(wait)?;
        self.from = None;
        Ok(())
    }

    /// Its values, once no copy is under way.
    pub(crate) fn read(&mut self) -> Result<Vec<u32>, CudaError> {
        self.arrive()?;
        let Memory { context, bytes, at, .. } = &self.memory;
        let mut values = vec![0_u32; bytes / 4];
        let to = values.as_mut_ptr().cast();
        // SAFETY: the values have as many bytes as are read, and nothing is written meanwhile.
        context.within(|functions| unsafe {
            call!(functions, cuMemcpyDtoH_v2(to, *at, 4 * (bytes / 4)))
        })?;
        Ok(values)
    }
}

impl Drop for Inbox {
    fn drop(&mut self) {
        if self.arrive().is_err() {
            // A failing device may still read it.
            std::mem::forget(self.from.take());
        }
        if !self.stream.is_null() {
            let stream = self.stream;
            // SAFETY: no copy is under way in it.
            let end =
                |functions: &Functions| unsafe { call!(functions, cuStreamDestroy_v2(stream)) };
            let _ = self.memory.context.within(end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_not_there_is_an_error() {
        let missing = Cuda::open("libhuygens-has-none.so.1").map(drop);
        assert!(matches!(missing, Err(CudaError::Library(_))), "{missing:?}");
        // A library that is not a driver.
        let other = Cuda::open("libc.so.6").map(drop);
        assert!(matches!(other, Err(CudaError::Library(_))), "{other:?}");
    }

    #[test]
    fn a_device_that_cuda_does_not_have_is_an_error() {
        assert!(Context::of([0xab; 16]).is_err());
    }
}
