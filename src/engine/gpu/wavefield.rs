//! A wavefield on a device: slabs that step one after the other, and their common state.

use super::{
    device::Device,
    exchange::Exchange,
    kernels::StepKernel,
    memory::Stepping,
    part::{self, Part},
    slab::{Common, Slab, SlabOf},
};
use crate::{
    EngineError, StateError,
    plan::Plan,
    share::{Share, Side},
};
use std::{iter::zip, ptr, sync::Arc};

/// The fields of a batch of shots, for a whole Plan or a share of it.
pub(crate) struct Wavefield {
    pub(crate) plan: Arc<Plan>,
    /// The Plan including the layers of an adjoint.
    pub(super) whole: Arc<Plan>,
    /// Its pieces.
    pub(crate) own: Part,
    /// The sides with a neighbour.
    sides: Vec<Side>,
    /// Requested number of slabs.
    count: usize,
    pub(crate) common: Common,
    /// In order along the slowest axis.
    pub(crate) slabs: Vec<Slab>,
    /// The ends of neighbours that are stepped here too.
    pub(crate) mirrors: Vec<(Side, Slab)>,
    exchange: Exchange,
    /// Identifies the states kept from it.
    pub(super) identity: Arc<()>,
}

impl Wavefield {
    /// At t = 0, in `count` slabs.
    pub(crate) fn new(
        device: &Device,
        share: Share,
        Stepping { kernel, sleep, .. }: Stepping,
        count: usize,
    ) -> Result<Self, EngineError> {
        let (layers, share) = stepped(share);
        let plan = share.plan.clone();
        let parts = Part::all(&share, count)?;
        part::check_adjoint(&layers, &parts)?;
        let mirrors: Vec<_> = mirrors(&share).collect();
        let common = Common::new(device, &plan, parts.len() + mirrors.len(), sleep)?;
        let with_layers = Share { plan: layers.clone(), ..share.clone() };
        let slab = |part: Part| {
            let layers = Part::of(&with_layers, part.pieces.clone()).plan;
            let of = SlabOf { whole: &plan, part, common: &common };
            Slab::new(device, of, &layers, kernel)
        };
        let slabs: Vec<_> = parts.into_iter().map(slab).collect::<Result<_, _>>()?;
        let mirror = |(side, part)| Ok((side, slab(part)?));
        let mirrors = mirrors.into_iter().map(mirror).collect::<Result<Vec<_>, EngineError>>()?;
        tracing::debug!(slabs = slabs.len(), "wavefield");
        let all: Vec<_> = all(&slabs, &mirrors).collect();
        let exchange = Exchange::new(device, &all, plan.shots.len() * plan.medium.fields())?;
        Ok(Wavefield {
            own: Part::of(&share, share.pieces.clone()),
            sides: share.sides().collect(),
            whole: layers,
            identity: Arc::default(),
            plan,
            count,
            common,
            slabs,
            mirrors,
            exchange,
        })
    }

