//! A gather that is sent back, and where it focuses: `huygens locate`.

use crate::{
    notes,
    simulation::{Simulation, nothing, refused},
};
use huygens::{
    acquisition::Recording,
    engine::FocusMap,
    ndarray::s,
    operations::locate::{Focused, LocationRun, Peak, Search, operation::Recorded, recorded_at},
    plan::{Mask, Plan},
    run::Operation,
};
use std::sync::Arc;
use wasm_bindgen::prelude::*;

/// The way back of a gather.
pub struct Back {
    /// Seconds that the gather lasts.
    pub duration: f64,
    search: Search,
    mask: Mask,
    /// Once all of it is back.
    found: Option<Peak>,
}

impl Back {
    /// Finds the focus in the map of a Plan that is through.
    pub fn find(&mut self, plan: &Plan, map: FocusMap) {
        let focused = Focused { model: 0, map, snapshots: Vec::new() };
        let (peaks, _) = self.search.found(plan, &self.mask, &focused);
        self.found = peaks.first().copied();
    }
}

#[wasm_bindgen]
impl Simulation {
    /// Stands at the end of the gather so far, which is sent back from its receivers; returns the warnings.
    pub fn turn_back(&mut self) -> Result<Vec<String>, JsError> {
        let shown = self.shown()?;
        let (plan, samples) = (&shown.inputs.plan, shown.heard.samples);
        let gather = shown.heard.gathers.shots.first().ok_or_else(nothing)?;
        let recording = Recording {
            gather: gather.slice(s![.., ..samples]).to_owned(),
            interval: plan.time.interval(),
            receivers: plan.shots[0].asked.receivers.to_vec(),
        };
        let back = shown.file.back_of(recording).map_err(refused)?;
        let run = LocationRun::prepare(&shown.file, back, Recorded::default()).map_err(refused)?;
        let (plan, warnings) = (Arc::new(run.plan().clone()), run.warnings());
        let LocationRun { back, search, mask, .. } = run;
        let duration = back.recording.duration();
        self.turn(plan, Back { duration, search, mask, found: None })?;
        Ok(notes::take().into_iter().chain(warnings).collect())
    }

    /// Where a gather that was sent back focuses: x and z in metres, its time in seconds, and its strength over
    /// the median of the map; empty before it is back, and without a focus.
    pub fn found(&self) -> Vec<f64> {
        let shown = self.shown().ok().filter(|shown| shown.ended);
        let Some((shown, back)) = shown.and_then(|shown| Some((shown, shown.back.as_ref()?)))
        else {
            return Vec::new();
        };
        let told = |peak: &Peak| {
            let time = recorded_at(&shown.plan, peak.step);
            vec![peak.at.x, peak.at.z, time, peak.over_background.unwrap_or(0.0)]
        };
        back.found.as_ref().map_or(Vec::new(), told)
    }
}
