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
    bench::{Bench, Copies, Kernel, MAJOR, MINOR, Part, RoundTrip, Update, VECTOR, Workgroup},
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
    /// Two kinds of copies for each of two kernels.
    pub trips: Vec<TripTimes>,
    /// An empty submit and the wait for it, which every round trip includes.
    pub submit: Measured,
    /// The thesis' measurements.
    pub thesis: Thesis,
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

/// Copies of section 2.4.1.1, kernels of the final version, 2.4.4.4.
pub const THESIS: Thesis = Thesis {
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

/// The kernels that take part in the round trip.
fn kernels() -> [(&'static str, Vec<(&'static Kernel, Workgroup)>); 2] {
    let with = |kernel: &'static Kernel| (kernel, kernel.workgroup);
    [("5 two passes", vec![with(&MAJOR), with(&MINOR)]), ("7 vec4", vec![with(&VECTOR)])]
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
    let kernels = kernels();
    let both = [Copies::Whole, Copies::Columns];
    // The first group keeps the device busy, the second leaves it mostly idle.
    let mut resident: Vec<Box<dyn Timed + '_>> = Vec::new();
    let mut trips: Vec<Box<dyn Timed + '_>> = Vec::new();
    let trip = |kernels, copies, part| -> Result<Box<dyn Timed + '_>, LadderError> {
        Ok(Box::new(RoundTrip::new(&bench, kernels, copies, part, checked)?))
    };
    for (_, kernels) in &kernels {
        for update in [Update::Laplacian, Update::Wave] {
            resident.push(Box::new(bench.chain(kernels, update, checked)?));
        }
        for copies in both {
            trips.push(trip(kernels, copies, Part::RoundTrip)?);
        }
    }
    for copies in both {
        trips.push(trip(&[], copies, Part::Upload)?);
        trips.push(trip(&[], copies, Part::Download)?);
    }
    trips.push(trip(&[], Copies::Whole, Part::Nothing)?);

    let before = samples(resident.len());
    let all = before + samples(trips.len());
    let resident = now(race(&mut resident, &mut |done, _| progress(done, all)))?;
    let trips = now(race(&mut trips, &mut |done, _| progress(before + done, all)))?;

    // In the order in which they were pushed above.
    let (round_trips, parts) = trips.split_at(2 * kernels.len());
    let mut trips = Vec::new();
    for (of_kernel, (name, _)) in kernels.iter().enumerate() {
        let [kernel, resident] = [0, 1].map(|update| resident[2 * of_kernel + update]);
        for (index, copies) in both.into_iter().enumerate() {
            let round_trip = round_trips[2 * of_kernel + index];
            trips.push(TripTimes {
                name,
                copies,
                upload: parts[2 * index],
                kernel,
                download: parts[2 * index + 1],
                round_trip,
                resident,
                share_outside: 1.0 - kernel.seconds / round_trip.seconds,
                gain: round_trip.wall / resident.wall,
            });
        }
    }
    Ok(CopyTimes { case, trips, submit: parts[4], thesis: THESIS })
}