    /// Resets it to t = 0, with the shots of another batch of the same survey.
    pub(crate) fn restart(
        &mut self,
        device: &Device,
        share: Share,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<(), EngineError> {
        let (whole, share) = &stepped(share);
        let plan = &share.plan;
        let parts = Part::all(share, self.count)?;
        self.own = Part::of(share, share.pieces.clone());
        let same =
            zip(&self.plan.wavelets, &plan.wavelets).all(|(one, other)| Arc::ptr_eq(one, other));
        if !same {
            self.common.wavelets.restart();
        }
        for (slab, part) in self.slabs.iter_mut().zip(parts) {
            let of = SlabOf { whole: plan, part, common: &self.common };
            slab.restart(device, of, encoder)?;
        }
        for ((_, slab), (_, part)) in self.mirrors.iter_mut().zip(mirrors(share)) {
            let of = SlabOf { whole: plan, part, common: &self.common };
            slab.restart(device, of, encoder)?;
        }
        (self.plan, self.whole) = (plan.clone(), whole.clone());
        self.identity = Arc::default();
        Ok(())
    }

    /// Returns an error if a state would lack the layers of an adjoint.
    pub(crate) fn check_state(&self) -> Result<(), EngineError> {
        let adjoint = self.slabs.iter().any(Slab::is_adjoint);
        if adjoint { Err(StateError::Adjoint.into()) } else { Ok(()) }
    }

    /// Continues with another kernel.
    pub(crate) fn switch(
        &mut self,
        device: &Device,
        kernel: &StepKernel,
    ) -> Result<(), EngineError> {
        let (whole, common) = (&*self.plan, &self.common);
        let mirrors = self.mirrors.iter_mut().map(|(_, slab)| slab);
        self.slabs
            .iter_mut()
            .chain(mirrors)
            .try_for_each(|slab| slab.switch(device, whole, common, kernel))
    }

    /// The slab, if there is only one and nothing is received.
    fn is_one(&self) -> Option<&Slab> {
        match (&self.slabs[..], &self.mirrors[..]) {
            ([slab], []) => Some(slab),
            _ => None,
        }
    }

    /// Prepares a pass for [`Wavefield::step`].
    pub(crate) fn begin(&self, pass: &mut wgpu::ComputePass<'_>) {
        if let Some(slab) = self.is_one() {
            slab.begin(pass);
        }
    }

    /// Steps from `step` to the next, and records p at `step` in a row of the traces.
    pub(crate) fn step(&self, pass: &mut wgpu::ComputePass<'_>, step: usize, row: u32) {
        if let Some(slab) = self.is_one() {
            return slab.step(&self.common, pass, step, row);
        }
        for slab in all(&self.slabs, &self.mirrors) {
            slab.begin(pass);
            slab.step(&self.common, pass, step, row);
        }
        self.exchange.encode(step + 1, pass);
    }

    /// The slab at an end.
    pub(crate) fn end(&self, side: Side) -> &Slab {
        let at = if side == Side::Low { 0 } else { self.slabs.len() - 1 };
        &self.slabs[at]
    }

    /// True if neighbours wait for a slab.
    pub(crate) fn waits(&self, slab: usize) -> bool {
        self.sides.iter().any(|side| ptr::eq(self.end(*side), &self.slabs[slab]))
    }

    /// [`Wavefield::step`] for some slabs of a share, without the exchange. Mirrors are not
    /// stepped: the values of the neighbours replace theirs.
    pub(crate) fn step_part(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        step: usize,
        row: u32,
        of: impl Fn(usize) -> bool,
    ) {
        for (_, slab) in self.slabs.iter().enumerate().filter(|(slab, _)| of(*slab)) {
            slab.begin(pass);
            slab.step(&self.common, pass, step, row);
        }
    }

    /// Copies the neighbours' planes of p at a step to every slab, after a change of p.
    pub(crate) fn exchange(&self, pass: &mut wgpu::ComputePass<'_>, step: usize) {
        if self.is_one().is_none() {
            self.exchange.encode(step, pass);
        }
    }

    /// Records p at `step` without stepping.
    pub(crate) fn record(&self, pass: &mut wgpu::ComputePass<'_>, step: usize, row: u32) {
        self.slabs.iter().for_each(|slab| slab.record(&self.common, pass, step, row));
    }
}

/// The parts that a share mirrors.
pub(crate) fn mirrors(share: &Share) -> impl Iterator<Item = (Side, Part)> {
    share.sides().filter_map(|side| {
        let mirror = share.mirror(side)?;
        Some((side, Part::of(&mirror, mirror.pieces.clone())))
    })
}

/// Slabs and mirrors, in order along the slowest axis.
fn all<'s>(slabs: &'s [Slab], mirrors: &'s [(Side, Slab)]) -> impl Iterator<Item = &'s Slab> {
    let at =
        move |end: Side| mirrors.iter().filter(move |(side, _)| *side == end).map(|(_, slab)| slab);
    at(Side::Low).chain(slabs).chain(at(Side::High))
}

/// A Plan, and its share as the kernels step it: the layers of an adjoint have a separate shader.
pub(crate) fn stepped(share: Share) -> (Arc<Plan>, Share) {
    let plan = share.plan.clone();
    let stepped = if plan.adjoint { Arc::new(plan.without_cpml()) } else { plan.clone() };
    (plan, Share { plan: stepped, ..share })
}
