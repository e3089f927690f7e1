//! The files that a key names: one, a pattern, or a list of both.

use super::{JobError, JobFile};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{
    fmt,
    path::{Path, PathBuf},
};

/// Files that are read one after the other, as if they were one.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(untagged, expecting = "a file, a pattern such as \"shots*.sgy\", or a list of them")]
pub(crate) enum FileNames {
    One(String),
    Several(Vec<String>),
}

impl FileNames {
    fn each(&self) -> &[String] {
        match self {
            FileNames::One(name) => std::slice::from_ref(name),
            FileNames::Several(names) => names,
        }
    }
}

/// In the notation of a job.
impl fmt::Display for FileNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileNames::One(name) => write!(f, "\"{name}\""),
            FileNames::Several(names) => write!(f, "{names:?}"),
        }
    }
}

/// Named files in a message: "a.sgy", or "a.sgy and 3 further files".
pub(crate) fn shown(paths: &[PathBuf]) -> String {
    let first = paths.first().map_or(String::new(), |path| path.display().to_string());
    match paths.len() {
        0 | 1 => first,
        2 => format!("{first} and another file"),
        count => format!("{first} and {} further files", count - 1),
    }
}

impl JobFile {
    /// The files of a key, those of each pattern by name.
    pub(crate) fn paths(&self, key: &str, names: &FileNames) -> Result<Vec<PathBuf>, JobError> {
        let mut paths = Vec::new();
        for name in names.each() {
            if name.is_empty() {
                return Err(self.mistake(key, "a name is empty; give that of a file"));
            }
            let path = self.path(name);
            match is_pattern(name) && !path.exists() {
                false => paths.push(path),
                true => paths.extend(matching(&path).map_err(|why| self.mistake(key, why))?),
            }
        }
        match paths.is_empty() {
            true => {
                Err(self.mistake(key, "the list names no file; give one or more, or leave it out"))
            }
            false => Ok(paths),
        }
    }
}

fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?', '['])
}

fn matching(pattern: &Path) -> Result<Vec<PathBuf>, String> {
    let shown = pattern.display();
    let text = pattern.to_str().ok_or_else(|| format!("{shown} is no UTF-8; name the files"))?;
    let found = glob::glob(text).map_err(|error| {
        format!("{shown} is no pattern: {error}; use *, ? and [abc], or name the files")
    })?;
    let found: Vec<_> = found
        .collect::<Result<_, _>>()
        .map_err(|error| format!("{}: {}", error.path().display(), error.error()))?;
    match found.is_empty() {
        true => Err(format!("no file is called {shown}; check the pattern")),
        false => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// As `ls` lists them in the C locale.
    #[test]
    fn patterns_name_the_files_of_a_folder_by_name() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["s2.sgy", "s10.sgy", "s1.sgy", "t.su", "s[1].sgy"] {
            fs::write(folder.path().join(name), "").expect("written");
        }
        let job = JobFile::parse("job.toml", "[model]\n", folder.path().to_owned()).expect("a job");
        let paths = |names: &[&str]| -> Result<Vec<String>, JobError> {
            let names = FileNames::Several(names.iter().map(|name| (*name).to_owned()).collect());
            let name = |path: PathBuf| path.file_name().expect("a name").display().to_string();
            Ok(job.paths("rtm.gathers", &names)?.into_iter().map(name).collect())
        };
        let found = paths(&["t.su", "s?.sgy", "s1*.sgy"]).expect("files");
        assert_eq!(found, ["t.su", "s1.sgy", "s2.sgy", "s1.sgy", "s10.sgy"]);
        assert_eq!(paths(&["s[1].sgy"]).expect("a file of this very name"), ["s[1].sgy"]);
        for (wrong, part) in [
            (&["u*.sgy"][..], "u*.sgy; check the pattern"),
            (&["s[.sgy"], "no pattern"),
            (&[], "no file"),
            (&[""], "is empty"),
        ] {
            let error = paths(wrong).expect_err("none").to_string();
            assert!(error.contains(part), "{error}");
        }
        assert_eq!(FileNames::Several(vec!["a".into(), "b".into()]).to_string(), r#"["a", "b"]"#);
    }
}
