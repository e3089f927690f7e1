//! The choice of storage of the source wavefields: the requested one, or the fastest that fits.

use super::{
    Migration,
    budget::{Kept, Sizes},
    strategy::{Place, Strategy},
};
use crate::{
    engine::EngineError,
    imaging::{Cost, Wavefield, WavefieldReason},
    plan::Imaging,
};

/// Shots that are migrated together, and their storage.
pub(super) type Choice = (usize, Strategy);

/// Requests, by the names that users give.
const NAMED: [(Wavefield, &str); 3] =
    [(Wavefield::Kept, "kept"), (Wavefield::Checkpoints, "checkpoints"), (Wavefield::Host, "host")];

impl Migration<'_> {
    /// The migration with the requested storage of the source wavefields.
    ///
    /// # Errors
    ///
    /// If it needs more than the memory limit.
    pub fn by(self, wanted: Wavefield) -> Result<Self, EngineError> {
        if wanted == Wavefield::Auto {
            return Ok(self);
        }
        let (shots, strategy) = self.way(wanted);
        let cost = self.cost(&strategy, shots);
        if cost.fits {
            return Ok(Migration { asked: true, ..self.with((shots, strategy)) });
        }
        let others = NAMED.into_iter().filter(|(way, _)| *way != wanted);
        let others = others.filter(|(way, _)| self.fits(&self.way(*way)));
        let names: Vec<_> = others.map(|(_, name)| name).collect();
        let (bytes, memory, more) = match cost.bytes > self.memory.kept {
            true => (cost.bytes, self.memory.kept, "raise rtm.memory"),
            false => (cost.host, self.memory.host, "take a host with more memory"),
        };
        let another = (!names.is_empty())
            .then(|| format!("choose rtm.wavefield = \"{}\"", names.join("\" or \"")));
        let remedies = another.into_iter().chain([more.to_owned()]).collect();
        Err(EngineError::SourceWavefieldSize { what: cost.name, bytes, memory, remedies })
    }

    /// The reason for the choice.
    pub(crate) fn why(&self) -> WavefieldReason {
        let cost = self.cost(&self.strategy, self.at_once);
        match (self.asked, cost.parts, cost.fits) {
            (true, ..) => WavefieldReason::Asked,
            (false, 1, true) if self.strategy.place == Place::Fields => WavefieldReason::AllFit,
            (false, _, true) => WavefieldReason::Fastest,
            (false, _, false) => WavefieldReason::NothingFits,
        }
    }

    /// The cost of every choice, from the one with the most memory on.
    pub fn costs(&self) -> Vec<Cost> {
        let Imaging { every, .. } = self.imaging;
        let (steps, sizes, shots) = (self.plan.time.steps, &self.sizes, self.at_once as u64);
        let kept = Kept::ways(steps / every + 1, sizes.field * shots, sizes.state * shots);
        let kept = kept.into_iter().map(|kept| (self.at_once, Strategy::new(kept, steps, every)));
        let host = self.way(Wavefield::Host);
        let mut ways: Vec<Choice> = Vec::new();
        for way in kept.chain([host, (self.at_once, self.strategy.clone())]) {
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
        let mut costs: Vec<_> =
            ways.iter().map(|(shots, strategy)| self.cost(strategy, *shots)).collect();
        costs.sort_by_key(|cost| std::cmp::Reverse(cost.bytes));
        costs
    }

    fn cost(&self, strategy: &Strategy, shots: usize) -> Cost {
        let taken = (shots, strategy) == (self.at_once, &self.strategy);
        strategy.cost(&self.sizes, shots as u64, self.memory, taken)
    }

    /// The choice for a request.
    fn way(&self, wanted: Wavefield) -> Choice {
        let Migration { plan, memory, sizes, most, imaging: Imaging { every, .. }, .. } = self;
        let (steps, every, Sizes { field, state, .. }) = (plan.time.steps, *every, *sizes);
        let all = steps / every + 1;
        // Fewer shots at once, rather than running the wave twice.
        let whole = (memory.kept / (field * all as u64).max(1)) as usize;
        let at_once = (*most).min(whole.max(1));
        let shots = at_once as u64;
        let kept = |kept| (at_once, Strategy::new(kept, steps, every));
        match wanted {
            Wavefield::Auto => self.fastest(),
            Wavefield::Kept => kept(Kept { slots: all, states: 0 }),
            Wavefield::Checkpoints => {
                kept(Kept::checkpoints(all, field * shots, state * shots, memory.kept))
            }
            // A CPU engine keeps all there anyway.
            Wavefield::Host if self.engine.gpus().is_empty() => self.way(Wavefield::Kept),
            Wavefield::Host => {
                let one = Strategy::host(field, memory.kept, steps, every);
                let on_device = memory.kept / one.bytes(sizes).max(1);
                let on_host = memory.host / one.on_host(sizes).max(1);
                ((on_device.min(on_host) as usize).clamp(1, *most), one)
            }
        }
    }

    /// All imaging steps if they fit, or else the fastest choice that fits and gives the same bits,
    /// so that these do not depend on the free memory; if none fits, the checkpoints with the least
    /// memory.
    pub(super) fn fastest(&self) -> Choice {
        let kept = self.way(Wavefield::Kept);
        if self.fits(&kept) {
            return kept;
        }
        let ways = [Wavefield::Host, Wavefield::Checkpoints].map(|wanted| self.way(wanted));
        let fitting = ways.into_iter().filter(|way| self.fits(way));
        let work = |(_, strategy): &Choice| strategy.work(&self.sizes);
        let fastest = fitting.min_by(|one, other| work(one).total_cmp(&work(other)));
        fastest.unwrap_or_else(|| self.way(Wavefield::Checkpoints))
    }

    fn fits(&self, (shots, strategy): &Choice) -> bool {
        let shots = *shots as u64;
        shots * strategy.bytes(&self.sizes) <= self.memory.kept
            && shots * strategy.on_host(&self.sizes) <= self.memory.host
    }

    pub(super) fn with(self, (at_once, strategy): Choice) -> Self {
        let imaging = Imaging { slots: strategy.slots(), ..self.imaging };
        Migration { at_once, strategy, imaging, ..self }
    }
}
