//! p on the model's nodes at chosen steps: a copy of the field between two submits.
//!
//! If the device has a copying queue, the model's nodes are copied within the device, and from
//! there to the host during the next steps; the snapshot is reported some steps later. Otherwise
//! the next steps wait for the copy to the host.

mod beside;
mod report;

use super::{CopyOut, Demand, GpuTap, Span, arrays};
use crate::{
    EngineError, Observer,
    gpu::{
        device::Device,
        part::Part,
        slab::Slab,
        staging::{IN_FLIGHT, Staging},
        wavefield::Wavefield,
    },
};
use beside::Beside;
use report::Report;

pub(crate) struct Snapshots {
    steps: Vec<usize>,
    route: Route,
}

/// The route of each slab's fields to the host.
enum Route {
    InTurn(Vec<Staging>),
    Beside(Beside),
}

const SNAPSHOTS: &str = "snapshots on their way out";

pub(crate) fn demand(part: &Part, shots: usize) -> Demand {
    let field = shots * part.layout.len();
    let staged = vec![arrays(SNAPSHOTS, IN_FLIGHT, field)];
    Demand { staged, ..Demand::default() }
}

impl Snapshots {
    pub(crate) fn new(
        device: &Device,
        wavefield: &Wavefield,
        steps: &[usize],
    ) -> Result<Self, EngineError> {
        let route = match Beside::new(device, wavefield) {
            Ok(Some(beside)) => Route::Beside(beside),
            // The device has no memory for a copy, so it copies in turn.
            Ok(None) | Err(EngineError::OutOfMemory { .. }) => {
                let of = |slab: &Slab| Staging::new(device, SNAPSHOTS, values(slab));
                Route::InTurn(wavefield.slabs.iter().map(of).collect::<Result<_, _>>()?)
            }
            Err(error) => return Err(error),
        };
        Ok(Snapshots { steps: steps.to_vec(), route })
    }

    /// True if a submit ends at a snapshot. A snapshot at the first step of a run belongs to its
    /// first submit, of no steps.
    fn due(&self, span: &Span) -> bool {
        let ends = span.end > span.first || !span.last;
        ends && self.steps.binary_search(&span.end).is_ok()
    }
}

impl GpuTap for Snapshots {
    fn horizon(&self, step: usize) -> usize {
        let next = self.steps.iter().find(|at| **at > step);
        next.map_or(usize::MAX, |next| next - step)
    }

    fn encode_last(&self, _wavefield: &Wavefield, span: &Span, pass: &mut wgpu::ComputePass<'_>) {
        if let Route::Beside(beside) = &self.route
            && self.due(span)
        {
            beside.encode(span.end, pass);
        }
    }

    fn copies<'a>(&'a self, wavefield: &'a Wavefield, span: &Span) -> Vec<CopyOut<'a>> {
        let Route::InTurn(staging) = &self.route else { return Vec::new() };
        let pairs = staging.iter().zip(&wavefield.slabs).filter(|_| self.due(span));
        let copy = |(to, slab): (&'a Staging, &'a Slab)| {
            let (from, values) = (slab.field(span.end), to.values());
            CopyOut { from, to, slot: span.slot, values }
        };
        pairs.map(copy).collect()
    }

    fn encode_after(
        &mut self,
        span: &Span,
        _: &mut wgpu::CommandEncoder,
    ) -> Result<(), EngineError> {
        let due = self.due(span);
        match &mut self.route {
            Route::Beside(beside) if due => beside.fill(),
            _ => Ok(()),
        }
    }

    fn collect(
        &mut self,
        device: &Device,
        wavefield: &Wavefield,
        span: &Span,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        let due = self.due(span);
        match &mut self.route {
            Route::InTurn(_) if !due => Ok(()),
            Route::InTurn(staging) => {
                let mut report = Report::new(wavefield, span.end, observer);
                for (staging, slab) in staging.iter().zip(&wavefield.slabs) {
                    let (plan, layout) = (&slab.part.plan, &slab.part.layout);
                    staging.read(device, span.slot, staging.values(), |p: &[f32]| {
                        for (shot, p) in p.chunks_exact(layout.len()).enumerate() {
                            let n = plan.model_grid.n;
                            report.take(slab, shot, layout.window_view(p, plan.origin, n));
                        }
                    })?;
                }
                report.end();
                Ok(())
            }
            Route::Beside(beside) => {
                if due {
                    beside.send(wavefield, span.end, observer)?;
                }
                beside.report(wavefield, false, observer)
            }
        }
    }

    fn settle(
        &mut self,
        wavefield: &Wavefield,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        match &mut self.route {
            Route::InTurn(_) => Ok(()),
            Route::Beside(beside) => beside.report(wavefield, true, observer),
        }
    }
}

/// Length of p of all shots in values.
fn values(slab: &Slab) -> usize {
    slab.part.plan.shots.len() * slab.part.layout.len()
}

#[cfg(test)]
mod tests {
    use crate::{
        Engine, Snapshot,
        gpu::{Gpu, list, memory::tests::plan},
        grid::Axes,
        plan::Tap,
    };
    use std::sync::Arc;

    /// The snapshots of two shots that are advanced in three pieces.
    fn taken(gpu: &Gpu, slabs: usize) -> Vec<Snapshot> {
        let mut plan = plan(Axes { z: 20, x: 17, y: 11 }, 6, 2);
        let last = plan.time.steps;
        let wanted = [0, 1, 2, 3, 9, 15, last - 1, last];
        plan.taps.retain(|tap| !matches!(tap, Tap::Snapshots { .. }));
        plan.taps.push(Tap::Snapshots { steps: wanted.to_vec() });
        let mut snapshots = crate::Snapshots::default();
        let mut run = gpu.with_slabs(slabs).start(Arc::new(plan)).expect("it starts");
        for until in [3, 12, last] {
            run.advance(until - run.step(), &mut snapshots).expect("a stable run");
            let there = wanted.iter().filter(|step| **step <= until).count();
            assert_eq!(snapshots.0.len(), 2 * there, "at step {until}");
        }
        run.finish(&mut snapshots).expect("a stable run");
        let steps: Vec<_> = snapshots.0.iter().map(|snapshot| snapshot.step).collect();
        assert_eq!(steps, wanted.iter().flat_map(|step| [*step; 2]).collect::<Vec<_>>());
        snapshots.0
    }

    #[test]
    fn beside_the_steps_and_in_turn_give_the_same() {
        let mut ran = false;
        for adapter in list(false).iter().filter(|adapter| adapter.lacks.is_empty()) {
            let gpu = Gpu::open_copying(adapter).expect("it opens");
            let in_turn = taken(&gpu.with_copies_in_turn(), 1);
            let last = in_turn.last().expect("it was asked for");
            assert!(last.field.iter().any(|p| *p != 0.0));
            for slabs in [1, 2] {
                ran |= gpu.copies_beside();
                assert!(taken(&gpu, slabs) == in_turn, "{}, {slabs} slabs", adapter.name);
            }
        }
        if !ran {
            println!("NOT RUN: no Vulkan");
        }
    }
}
