//! A share of a simulation on the device. A step before an exchange is two submits: first the
//! pieces that neighbours wait for, then the rest, during which these travel.

use super::GpuRun;
use crate::{
    EngineError, Observer, Run, Timings,
    gpu::{halo::Halo, slab::NO_ROW, staging::IN_FLIGHT, tap::Span, wavefield::Wavefield},
    share::{Neighbours, Share, ShareRun, Way},
    state,
};
use web_time::Instant;

pub(crate) struct GpuShare {
    run: GpuRun,
    halo: Halo,
    /// Steps from one exchange to the next.
    ghost_steps: usize,
    /// The step of the next exchange.
    next: usize,
}

impl GpuShare {
    pub(crate) fn new(mut run: GpuRun, share: &Share) -> Result<Self, EngineError> {
        // It times one pass per submit.
        run.clock = None;
        let halo = Halo::new(&run.device, &run.wavefield, share)?;
        Ok(GpuShare { run, halo, ghost_steps: share.ghost_steps, next: 0 })
    }

    /// Exchanges the halos of the present step with the neighbours.
    fn exchange(&mut self, neighbours: &mut dyn Neighbours) -> Result<(), EngineError> {
        let GpuRun { device, step, wavefield, .. } = &self.run;
        if neighbours.are_at_hand() {
            self.halo.meet(device, wavefield);
        }
        let mut encoder = device.wgpu.create_command_encoder(&Default::default());
        self.halo.copy(*step, &mut encoder);
        let index = device.queue.submit([encoder.finish()]);
        self.halo.map();
        device.wait(index)?;
        self.halo.exchange(device, neighbours)?;
        let mut encoder = device.wgpu.create_command_encoder(&Default::default());
        bring_in(&mut self.halo, &self.run, *step, &mut encoder)?;
        device.queue.submit([encoder.finish()]);
        Ok(())
    }

    /// Takes the steps of a span before the next exchange and, if the exchange is within the span,
    /// the step that ends with it.
    fn go_on(
        &mut self,
        span: &Span,
        until: usize,
        neighbours: &mut dyn Neighbours,
    ) -> Result<(), EngineError> {
        self.steps(span, (self.next - 1).min(span.end))?;
        if self.run.step < span.end {
            self.step(span, neighbours)?;
            self.next = (self.run.step + self.ghost_steps).min(until);
        }
        Ok(())
    }

    /// Steps without an exchange.
    fn steps(&mut self, span: &Span, end: usize) -> Result<(), EngineError> {
        let GpuShare { run, halo, .. } = self;
        if run.step >= end {
            return Ok(());
        }
        let GpuRun { device, wavefield, .. } = &*run;
        let mut encoder = device.wgpu.create_command_encoder(&Default::default());
        bring_in(halo, run, run.step, &mut encoder)?;
        let mut pass = encoder.begin_compute_pass(&Default::default());
        for step in run.step..end {
            run.encode_taps(span, step, &mut pass);
            wavefield.step(&mut pass, step, run.row(span, step).unwrap_or(NO_ROW));
        }
        drop(pass);
        wavefield.common.immediates.send(device)?;
        device.queue.submit([encoder.finish()]);
        run.step = end;
        Ok(())
    }

    /// One step, and the exchange of its halos.
    fn step(&mut self, span: &Span, neighbours: &mut dyn Neighbours) -> Result<(), EngineError> {
        let GpuShare { run, halo, .. } = self;
        let step = run.step;
        let row = run.row(span, step).unwrap_or(NO_ROW);
        let submit = |halo: &mut Halo, first: bool| {
            let GpuRun { device, wavefield, .. } = &*run;
            let mut encoder = device.wgpu.create_command_encoder(&Default::default());
            bring_in(halo, run, step, &mut encoder)?;
            let mut pass = encoder.begin_compute_pass(&Default::default());
            if first {
                run.encode_taps(span, step, &mut pass);
            }
            let of = |slab| wavefield.waits(slab) == first;
            wavefield.step_part(&mut pass, step, row, of);
            // Before it leaves.
            run.change(&mut pass, step + 1, of);
            if !first {
                wavefield.exchange(&mut pass, step + 1);
            }
            drop(pass);
            if first {
                halo.copy(step + 1, &mut encoder);
            }
            wavefield.common.immediates.send(device)?;
            Ok::<_, EngineError>(device.queue.submit([encoder.finish()]))
        };
        let given = submit(halo, true)?;
        halo.map();
        submit(halo, false)?;
        run.step += 1;
        run.device.wait(given)?;
        halo.exchange(&run.device, neighbours)
    }

