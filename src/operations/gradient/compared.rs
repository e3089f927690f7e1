//! Observed and modelled traces beside each other, as a misfit compares them: SEG-Y files and pictures.

use super::{Observations, passed};
use crate::{
    conditioning::BandPass,
    engine::{Engine, EngineError},
    job::{GatherFormat, Inputs},
    operations::{
        rtm::{Begin, Stage},
        shot::{
            self, ShotResult,
            files::{SurveyTraces, traces_figure},
        },
    },
    plan::Plan,
    render::{Figure, GatherFigure, PageFigure},
    results::{Results, ResultsError},
};
use ndarray::{Array2, CowArray, Ix2};
use std::sync::{Mutex, PoisonError};

/// All traces that a model gives.
pub(crate) struct ModelledTraces {
    /// What the names of their files begin with.
    pub(crate) prefix: &'static str,
    /// `[receiver][sample]` of each shot.
    pub(crate) gathers: Vec<Array2<f32>>,
}

impl ModelledTraces {
    /// Models the shots of a Plan.
    ///
    /// # Errors
    ///
    /// If an engine fails.
    pub(crate) fn of<E: From<EngineError> + Send>(
        prefix: &'static str,
        engines: &[&dyn Engine],
        plan: &Plan,
        begin: &mut Begin<'_, E>,
    ) -> Result<Self, E> {
        let gathers = Mutex::new(vec![Array2::default((0, 0)); plan.shots.len()]);
        let done = |result: ShotResult| {
            let mut gathers = gathers.lock().unwrap_or_else(PoisonError::into_inner);
            gathers[result.shot] = result.gather;
            Ok::<(), E>(())
        };
        let mut on_step = begin(Stage::Modelling(plan))?;
        shot::stream(engines, plan, &mut on_step, &mut |_, _| false, &done)?;
        drop(on_step);
        let gathers = gathers.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(ModelledTraces { prefix, gathers })
    }
}

/// Observed traces, and those of some models.
pub(crate) struct ComparedTraces<'a> {
    pub(crate) observations: &'a Observations,
    /// The band in which they are compared, if not in all frequencies.
    pub(crate) band: Option<BandPass>,
    pub(crate) modelled: &'a [ModelledTraces],
}

impl ComparedTraces<'_> {
    /// Writes them and the differences, and draws some shots.
    pub(crate) fn write(&self, results: &Results<'_>, inputs: &Inputs) -> Result<(), ResultsError> {
        let interval = inputs.plan.time.interval();
        let observed = |shot: usize| self.counted(shot, &self.observations.gathers[shot], interval);
        let write = |name: &str, heading: &str, gather: &dyn Fn(usize) -> Array2<f32>| {
            let samples = inputs.plan.time.kept();
            let survey = SurveyTraces { format: GatherFormat::Sgy, samples, interval, heading };
            let gather = |shot: usize| CowArray::<'static, f32, Ix2>::from(gather(shot));
            survey.write(&format!("{name}.sgy"), results, inputs, gather)
        };
        write("observed", "OBSERVED TRACES", &observed)?;
        for ModelledTraces { prefix, gathers } in self.modelled {
            let modelled = |shot: usize| self.counted(shot, &gathers[shot], interval);
            let residual = |shot: usize| observed(shot) - modelled(shot);
            write(&format!("{prefix}modelled"), "MODELLED TRACES", &modelled)?;
            write(&format!("{prefix}residual"), "OBSERVED MINUS MODELLED TRACES", &residual)?;
        }
        let shots = inputs.plan.shots.len();
        for shot in (0..shots).filter(|shot| results.file.job.output.draws(*shot, shots)) {
            self.draw(results, inputs, shot, &observed(shot))?;
        }
        Ok(())
    }

    /// Traces of a shot as they are compared: in the band, and weighed.
    fn counted(&self, shot: usize, traces: &Array2<f32>, interval: f64) -> Array2<f32> {
        let mut traces = traces.clone();
        self.observations.keep_recorded(shot, &mut traces);
        let traces = passed(self.band, traces, interval);
        match &self.observations.weights {
            Some(weights) => traces * &weights[shot],
            None => traces,
        }
    }

    /// Draws a row of panels for each model, all with the scale of the observed traces.
    fn draw(
        &self,
        results: &Results<'_>,
        inputs: &Inputs,
        shot: usize,
        observed: &Array2<f32>,
    ) -> Result<(), ResultsError> {
        let interval = inputs.plan.time.interval();
        let mut panels = Vec::new();
        for ModelledTraces { prefix, gathers } in self.modelled {
            let modelled = self.counted(shot, &gathers[shot], interval);
            let (residual, of) = (observed - &modelled, prefix.replace('-', ": "));
            panels.push(Panel { title: "observed".into(), traces: observed.clone() });
            panels.push(Panel { title: format!("{of}modelled"), traces: modelled });
            panels.push(Panel { title: format!("{of}residual"), traces: residual });
        }
        let file = results.file;
        let whole = traces_figure(file, inputs, shot, observed.view());
        let largest = file.job.output.figures.largest().unwrap_or_else(|| whole.scale());
        let drawn = panels.iter().map(|panel| {
            let (title, largest) = (panel.title.clone(), Some(largest));
            let figure = traces_figure(file, inputs, shot, panel.traces.view());
            Box::new(GatherFigure { title, largest, ..figure }) as Box<dyn Figure>
        });
        let page = PageFigure {
            title: format!("{}, as the misfit compares it", whole.title),
            panels: drawn.collect(),
            columns: 3,
            least: GatherFigure::LEAST,
            height: 1.1,
        };
        let name = match inputs.plan.shots.len() {
            1 => "traces".to_owned(),
            _ => format!("shot-{:04}/traces", shot + 1),
        };
        results.page(&name, page)
    }
}

/// A panel of a page.
struct Panel {
    title: String,
    traces: Array2<f32>,
}
