//! The models that a recording is sent back through.

use crate::{
    io::model_file::Format,
    job::{Factors, JobError, JobFile},
    message::about,
    model::VelocityModel,
};
use std::path::Path;

/// The most models of a scan.
const MOST_MODELS: usize = 10_000;

/// A model and its name in messages.
type Named = (String, VelocityModel);

impl JobFile {
    /// The job's model or, with factors, its product with each of them; then the models of the
    /// scan's list, of its folder and of the command line.
    pub(crate) fn scanned(
        &self,
        (name, model): Named,
        others: &[String],
        files: &mut Vec<(String, String)>,
    ) -> Result<Vec<Named>, JobError> {
        let scan = self.job.scan.clone().unwrap_or_default();
        let mut models = match scan.factors {
            Some(factors) => self.times(&name, &model, factors)?,
            None => vec![(name, model)],
        };
        for (index, other) in scan.models.iter().enumerate() {
            models.push(self.other(other, Some(&format!("scan.models[{index}]")), files)?);
        }
        let found = scan.folder.map(|folder| self.models_in(&folder, scan.factors.is_none()));
        for other in found.transpose()?.unwrap_or_default() {
            models.push(self.other(&other, Some("scan.folder"), files)?);
        }
        for other in others {
            models.push(self.other(other, None, files)?);
        }
        Ok(models)
    }

    fn times(
        &self,
        name: &str,
        model: &VelocityModel,
        factors: Factors,
    ) -> Result<Vec<Named>, JobError> {
        let Factors { from, to, count } = factors;
        let refused = |message: String| self.mistake("scan.factors", message);
        let sound = |factor: f64| factor.is_finite() && factor > 0.0;
        if !(sound(from) && sound(to) && (1..=MOST_MODELS).contains(&count)) {
            return Err(refused(format!(
                "{count} factors from {from} to {to} are not available; give 1 to {MOST_MODELS} \
                 above 0"
            )));
        }
        let scaled = factors.all().map(|factor| {
            let scaled = model.scaled(factor).map_err(|error| refused(error.to_string()))?;
            Ok((format!("{name} x {factor:.4}"), scaled))
        });
        scaled.collect()
    }

    /// Another model, read with the keys of the job's own; errors are at a key of the job, unless
    /// the command line names the model.
    fn other(
        &self,
        name: &str,
        key: Option<&str>,
        files: &mut Vec<(String, String)>,
    ) -> Result<Named, JobError> {
        let mut file = self.clone();
        file.job.model.select(name);
        file.flags.remove("model.velocity");
        let model = file.model(files).map_err(|failure| {
            let message = about(name, failure);
            match key {
                Some(key) => self.mistake(key, message),
                None => JobError::other(message),
            }
        })?;
        Ok((name.to_owned(), model))
    }

    /// The models of a folder in the order of their names: files that are not hidden and have a
    /// model's extension. The job's own is omitted if it is tried anyway.
    fn models_in(&self, folder: &str, but_own: bool) -> Result<Vec<String>, JobError> {
        let refused = |message: String| self.mistake("scan.folder", message);
        let path = self.path(folder);
        let unread = |error| refused(format!("cannot read the folder {}: {error}", path.display()));
        let entries = path.read_dir().map_err(unread)?.collect::<Result<Vec<_>, _>>();
        let entries = entries.map_err(unread)?;
        let mut names: Vec<String> = entries
            .iter()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .filter(|name| !name.starts_with('.') && Format::of(Path::new(name)).is_ok())
            .filter(|name| path.join(name).is_file())
            .collect();
        if names.is_empty() || names.len() > MOST_MODELS {
            let (models, files, path) = (names.len(), entries.len(), path.display());
            return Err(refused(format!(
                "{models} of the {files} files of {path} are models by their ending; 1 to \
                 {MOST_MODELS} are tried, and models end in .npy, .npz, .h5, .nc, .rsf, .sgy, \
                 .su or .bin"
            )));
        }
        names.sort();
        let own = self.job.model.velocity.as_ref().filter(|_| but_own);
        if let Some(own) = own.and_then(|own| self.path(own).canonicalize().ok()) {
            names.retain(|name| path.join(name).canonicalize().ok().as_ref() != Some(&own));
        }
        let below = |name: &String| Path::new(folder).join(name).display().to_string();
        Ok(names.iter().map(below).collect())
    }
}
