//! How a simulation is cut into shares, and which can be.

use crate::{
    EngineError,
    grid::Axis,
    plan::{FocusOutput, Plan, Tap},
    share::{MOST_GHOST_STEPS, Share, ShareError, least_pieces},
};
use std::{iter::zip, ops::Range};

/// Cuts a simulation into shares.
#[derive(Clone, Debug)]
pub(crate) struct Cut {
    /// The weight of each share.
    pub(crate) weights: Vec<f64>,
    /// Steps between exchanges.
    pub(crate) ghost_steps: usize,
    /// The fewest pieces of the first share and of the last, if there is room for them.
    pub(crate) ends: [usize; 2],
}

impl Cut {
    /// The pieces of each share.
    pub(crate) fn pieces(&self, plan: &Plan) -> Result<Vec<Range<usize>>, EngineError> {
        let Cut { weights, ghost_steps, ends } = self;
        let (engines, pieces) = (weights.len(), plan.pieces());
        let least = least_pieces(plan, *ghost_steps);
        let most = (pieces / least).max(1);
        if !(1..=most).contains(&engines) {
            let (what, ghost_steps) = (plan.pieces_name(), *ghost_steps);
            let error = ShareError::Engines { engines, most, pieces, what, least, ghost_steps };
            return Err(error.into());
        }
        // Each has the least, and its part of the rest.
        let sum: f64 = weights.iter().sum();
        let least = if engines == 1 { 0 } else { least };
        let left = (pieces - engines * least) as f64;
        let cut = |i: usize| {
            let before: f64 = weights[..i].iter().sum();
            i * least + (left * before / sum).round() as usize
        };
        let mut cuts: Vec<_> = (0..=engines).map(cut).collect();
        let within = least * engines.saturating_sub(2);
        if engines > 1 && ends[0] + within + ends[1] <= pieces {
            cuts[1] = cuts[1].max(ends[0]);
            for i in 2..engines {
                cuts[i] = cuts[i].max(cuts[i - 1] + least);
            }
            cuts[engines - 1] = cuts[engines - 1].min(pieces - ends[1]);
            for i in (1..engines - 1).rev() {
                cuts[i] = cuts[i].min(cuts[i + 1] - least);
            }
        }
        Ok(cuts.windows(2).map(|two| two[0]..two[1]).collect())
    }

    /// The shares of a Plan.
    pub(crate) fn shares(&self, plan: &Plan) -> Result<Vec<Share>, EngineError> {
        let pieces = self.pieces(plan)?;
        if pieces.len() > 1 {
            self.check(plan, &pieces)?;
        }
        let plan = told_in_parts(plan);
        let share = |pieces| Share::new(&plan, pieces, self.ghost_steps);
        Ok(pieces.into_iter().map(share).collect())
    }

    /// Returns an error if shares of these pieces cannot run the Plan.
    fn check(&self, plan: &Plan, pieces: &[Range<usize>]) -> Result<(), EngineError> {
        let back = plan.adjoint && plan.has_cpml();
        let of_every_step = [
            back.then_some("a wave that goes back through a CPML"),
            plan.scattering.as_ref().map(|_| "a wave that is scattered"),
        ];
        let what = of_every_step.into_iter().flatten().next();
        if let (Some(what), ghost_steps @ 2..) = (what, self.ghost_steps) {
            return Err(ShareError::EveryStep { what, ghost_steps }.into());
        }
        let (layers, ends) = (layers(plan), pieces.first().into_iter().chain(pieces.last()));
        if back && zip(layers, ends).any(|(least, share)| share.len() < least) {
            let least = layers.into_iter().max().unwrap_or(0);
            let (engines, what) = (pieces.len(), plan.pieces_name());
            return Err(ShareError::Adjoint { engines, least, what }.into());
        }
        let along_x =
            |tap: &Tap| matches!(tap, Tap::OffsetGathers(_, offsets) if offsets.along == Axis::X);
        if !plan.grid.is_volume() && plan.taps.iter().any(along_x) {
            return Err(ShareError::Offsets { engines: pieces.len() }.into());
        }
        Ok(())
    }
}

/// The fewest pieces of the first share and of the last in which a wave goes back through a CPML: the
/// layer, the stencil's reach of its nodes, and the end that a device steps first.
pub(crate) fn layers(plan: &Plan) -> [usize; 2] {
    let slowest = if plan.grid.is_volume() { &plan.profile.y } else { &plan.profile.x };
    slowest.memory.map(|layer| match layer {
        0 => 0,
        _ => layer + plan.radius() + least_pieces(plan, 1),
    })
}

/// Returns an error for an invalid number of ghost steps.
pub(crate) fn checked(ghost_steps: usize) -> Result<usize, EngineError> {
    match (1..=MOST_GHOST_STEPS).contains(&ghost_steps) {
        true => Ok(ghost_steps),
        false => Err(ShareError::GhostSteps(ghost_steps).into()),
    }
}

/// A Plan as shares run it: a share knows a part of each map, so summaries are made later.
pub(crate) fn told_in_parts(plan: &Plan) -> Plan {
    let taps = plan.taps.iter().cloned().map(|tap| match tap {
        Tap::Focus { focus, .. } => Tap::Focus { focus, output: FocusOutput::Maps },
        tap => tap,
    });
    Plan { taps: taps.collect(), ..plan.clone() }
}
