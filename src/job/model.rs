//! The velocity model of a job: built in or from a file, of two dimensions or of three.

use super::{DepthUnit, JobError, JobFile, Model, OneOrEach, Origin};
use crate::{
    grid::{Axes, GridError, PlaneAxes, Position},
    io::{
        model_file::{Format, ModelFile, ModelFileError, Plausible, ReadOptions},
        segy::{Overrides, SegyError},
    },
    message::any_of,
    model::{
        AxisOrder, Builtin, ModelError, ModelQuantity, Placement, VelocityModel, builtin,
        builtin_volume,
    },
};
use std::path::{Path, PathBuf};

pub(crate) const BUILTIN: &str = "builtin:";

/// Coordinates of maps are smaller, metres.
const FARTHEST: f64 = 1e9;

impl JobFile {
    /// The model, which makes the job 2-D or 3-D.
    pub(crate) fn model(
        &self,
        files: &mut Vec<(String, String)>,
    ) -> Result<VelocityModel, JobError> {
        if let Some(model) = &self.supplied.model {
            self.check_velocities("the model", model)?;
            return Ok(model.clone());
        }
        let Some(velocity) = &self.job.model.velocity else {
            let message =
                "the job names no velocity model; give velocity, or --model on the command line";
            return Err(self.mistake("model.velocity", message));
        };
        let model = match velocity.strip_prefix(BUILTIN) {
            Some(_) if self.job.model.array.is_some() => {
                return Err(self.mistake("model.array", ModelFileError::Array));
            }
            Some(name) => self.builtin(name),
            None => self.model_file(velocity, files),
        }?;
        let placement = self.placement(*model.placement())?;
        Ok(model.placed(placement))
    }

    /// The place of the model: the job's, or its own.
    fn placement(&self, own: Placement) -> Result<Placement, JobError> {
        let Model { origin, azimuth, y_axis, .. } = self.job.model;
        let placement = Placement {
            origin: origin.map_or(own.origin, Origin::position),
            azimuth: azimuth.unwrap_or(own.azimuth),
            y_axis: y_axis.unwrap_or(own.y_axis),
        };
        self.check_placement("model", &placement)?;
        self.projection()?;
        if placement != own && !own.is_plain() {
            tracing::info!("the first node is taken to lie at {placement}, as given");
        }
        Ok(placement)
    }

    /// Returns an error for a placement of a table that is no place.
    pub(crate) fn check_placement(
        &self,
        table: &str,
        placement: &Placement,
    ) -> Result<(), JobError> {
        let Position { x, y, z } = placement.origin;
        if ![x, y, z].iter().all(|at| at.is_finite() && at.abs() < FARTHEST) {
            let message = format!(
                "an origin at x = {x}, y = {y}, elevation = {} is on no map; give metres of less \
                 than {FARTHEST:e}",
                0.0 - z
            );
            return Err(self.mistake(&format!("{table}.origin"), message));
        }
        if !(-360.0..=360.0).contains(&placement.azimuth) {
            let message = format!(
                "an azimuth of {} is no direction; give degrees clockwise from north, from -360 \
                 to 360",
                placement.azimuth
            );
            return Err(self.mistake(&format!("{table}.azimuth"), message));
        }
        Ok(())
    }

    /// A built-in model is a volume if the job gives it a y, or if it has no other form.
    fn builtin(&self, name: &str) -> Result<VelocityModel, JobError> {
        let (nodes, spacing) = (&self.job.model.nodes, self.job.model.spacing);
        if self.job.model.sample_interval.is_some() {
            return Err(self.mistake("model.sample_interval", ModelFileError::SampleInterval));
        }
        if self.job.model.segy.is_some() {
            return Err(self.mistake("model.segy", ModelFileError::SegyFields));
        }
        let refused = |error| self.model_mistake(error);
        let y_given = nodes.is_some_and(|nodes| nodes.y.is_some())
            || spacing.is_some_and(|spacing| spacing.has_y());
        let named = Builtin::named(name).map_err(refused)?;
        if !(y_given || named.volume) {
            let nodes = nodes.map(|n| PlaneAxes { x: n.x, z: n.z });
            let spacing = spacing.map(|h| match h {
                OneOrEach::One(h) => PlaneAxes { x: h, z: h },
                OneOrEach::Each(h) => PlaneAxes { x: h.x, z: h.z },
            });
            let h = spacing.map(|PlaneAxes { x, z }| Axes { z, x, y: 1.0 });
            self.check_fits(match nodes {
                Some(PlaneAxes { x, z }) => Axes { z, x, y: 1 },
                None => named.nodes(h, false),
            })?;
            return builtin(name, nodes, spacing).map_err(refused);
        }
        let nodes = nodes.map(|n| self.each("model.nodes", OneOrEach::Each(n), true));
        let spacing = spacing.map(|h| self.each("model.spacing", h, true));
        let (nodes, spacing) = (nodes.transpose()?, spacing.transpose()?);
        self.check_fits(nodes.unwrap_or_else(|| named.nodes(spacing, true)))?;
        builtin_volume(name, nodes, spacing).map_err(refused)
    }

