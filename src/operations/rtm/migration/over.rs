//! A migration over several devices.

use super::{
    GatherOf, Migration, OnPartial, Partial,
    turns::{IN_TURNS, Turn, Worker},
};
use crate::{
    engine::{
        EngineError,
        shots::{DeviceWork, Queue, on_each},
    },
    host::check_memory,
    operations::OnStep,
};
use std::{
    iter,
    ops::Range,
    sync::{Mutex, PoisonError},
};
use web_time::Instant;

/// Steps that [`over`] counts: for one device [`Migration::total_steps`]; for several that share
/// the shots, the steps of a run for each shot.
pub fn steps_of(migrations: &[Migration<'_>]) -> usize {
    match migrations {
        [one] => one.total_steps(),
        [first, ..] => first.plan.shots.len() * first.plan.time.steps,
        [] => 0,
    }
}

/// Returns an error for the images of shots that the memory does not hold: those of each batch, the
/// sums that wait in a [`Stack`](super::Stack), the scale and the results.
fn check_images(migrations: &[Migration<'_>]) -> Result<(), EngineError> {
    let Some(Migration { plan, offsets, .. }) = migrations.first() else { return Ok(()) };
    let cells = |shapes: Vec<[usize; 3]>| shapes.iter().map(|n| n.iter().product::<usize>()).sum();
    let (each, node): (usize, _) =
        (cells(Partial::shapes(plan, offsets)), plan.survey_grid().cells());
    let batches: usize = migrations.iter().map(Migration::at_once).sum();
    let waiting = plan.shots.len().max(1).ilog2() as usize + 1;
    let values = (2 * node * batches + each * waiting) * size_of::<f32>();
    let results = (each + 2 * node) * size_of::<f64>();
    Ok(check_memory("the stack of the shots", (values + results) as u64)?)
}

/// Migrates the shots of a Plan over devices, each with a [`Migration`] [`among`](Migration::among)
/// them, as [`Migration::run`] does. With several devices `done` takes results in any order, and a
/// [`Stack`](super::Stack) of them has the same bits. On each device two batches take turns if that leaves it less
/// idle. The first device that fails ends all.
pub fn over<E: From<EngineError> + Send>(
    migrations: &[Migration<'_>],
    gather: &GatherOf<'_, E>,
    progress: &mut OnStep<'_>,
    done: &mut OnPartial<'_, E>,
) -> Result<Vec<DeviceWork>, E> {
    let Some(first) = migrations.first() else { return Ok(Vec::new()) };
    check_images(migrations)?;
    let (began, shots) = (Instant::now(), first.plan.shots.len());
    if migrations.len() == 1 {
        let timings = first.run(gather, progress, done)?;
        return Ok(vec![DeviceWork::since(began, first.engine, shots, timings)]);
    }
    let in_turns = migrations.iter().all(|migration| migration.takes_turns(migrations.len()));
    let of_each = if in_turns { IN_TURNS } else { 1 };
    let workers: Vec<_> = migrations.iter().flat_map(|of| iter::repeat_n(of, of_each)).collect();
    let engines: Vec<_> = workers.iter().map(|migration| migration.engine).collect();
    let at_once: Vec<_> = workers.iter().map(|of| (of.at_once() / of_each).max(1)).collect();
    let turns: Vec<_> = migrations.iter().map(|_| Turn::default()).collect();
    let (queue, done) = (Queue::new(shots, &at_once), Mutex::new(done));
    let did = on_each(&engines, &queue, progress, &|place, tell| {
        let migration = workers[place];
        let (steps, of) = (migration.plan.time.steps, migration.steps_of_batch());
        let mut tell = |shots: &Range<usize>, step: usize| tell(shots, step * steps / of.max(1));
        let mut done = |partial| done.lock().unwrap_or_else(PoisonError::into_inner)(partial);
        let turn = in_turns.then(|| &turns[place / of_each]);
        migration.run_of(
            Worker { queue: &queue, place, of_each, turn },
            gather,
            &mut tell,
            &mut done,
        )
    })?;
    let mut did = did.into_iter();
    let device = |_: &Migration<'_>| did.by_ref().take(of_each).reduce(DeviceWork::beside);
    Ok(migrations.iter().filter_map(device).collect())
}