    /// Collects the oldest spans until at most `most` are in flight.
    fn settle(&mut self, most: usize, observer: &mut dyn Observer) -> Result<(), EngineError> {
        while !self.run.drain(most, observer)? {
            self.run.wait()?;
        }
        Ok(())
    }

    /// As many steps as a submit of an unsplit run.
    fn span(&mut self, until: usize, neighbours: &mut dyn Neighbours) -> Result<(), EngineError> {
        let began = Instant::now();
        let first = self.run.step;
        let mut span = self.run.span(first, first + self.run.ahead(until), false);
        let Wavefield { plan, common, .. } = &mut self.run.wavefield;
        common.wavelets.bring(&self.run.device, plan, first)?;
        let mut done = Ok(());
        while self.run.step < span.end && done.is_ok() {
            done = self.go_on(&span, until, neighbours);
        }
        // Even if a neighbour ended: the results up to here may show why.
        span.end = self.run.step;
        let mut encoder = self.run.device.wgpu.create_command_encoder(&Default::default());
        bring_in(&mut self.halo, &self.run, span.end, &mut encoder)?;
        let mut pass = encoder.begin_compute_pass(&Default::default());
        self.run.taps.iter().for_each(|tap| tap.encode_last(&self.run.wavefield, &span, &mut pass));
        drop(pass);
        self.run.close(span, encoder)?;
        if let Some(submit) = self.run.in_flight.back_mut() {
            submit.at = began;
        }
        done
    }
}

/// Unpacks the neighbours' values at a step, and updates the mirrors beside them.
fn bring_in(
    halo: &mut Halo,
    GpuRun { wavefield, .. }: &GpuRun,
    step: usize,
    encoder: &mut wgpu::CommandEncoder,
) -> Result<(), EngineError> {
    if halo.bring_in(step, encoder)? && !wavefield.mirrors.is_empty() {
        wavefield.exchange(&mut encoder.begin_compute_pass(&Default::default()), step);
    }
    Ok(())
}

impl ShareRun for GpuShare {
    fn engine(&self) -> &'static str {
        state::GPU
    }

    fn halos(&self) -> &'static str {
        self.halo.name()
    }

    fn go_by(&mut self, way: Way) {
        self.halo.go_by(way);
    }

    fn copying(&self) -> f64 {
        self.halo.copying()
    }

    fn step(&self) -> usize {
        self.run.step
    }

    fn advance(
        &mut self,
        steps: usize,
        neighbours: &mut dyn Neighbours,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        let started = Instant::now();
        let until = self.run.step.saturating_add(steps).min(self.run.wavefield.plan.time.steps);
        self.exchange(neighbours)?;
        self.next = (self.run.step + self.ghost_steps).min(until);
        if self.run.submits == 0 {
            self.run.submit(self.run.step, self.run.step, false)?;
        }
        let mut done = Ok(());
        while self.run.step < until && done.is_ok() {
            self.settle(IN_FLIGHT - 1, observer)?;
            done = self.span(until, neighbours);
        }
        self.settle(0, observer)?;
        self.run.settle(observer)?;
        self.run.stepping += started.elapsed().as_secs_f64();
        done
    }

    fn finish(
        &mut self,
        neighbours: &mut dyn Neighbours,
        observer: &mut dyn Observer,
    ) -> Result<Timings, EngineError> {
        self.exchange(neighbours)?;
        self.run.finish(observer)
    }

    fn restart(&mut self, share: &Share) -> Result<bool, EngineError> {
        self.run.begin_again(share.clone())
    }

    fn run(&mut self) -> &mut dyn Run {
        &mut self.run
    }

    fn memory_lens(&self) -> Vec<usize> {
        let none = [0; 3];
        let sum = |all: [usize; 3], one: [usize; 3]| [0, 1, 2].map(|axis| all[axis] + one[axis]);
        self.run.wavefield.memory_lens().fold(none, sum).to_vec()
    }
}