    /// Metres between the nodes of a file, by the job or by the file.
    fn spacing_of(&self, file: &ModelFile, order: &AxisOrder) -> Result<Axes<f64>, JobError> {
        let refused = |error: ModelFileError| self.mistake(self.key_of_file(&error), error);
        let Some(spacing) = self.job.model.spacing else {
            return file.spacing(order).map_err(refused);
        };
        let h = self.each("model.spacing", spacing, order.is_volume())?;
        file.check_spacing(order, h).map_err(refused)?;
        Ok(h)
    }

    fn model_file(
        &self,
        velocity: &str,
        files: &mut Vec<(String, String)>,
    ) -> Result<VelocityModel, JobError> {
        let model = &self.job.model;
        if model.spacing.is_some() && model.sample_interval.is_some() {
            let message =
                "spacing says how far samples are apart; leave sample_interval or spacing out";
            return Err(self.mistake("model.sample_interval", message));
        }
        let refused = |error: ModelFileError| self.mistake(self.key_of_file(&error), error);
        let (file, digests) =
            self.open_model("model.velocity", velocity, model.read_options(), refused)?;
        let order = file.order(model.axes.as_ref()).map_err(refused)?;
        let h = self.spacing_of(&file, &order)?;
        let unit = file.value_unit().map_err(refused)?;
        self.tell_notes(velocity, file.notes(&order, h));
        file.place(&order).iter().for_each(|note| tracing::info!("{note}"));
        files.extend(digests);
        let from_file = model.spacing.is_none();
        let made = file.model(&order, h, unit).map_err(|error| match error {
            // Blame the place that set the spacing.
            ModelFileError::Model(ModelError::Grid(_)) if from_file => {
                let message =
                    format!("{error}; it is that of the file: correct it there, or give spacing");
                self.mistake("model.velocity", message)
            }
            ModelFileError::Model(error) => self.model_mistake(error),
            error => refused(error),
        })?;
        self.check_fits(made.grid().n)?;
        self.check_velocities(velocity, &made)?;
        Ok(made)
    }

    /// Reads the file of a key, and each file that it consists of with its SHA-256.
    pub(crate) fn open_model(
        &self,
        key: &str,
        name: &str,
        options: ReadOptions<'_>,
        refused: impl Fn(ModelFileError) -> JobError,
    ) -> Result<(ModelFile, Vec<(String, String)>), JobError> {
        let (path, in_memory) = (self.path(name), &self.supplied.files);
        // Files in memory have no digest.
        if in_memory.contains_key(name) {
            let file = ModelFile::parse(name, in_memory, options).map_err(refused)?;
            return Ok((file, Vec::new()));
        }
        // Large files are read and hashed at the same time.
        let (sum, file) =
            rayon::join(|| self.digest(key, &path), || ModelFile::open(&path, options));
        let file = file.map_err(refused)?;
        let mut sum = Some(sum?);
        let digest = |read: &PathBuf| {
            let own = if *read == path { sum.take() } else { None };
            own.map_or_else(|| self.digest(key, read), Ok)
        };
        let digests = file.files.iter().map(digest).collect::<Result<_, _>>()?;
        Ok((file, digests))
    }

    /// Warns of what a model's file says and a model does not keep, once.
    pub(crate) fn tell_notes(&self, name: &str, notes: Vec<String>) {
        let path = self.path(name);
        for note in notes.iter().filter(|note| self.is_first_warning(&path, note)) {
            tracing::warn!("{note}");
        }
    }

    /// Warns of velocities that look like numbers in another unit; returns an error for those that no
    /// medium has, unless they are forced.
    fn check_velocities(&self, what: &str, model: &VelocityModel) -> Result<(), JobError> {
        let (slowest, fastest) = model.range();
        let looks = Plausible::of(slowest, fastest);
        let message = format!("{what} has velocities from {slowest} to {fastest} m/s");
        if Plausible::is_impossible(slowest, fastest) && !self.forced {
            let remedies: Vec<_> =
                looks.remedy().into_iter().chain(["run it with --force".into()]).collect();
            let message = format!(
                "{message}; the slowest must be at most 25000 m/s and the fastest from 20 to \
                 50000; {}; {}",
                looks.words(),
                any_of(&remedies)
            );
            return Err(self.mistake("model.velocity", message));
        }
        if looks.is_of_another_unit() && self.is_first_warning(Path::new(what), "unit") {
            tracing::warn!("{message}; {looks}");
        }
        Ok(())
    }

