//! An opened device: every failure of it caught, and waiting.

use super::{
    Adapter,
    adapters::{lacking, list},
    compiled::Compiled,
    transfer::{self, TransferQueue},
};
use crate::{EngineError, fault, locked};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use wgpu::{PollError, PollType};

/// A submit is bounded to a fraction of a second; a device silent for this long is lost.
const PATIENCE: Duration = Duration::from_secs(120);

/// Devices between which halos are copied without the host, if possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeerCopies {
    /// None.
    Never,
    /// Between different GPUs, where the way through the host would hold up the steps.
    BetweenGpus,
    /// Also one GPU opened twice, which is slower than the host (docs/notebook.md): for tests.
    Always,
}

impl PeerCopies {
    fn of_environment() -> Self {
        match std::env::var("HUYGENS_PEER_COPIES").as_deref() {
            Ok("0") => PeerCopies::Never,
            Ok("1") => PeerCopies::Always,
            _ => PeerCopies::BetweenGpus,
        }
    }
}

/// A failure that a device reported.
#[derive(Clone)]
struct Failure {
    said: String,
    is_loss: bool,
}

/// A wgpu device and its queue.
#[derive(Clone)]
pub(crate) struct Device {
    pub(crate) wgpu: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pub(crate) info: wgpu::AdapterInfo,
    /// The queue that copies during steps, if the device has one.
    pub(crate) transfer: Option<Arc<TransferQueue>>,
    /// The neighbours from which it copies directly.
    pub(crate) peer_copies: PeerCopies,
    /// The shaders of its runs.
    pub(crate) compiled: Arc<Compiled>,
    /// Whether shaders check indices at run time.
    pub(crate) checked: bool,
    /// The first failure outside a call that could report it.
    failure: Arc<Mutex<Option<Failure>>>,
    /// True for a device that this engine opened.
    is_own: bool,
}

impl Device {
    /// Opens an adapter, with a copying queue of its `own` if it has one; for single-threaded tests
    /// with wgpu's in its place.
    pub(crate) async fn open(adapter: &Adapter, own: bool) -> Result<Self, EngineError> {
        let info = adapter.adapter.get_info();
        if !adapter.lacks.is_empty() {
            let lacks = adapter.lacks.join(", ");
            return Err(EngineError::Lacks { device: info.name, lacks });
        }
        let mut descriptor = wgpu::DeviceDescriptor {
            label: Some("huygens"),
            required_features: adapter.features,
            required_limits: adapter.limits.clone(),
            // The memory of a software device is the host's.
            memory_hints: match info.device_type {
                wgpu::DeviceType::Cpu => wgpu::MemoryHints::MemoryUsage,
                _ => wgpu::MemoryHints::Performance,
            },
            ..Default::default()
        };
        let is_gone = fault::strikes("adapter", 1);
        if is_gone {
            // Refused by wgpu, as what is gone is by its driver.
            descriptor.required_limits.max_buffer_size = u64::MAX;
        }
        let with_transfer =
            if is_gone { None } else { transfer::open(&adapter.adapter, &descriptor, own) };
        let (wgpu, queue, transfer) = match with_transfer {
            Some((wgpu, queue, transfer)) => (wgpu, queue, Some(Arc::new(transfer))),
            None => {
                let opened = adapter.adapter.request_device(&descriptor).await;
                let (wgpu, queue) = opened.map_err(|refused| EngineError::NotOpened {
                    device: info.name.clone(),
                    said: refused.to_string(),
                })?;
                (wgpu, queue, None)
            }
        };
        Ok(Device { is_own: true, ..Device::of(info, wgpu, queue, transfer) })
    }

    /// The same device, opened anew among the adapters that there are now; `None` for one that this engine did not open.
    pub(crate) fn reopened(&self) -> Result<Option<Self>, EngineError> {
        if !self.is_own {
            return Ok(None);
        }
        let all = list(self.info.backend == wgpu::Backend::Gl);
        let same = all.into_iter().find(|adapter| adapter.adapter.get_info() == self.info);
        let adapter = same.ok_or_else(|| EngineError::NotOpened {
            device: self.info.name.clone(),
            said: "it is no longer there".into(),
        })?;
        // A device that was opened with less stays so.
        let (limits, features) = (self.limits(), self.wgpu.features());
        let adapter = Adapter { limits, features, ..adapter };
        let fresh = pollster::block_on(Device::open(&adapter, true))?;
        let transfer = fresh.transfer.clone().filter(|_| self.transfer.is_some());
        let (peer_copies, checked) = (self.peer_copies, self.checked);
        Ok(Some(Device { transfer, peer_copies, checked, ..fresh }))
    }

