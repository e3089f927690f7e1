//! The part of the CUDA driver API that copies between devices, loaded from NVIDIA's driver library
//! at run time.
//!
//! A device's primary context is retained at its first use and kept as long as the process.

use libloading::Library;
use std::{
    ffi::{c_int, c_uint, c_void},
    fmt,
    os::fd::{FromRawFd, IntoRawFd, OwnedFd},
    ptr::null_mut,
    sync::{Arc, OnceLock},
};

/// Reasons why there are no peer copies.
#[derive(Clone, Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum CudaError {
    #[error("NVIDIA's driver library is not available: {0}")]
    Library(String),
    #[error("NVIDIA's driver library does not have this device")]
    NoDevice,
    #[error("{call} of NVIDIA's driver library failed with error {code}")]
    Call { call: &'static str, code: c_int },
}

/// A context, a stream or an imported memory of the library's.
type Handle = *mut c_void;
/// An address on a device.
type Address = u64;

/// `CUDA_EXTERNAL_MEMORY_HANDLE_DESC`.
#[repr(C)]
struct HandleOf {
    kind: c_int,
    from: From,
    size: u64,
    flags: c_uint,
    reserved: [c_uint; 16],
}

#[repr(C)]
union From {
    fd: c_int,
    /// It has the size of two pointers.
    _other: [Handle; 2],
}

/// `CUDA_EXTERNAL_MEMORY_BUFFER_DESC`.
#[repr(C)]
#[derive(Default)]
struct BufferOf {
    offset: u64,
    size: u64,
    flags: c_uint,
    reserved: [c_uint; 16],
}

const OPAQUE_FD: c_int = 1;
const DEDICATED: c_uint = 1;
/// A stream that does not wait for the default one.
const NON_BLOCKING: c_uint = 1;
const PEER_ACCESS_ALREADY_ENABLED: c_int = 704;

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
    cuCtxEnablePeerAccess(Handle, c_uint);
    cuImportExternalMemory(*mut Handle, *const HandleOf);
    cuExternalMemoryGetMappedBuffer(*mut Address, Handle, *const BufferOf);
    cuDestroyExternalMemory(Handle);
    cuMemFree_v2(Address);
    cuStreamCreate(*mut Handle, c_uint);
    cuStreamSynchronize(Handle);
    cuStreamDestroy_v2(Handle);
    cuMemcpyPeerAsync(Address, Handle, Address, Handle, usize, Handle);
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
pub struct Context {
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
    pub fn of(uuid: [u8; 16]) -> Result<Self, CudaError> {
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
    pub fn is(&self, other: &Context) -> bool {
        self.raw == other.raw
    }

    /// Enables reading another device's memory without the host; returns whether that is possible.
    pub fn reads(&self, other: &Context) -> Result<bool, CudaError> {
        if self.is(other) {
            return Ok(true);
        }
        self.within(|functions| {
            let mut can = 0;
            // SAFETY: both devices and the context are the library's.
            unsafe {
                call!(functions, cuDeviceCanAccessPeer(&mut can, self.device, other.device))?;
                if can == 0 {
                    return Ok(false);
                }
                match call!(functions, cuCtxEnablePeerAccess(other.raw, 0)) {
                    Err(CudaError::Call { code: PEER_ACCESS_ALREADY_ENABLED, .. }) => Ok(true),
                    told => told.map(|()| true),
                }
            }
        })
    }

    /// Imports memory that Vulkan exported for a buffer of `bytes` bytes, in an allocation of
    /// `size`.
    pub fn import(&self, fd: OwnedFd, size: u64, bytes: usize) -> Result<Memory, CudaError> {
        self.within(|functions| {
            let (fd, reserved) = (fd.into_raw_fd(), [0; 16]);
            let from = From { fd };
            let asked = HandleOf { kind: OPAQUE_FD, from, size, flags: DEDICATED, reserved };
            let buffer = BufferOf { size: bytes as u64, ..BufferOf::default() };
            let mut memory = Memory { context: *self, bytes, at: 0, imported: null_mut() };
            // SAFETY: the descriptor is of such memory, and the library owns it once it is
            // imported; if that fails it is closed. The buffer lies at the beginning of the memory.
            unsafe {
                let imported =
                    call!(functions, cuImportExternalMemory(&mut memory.imported, &asked));
                if let Err(error) = imported {
                    drop(OwnedFd::from_raw_fd(fd));
                    return Err(error);
                }
                call!(
                    functions,
                    cuExternalMemoryGetMappedBuffer(&mut memory.at, memory.imported, &buffer)
                )?;
            }
            Ok(memory)
        })
    }
}

/// Memory of a Vulkan buffer, mapped into CUDA until this is dropped, whatever Vulkan does.
#[derive(Debug)]
pub struct Memory {
    context: Context,
    bytes: usize,
    at: Address,
    imported: Handle,
}

// SAFETY: an address and a handle that any thread may use.
unsafe impl Send for Memory {}
// SAFETY: as above; nothing is changed through a reference.
unsafe impl Sync for Memory {}

impl Memory {
    /// The context of its device.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Its size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // A failure here leaks until the process ends.
        let _ = self.context.within(|functions| {
            // SAFETY: no copy is under way, since each copy holds the memory. Each handle is freed
            // once, and only if it was made.
            unsafe {
                if self.at != 0 {
                    call!(functions, cuMemFree_v2(self.at))?;
                }
                match self.imported.is_null() {
                    true => Ok(()),
                    false => call!(functions, cuDestroyExternalMemory(self.imported)),
                }
            }
        });
    }
}

/// Memory into which another's is copied.
pub struct Inbox {
    memory: Memory,
    stream: Handle,
    /// The source of the copy under way.
    from: Option<Arc<Memory>>,
}

// SAFETY: a stream may be used by any thread.
unsafe impl Send for Inbox {}

impl Inbox {
    /// Copies go into `memory`.
    pub fn new(memory: Memory) -> Result<Self, CudaError> {
        let mut inbox = Inbox { memory, stream: null_mut(), from: None };
        let stream = &mut inbox.stream;
        // SAFETY: the library writes to a local that lives.
        let make = |functions: &Functions| unsafe {
            call!(functions, cuStreamCreate(stream, NON_BLOCKING))
        };
        inbox.memory.context.within(make)?;
        Ok(inbox)
    }

    /// The memory that copies go into.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Copies the beginning of another memory into it. The other is held until [`Inbox::arrive`]
    /// has waited for the copy. Nothing else may read or write either meanwhile.
    ///
    /// # Panics
    ///
    /// If the other is smaller.
    pub fn fetch(&mut self, from: Arc<Memory>) -> Result<(), CudaError> {
        self.arrive()?;
        assert!(from.bytes >= self.memory.bytes, "both ends of a copy have as many values");
        let (to, stream, of) = (&self.memory, self.stream, self.from.insert(from));
        // SAFETY: both memories are large enough, and live until the copy is over.
        to.context.within(|functions| unsafe {
            let (from, to) = ((of.at, of.context.raw), (to.at, to.context.raw));
            let bytes = self.memory.bytes;
            call!(functions, cuMemcpyPeerAsync(to.0, to.1, from.0, from.1, bytes, stream))
        })
    }

    /// Waits for the copy under way.
    pub fn arrive(&mut self) -> Result<(), CudaError> {
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
    pub fn read(&mut self) -> Result<Vec<u32>, CudaError> {
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

    #[test]
    fn structures_have_the_librarys_sizes() {
        assert_eq!((size_of::<HandleOf>(), size_of::<BufferOf>()), (104, 88));
    }
}
