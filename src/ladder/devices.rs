//! Steps of one volume over 1, 2, ... devices, as table 3 of Micikevicius (2009): at a fixed
//! volume, and at one that grows with the devices.

use super::{
    Case, CaseError, LadderError, NeighboursRow, Progress, neighbours as of_neighbours,
    s1060::{self, PublishedDevices},
    timing::{self, Measured, Resident, SAMPLES, SPLIT_SECONDS, by_the_wall},
};
use crate::{
    engine::tune,
    engine::{
        Description, Engine, EngineError, ShareTimings, Split,
        gpu::{Gpu, Sleep},
    },
    plan::Plan,
};
use serde::Serialize;
use std::{iter::successors, sync::Arc};

/// A volume stepped by 1, 2, 4, ... devices.
#[derive(Clone, Debug, Serialize)]
pub struct DevicesTimes {
    /// Grid and operator.
    pub case: Case,
    /// Steps from one exchange to the next.
    pub(crate) ghost_steps: usize,
    /// The devices, in the order in which they are added.
    pub devices: Vec<Description>,
    /// The same volume on 1 device and more.
    pub kept: Vec<DevicesRow>,
    /// A volume with planes in proportion to the devices, on 2 and more.
    pub grown: Vec<DevicesRow>,
    /// The cost of neighbours to a share of the volume's size on the first device.
    pub neighbours: Vec<NeighboursRow>,
}

/// A volume stepped by a number of devices.
#[derive(Clone, Debug, Serialize)]
pub struct DevicesRow {
    /// Number of devices: the first of the list.
    pub devices: usize,
    /// The volume that they share.
    pub case: Case,
    /// Time of a step; `None` if it was not run.
    pub time: Option<Measured>,
    /// Reason it was not run.
    pub refused: Option<String>,
    /// 10^6 nodes/s.
    pub mpoints: Option<f64>,
    /// Speed-up over one device with the fixed volume.
    pub times: Option<f64>,
    /// `times` over the devices.
    pub efficiency: Option<f64>,
    /// Time of each share over all samples; empty for one device, which runs the volume unsplit.
    pub shares: Vec<ShareTimings>,
    /// The paper's figure for as many GPUs.
    pub published: Option<PublishedDevices>,
}

/// How a volume is shared, and what of it is timed.
#[derive(Clone, Copy, Debug)]
pub struct Sharing {
    /// Steps from one exchange to the next.
    pub ghost_steps: usize,
    /// The kept volume alone, without volumes that grow and without neighbours.
    pub only_kept: bool,
}

/// Times the case on 1, 2, 4, ... and on all devices, the first of the list.
///
/// # Errors
///
/// If there are more devices than the volume can be split over, or no number of them holds it.
pub fn devices(
    engines: &mut [Arc<dyn Engine>],
    case: Case,
    Sharing { ghost_steps, only_kept }: Sharing,
    progress: &mut Progress<'_>,
) -> Result<DevicesTimes, LadderError> {
    let plan = Arc::new(case.whole()?);
    Split::over(engines.to_vec(), &[])?.with_ghost_steps(ghost_steps)?.pieces(&plan)?;
    choose_kernels(engines, &plan)?;
    let count = engines.len();
    let counts = counts(count);
    let rows = if only_kept { counts.len() } else { 2 * counts.len() - 1 };
    let all = rows * (SAMPLES + 1);
    let mut taken = Taken { done: 0, all, ghost_steps, progress };
    let mut kept = Vec::new();
    for devices in counts.iter().copied().filter(|_| count > 1) {
        let mut row = row(engines, devices, case, Ok(plan.clone()), &mut taken)?;
        row.published = s1060::published_devices(devices, &case);
        kept.push(row);
    }
    drop(plan);
    let mut neighbours = Vec::new();
    if !only_kept || count == 1 {
        neighbours = of_neighbours(engines[0].as_ref(), case, ghost_steps, taken.progress)?;
    }
    let mut grown = Vec::new();
    for devices in counts.into_iter().skip(1).filter(|_| !only_kept) {
        let case = Case { ny: case.ny * devices, ..case };
        grown.push(row(engines, devices, case, case.whole().map(Arc::new), &mut taken)?);
    }
    let one = kept.first().and_then(|row| row.mpoints);
    for row in kept.iter_mut().chain(&mut grown) {
        row.times = row.mpoints.zip(one).map(|(mpoints, one)| mpoints / one);
        row.efficiency = row.times.map(|times| times / row.devices as f64);
    }
    let devices = engines.iter().map(|engine| engine.describe()).collect();
    Ok(DevicesTimes { case, ghost_steps, devices, kept, grown, neighbours })
}

