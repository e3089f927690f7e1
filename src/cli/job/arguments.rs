//! Which job a command takes, and what its flags say instead of it.

use super::{JobFile, OneOrEach, examples::thesis};
use crate::cli::failure::Failure;
use huygens::model::AxisOrder;
use std::path::PathBuf;

#[derive(clap::Args, Clone, Debug)]
pub struct JobArguments {
    /// The job; without it, a salt model with a source above the salt.
    pub job: Option<PathBuf>,
    /// A velocity model instead of the job's: builtin:NAME or a file: .npy, .npz, .rsf, .bin, .sgy, .su.
    #[arg(long, value_name = "MODEL")]
    model: Vec<String>,
    /// Spacing of the model along every axis, metres, instead of the job's.
    #[arg(long, value_name = "METRES", allow_negative_numbers = true)]
    spacing: Option<f64>,
    /// Axes of the model file, slowest first, instead of the job's: xz (z fastest) or zx, in 3-D yxz or any
    /// other order of the three.
    #[arg(long)]
    axes: Option<AxisOrder>,
}

impl JobArguments {
    /// The job with what the command line says instead.
    pub fn open(&self) -> Result<JobFile, Failure> {
        match self.model.len() {
            0 | 1 => self.open_many().map(|(file, _)| file),
            count => Err(Failure::input(format!(
                "--model is given {count} times; give it once: only huygens locate tries several models"
            ))),
        }
    }

    /// The same, and the models that are to be tried beside its own.
    pub fn open_many(&self) -> Result<(JobFile, Vec<String>), Failure> {
        let mut file = match &self.job {
            Some(path) => JobFile::open(path)?,
            None => JobFile::parse("the built-in thesis job", thesis(), PathBuf::new())?,
        };
        let model = &mut file.job.model;
        let absolute = |velocity: &String| {
            let path = std::path::absolute(velocity).map_err(Failure::input)?;
            let builtin = velocity.starts_with("builtin:");
            Ok(if builtin { velocity.clone() } else { path.display().to_string() })
        };
        let models: Vec<String> =
            self.model.iter().map(absolute).collect::<Result<_, Failure>>()?;
        if let Some(velocity) = models.first() {
            model.velocity = Some(velocity.clone());
        }
        if let Some(h) = self.spacing {
            model.spacing = Some(OneOrEach::One(h));
        }
        if let Some(axes) = &self.axes {
            model.axes = Some(axes.clone());
        }
        Ok((file, models.into_iter().skip(1).collect()))
    }
}
