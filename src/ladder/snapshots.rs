//! The cost of snapshots: a whole field leaves the device at an interval of steps, while the next
//! steps run or while they wait, as timed by Fang and others (section IV and figure 7 of their
//! paper).

use super::{
    Case, LadderError, Progress,
    fit::plan,
    timing::{median, tell},
};
use crate::{
    engine::tune,
    engine::{
        Engine, EngineError, Observer, SnapshotView,
        gpu::{Gpu, Sleep},
    },
    plan::{Plan, Tap},
};
use ndarray::Array3;
use serde::Serialize;
use std::sync::Arc;
use web_time::Instant;

/// Steps from one snapshot to the next.
const INTERVALS: [usize; 7] = [1, 2, 5, 10, 20, 50, 100];
/// Number of steps that reported times refer to.
pub const STEPS: usize = 1000;
/// Steps of a sample: `MOST` on a GPU, fewer with frequent snapshots.
const MOST: usize = 1000;
const FEW: usize = 100;
/// Samples of each; the median counts.
const SAMPLES: usize = 3;

/// The cost of snapshots of a grid.
#[derive(Clone, Debug, Serialize)]
pub struct SnapshotTimes {
    /// Grid and operator.
    pub case: Case,
    /// Bytes of a snapshot.
    pub bytes: u64,
    /// 1,000 steps without snapshots, s.
    pub seconds: f64,
    /// One row per interval.
    pub rows: Vec<SnapshotRow>,
}

/// 1,000 steps with snapshots at an interval, s.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SnapshotRow {
    /// Steps from one to the next.
    pub every: usize,
    /// With steps that wait for a copy to the host.
    pub in_turn: f64,
    /// With the copy beside the steps; `None` if the device has no queue for it.
    pub beside: Option<f64>,
    /// `beside`, with a second copy of each snapshot on the host.
    pub copied: Option<f64>,
}

/// Route and receiver of snapshots.
#[derive(Clone, Copy, PartialEq)]
enum Route {
    InTurn,
    Beside,
    Copied,
}

/// Times every interval.
pub fn snapshots(
    gpu: &Gpu,
    case: Case,
    progress: &mut Progress<'_>,
) -> Result<SnapshotTimes, LadderError> {
    let mut plan = plan(Some(gpu), case)?;
    gpu.batch(&plan)?;
    let beside = tune::by_rule(gpu, &plan)?.with_sleep(Sleep::Never);
    let in_turn = beside.with_copies_in_turn();
    let mut kinds = vec![(None, Route::InTurn)];
    for every in INTERVALS {
        kinds.push((Some(every), Route::InTurn));
        if gpu.copies_beside() {
            kinds.extend([(Some(every), Route::Beside), (Some(every), Route::Copied)]);
        }
    }
    let (mut rows, mut seconds) = (Vec::<SnapshotRow>::new(), f64::NAN);
    let (mut room, all) = (Array3::default((0, 0, 0)), kinds.len());
    for (done, (every, route)) in kinds.into_iter().enumerate() {
        tell(progress, done, all)?;
        let gpu = if route == Route::InTurn { &in_turn } else { &beside };
        let taken;
        (plan, taken) = timed(gpu, plan, every, (route == Route::Copied).then_some(&mut room))?;
        match (every, route, rows.last_mut()) {
            (None, ..) => seconds = taken,
            (Some(_), Route::Beside, Some(row)) => row.beside = Some(taken),
            (Some(_), Route::Copied, Some(row)) => row.copied = Some(taken),
            (Some(every), ..) => {
                rows.push(SnapshotRow { every, in_turn: taken, ..SnapshotRow::default() });
            }
        }
    }
    Ok(SnapshotTimes { case, bytes: 4 * case.nodes() as u64, seconds, rows })
}

/// The Plan again, and the median time of 1,000 steps with a snapshot at an interval, for which
/// `keep` has room.
fn timed(
    gpu: &Gpu,
    mut plan: Plan,
    every: Option<usize>,
    keep: Option<&mut Array3<f32>>,
) -> Result<(Plan, f64), EngineError> {
    let most = if gpu.is_hardware() { MOST } else { FEW };
    let interval = every.unwrap_or(most);
    let steps = if interval < 10 { FEW.min(most) } else { most };
    let wanted = every.map(|every| (every..=(SAMPLES + 1) * steps).step_by(every).collect());
    plan.taps = wanted.map(|steps| Tap::Snapshots { steps }).into_iter().collect();
    let plan = Arc::new(plan);
    let mut arrivals = Arrivals { keep, came: 0 };
    let mut run = gpu.start(plan.clone())?;
    // The first warms the device up.
    run.advance(steps, &mut arrivals)?;
    let mut times = [0.0; SAMPLES];
    for seconds in &mut times {
        let (before, started) = (arrivals.came, Instant::now());
        run.advance(steps, &mut arrivals)?;
        *seconds = started.elapsed().as_secs_f64() * (STEPS as f64 / steps as f64);
        assert_eq!(
            arrivals.came - before,
            every.map_or(0, |every| steps / every),
            "all have arrived"
        );
    }
    drop(run);
    Ok((Arc::unwrap_or_clone(plan), median(times.to_vec())))
}

/// Counts snapshots, and copies them if there is room.
struct Arrivals<'a> {
    keep: Option<&'a mut Array3<f32>>,
    came: usize,
}

impl Observer for Arrivals<'_> {
    fn snapshot(&mut self, snapshot: SnapshotView<'_>) {
        self.came += 1;
        if let Some(room) = &mut self.keep {
            snapshot.copy_to(room);
        }
    }
}