/// 1, 2, 4, ..., and all.
fn counts(all: usize) -> Vec<usize> {
    let doubled = successors(Some(1), |count| Some(2 * count)).take_while(|count| *count < all);
    doubled.chain([all]).collect()
}

/// Gives each GPU the kernel for a Plan.
fn choose_kernels(engines: &mut [Arc<dyn Engine>], plan: &Plan) -> Result<(), EngineError> {
    for engine in engines {
        if let Some(gpu) = Gpu::of(engine.as_ref()) {
            // Some fields stay zero, and all are to be stepped.
            *engine = Arc::new(tune::by_rule(gpu, plan)?.with_sleep(Sleep::Never));
        }
    }
    Ok(())
}

/// Samples taken out of all.
struct Taken<'t, 'p> {
    done: usize,
    all: usize,
    ghost_steps: usize,
    progress: &'t mut Progress<'p>,
}

impl Taken<'_, '_> {
    fn tell(&mut self) -> Result<(), EngineError> {
        self.done += 1;
        timing::tell(self.progress, self.done, self.all)
    }
}

/// The row of the first devices; without a time if they do not hold the volume.
fn row(
    engines: &[Arc<dyn Engine>],
    devices: usize,
    case: Case,
    plan: Result<Arc<Plan>, CaseError>,
    taken: &mut Taken<'_, '_>,
) -> Result<DevicesRow, LadderError> {
    let until = taken.done + SAMPLES + 1;
    let timed = plan.map_err(LadderError::from).and_then(|plan| {
        let split = Split::over(engines[..devices].to_vec(), &[])?;
        Ok(timed(&split.with_ghost_steps(taken.ghost_steps)?, plan, taken)?)
    });
    taken.done = until;
    let (time, shares, refused) = match timed {
        Ok((time, shares)) => (Some(time), shares, None),
        Err(error) if error.is_too_large() => (None, Vec::new(), Some(error.to_string())),
        Err(error) => return Err(error),
    };
    let mpoints = time.map(|time| 1e-6 * case.nodes() / time.seconds);
    let (times, efficiency, published) = (None, None, None);
    Ok(DevicesRow { devices, case, time, refused, mpoints, times, efficiency, shares, published })
}

/// Time of a step by the wall clock, exchanges included, and the times of the shares over all
/// samples.
fn timed(
    split: &Split,
    plan: Arc<Plan>,
    taken: &mut Taken<'_, '_>,
) -> Result<(Measured, Vec<ShareTimings>), EngineError> {
    split.batch(&plan)?;
    let mut run = Resident(split.start(plan)?);
    // Shares have spans of their own.
    let computing =
        || tracing::info_span!(target: "timeline", "computing", device = 0_u64).entered();
    let _computing = split.timings().is_empty().then(computing);
    let mut before = Vec::new();
    let begin = &mut || before = split.timings();
    let time = by_the_wall(&mut run, SPLIT_SECONDS, begin, &mut || taken.tell())?;
    let mut shares = split.timings();
    for (share, before) in shares.iter_mut().zip(&before) {
        share.computing -= before.computing;
        share.waiting -= before.waiting;
        share.idle -= before.idle;
    }
    Ok((time, shares))
}
