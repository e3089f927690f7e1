//! The cost of copies between host and device: the thesis' round trip at every step, beside a field
//! that stays on the device.

use super::{
    Case, Clock, LadderError, Measured, Progress, Timed,
    fit::plan,
    race,
    timing::{Sampled, at_once, now, samples},
};
use crate::engine::gpu::{
    Gpu,
    bench::{
        Bench, Copies, Kernel, MAJOR, MINOR, PADDED, Part, RoundTrip, UNIFORM, Update, VECTOR,
        Workgroup,
    },
};
use serde::Serialize;

/// A step with its copies, and without.
#[derive(Clone, Debug, Serialize)]
pub struct TripTimes {
    /// The kernels of the step.
    pub name: &'static str,
    /// Way of copying the arrays.
    pub copies: Copies,
    /// The field to the device, by itself.
    pub upload: Measured,
    /// The Laplacian by itself.
    pub kernel: Measured,
    /// The Laplacian to the host, by itself.
    pub download: Measured,
    /// The whole round trip, submitted as one.
    pub round_trip: Measured,
    /// A step of the wave equation whose field stays on the device, with the same kernels.
    pub resident: Measured,
    /// Fraction of the round trip outside the kernel: copies, padding on the host, a submit and a
    /// wait.
    pub share_outside: f64,
    /// Speed-up of the resident step, both by the wall clock.
    pub gain: f64,
}

/// The finished experiment.
#[derive(Clone, Debug, Serialize)]
pub struct CopyTimes {
    /// Grid and operator.
    pub case: Case,
    /// The thesis' stages and the fastest kernel, with one or both kinds of copies.
    pub trips: Vec<TripTimes>,
    /// An empty submit and the wait for it, which every round trip includes.
    pub submit: Measured,
    /// The thesis' measurements.
    pub(crate) thesis: Thesis,
}

/// Sadahiro (2014), chapters II and III: 310 x 775 nodes, a wing of 8, a Tesla K20m; microseconds
/// per step.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Thesis {
    /// Four copies to the device, whole (1-D memcpy) and row by row (2-D memcpy).
    pub upload_us: [f64; 2],
    /// The two passes.
    pub kernel_us: f64,
    /// A copy to the host, whole and row by row.
    pub download_us: [f64; 2],
    /// Fraction of the convolution's time.
    pub share_of_transfers: f64,
    /// The author's expectation for a field that stays on the device.
    pub hoped_for: f64,
}

impl CopyTimes {
    /// The thesis' measurements, if they are of the same grid and operator.
    pub fn comparable(&self) -> Option<&Thesis> {
        (self.case == super::THESIS).then_some(&self.thesis)
    }
}

/// Copies of section 2.4.1.1, kernels of the final version, 2.4.4.4.
pub(crate) const THESIS: Thesis = Thesis {
    upload_us: [320.38e3 / 1999.0, 332.46e3 / 1999.0],
    kernel_us: 58.57 + 42.24,
    download_us: [146.17, 148.08],
    share_of_transfers: 0.64,
    hoped_for: 3.0,
};

impl Timed for RoundTrip<'_> {
    fn sample(&mut self, steps: usize) -> Sampled<'_> {
        at_once(RoundTrip::sample(self, steps))
    }

    fn clock(&self) -> Clock {
        Clock::Wall
    }
}

/// The kernels that take part in the round trip, and the ways of copying that are timed with them.
struct Stage {
    name: &'static str,
    kernels: Vec<(&'static Kernel, Workgroup)>,
    copies: &'static [Copies],
}

const BOTH: [Copies; 2] = [Copies::Whole, Copies::Columns];

/// The thesis' stages with the numbers of their rungs, and the fastest kernel.
fn stages() -> [Stage; 4] {
    let with = |kernel: &'static Kernel| (kernel, kernel.workgroup);
    let stage = |name, kernels, copies| Stage { name, kernels, copies };
    [
        stage("3 global memory", vec![with(&PADDED)], &BOTH[..1]),
        stage("4 uniform buffer", vec![with(&UNIFORM)], &BOTH[..1]),
        stage("5 two passes", vec![with(&MAJOR), with(&MINOR)], &BOTH),
        stage("7 vec4", vec![with(&VECTOR)], &BOTH),
    ]
}

/// Runs the experiment.
pub fn copy(
    gpu: &Gpu,
    case: Case,
    checked: bool,
    progress: &mut Progress<'_>,
) -> Result<CopyTimes, LadderError> {
    let plan = plan(Some(gpu), case)?;
    let bench = Bench::new(gpu, &plan)?;
    let stages = stages();
    // The first group keeps the device busy, the second leaves it mostly idle.
    let mut resident: Vec<Box<dyn Timed + '_>> = Vec::new();
    let mut trips: Vec<Box<dyn Timed + '_>> = Vec::new();
    let trip = |kernels, copies, part| -> Result<Box<dyn Timed + '_>, LadderError> {
        Ok(Box::new(RoundTrip::new(&bench, kernels, copies, part, checked)?))
    };
    for Stage { kernels, copies, .. } in &stages {
        for update in [Update::Laplacian, Update::Wave] {
            resident.push(Box::new(bench.chain(kernels, update, checked)?));
        }
        for copies in *copies {
            trips.push(trip(kernels, *copies, Part::RoundTrip)?);
        }
    }
    for copies in BOTH {
        trips.push(trip(&[], copies, Part::Upload)?);
        trips.push(trip(&[], copies, Part::Download)?);
    }
    trips.push(trip(&[], Copies::Whole, Part::Nothing)?);

    let before = samples(resident.len());
    let all = before + samples(trips.len());
    let resident = now(race(&mut resident, &mut |done, _| progress(done, all)))?;
    let trips = now(race(&mut trips, &mut |done, _| progress(before + done, all)))?;

    // In the order in which they were pushed above.
    let (round_trips, parts) = trips.split_at(trips.len() - 2 * BOTH.len() - 1);
    let mut round_trips = round_trips.iter();
    let mut trips = Vec::new();
    for (stage, times) in stages.iter().zip(resident.chunks_exact(2)) {
        let (kernel, resident) = (times[0], times[1]);
        for (copies, round_trip) in stage.copies.iter().zip(&mut round_trips) {
            let part = 2 * usize::from(*copies == Copies::Columns);
            trips.push(TripTimes {
                name: stage.name,
                copies: *copies,
                upload: parts[part],
                kernel,
                download: parts[part + 1],
                round_trip: *round_trip,
                resident,
                share_outside: 1.0 - kernel.seconds / round_trip.seconds,
                gain: round_trip.wall / resident.wall,
            });
        }
    }
    Ok(CopyTimes { case, trips, submit: parts[2 * BOTH.len()], thesis: THESIS })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_k20m_stands_beside_the_case_of_the_thesis_only() {
        let [seconds, fastest, slowest, wall] = [1e-6; 4];
        let submit =
            Measured { seconds, fastest, slowest, wall, samples: 1, steps: 1, clock: Clock::Wall };
        let of = |case| CopyTimes { case, trips: Vec::new(), submit, thesis: THESIS };
        assert!(of(super::super::THESIS).comparable().is_some());
        assert!(of(Case { nz: 311, ..super::super::THESIS }).comparable().is_none());
    }
}
