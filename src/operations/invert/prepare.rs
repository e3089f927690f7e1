//! The inversion of a job: its keys checked, and its inputs.

use super::{Bounds, Inversion};
use crate::{
    conditioning::BandPass,
    job::{Inputs, Invert, JobError, JobFile, Prior, Varied},
    model::VelocityModel,
    operations::gradient::Observations,
    plan::{Plan, Setup, Step},
};
use ndarray::Array3;
use std::sync::Mutex;

/// A band falls to nothing at its limit times this.
const FLANK: f64 = 1.4;

impl JobFile {
    /// The keys of the inversion.
    pub(crate) fn invert(&self) -> Invert {
        self.job.invert.clone().unwrap_or_default()
    }

    /// `JobFile::to_invert` of the job.
    pub fn inputs_to_invert(&self) -> Result<(Inputs, Bounds), JobError> {
        self.to_invert(self.inputs()?)
    }

    /// The inputs of an inversion, from those of a shot: the time step is one that is stable up to the greatest velocity that the
    /// model may get.
    pub(super) fn to_invert(&self, mut inputs: Inputs) -> Result<(Inputs, Bounds), JobError> {
        let bounds = self.bounds(&inputs)?;
        let most = Array3::from_elem(inputs.model.velocity().dim(), bounds.most as f32);
        let model = VelocityModel::volume(most, inputs.model.grid().h);
        let model = model.map_err(|error| self.mistake("invert.most", error))?;
        let fast = Plan::new(Setup { model, ..inputs.setup.clone() });
        let step = fast.map_err(|error| self.refused(&error))?.time.dt;
        inputs.setup.time.step = Step::Seconds(step);
        inputs.plan = Plan::new(inputs.setup.clone()).map_err(|error| self.refused(&error))?;
        Ok((inputs, bounds))
    }

    /// The bounds of the velocities of an inversion, whose keys are checked.
    fn bounds(&self, inputs: &Inputs) -> Result<Bounds, JobError> {
        let (keys, (slowest, fastest)) = (self.invert(), inputs.model.range());
        let bounds = Bounds {
            least: keys.least.unwrap_or(0.9 * f64::from(slowest)),
            most: keys.most.unwrap_or(1.2 * f64::from(fastest)),
        };
        self.check_invert(&keys, bounds, inputs)?;
        Ok(bounds)
    }

    /// The inversion of some observations.
    pub fn inversion(
        &self,
        observations: Observations,
        inputs: &Inputs,
        bounds: Bounds,
    ) -> Result<Inversion, JobError> {
        let keys = self.invert();
        let interval = inputs.plan.time.interval();
        let band =
            |limit: &f64| BandPass { low_cut: None, high_cut: Some([*limit, FLANK * limit]) };
        let mut bands: Vec<_> = keys.bands.iter().map(band).map(Some).collect();
        for (index, band) in bands.iter().enumerate() {
            if let Some(Err(error)) = band.map(|band| band.check(interval)) {
                return Err(self.mistake(&format!("invert.bands[{index}]"), error));
            }
        }
        if bands.is_empty() {
            bands.push(None);
        }
        let gradient = &observations.gradient;
        if gradient.of != Varied::Velocity || gradient.illumination || gradient.per_shot {
            tracing::warn!("gradient.of, illumination and per_shot are not used by an inversion");
        }
        if gradient.formats.is_some() || gradient.traces {
            tracing::warn!(
                "gradient.formats and gradient.traces are not used by an inversion; give invert.formats and invert.traces"
            );
        }
        Ok(Inversion {
            keys,
            observations,
            bands,
            bounds,
            likenesses: Mutex::default(),
            wavelets: None,
        })
    }

    fn check_invert(&self, keys: &Invert, bounds: Bounds, inputs: &Inputs) -> Result<(), JobError> {
        let require = |holds: bool, key: &str, text: String, remedy: &str| {
            self.require(holds, &format!("invert.{key}"), format!("{text}; {remedy}"))
        };
        let (slowest, fastest) = inputs.model.range();
        let (slowest, fastest) = (f64::from(slowest), f64::from(fastest));
        let Bounds { least, most } = bounds;
        let text = format!(
            "a least velocity of {least} m/s does not hold the model, whose slowest is {slowest}"
        );
        let holds = least > 0.0 && least <= slowest;
        require(holds, "least", text, "give one above 0 and up to that")?;
        let text = format!(
            "a greatest velocity of {most} m/s does not hold the model, whose fastest is {fastest}"
        );
        let holds = most.is_finite() && most >= fastest && most > least;
        require(holds, "most", text, "give that or more")?;
        self.check_image_formats("invert.formats", keys.formats())?;
        let last = inputs.model.grid().last();
        let text = format!("the model is kept to a depth of {} m", keys.water);
        let is_within = keys.water >= 0.0 && keys.water < last.z;
        require(is_within, "water", text, "give 0 or more, and less than its depth")?;
        if let Some(Prior { weight, .. }) = keys.prior {
            let text = format!("a weight of {weight} is not available");
            let holds = weight.is_finite() && weight >= 0.0;
            require(holds, "prior.weight", text, "give a finite one, 0 or more")?;
        }
        let longest = last.x.max(last.z).max(last.y);
        if let Some(length) = keys.smooth {
            let text = format!("a smoothing over {length} m is not available");
            let remedy = format!("give 0 or more, up to the model's longest side, {longest} m");
            require((0.0..=longest).contains(&length), "smooth", text, &remedy)?;
        }
        // A lower one is no wave of the traces, and a filter that outlasts them 500 times.
        let lowest = 0.05 / inputs.plan.time.duration();
        if let Some(at) = keys.bands.iter().position(|f| !(f.is_finite() && *f >= lowest)) {
            let text = format!("a band up to {:e} Hz is not available", keys.bands[at]);
            let lowest = (1e4 * lowest).ceil() / 1e4;
            let remedy =
                format!("give {lowest} Hz or more, a twentieth of a period of which is recorded");
            require(false, &format!("bands[{at}]"), text, &remedy)?;
        }
        Ok(())
    }
}
