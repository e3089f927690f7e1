//! A run on the device: submits of many steps each, two in flight, each bounded in time.

mod as_run;
mod on_device;
mod share;

pub use on_device::OnDevice;
pub(crate) use share::GpuShare;

use super::{
    clock::Clock,
    device::Device,
    kernels::StepKernel,
    memory::Stepping,
    scatter::Scatter,
    slab::{MOST_STEPS, NO_ROW},
    sleep::Sleep,
    staging::IN_FLIGHT,
    tap::{self, GatherKernel, GpuTap, Span},
    wavefield::Wavefield,
};
use crate::{
    EngineError, Observer, Run, SourceWavefield, State, check, fault, report, share::Share, state,
};
use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};
use web_time::Instant;
use wgpu::{CommandEncoder, ComputePass};

/// Target duration of a submit, s: long enough to cost nothing, short enough for drivers that kill
/// long work, and for Ctrl-C.
const SUBMIT_SECONDS: f64 = 0.05;
/// Steps of the first submit, which measures the speed of the device.
const FIRST_STEPS: usize = 16;

/// A simulation on the device.
pub struct GpuRun {
    device: Device,
    wavefield: Wavefield,
    taps: Vec<Box<dyn GpuTap>>,
    scatter: Option<Scatter>,
    clock: Option<Clock>,
    step: usize,
    steps_per_submit: usize,
    /// Whether a submit has measured the speed of the device.
    is_timed: bool,
    in_flight: VecDeque<Submit>,
    submits: usize,
    stepping: f64,
}

struct Submit {
    span: Span,
    index: wgpu::SubmissionIndex,
    at: Instant,
    done: Arc<AtomicBool>,
}

/// How a run starts.
pub(crate) struct Start<'a> {
    pub(crate) kernel: &'static StepKernel,
    pub(crate) slabs: usize,
    pub(crate) sleep: Sleep,
    /// The wave that it reads.
    pub(crate) source: Option<&'a SourceWavefield>,
    pub(crate) gathers: &'static GatherKernel,
}

impl GpuRun {
    pub(super) fn new(
        device: &Device,
        share: Share,
        Start { kernel, slabs, sleep, source, gathers }: Start<'_>,
    ) -> Result<Self, EngineError> {
        // The unchecked shaders rely on this.
        check(&share.plan)?;
        let stepping = Stepping { kernel, slabs: Some(slabs), sleep };
        let wavefield = Wavefield::new(device, share, stepping, slabs)?;
        let taps = tap::all(device, &wavefield, source, gathers)?;
        let scatter = Scatter::new(device, &wavefield, source)?;
        // Uploads belong to the set-up, not to the first steps.
        device.wait_where_possible(device.queue.submit([]))?;
        if wavefield.own.plan.initial.is_some() {
            wavefield.restore(device, &State::initial(&wavefield.own.plan, state::GPU))?;
        }
        Ok(GpuRun {
            device: device.clone(),
            wavefield,
            taps,
            scatter,
            clock: Clock::new(device)?,
            step: 0,
            steps_per_submit: FIRST_STEPS,
            is_timed: false,
            in_flight: VecDeque::new(),
            submits: 0,
            stepping: 0.0,
        })
    }

    /// Switches the run to another kernel from here on.
    pub(crate) fn with(&mut self, kernel: &StepKernel) -> Result<&mut Self, EngineError> {
        self.wavefield.switch(&self.device, kernel)?;
        Ok(self)
    }