    /// Wraps an open device, without a copying queue.
    pub(crate) fn on(wgpu: wgpu::Device, queue: wgpu::Queue) -> Result<Self, EngineError> {
        let info = wgpu.adapter_info();
        let lacks: Vec<_> = lacking(&wgpu.limits(), wgpu.features()).collect();
        if lacks.is_empty() {
            return Ok(Device::of(info, wgpu, queue, None));
        }
        let device = format!("{}, with the limits that it was opened with,", info.name);
        Err(EngineError::Lacks { device, lacks: lacks.join(", ") })
    }

    /// Listens for failures of a device from now on.
    fn of(
        info: wgpu::AdapterInfo,
        wgpu: wgpu::Device,
        queue: wgpu::Queue,
        transfer: Option<Arc<TransferQueue>>,
    ) -> Self {
        let failure = Arc::new(Mutex::new(None));
        let note = |failure: &Arc<Mutex<Option<Failure>>>, said: String, is_loss: bool| {
            // A poisoned lock still holds the first failure, which is the one to report.
            let mut known = locked(failure);
            // A lost device fails at whatever comes next, perhaps before it tells that it is lost.
            if known.as_ref().is_none_or(|known| is_loss && !known.is_loss) {
                *known = Some(Failure { said, is_loss });
            }
        };
        let seen = failure.clone();
        wgpu.on_uncaptured_error(Arc::new(move |error| note(&seen, error.to_string(), false)));
        let seen = failure.clone();
        wgpu.set_device_lost_callback(move |reason, message| {
            let said = match reason {
                wgpu::DeviceLostReason::Destroyed => "it was destroyed".to_owned(),
                _ => message,
            };
            note(&seen, said, true);
        });
        Device {
            wgpu,
            queue,
            info,
            transfer,
            peer_copies: PeerCopies::of_environment(),
            compiled: Arc::default(),
            checked: false,
            failure,
            is_own: false,
        }
    }

    /// The same device, with shaders that check indices at run time or do not.
    #[must_use]
    pub(crate) fn checking(self, checked: bool) -> Self {
        Device { checked, ..self }
    }

    pub(crate) fn limits(&self) -> wgpu::Limits {
        self.wgpu.limits()
    }

    /// The largest buffer that a shader can bind whole, bytes.
    pub(crate) fn largest_binding(&self) -> u64 {
        let limits = self.limits();
        limits.max_storage_buffer_binding_size.min(limits.max_buffer_size)
    }

    pub(crate) fn has(&self, feature: wgpu::Features) -> bool {
        self.wgpu.features().contains(feature)
    }

    /// The reason of an error, which for a lost device is its loss.
    pub(crate) fn error(&self, message: impl ToString) -> EngineError {
        let _ = self.wgpu.poll(PollType::Poll);
        // In one line.
        let message = message.to_string();
        let lines = message.lines().map(str::trim).filter(|line| !line.is_empty());
        let said = lines.collect::<Vec<_>>().join(": ");
        match self.failure() {
            Some(loss @ EngineError::Lost { .. }) => loss,
            _ => self.explained(Failure { said, is_loss: false }),
        }
    }

    /// The first failure outside a call that could report it.
    fn failure(&self) -> Option<EngineError> {
        let known = locked(&self.failure).clone();
        known.map(|failure| self.explained(failure))
    }

    /// A failure as an error. The objects of a lost device are invalid, so that a validation error
    /// may come before the callback that reports the loss.
    fn explained(&self, Failure { said, is_loss }: Failure) -> EngineError {
        let device = self.info.name.clone();
        match is_loss || self.is_lost() {
            true => EngineError::Lost { device, said, step: None },
            false => EngineError::Device { device, message: said },
        }
    }

    /// In a browser only the callback reports a loss.
    #[cfg(target_arch = "wasm32")]
    fn is_lost(&self) -> bool {
        false
    }

    /// Whether wgpu takes no more work: a lost device does not refuse even a buffer without a use.
    #[cfg(not(target_arch = "wasm32"))]
    fn is_lost(&self) -> bool {
        let scope = self.wgpu.push_error_scope(wgpu::ErrorFilter::Validation);
        drop(self.wgpu.create_buffer(&wgpu::BufferDescriptor {
            label: Some("none"),
            size: 4,
            usage: wgpu::BufferUsages::empty(),
            mapped_at_creation: false,
        }));
        pollster::block_on(scope.pop()).is_none()
    }

    /// Makes the driver lose it, for tests.
    pub(crate) fn lose(&self) {
        self.wgpu.destroy();
        let _ = self.wgpu.poll(PollType::wait_indefinitely());
    }

    /// Runs `create`. In a browser, errors surface at a later [`Device::poll`], and out of memory
    /// is not told apart.
    #[cfg(target_arch = "wasm32")]
    pub(crate) fn guarded<T>(&self, create: impl FnOnce() -> T) -> Result<T, EngineError> {
        Ok(create())
    }

