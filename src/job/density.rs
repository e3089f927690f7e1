//! The density of a job: a number, Gardner's rule, the values of a built-in model, or a file on the nodes of
//! the velocities.

use super::{JobError, JobFile, model::BUILTIN};
use crate::{
    grid::{Axes, PlaneAxes},
    io::model_file::{Format, ModelFile, ModelFileError, ReadOptions},
    message::about,
    model::{
        AxisOrder, Density, DensityError, ModelError, ModelQuantity, Placement, VelocityModel,
        builtin, builtin_volume, extents,
    },
    rounded::rounded_apart,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Display;

const KEY: &str = "model.density";
/// Gardner's rule.
const GARDNER: &str = "gardner";
/// Two files have the same place if their first nodes are closer, in cells.
const CLOSE: f64 = 0.1;

/// A density everywhere, or where it comes from.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged, expecting = "a number of kg/m3, \"gardner\", a file or \"builtin:layers\"")]
pub(crate) enum GivenDensity {
    Number(f64),
    Named(String),
}

/// A file beside that of the velocities.
#[derive(Clone, Copy)]
pub(super) struct NodesFile<'a> {
    pub key: &'static str,
    pub name: &'a str,
    pub quantity: ModelQuantity,
}

impl JobFile {
    /// The density at the nodes of the job's model.
    pub(crate) fn density(
        &self,
        model: &VelocityModel,
        files: &mut Vec<(String, String)>,
    ) -> Result<Density, JobError> {
        if let Some(density) = &self.supplied.density {
            return Ok(density.clone());
        }
        let name = match &self.job.model.density {
            None => return Ok(Density::default()),
            Some(GivenDensity::Number(value)) => {
                return Density::uniform(*value as f32).map_err(|error| match error {
                    DensityError::Grams { .. } => {
                        let kilograms = 1000.0 * value;
                        let message = format!(
                            "a density of {value} kg/m3 looks like g/cm3; give {kilograms}, in kg/m3"
                        );
                        self.mistake(KEY, message)
                    }
                    error => self.mistake(KEY, error),
                });
            }
            Some(GivenDensity::Named(name)) => name,
        };
        let values = match name.strip_prefix(BUILTIN) {
            _ if name == GARDNER => return Ok(Density::gardner(model)),
            Some(builtin) => self.builtin_density(builtin, model)?,
            None => self.density_file(name, model, files)?,
        };
        Density::from_model(&values).map_err(|error| match error {
            DensityError::Grams { range: (least, most) } => self.density_mistake(
                name,
                format!(
                    "densities from {least} to {most} kg/m3 look like g/cm3; convert it first with \
                     `huygens model convert --quantity density --unit g/cm3`"
                ),
            ),
            error => self.density_mistake(name, error),
        })
    }

    fn density_mistake(&self, name: &str, message: impl Display) -> JobError {
        self.mistake(KEY, about(name, message))
    }

    /// The values of a built-in model, taken as kg/m3, at the nodes of the velocities.
    fn builtin_density(
        &self,
        name: &str,
        model: &VelocityModel,
    ) -> Result<VelocityModel, JobError> {
        let Axes { z, x, y: _ } = model.grid().n;
        let h = model.grid().h;
        let spacing = PlaneAxes { x: h.x, z: h.z };
        match model.grid().is_volume() {
            true => builtin_volume(name, Some(model.grid().n), Some(h)),
            false => builtin(name, Some(PlaneAxes { x, z }), Some(spacing)),
        }
        .map_err(|error| match error {
            ModelError::NoPlane { .. } => {
                let message =
                    format!("builtin:{name} is a 3-D model, and the velocity is 2-D; name another");
                self.mistake(KEY, message)
            }
            error => self.mistake(KEY, error),
        })
    }

    /// The densities of a file, kg/m3.
    fn density_file(
        &self,
        name: &str,
        model: &VelocityModel,
        files: &mut Vec<(String, String)>,
    ) -> Result<VelocityModel, JobError> {
        let refused = |error: ModelFileError| self.density_mistake(name, error);
        let of = NodesFile { key: KEY, name, quantity: ModelQuantity::Density };
        let (file, order) = self.nodes_file(&of, model, files)?;
        let unit = file.value_unit().map_err(refused)?;
        file.model(&order, model.grid().h, unit).map_err(refused)
    }

    /// A file with values at the nodes of the velocities, and the order of its axes. The keys of the velocity's file
    /// hold for one of the same format.
    pub(super) fn nodes_file(
        &self,
        of: &NodesFile<'_>,
        model: &VelocityModel,
        files: &mut Vec<(String, String)>,
    ) -> Result<(ModelFile, AxisOrder), JobError> {
        let NodesFile { key, name, quantity } = *of;
        let wrong = |message: &dyn Display| self.mistake(key, about(name, message));
        let refused = |error: ModelFileError| wrong(&error);
        let mut keys = self.job.model.clone();
        keys.select(name);
        let (n, h) = (model.grid().n, model.grid().h);
        let y = model.grid().is_volume().then_some(n.y);
        let of_velocity = Axes { z: Some(n.z), x: Some(n.x), y };
        let is_raw = keys.format() == Some(Format::Raw);
        let options = ReadOptions {
            quantity,
            nodes: is_raw.then_some(of_velocity),
            array: None,
            ..keys.read_options()
        };
        let (file, digests) = self.open_model(key, name, options, refused)?;
        let order = file.order(keys.axes.as_ref()).map_err(refused)?;
        let given = order.by_axis(&file.shape, 1);
        if given != n {
            let message = format!(
                "the {} has {} nodes, but the velocity has {}; give both on the same nodes",
                quantity.name(),
                extents(given),
                extents(n)
            );
            return Err(wrong(&message));
        }
        if let Err(error @ ModelFileError::AxisUnit { .. }) = file.spacing(&order) {
            return Err(refused(error));
        }
        file.check_spacing(&order, h).map_err(|error| match error {
            ModelFileError::Stretched { axis, own, given, .. } => {
                let [own, given] = rounded_apart(own, given);
                let message = format!(
                    "it has {own} m between nodes along {axis}, but the velocity {given} m; give both \
                     on the same nodes"
                );
                wrong(&message)
            }
            error => refused(error),
        })?;
        self.check_place(of, &file.placement(&order), model)?;
        self.tell_notes(name, file.notes(&order, h));
        files.extend(digests);
        Ok((file, order))
    }

    /// Refuses values whose file places them elsewhere than the velocity; a place given in the job holds for
    /// both.
    fn check_place(
        &self,
        of: &NodesFile<'_>,
        own: &Placement,
        model: &VelocityModel,
    ) -> Result<(), JobError> {
        let keys = &self.job.model;
        let (expected, h) = (model.placement(), model.grid().h);
        let is_given = keys.origin.is_some() || keys.azimuth.is_some() || keys.y_axis.is_some();
        let apart = own.origin.distance(&expected.origin) / h.x.min(h.z);
        let turned = (own.azimuth - expected.azimuth).abs() > 1e-3 || own.y_axis != expected.y_axis;
        if is_given || own.is_plain() || expected.is_plain() || (apart < CLOSE && !turned) {
            return Ok(());
        }
        let message = format!(
            "its first node lies at {own}, but that of the velocity at {expected}; give both on the same \
             nodes, or model.origin for both"
        );
        Err(self.mistake(of.key, about(of.name, message)))
    }
}
