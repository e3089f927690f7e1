//! The files of estimated wavelets: a table that a job reads as a wavelet, and a picture.

use super::{
    Observations,
    wavelet::{EstimatedWavelets, given_samples},
};
use crate::{
    io::columns,
    job::Inputs,
    plan::Plan,
    render::{Across, Curve, CurveFigure, Line},
    results::{Results, ResultsError, numbers::short},
    run::{RunError, Running, TaskOutputs},
};

/// The most points of a curve; each has a marker.
const POINTS: usize = 100;
/// A wavelet is drawn until it stays below this part of its largest sample.
const DRAWN: f64 = 1e-3;

impl EstimatedWavelets {
    /// Says how traces compare with both wavelets, writes the estimates, and gives them to the shots of a job.
    pub(crate) fn take_effect(
        &self,
        run: &Running<'_>,
        inputs: &mut Inputs,
    ) -> Result<(), RunError> {
        let EstimatedWavelets { before, after, .. } = self;
        run.face.tell(&format_args!(
            "observed and modelled traces: with the job's wavelet {before}; with the estimated one {after}"
        ));
        self.write(&inputs.plan, run.results)?;
        Ok(self.apply_to(inputs)?)
    }

    /// Writes them beside those of a Plan.
    pub(super) fn write(&self, plan: &Plan, results: &Results<'_>) -> Result<(), ResultsError> {
        for (number, samples) in self.samples.iter().enumerate() {
            if samples.is_empty() {
                continue;
            }
            let name = self.name(number);
            let dt = plan.time.dt;
            let last = samples.iter().rposition(|sample| *sample != 0.0).unwrap_or(0);
            let lines = samples[..=last].iter().enumerate();
            let lines = lines.map(|(n, sample)| format!("{},{sample:e}\n", n as f64 * dt));
            let text: String =
                std::iter::once("# time in s, wavelet\n".to_owned()).chain(lines).collect();
            results.folder.replace(&format!("{name}.csv"), text.as_bytes())?;
            if results.file.job.output.draws(number, self.samples.len()) {
                let given = given_samples(plan, number);
                let title = format!("{}, {}", results.file.model_name(), self.title(number));
                results.replace(&name, &mut figure(title, [&given, samples], dt))?;
            }
        }
        Ok(())
    }

    /// The name of the files of a wavelet, without ending.
    fn name(&self, number: usize) -> String {
        match self.is_per_shot {
            true => format!("shot-{:04}/wavelet", number + 1),
            false => "wavelet".into(),
        }
    }

    fn title(&self, number: usize) -> String {
        match self.is_per_shot {
            true => format!("wavelet of shot {}", number + 1),
            false => "wavelet".into(),
        }
    }
}

impl Observations {
    /// The estimates that tasks have written.
    pub(super) fn wavelets_of_tasks(
        &self,
        tasks: &TaskOutputs,
        plan: &Plan,
    ) -> Option<EstimatedWavelets> {
        let mut all = EstimatedWavelets::none(self.gradient.wavelet_estimate()?, plan);
        for number in 0..all.samples.len() {
            let name = format!("{}.csv", all.name(number));
            let read = |bytes: Vec<u8>| columns::parse(&name, &bytes).ok();
            let mut found = tasks.tasks.iter().filter_map(|task| task.folder.bytes(&name).ok());
            let mut samples = found.find_map(read).map(|of| of.values).unwrap_or_default();
            if !samples.is_empty() {
                samples.resize(plan.time.steps, 0.0);
            }
            all.samples[number] = samples;
        }
        Some(all)
    }
}

/// Both wavelets over time, each over its largest value.
fn figure(title: String, [given, estimated]: [&[f64]; 2], dt: f64) -> CurveFigure {
    let largest = |of: &[f64]| of.iter().fold(f64::MIN_POSITIVE, |most, s| most.max(s.abs()));
    let end = |of: &[f64]| {
        let least = DRAWN * largest(of);
        of.iter().rposition(|sample| sample.abs() > least).unwrap_or(0) + 1
    };
    let count = end(given).max(end(estimated));
    let curve = |name: &str, of: &[f64], line: Line| {
        let most = largest(of);
        let points = of.iter().take(count).enumerate().step_by(count.div_ceil(POINTS));
        let points = points.map(|(n, sample)| (n as f64 * dt, sample / most)).collect();
        Curve { name: format!("{name}, largest {}", short(most)), points, line }
    };
    CurveFigure {
        title,
        subtitle: "each over its largest value".into(),
        across: "Time (s)".into(),
        up: "Wavelet".into(),
        ticks: Across::Linear,
        log: false,
        curves: vec![
            curve("of the job", given, Line::Dashed),
            curve("estimated", estimated, Line::Solid),
        ],
        lines: Vec::new(),
    }
}