    /// Encodes and submits the steps `first..end`.
    fn submit(&mut self, first: usize, end: usize, last: bool) -> Result<(), EngineError> {
        let _encoding = tracing::info_span!(target: "timeline", "encoding steps").entered();
        let span = self.span(first, end, last);
        if first < end {
            let Wavefield { plan, common, .. } = &mut self.wavefield;
            common.wavelets.bring(&self.device, plan, first)?;
        }
        let mut encoder = self.device.wgpu.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("steps"),
            timestamp_writes: self.clock.as_ref().map(|clock| clock.writes(span.slot)),
        });
        let wavefield = &self.wavefield;
        wavefield.begin(&mut pass);
        for step in first..end {
            if self.encode_taps(&span, step, &mut pass) {
                wavefield.begin(&mut pass);
            }
            wavefield.step(&mut pass, step, self.row(&span, step).unwrap_or(NO_ROW));
            if self.change(&mut pass, step + 1, |_| true) {
                wavefield.exchange(&mut pass, step + 1);
                wavefield.begin(&mut pass);
            }
        }
        if last {
            self.encode_taps(&span, end, &mut pass);
            if let Some(row) = self.row(&span, end) {
                wavefield.record(&mut pass, end, row);
            }
        }
        self.taps.iter().for_each(|tap| tap.encode_last(&self.wavefield, &span, &mut pass));
        drop(pass);
        if let Some(clock) = &self.clock {
            clock.encode(span.slot, &mut encoder);
        }
        self.close(span, encoder)
    }

    /// Injects what scatters into the field at the step just reached, in some of the slabs; returns
    /// whether anything does.
    fn change(&self, pass: &mut ComputePass<'_>, step: usize, of: impl Fn(usize) -> bool) -> bool {
        self.scatter.as_ref().is_some_and(|scatter| scatter.encode(pass, step, &of))
    }

    fn span(&self, first: usize, end: usize, last: bool) -> Span {
        Span { first, end, last, slot: self.submits % IN_FLIGHT }
    }

    /// Submits the end of a span and maps the results of its taps.
    fn close(&mut self, span: Span, mut encoder: CommandEncoder) -> Result<(), EngineError> {
        for tap in &mut self.taps {
            tap.copies(&self.wavefield, &span).iter().for_each(|copy| copy.encode(&mut encoder));
            tap.encode_after(&span, &mut encoder)?;
        }
        self.wavefield.common.immediates.send(&self.device)?;
        let index = self.device.queue.submit([encoder.finish()]);
        if fault::strikes("lost", span.end - span.first) {
            self.device.lose();
        }
        if let Some(clock) = &self.clock {
            clock.map(span.slot);
        }
        let copies = self.taps.iter().flat_map(|tap| tap.copies(&self.wavefield, &span));
        copies.for_each(|copy| copy.map());
        let done = Arc::new(AtomicBool::new(false));
        let tell = done.clone();
        self.device.queue.on_submitted_work_done(move || tell.store(true, Ordering::Release));
        self.in_flight.push_back(Submit { span, index, at: Instant::now(), done });
        self.submits += 1;
        Ok(())
    }

    /// Returns whether a tap read, and so changed the pass' pipeline.
    fn encode_taps(&self, span: &Span, step: usize, pass: &mut ComputePass<'_>) -> bool {
        let reading = self.taps.iter().filter(|tap| tap.reads(span, step));
        reading.map(|tap| tap.encode(&self.wavefield, span, step, pass)).count() > 0
    }

    fn row(&self, span: &Span, step: usize) -> Option<u32> {
        self.taps.iter().find_map(|tap| tap.row(span, step))
    }

    /// Collects the taps' results of a finished submit.
    fn collect(&mut self, submit: &Submit, observer: &mut dyn Observer) -> Result<(), EngineError> {
        let _reading = tracing::info_span!(target: "timeline", "reading results").entered();
        let span = submit.span;
        let mut seconds = submit.at.elapsed().as_secs_f64();
        if let Some(clock) = &mut self.clock {
            seconds = clock.collect(&self.device, span.slot)?;
        }
        let steps = span.end - span.first;
        self.is_timed |= steps > 0;
        if steps > 0 && seconds > 0.0 {
            let fits = SUBMIT_SECONDS / (seconds / steps as f64);
            self.steps_per_submit = (fits as usize).clamp(1, MOST_STEPS);
        }
        // If one ends the run, the others still report their results.
        let mut collected = Ok(());
        for tap in &mut self.taps {
            collected = collected.and(tap.collect(&self.device, &self.wavefield, &span, observer));
        }
        if collected.is_err() {
            // Nothing comes after it.
            collected = self.settle(observer).and(collected);
        }
        collected?;
        report(&self.wavefield.plan, span.end, observer)
    }

    /// Reports the pending results of collected submits.
    fn settle(&mut self, observer: &mut dyn Observer) -> Result<(), EngineError> {
        self.taps.iter_mut().try_for_each(|tap| tap.settle(&self.wavefield, observer))
    }

    /// Discards the submits in flight; the next advance warms up again, at the measured speed.
    fn forget(&mut self) {
        while let Some(submit) = self.in_flight.pop_front() {
            // The result belongs to a run that continues elsewhere.
            let waited = self.device.wait(submit.index.clone());
            let _ = waited.and_then(|()| self.collect(&submit, &mut ()));
        }
        let _ = self.settle(&mut ());
        self.submits = 0;
    }

    /// Collects the oldest submits that are done, until at most `most` are in flight; returns
    /// whether that is reached.
    fn drain(&mut self, most: usize, observer: &mut dyn Observer) -> Result<bool, EngineError> {
        self.device.poll()?;
        while self.in_flight.len() > most {
            let done = |submit: &mut Submit| submit.done.load(Ordering::Acquire);
            let Some(submit) = self.in_flight.pop_front_if(done) else { return Ok(false) };
            self.collect(&submit, observer)?;
        }
        Ok(true)
    }

    fn ahead(&self, until: usize) -> usize {
        let horizon = self.taps.iter().map(|tap| tap.horizon(self.step)).min();
        horizon
            .unwrap_or(usize::MAX)
            .min(self.wavefield.common.wavelets.horizon(self.step))
            .min(self.steps_per_submit)
            .min(until - self.step)
            .max(1)
    }

    /// Does what waits for nothing until it is complete, and waits between.
    fn complete(
        &mut self,
        go_on: &mut dyn FnMut(&mut Self) -> Result<bool, EngineError>,
    ) -> Result<(), EngineError> {
        let mut complete = || {
            while !go_on(self)? {
                self.wait()?;
            }
            Ok(())
        };
        let completed: Result<(), EngineError> = complete();
        completed.map_err(|error| error.at_step([self.step, self.wavefield.plan.time.steps]))
    }

    /// Waits for the oldest submit in flight.
    fn wait(&mut self) -> Result<(), EngineError> {
        let Some(submit) = self.in_flight.front() else { return Ok(()) };
        let _waiting = tracing::info_span!(target: "timeline", "waiting for the device").entered();
        self.device.wait(submit.index.clone())?;
        submit.done.store(true, Ordering::Release);
        Ok(())
    }

    /// [`Run::advance`] to a step without waiting: collects finished submits and sends the next
    /// steps. True once the run is there and everything up to there has been collected.
    pub fn go_on(
        &mut self,
        until: usize,
        observer: &mut dyn Observer,
    ) -> Result<bool, EngineError> {
        let until = until.min(self.wavefield.plan.time.steps);
        if self.submits == 0 {
            // A submit of no steps: the first one warms the device up and may hold a snapshot at 0.
            self.submit(self.step, self.step, false)?;
        }
        loop {
            let there = self.step >= until;
            // The first submit with steps measures the speed, so it is waited for.
            let ahead = if there || !self.is_timed { 0 } else { IN_FLIGHT - 1 };
            let drained = self.drain(ahead, observer)?;
            if there && drained {
                self.settle(observer)?;
            }
            if there || !drained {
                return Ok(drained);
            }
            let steps = self.ahead(until);
            self.submit(self.step, self.step + steps, false)?;
            self.step += steps;
        }
    }

    /// [`Run::advance`] for programs that may not block: other work goes on while the device steps.
    pub async fn advance_async(
        &mut self,
        steps: usize,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        let started = Instant::now();
        let until = self.step.saturating_add(steps);
        while !self.go_on(until, observer)? {
            if let Some(submit) = self.in_flight.front() {
                self.device.done(submit.index.clone()).await?;
                submit.done.store(true, Ordering::Release);
            }
        }
        self.stepping += started.elapsed().as_secs_f64();
        Ok(())
    }

    /// [`Run::finish`] without waiting: true once everything has been collected.
    pub fn end(&mut self, observer: &mut dyn Observer) -> Result<bool, EngineError> {
        if !self.in_flight.back().is_some_and(|submit| submit.span.last) {
            // Its slot may still be read.
            if !self.drain(IN_FLIGHT - 1, observer)? {
                return Ok(false);
            }
            self.submit(self.step, self.step, true)?;
        }
        self.drain(0, observer)
    }

    /// [`Run::restart`] with the same pieces of another batch.
    fn begin_again(&mut self, share: Share) -> Result<bool, EngineError> {
        // The submits that a failed run left in flight were never read.
        if !self.in_flight.is_empty() || !self.wavefield.whole.is_survey_of(&share.plan) {
            return Ok(false);
        }
        check(&share.plan)?;
        let mut encoder = self.device.wgpu.create_command_encoder(&Default::default());
        self.wavefield.restart(&self.device, share, &mut encoder)?;
        self.taps.iter_mut().for_each(|tap| tap.restart(&mut encoder));
        self.device.wait_where_possible(self.device.queue.submit([encoder.finish()]))?;
        (self.step, self.submits, self.stepping) = (0, 0, 0.0);
        if let Some(clock) = &mut self.clock {
            clock.seconds = 0.0;
        }
        let plan = &self.wavefield.own.plan;
        if plan.initial.is_some() {
            self.restore(&State::initial(plan, state::GPU))?;
        }
        Ok(true)
    }
}
