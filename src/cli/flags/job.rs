//! The job of a command, with overrides from its flags.

use crate::{
    cli::{failure::Failure, terminal::shell::quoted},
    job::{JobFile, examples::thesis},
    message::about,
    model::AxisOrder,
};
use std::path::{Path, PathBuf};

#[derive(clap::Args, Clone, Debug)]
pub(crate) struct JobArguments {
    /// Job file [default: the built-in salt, with a source above it]. `huygens locate` takes --velocity and a --gather that holds
    /// receiver positions instead of a job.
    pub(crate) job: Option<PathBuf>,
    /// Override a key of the job; may be repeated: time.duration=2.0, source[0].at.x=500.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Velocity model that replaces that of the job: builtin:NAME or a file (.npy, .npz, .h5, .nc, .rsf, .bin, .sgy, .su). The
    /// axes and the spacing in an .rsf, .sgy or .su override those of the job. `huygens locate` compares several models.
    #[arg(long, visible_alias = "velocity", value_name = "MODEL")]
    model: Vec<String>,
    /// Metres between nodes along every axis: samples a built-in model at this spacing, or supplies the spacing that neither
    /// the file nor the job gives.
    #[arg(
        long,
        visible_alias = "file-spacing",
        value_name = "METRES",
        allow_negative_numbers = true
    )]
    spacing: Option<f64>,
    /// Axes of the model file, slowest first, instead of the job's: xz (z fastest) or zx, in 3-D yxz or any
    /// other order of the three.
    #[arg(long)]
    axes: Option<AxisOrder>,
}

/// A path for a job, in which paths are relative to its folder.
pub(crate) fn absolute(path: &Path) -> Result<String, Failure> {
    Ok(std::path::absolute(path).map_err(Failure::input)?.display().to_string())
}

impl JobArguments {
    /// Opens the job with the overrides of the command line.
    pub(crate) fn open(&self) -> Result<JobFile, Failure> {
        match self.model.len() {
            0 | 1 => self.open_many(false).map(|(file, _)| file),
            count => Err(Failure::input(format!(
                "--model is given {count} times; give it once: only huygens locate tries several \
                 models"
            ))),
        }
    }

    /// The same flags, quoted for a shell.
    pub(crate) fn words(&self) -> Vec<String> {
        let job = self.job.iter().map(|job| job.display().to_string());
        let flag = |name: &str, value: String| [name.to_owned(), value];
        let set = self.set.iter().flat_map(|set| flag("--set", set.clone()));
        let model = self.model.iter().flat_map(|model| flag("--model", model.clone()));
        let spacing = self.spacing.iter().flat_map(|h| flag("--spacing", h.to_string()));
        let axes = self.axes.iter().flat_map(|axes| flag("--axes", axes.to_string()));
        job.chain(set).chain(model).chain(spacing).chain(axes).map(|word| quoted(&word)).collect()
    }

    /// Opens the job, and returns the further models to try. Without a job, a model `is_enough` or only
    /// replaces that of the built-in job.
    pub(crate) fn open_many(&self, is_enough: bool) -> Result<(JobFile, Vec<String>), Failure> {
        let mut file = match &self.job {
            Some(path) => JobFile::open(path)?,
            None if is_enough && !self.model.is_empty() => {
                JobFile::parse("the flags", "[model]\n", PathBuf::new())?
            }
            None => {
                let mut file = JobFile::parse("the built-in job", thesis(), PathBuf::new())?;
                file.built_in = true;
                file
            }
        };
        file.set("--set", &self.set)?;
        let JobFile { job, flags, .. } = &mut file;
        let model = &mut job.model;
        let named = |velocity: &String| match velocity.starts_with("builtin:") {
            true => Ok(velocity.clone()),
            false => absolute(velocity.as_ref()),
        };
        let models = self.model.iter().map(named).collect::<Result<Vec<_>, _>>()?;
        if let Some(velocity) = models.first() {
            model.override_velocity(velocity, self.job.is_none());
            flags.insert("model.velocity".into(), format!("--model {}", self.model[0]));
        }
        if let Some(h) = self.spacing {
            let flag = format!("--spacing {h}");
            let refused = |message: String| Failure::input(about(&flag, message));
            model.override_spacing(h, !models.is_empty()).map_err(refused)?;
            flags.insert("model.spacing".into(), flag);
        }
        if let Some(axes) = &self.axes {
            model.axes = Some(axes.clone());
            flags.insert("model.axes".into(), format!("--axes {axes}"));
        }
        Ok((file, models.into_iter().skip(1).collect()))
    }
}
