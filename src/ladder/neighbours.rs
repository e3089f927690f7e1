//! The cost of neighbours to a device: the steps of a share by itself, which gives and takes the
//! planes of each side, but receives its own back.
//!
//! With it one device gives an upper bound for several: it leaves out their speeds and the load of
//! all on the host's memory.

use super::{
    Case, LadderError, Progress,
    timing::{
        Clock, Measured, Resident, SPLIT_SECONDS, Sampled, Timed, at_once, by_the_wall, tell,
    },
};
use crate::engine::{
    Engine, EngineError,
    gpu::bench::Sample,
    share::{Alone, Share, ShareRun},
};
use serde::Serialize;
use std::sync::Arc;
use web_time::Instant;

/// Steps of a share.
#[derive(Clone, Debug, Serialize)]
pub struct NeighboursRow {
    /// Number of neighbours, 0 to 2.
    pub neighbours: usize,
    /// Way of transferring their planes ([`ShareRun::halos`]).
    pub halos: &'static str,
    /// Time of a step by the wall clock.
    pub time: Measured,
    /// 10^6 nodes/s.
    pub mpoints: f64,
    /// That over the rate without neighbours.
    pub part: f64,
}

/// Times the case without neighbours, as the first of two shares, and as the second of three, each
/// of as many planes, as far as memory allows.
pub(crate) fn neighbours(
    engine: &dyn Engine,
    case: Case,
    ghost_steps: usize,
    progress: &mut Progress<'_>,
) -> Result<Vec<NeighboursRow>, LadderError> {
    let mut rows: Vec<NeighboursRow> = Vec::new();
    for neighbours in 0..=2 {
        tell(progress, neighbours, 3)?;
        let (time, halos) = match one(engine, case, ghost_steps, neighbours) {
            Err(error) if error.is_too_large() => break,
            timed => timed?,
        };
        let mpoints = 1e-6 * case.nodes() / time.seconds;
        let part = rows.first().map_or(1.0, |none| mpoints / none.mpoints);
        rows.push(NeighboursRow { neighbours, halos, time, mpoints, part });
    }
    Ok(rows)
}

fn one(
    engine: &dyn Engine,
    case: Case,
    ghost_steps: usize,
    neighbours: usize,
) -> Result<(Measured, &'static str), LadderError> {
    let plan = Arc::new(Case { ny: case.ny * (neighbours + 1), ..case }.at_rest()?);
    if neighbours == 0 {
        return Ok((timed(&mut Resident(engine.start(plan)?))?, ""));
    }
    let pieces = (neighbours - 1) * case.ny..neighbours * case.ny;
    let share = engine.start_share(Share::new(&plan, pieces, ghost_steps), None)?;
    let mut share = ByItself(share, Alone::default());
    Ok((timed(&mut share)?, share.0.halos()))
}

/// A share that is its own neighbour.
struct ByItself(Box<dyn ShareRun>, Alone);

impl Timed for ByItself {
    fn sample(&mut self, steps: usize) -> Sampled<'_> {
        let (began, first) = (Instant::now(), self.0.step());
        let advanced = self.0.advance(steps, &mut self.1, &mut ());
        let seconds = began.elapsed().as_secs_f64() / (self.0.step() - first).max(1) as f64;
        at_once(advanced.map(|()| Sample::by_the_wall(seconds)))
    }

    fn clock(&self) -> Clock {
        Clock::Wall
    }
}

fn timed(run: &mut dyn Timed) -> Result<Measured, EngineError> {
    by_the_wall(run, SPLIT_SECONDS, &mut || (), &mut || Ok(()))
}