    /// Runs `create` and catches the device's errors.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn guarded<T>(&self, create: impl FnOnce() -> T) -> Result<T, EngineError> {
        use wgpu::ErrorFilter::{Internal, OutOfMemory, Validation};
        let scopes = [OutOfMemory, Validation, Internal];
        let scopes = scopes.map(|filter| self.wgpu.push_error_scope(filter));
        let created = create();
        // All scopes, the innermost first.
        let pop = |error: Option<_>, scope: wgpu::ErrorScopeGuard| {
            error.or(pollster::block_on(scope.pop()))
        };
        let mut failed = scopes.into_iter().rfold(None, pop);
        if fault::strikes("memory", 1) {
            failed = Some(wgpu::Error::OutOfMemory { source: "on purpose".into() });
        }
        if failed.is_some() {
            self.compiled.clear();
        }
        match failed {
            None => Ok(created),
            Some(wgpu::Error::OutOfMemory { source }) => Err(EngineError::OutOfMemory {
                device: self.info.name.clone(),
                said: source.to_string(),
            }),
            Some(error) => Err(self.error(error)),
        }
    }

    /// Runs the callbacks of finished work.
    pub(crate) fn poll(&self) -> Result<(), EngineError> {
        self.polled(PollType::Poll)
    }

    /// Waits for a submission and its callbacks; does not wait in a browser, which cannot.
    pub(crate) fn wait_where_possible(
        &self,
        submission: wgpu::SubmissionIndex,
    ) -> Result<(), EngineError> {
        if cfg!(target_arch = "wasm32") { self.poll() } else { self.wait(submission) }
    }

    /// Waits for a submission and its callbacks; in a browser other work goes on until they have come.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) async fn done(&self, submission: wgpu::SubmissionIndex) -> Result<(), EngineError> {
        self.wait(submission)
    }

    /// The same, for all submissions so far.
    #[cfg(target_arch = "wasm32")]
    pub(crate) async fn done(&self, _: wgpu::SubmissionIndex) -> Result<(), EngineError> {
        let told = Arc::new(Mutex::new((false, None::<std::task::Waker>)));
        let tell = told.clone();
        self.queue.on_submitted_work_done(move || {
            let mut told = locked(&tell);
            told.0 = true;
            told.1.take().into_iter().for_each(std::task::Waker::wake);
        });
        std::future::poll_fn(|context| {
            let mut told = locked(&told);
            match told.0 {
                true => std::task::Poll::Ready(()),
                false => {
                    told.1 = Some(context.waker().clone());
                    std::task::Poll::Pending
                }
            }
        })
        .await;
        self.poll()
    }

    /// Waits for a submission and its callbacks; an error in a browser.
    pub(crate) fn wait(&self, submission: wgpu::SubmissionIndex) -> Result<(), EngineError> {
        if cfg!(target_arch = "wasm32") {
            return Err(EngineError::CannotWait { device: self.info.name.clone() });
        }
        self.polled(PollType::Wait { submission_index: Some(submission), timeout: Some(PATIENCE) })
    }

    fn polled(&self, how: PollType) -> Result<(), EngineError> {
        let waits = matches!(how, PollType::Wait { .. });
        let mut polled = self.wgpu.poll(how);
        if waits && fault::strikes("poll", 1) {
            polled = Err(PollError::Timeout);
        }
        match (self.failure(), polled) {
            (Some(failure), _) => Err(failure),
            (None, Ok(_)) => Ok(()),
            (None, Err(PollError::Timeout)) => {
                let (device, seconds) = (self.info.name.clone(), PATIENCE.as_secs());
                Err(EngineError::Silent { device, seconds, step: None })
            }
            (None, Err(error)) => Err(self.error(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        EngineError,
        gpu::{self, Gpu},
    };

    /// Another thread may meet the invalid buffers of a lost device before the callback runs.
    #[test]
    fn an_error_of_a_device_whose_loss_is_not_yet_reported_is_its_loss() {
        let adapters = gpu::list(false);
        let Some(adapter) = adapters.iter().find(|adapter| adapter.lacks.is_empty()) else {
            assert!(std::env::var_os("HUYGENS_REQUIRE_GPU").is_none(), "there is no GPU");
            return println!("NOT RUN: there is no GPU");
        };
        let device = Gpu::open(adapter, false).expect("it opens").device;
        let of_a_healthy_device = device.error("the buffer is invalid");
        assert!(matches!(of_a_healthy_device, EngineError::Device { .. }));
        device.wgpu.set_device_lost_callback(|_, _| ());
        device.lose();
        let of_a_lost_device = device.error("the buffer is invalid");
        assert!(matches!(of_a_lost_device, EngineError::Lost { .. }), "{of_a_lost_device}");
    }
}