    /// The key of a file's mistake; if it is not given, the model that needs it.
    fn key_of_file(&self, error: &ModelFileError) -> &'static str {
        let (model, key) = (&self.job.model, key_of(error));
        let given = match key {
            "model.axes" => model.axes.is_some(),
            "model.spacing" => model.spacing.is_some(),
            "model.nodes" => model.nodes.is_some(),
            _ => true,
        };
        if given || !self.flags.contains_key("model.velocity") { key } else { "model.velocity" }
    }

    /// The error of a model, at the key to change.
    pub(crate) fn model_mistake(&self, error: ModelError) -> JobError {
        let key = match error {
            ModelError::Grid(GridError::Spacing { .. }) => "model.spacing",
            ModelError::TooLarge { .. } if self.job.model.nodes.is_none() => "model.spacing",
            ModelError::Grid(_) | ModelError::TooLarge { .. } | ModelError::OnePlane => {
                "model.nodes"
            }
            _ => "model.velocity",
        };
        self.mistake(key, error)
    }
}

impl Model {
    /// Options for the file of the velocities.
    pub(crate) fn read_options(&self) -> ReadOptions<'_> {
        ReadOptions {
            quantity: ModelQuantity::Velocity,
            axes: self.axes.as_ref(),
            nodes: self.nodes.map(|n| Axes { z: Some(n.z), x: Some(n.x), y: n.y }),
            array: self.array.as_deref(),
            sample_interval: self.sample_interval.map(DepthUnit::metres),
            headers: self.segy.unwrap_or_default().beside(Overrides::default()),
        }
    }

    /// The format of its file; `None` for a built-in model, or for an unknown extension, which the
    /// reader of the file reports.
    pub(crate) fn format(&self) -> Option<Format> {
        self.velocity.as_deref().and_then(|velocity| Format::of(Path::new(velocity)).ok())
    }

    /// Selects another model on the same nodes. Keys of the former model are removed if the new
    /// file's format gives them itself or has no such thing; for a file of the same format they
    /// stay.
    pub(crate) fn select(&mut self, velocity: &str) {
        let own = self.format();
        self.velocity = Some(velocity.to_owned());
        let Some(format) = self.format().filter(|format| Some(*format) != own) else { return };
        if format.says_axes() {
            self.axes = None;
        }
        if format != Format::Raw {
            self.nodes = None;
        }
        if format != Format::Npz {
            self.array = None;
        }
        if !format.is_traces() {
            self.sample_interval = None;
            self.segy = None;
        }
    }

    /// Selects a model that is named in place of the job's own. The spacing of that is removed if a
    /// file of another format gives it, or if the job is `built_in`, which names no file.
    pub(crate) fn override_velocity(&mut self, velocity: &str, built_in: bool) {
        let own = self.format();
        self.select(velocity);
        let format = self.format().filter(|format| Some(*format) != own);
        if format.is_some_and(|format| format.says_axes() || built_in) {
            self.spacing = None;
        }
    }

    /// Takes another spacing, metres along every axis; `of_new_model` if the model was just overridden.
    ///
    /// # Errors
    ///
    /// If the nodes of the model's file have another one.
    pub(crate) fn override_spacing(
        &mut self,
        spacing: f64,
        of_new_model: bool,
    ) -> Result<(), String> {
        if let Some(own) = self.spacing.filter(|own| !of_new_model && !own.is_all(spacing))
            && let Some(velocity) = self.velocity.as_ref().filter(|_| self.format().is_some())
        {
            return Err(format!(
                "the job has spacing = {own} for the nodes of {velocity}, and another would \
                 stretch the model; leave --spacing out, or put the model on other nodes first \
                 with `huygens model convert --spacing`"
            ));
        }
        self.spacing = Some(OneOrEach::One(spacing));
        Ok(())
    }
}

/// The key of a file's mistake, given or not.
fn key_of(error: &ModelFileError) -> &'static str {
    match error {
        ModelFileError::NoAxes { .. } | ModelFileError::TraceAxes { .. } => "model.axes",
        ModelFileError::NoSpacing { .. }
        | ModelFileError::Interval { .. }
        | ModelFileError::Stretched { .. } => "model.spacing",
        ModelFileError::SampleInterval => "model.sample_interval",
        ModelFileError::SegyFields
        | ModelFileError::Traces { error: SegyError::Given { .. }, .. } => "model.segy",
        ModelFileError::NoNodes
        | ModelFileError::NodesAxes { .. }
        | ModelFileError::Nodes
        | ModelFileError::Model(ModelError::TooLarge { .. }) => "model.nodes",
        ModelFileError::Array => "model.array",
        _ => "model.velocity",
    }
}
