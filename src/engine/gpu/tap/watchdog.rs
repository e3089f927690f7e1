//! Ends a run whose field grows without bound: looks at the field every few steps, and reads the
//! result when the submit is done.

use super::{
    CopyOut, Demand, GpuTap, Named, Output, Span,
    pointwise::{self, groups},
};
use crate::{
    EngineError, Observer,
    blow_up::{BIN_SHIFT, BINS},
    error::blow_up,
    gpu::{
        device::Device,
        part::Part,
        pipeline::{Bound, Entry},
        shader,
        slab::Slab,
        wavefield::Wavefield,
    },
};
use std::ops::Range;
use wgpu::{CommandEncoder, ComputePass};

static WATCHDOG: shader::Source = shader::source!("watchdog");

/// The most looks of a submit.
const LOOKS: usize = 32;
/// 4-byte values of an alarm: the largest |p|, and the first node of each bin.
const ALARM: usize = 1 + BINS;

pub(crate) struct Watchdog {
    every: usize,
    shots: usize,
    slabs: Vec<Alarms>,
}

/// The alarms of a slab.
struct Alarms {
    kernel: Bound,
    /// The range of its nodes among those of all slabs.
    nodes: Range<usize>,
    alarms: Output,
}

const ALARMS: Named = Named { made: "alarms", staged: "alarms on their way out" };

fn constants(part: &Part, limit: f32) -> shader::Constants {
    pointwise::constants(&part.layout)
        .int("SHOTS", part.plan.shots.len())
        .int("LIMIT", limit.to_bits() as usize)
        .int("BIN_SHIFT", BIN_SHIFT as usize)
        .int("BINS", BINS)
}

/// The tap's demand for `shots` shots; its arrays are small.
pub(crate) fn demand(part: &Part, shots: usize) -> Demand {
    let workgroups = groups(part.layout.n, shots).into_iter().max().unwrap_or(0);
    Demand { workgroups: workgroups as usize, ..Demand::default() }
}

pub(crate) fn shaders(part: &Part, limit: f32) -> Vec<(&'static str, String)> {
    vec![WATCHDOG.named(&constants(part, limit))]
}

impl Watchdog {
    pub(crate) fn new(
        device: &Device,
        wavefield: &Wavefield,
        every: usize,
        limit: f32,
    ) -> Result<Self, EngineError> {
        let shots = wavefield.plan.shots.len();
        let own = &wavefield.own;
        let mut before = own.pieces.start * (own.plan.grid.cells() / own.pieces.len());
        let slab = |slab: &Slab| -> Result<Alarms, EngineError> {
            let alarms = Output::new(device, &ALARMS, LOOKS * shots * ALARM)?;
            let entry = Entry {
                source: &WATCHDOG,
                name: "watch",
                constants: constants(&slab.part, limit),
                workgroups: groups(slab.part.layout.n, shots),
                immediates: 4,
            };
            let kernel = pointwise::bind(device, slab, entry, &[&alarms.buffer])?;
            let nodes = before..before + slab.part.plan.grid.cells();
            before = nodes.end;
            Ok(Alarms { kernel, nodes, alarms })
        };
        let slabs = wavefield.slabs.iter().map(slab).collect::<Result<_, _>>()?;
        Ok(Watchdog { every, shots, slabs })
    }

    /// Index of a submit's look at a step, if any: at multiples of `every`, and at the run's end.
    fn look(&self, span: &Span, step: usize) -> Option<usize> {
        let regular = step.is_multiple_of(self.every) && step < span.end;
        let last = span.last && step == span.end;
        let before = step.div_ceil(self.every) - span.first.div_ceil(self.every);
        (regular || last).then_some(before)
    }
}

impl GpuTap for Watchdog {
    fn horizon(&self, _step: usize) -> usize {
        (LOOKS - 2) * self.every
    }

    fn reads(&self, span: &Span, step: usize) -> bool {
        self.look(span, step).is_some()
    }

