//! The velocity model of a job: built in or from a file, of two dimensions or of three.

use super::{JobFile, OneOrEach, axes::Dimensions};
use crate::cli::failure::Failure;
use huygens::{
    grid::{Axes, GridError},
    io::npy,
    model::{Builtin, ModelError, VelocityModel, builtin, builtin_volume},
};
use ndarray::{Axis, Ix3};

const BUILTIN: &str = "builtin:";

impl JobFile {
    /// The model, which decides whether the job is 2-D or 3-D.
    pub(super) fn model(
        &self,
        files: &mut Vec<(String, String)>,
    ) -> Result<(VelocityModel, Dimensions), Failure> {
        let Some(velocity) = &self.job.model.velocity else {
            let message =
                "the job names no velocity model; give velocity, or --model on the command line";
            return Err(self.mistake("model.velocity", message));
        };
        match velocity.strip_prefix(BUILTIN) {
            Some(name) => self.builtin(name),
            None => self.model_file(velocity, files),
        }
    }

    /// A built-in model is a volume where the job gives it a y, or where it is nothing else.
    fn builtin(&self, name: &str) -> Result<(VelocityModel, Dimensions), Failure> {
        let (nodes, spacing) = (&self.job.model.nodes, self.job.model.spacing);
        if self.job.model.sample_interval.is_some() {
            let message = "a sample interval belongs to a .sgy model; leave it out";
            return Err(self.mistake("model.sample_interval", message));
        }
        let refused = |error| self.model_mistake(error);
        let y_given = nodes.is_some_and(|nodes| nodes.y.is_some())
            || spacing.is_some_and(|spacing| spacing.has_y());
        if !(y_given || Builtin::named(name).map_err(refused)?.volume) {
            let nodes = nodes.map(|n| (n.x, n.z));
            let spacing = spacing.map(|h| match h {
                OneOrEach::One(h) => (h, h),
                OneOrEach::Each(h) => (h.x, h.z),
            });
            let model = builtin(name, nodes, spacing).map_err(refused)?;
            return Ok((model, Dimensions::Two));
        }
        let volume = Dimensions::Three;
        let nodes = nodes.map(|n| self.each("model.nodes", OneOrEach::Each(n), volume));
        let spacing = spacing.map(|h| self.each("model.spacing", h, volume));
        let model = builtin_volume(name, nodes.transpose()?, spacing.transpose()?);
        Ok((model.map_err(refused)?, volume))
    }

    fn model_file(
        &self,
        velocity: &str,
        files: &mut Vec<(String, String)>,
    ) -> Result<(VelocityModel, Dimensions), Failure> {
        let model = &self.job.model;
        let mistake = |key: &str, message: String| self.mistake(&format!("model.{key}"), message);
        let path = self.path(velocity);
        let name = path.display();
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("npy") => {}
            Some("sgy" | "segy" | "SGY" | "SEGY") => return self.segy_model(&path, files),
            _ => {
                let message = format!(
                    "{name} is of no known format; models are read from .npy and .sgy files for now, or \
                     \"builtin:salt\""
                );
                return Err(mistake("velocity", message));
            }
        }
        if model.sample_interval.is_some() {
            return Err(mistake("sample_interval", "a .npy file has none; give spacing".into()));
        }
        let Some(spacing) = model.spacing else {
            let message = "a .npy file carries no spacing; give spacing = { z = ..., x = ... } in metres, \
                           with y in 3-D, or --spacing on the command line";
            return Err(mistake("spacing", message.into()));
        };
        let Some(axes) = &model.axes else {
            let message = "a .npy file does not name its axes; give axes = \"xz\" (z fastest, [x][z]) or \
                           \"zx\", \"yxz\" or another order of the three in 3-D, or --axes on the command line";
            return Err(mistake("axes", message.into()));
        };
        if model.nodes.is_some() {
            return Err(mistake(
                "nodes",
                "nodes belong to a built-in model; leave them out".into(),
            ));
        }
        let dimensions = axes.dimensions();
        let h = self.each("model.spacing", spacing, dimensions)?;
        let array = npy::read(&path).map_err(|error| mistake("velocity", error.to_string()))?;
        let (order, shape) = (axes.ours(), array.shape().to_vec());
        if shape.len() != order.len() {
            let message = format!(
                "{name} has the shape {shape:?}, which axes = \"{axes}\" does not fit; a 2-D model has two \
                 axes, such as \"xz\", and a 3-D one three, such as \"yxz\""
            );
            return Err(mistake("velocity", message));
        }
        let array = array.permuted_axes(order).mapv(|v| v as f32);
        let (array, h) = match dimensions {
            Dimensions::Two => (array.insert_axis(Axis(0)), Axes { y: 1.0, ..h }),
            Dimensions::Three if array.shape()[0] == 1 => {
                return Err(mistake(
                    "velocity",
                    format!("{name} has the shape {shape:?}: {}", ModelError::OnePlane),
                ));
            }
            Dimensions::Three => (array, h),
        };
        let array = array.into_dimensionality::<Ix3>().map_err(Failure::run)?;
        files.push(self.digest("model.velocity", &path)?);
        let model = VelocityModel::volume(array, h).map_err(|error| self.model_mistake(error))?;
        Ok((model, dimensions))
    }

    /// The failure for a model, at what is to be changed.
    pub(super) fn model_mistake(&self, error: ModelError) -> Failure {
        let key = match error {
            ModelError::Grid(GridError::Spacing { .. }) => "model.spacing",
            ModelError::Grid(_) | ModelError::TooLarge { .. } | ModelError::OnePlane => {
                "model.nodes"
            }
            _ => "model.velocity",
        };
        self.mistake(key, error)
    }
}