    fn encode(&self, wavefield: &Wavefield, span: &Span, step: usize, pass: &mut ComputePass<'_>) {
        let Some(look) = self.look(span, step) else { return };
        for slab in &self.slabs {
            slab.kernel.encode_with(
                &wavefield.common.immediates,
                pass,
                step % 2,
                bytemuck::bytes_of(&(look as u32)),
            );
        }
    }

    fn copies<'a>(&'a self, _: &'a Wavefield, span: &Span) -> Vec<CopyOut<'a>> {
        self.slabs.iter().map(|slab| slab.alarms.copy(span)).collect()
    }

    fn encode_after(&mut self, _: &Span, encoder: &mut CommandEncoder) -> Result<(), EngineError> {
        self.slabs.iter().for_each(|slab| encoder.clear_buffer(&slab.alarms.buffer, 0, None));
        Ok(())
    }

    fn collect(
        &mut self,
        device: &Device,
        Wavefield { plan, .. }: &Wavefield,
        span: &Span,
        _: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        // The first look and shot above the limit: its largest |p|, bin, and first node in the bin.
        let mut rung: Option<(usize, u32, usize, usize)> = None;
        for slab in &self.slabs {
            let here = slab.alarms.read(device, span, |alarms: &[u32]| {
                let rung = alarms.chunks_exact(ALARM).position(|alarm| alarm[0] > 0)?;
                let (peak, bins) = alarms[rung * ALARM..][..ALARM].split_first()?;
                let bin = bins.iter().rposition(|first| *first > 0)?;
                Some((rung, *peak, bin, bins[bin]))
            })?;
            let Some((look, peak, bin, left)) = here else { continue };
            let node = slab.nodes.end - left as usize;
            rung = Some(match rung {
                Some(known) if known.0 < look => known,
                Some(known) if known.0 == look => {
                    let (bin, node) = if bin > known.2 { (bin, node) } else { (known.2, known.3) };
                    (look, peak.max(known.1), bin, node)
                }
                _ => (look, peak, bin, node),
            });
        }
        let Some((alarm, peak, _, node)) = rung else { return Ok(()) };
        let (look, shot) = (alarm / self.shots, alarm % self.shots);
        let step = (span.first..=span.end).find(|step| self.look(span, *step) == Some(look));
        let node = plan.grid.node_of(node);
        let value = f32::from_bits(peak);
        Err(blow_up(plan, step.unwrap_or(span.end), self.every, shot, node, value))
    }
}

#[cfg(test)]
mod tests {
    use super::{pointwise::WORKGROUP, *};
    use crate::{grid::Axes, plan::WATCHDOG_EVERY};

    /// A step moves at least 16 bytes per node: p, the previous field, the model, and the new
    /// field. A look reads p and normally writes nothing; a submit copies its alarms out.
    #[test]
    fn looks_are_less_than_a_per_cent_of_what_steps_move() {
        // The thesis' plane, a volume, and odd extents; a submit of two looks.
        let plane: Axes<usize> = Axes { z: 260, x: 775, y: 1 };
        let (cube, odd) = (Axes { z: 552, x: 552, y: 552 }, Axes { z: 487, x: 391, y: 133 });
        for n in [plane, cube, odd] {
            let (nodes, steps) = (n.z * n.x * n.y, 2 * WATCHDOG_EVERY);
            let look = 16 * n.z.div_ceil(4) * n.x * n.y;
            let submit = 4 * LOOKS * ALARM;
            let share = (2 * look + submit) as f64 / (16 * nodes * steps) as f64;
            println!("{n:?}: {:.3} %", 100.0 * share);
            assert!(share < 0.01, "{n:?}: {share}");
            // As many invocations as quads of nodes, and less than one workgroup more.
            let [z, x, planes] = groups(n, 1).map(|groups| groups as usize);
            assert!(
                4 * WORKGROUP[0] * z < n.z + 4 * WORKGROUP[0]
                    && WORKGROUP[1] * x < n.x + WORKGROUP[1]
            );
            assert_eq!(planes, n.y);
        }
    }
}
