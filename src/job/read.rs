//! Reads a job file: strict; errors give the line and the nearest known key.

use super::{
    FieldsOnHost, GivenDensity, Job, JobError, Mistake, mistake::Wrong, shape, warned::WarnedOnce,
};
use crate::{
    acquisition,
    model::{Density, Thomsen, VelocityModel},
};
use serde::Deserialize;
use std::{
    collections::BTreeMap,
    fmt::Display,
    fs::File,
    io::{ErrorKind, Read},
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};
use toml::{
    Spanned,
    de::{DeTable, DeValue, Deserializer},
};

/// Bytes of the longest job.
const LONGEST: u64 = 64 << 20;

/// A job and the text it came from.
#[derive(Clone)]
pub struct JobFile {
    pub job: Job,
    /// Name of the text in messages.
    pub(crate) name: String,
    pub text: Arc<str>,
    /// True if the user gave no job, so that messages must not cite lines.
    pub(crate) built_in: bool,
    /// Keys set on the command line, each with its flag.
    pub(crate) flags: BTreeMap<String, String>,
    /// Folder of the relative paths in the job.
    pub(crate) folder: PathBuf,
    /// What stands in memory instead of in the text.
    pub supplied: Supplied,
    /// Whether the engine's arrays count as the host's; `None` counts the model alone.
    pub(crate) fields_on_host: Option<FieldsOnHost>,
    /// Whether it runs although its result means nothing, as `--force` asks for.
    pub forced: bool,
    pub(crate) warned: WarnedOnce,
}

/// Parts of a job that a program has in memory, instead of those of its text.
#[derive(Clone, Debug, Default)]
pub struct Supplied {
    pub model: Option<VelocityModel>,
    /// On the nodes of the model.
    pub density: Option<Density>,
    /// Thomsen's parameters, numbers or on the nodes of the model.
    pub epsilon: Option<Thomsen>,
    pub delta: Option<Thomsen>,
    /// With metres from the model's first node.
    pub shots: Option<Vec<acquisition::Shot>>,
    /// The bytes of the file that `model.velocity` names, by this name, and of the data that an .rsf
    /// has in a file of its own: for programs without a disk, such as a browser.
    pub files: BTreeMap<String, Arc<[u8]>>,
}

impl JobFile {
    /// Reads a job from a file.
    pub fn open(path: &Path) -> Result<Self, JobError> {
        let refused = |why: &dyn Display| {
            JobError::other(format!("cannot read the job {}: {why}", path.display()))
        };
        let mut text = String::new();
        let file = File::open(path).map_err(|error| refused(&error))?;
        // A device may never end; a pipe is as good as a file.
        file.take(LONGEST + 1).read_to_string(&mut text).map_err(|error| match error.kind() {
            ErrorKind::InvalidData => {
                refused(&"it is no text; a velocity model goes behind --model, or into a job")
            }
            _ => refused(&error),
        })?;
        if text.len() as u64 > LONGEST {
            return Err(refused(&format_args!(
                "it is longer than {} MiB, and no job is",
                LONGEST >> 20
            )));
        }
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        Self::parse(&path.display().to_string(), &text, folder)
    }

    /// Reads a job from text.
    pub fn parse(name: &str, text: &str, folder: PathBuf) -> Result<Self, JobError> {
        // Some editors begin a text with this invisible character.
        let text: Arc<str> = text.strip_prefix('\u{feff}').unwrap_or(text).into();
        let wrong = |Wrong { span, message, help }| Mistake::new(name, &text, span, message, help);
        let job = parse_job(&text).map_err(wrong)?;
        Ok(JobFile {
            job,
            name: name.to_owned(),
            text,
            built_in: false,
            folder,
            flags: BTreeMap::new(),
            supplied: Supplied::default(),
            fields_on_host: None,
            forced: false,
            warned: WarnedOnce::default(),
        })
    }

    /// Name of the model in titles.
    pub(crate) fn model_name(&self) -> String {
        let name = self.job.model.velocity.as_deref().unwrap_or(&self.name);
        let last = Path::new(name).file_name();
        last.map_or_else(|| name.to_owned(), |name| name.to_string_lossy().into_owned())
    }

    /// Name of the model in titles, with that of a density that varies.
    pub(crate) fn medium_name(&self) -> String {
        match &self.job.model.density {
            Some(GivenDensity::Named(name)) => {
                let last = Path::new(name).file_name().unwrap_or(name.as_ref());
                format!("{}, density {}", self.model_name(), last.to_string_lossy())
            }
            _ => self.model_name(),
        }
    }

    /// The flag that sets a key, or one above it.
    fn flag(&self, key: &str) -> Option<&str> {
        let is_at = |above: &str| {
            key.strip_prefix(above)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        let flag = self.flags.iter().find(|(above, _)| is_at(above));
        flag.map(|(_, flag)| flag.as_str())
    }

    /// The flags that set keys below a key.
    fn said_below(&self, key: &str) -> Option<String> {
        let is_below = |(said, _): &(&String, &String)| {
            said.strip_prefix(key).is_some_and(|rest| rest.starts_with(['.', '[']))
        };
        let said: Vec<_> =
            self.flags.iter().filter(is_below).map(|(_, flag)| flag.as_str()).collect();
        (!said.is_empty())
            .then(|| format!("the command line overrides this text: {}", said.join(", ")))
    }

    /// The error of a mistake at a key such as `source[0].at`, or at the nearest key above it that
    /// the text has; if the command line sets it, at its flag.
    pub(crate) fn mistake(&self, key: &str, message: impl Display) -> JobError {
        if let Some(flag) = self.flag(key) {
            return JobError::other(format!("{flag}: {message}"));
        }
        let (span, help) = match self.built_in {
            true => (None, Some(NEW_JOB.to_owned())),
            false => (span_of(&self.text, key), self.said_below(key)),
        };
        Mistake::new(&self.name, &self.text, span, message, help).into()
    }
}

/// The help for mistakes in the built-in job.
const NEW_JOB: &str = "no job is given, and the built-in one is made for its own salt model; `huygens job new \
     job.toml` writes one in which to say where the sources and receivers of another are";

/// The job of a text.
pub(crate) fn parse_job(text: &str) -> Result<Job, Wrong> {
    let wrong = |error: toml::de::Error, place: fn(&str, &str) -> Option<Range<usize>>| {
        let message = error.message().to_owned();
        Wrong { span: error.span().or_else(|| place(text, &message)), message, help: None }
    };
    let table = DeTable::parse(text).map_err(|error| wrong(error, line_of))?;
    shape::check(&table)?;
    Job::deserialize(Deserializer::from(table)).map_err(|error| wrong(error, |_, _| None))
}

/// The text from the line of an error on, for errors without a place from the parser.
fn line_of(text: &str, message: &str) -> Option<Range<usize>> {
    let ends: Vec<usize> = text
        .split_inclusive('\n')
        .scan(0, |end, line| {
            *end += line.len();
            Some(*end)
        })
        .collect();
    let has_it = |end: &usize| {
        let (_, errors) = DeTable::parse_recoverable(&text[..*end]);
        errors.iter().any(|error| error.message() == message)
    };
    let line = ends.partition_point(|end| !has_it(end));
    let start = line.checked_sub(1).map_or(0, |before| ends[before]);
    ends.get(line).map(|end| start..*end)
}

/// The span of a key's value in the text.
fn span_of(text: &str, key: &str) -> Option<Range<usize>> {
    let table = DeTable::parse(text).ok()?;
    let mut found = None;
    let mut value: Option<&Spanned<DeValue<'_>>> = None;
    for part in key.split(['.', '[']) {
        let next = match (part.strip_suffix(']'), value) {
            (Some(index), Some(value)) => {
                value.get_ref().as_array().and_then(|array| array.get(index.parse::<usize>().ok()?))
            }
            (_, Some(value)) => value.get_ref().as_table().and_then(|table| table.get(part)),
            (_, None) => table.get_ref().get(part),
        };
        let Some(next) = next else { break };
        found = Some(next.span());
        value = Some(next);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::{prelude::*, sample::Index, test_runner::RngSeed};

    /// The message for the thesis' job with a piece of text replaced.
    fn said(right: &str, wrong: &str) -> String {
        let whole = include_str!("../../assets/jobs/thesis.toml");
        assert!(whole.contains(right), "{right}");
        match parse_job(&whole.replace(right, wrong)) {
            Ok(_) => panic!("{wrong} is taken"),
            Err(error) => error.message,
        }
    }

    #[test]
    fn what_is_no_table_or_no_number_is_told_in_plain_words() {
        // What is there | what is written instead | what that is | what to give.
        let cases = r#"
            at = { x = 6000.0, z = 1000.0 } | at = [6000.0, 1000.0] | at is a list of 2 | a table, at = POINT
            at = { x = 6000.0, z = 1000.0 } | at = [6000.0, 1000.0, 0.0] | at is a list of 3 | a table, at = POINT
            at = { x = 6000.0, z = 1000.0 } | at = 6000.0 | at is 6000.0 | a table, at = POINT
            at = { x = 6000.0, z = 1000.0 } | at = { x = [6000.0], z = 1000.0 } | x is a list of 1 | a number
            [receivers] | [receivers] LINE points = [{ x = 1.0, z = 1.0 }, [2.0, 3.0]] | value 2 of points is a list of 2 | a table, POINT
            movie = { every = 0.1 } | movie = true | movie is true | a table, movie = { every = ..., format = ..., rate = ... }
            movie = { every = 0.1 } | movie = { rate = 70000 } | rate is 70000 | a whole number from 0 to 65535
            movie = { every = 0.1 } | figures = [] | figures is a list of 0 | a table, figures = { agc = ..., clip = ..., colours = ..., dpi = ..., font_size = ..., formats = ..., gain = ..., largest = ..., overlays = ..., size = ..., title = ..., units = ... }
            snapshots = [0.1, 1.0, 2.0, 3.0, 3.9] | snapshots = 1.0 | snapshots is 1.0 | a list, in brackets
            sides = { kind = "sponge", cells = 50 } | sides = "zero" | sides is text | a table, sides = { kind = "cpml" or "sponge" or "zero", ... }
            sides = { kind = "sponge", cells = 50 } | sides = { kind = "cpml", cells = -1 } | cells is -1 | a whole number, 0 or more
            sides = { kind = "sponge", cells = 50 } | sides = { kind = "cpml", power = 5000000000 } | power is 5000000000 | a whole number from 0 to 4294967295
            spacing = { z = 20.0, x = 20.0 } | spacing = 2026-01-01 | spacing is a date | a number, or a table, spacing = POINT
            spacing = { z = 20.0, x = 20.0 } | nodes = [60, 80] | nodes is a list of 2 | a table, nodes = POINT
            [[source]] | [source] | source is a table | a list of tables, source = [{ at = ..., wavelet = ... }, ...] or [[source]]
        "#;
        let rows = cases.trim().lines().map(|row| row.trim().split(" | ").collect::<Vec<_>>());
        for row in rows {
            let [right, wrong, is, give] = row[..] else { panic!("{row:?}") };
            let give = give.replace("POINT", "{ x = ..., z = ... }, with y = ... in 3-D");
            assert_eq!(said(right, &wrong.replace(" LINE ", "\n")), format!("{is}; give {give}"));
        }
        let lonely = said("[[source]]", "[[shot]]\n[[source]]");
        assert!(lonely.contains("[[shot.source]] below its [[shot]]"), "{lonely}");
    }

    #[test]
    fn no_table_of_a_job_is_taken_from_a_list() {
        use serde_json::Value;
        /// The paths of all tables.
        fn tables(value: &Value, path: &str) -> Vec<String> {
            let below = |(key, value): (String, &Value)| tables(value, &format!("{path}/{key}"));
            match value {
                Value::Object(table) => {
                    let below =
                        table.iter().map(|(key, value)| (key.clone(), value)).flat_map(below);
                    [path.to_owned()].into_iter().chain(below).collect()
                }
                Value::Array(list) => {
                    let items = list.iter().enumerate();
                    items.map(|(item, value)| (item.to_string(), value)).flat_map(below).collect()
                }
                _ => Vec::new(),
            }
        }
        let mut seen = 0;
        for example in crate::job::examples::EXAMPLES {
            let job: Value = toml::from_str(example.text).expect("a job");
            for path in tables(&job, "").iter().filter(|path| !path.is_empty()) {
                let mut changed = job.clone();
                let table = changed.pointer_mut(path).expect("a table");
                *table =
                    table.as_object().into_iter().flat_map(|keys| keys.values().cloned()).collect();
                let wrong = parse_job(&toml::to_string(&changed).expect("a table")).err();
                let said = wrong.map(|wrong| wrong.message).unwrap_or_default();
                assert!(said.contains("is a list of"), "{path}: {said}");
                seen += 1;
            }
        }
        assert!(seen > 200, "{seen}");
    }

    #[test]
    fn an_error_of_which_the_parser_tells_no_place_is_found() {
        let deep = format!("[model]\n\n{}b = 1\n[time]\nduration = 1.0\n", "a.".repeat(90));
        let wrong = parse_job(&deep).expect_err("too deep");
        let span = wrong.span.expect("a place");
        assert!(deep[span].starts_with("a.a."), "{}", wrong.message);
    }

    #[test]
    fn keys_are_found_where_they_stand() {
        let text = "[time]\nduration = 4.0\n[[source]]\nat = 1\n[[source]]\nat = 22\n";
        let at = |key| span_of(text, key).map(|span| &text[span]);
        assert_eq!(at("time.duration"), Some("4.0"));
        assert_eq!(at("source[1].at"), Some("22"));
        assert!(at("time.step").is_some(), "the table, where the key is not given");
        assert_eq!(at("boundary"), None);
    }

    #[test]
    fn the_documented_jobs_are_jobs() {
        let page = include_str!("../../docs/job.md");
        let blocks = page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
        let files = crate::job::examples::EXAMPLES.iter().map(|job| job.text);
        for text in blocks.chain(files) {
            assert!(JobFile::parse("a job", text, PathBuf::new()).is_ok(), "{text}");
        }
        assert!(page.contains("```toml"), "the page has its example");
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            rng_seed: RngSeed::Fixed(13),
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn damaged_jobs_are_read_or_refused_where_they_are_wrong(
            damage in proptest::collection::vec((any::<Index>(), "[-\\[\\]{}\"=.,#0-9a-z\n\u{1b}é]"), 1..6),
            end: Index,
            cut: bool,
        ) {
            let mut text: Vec<char> = include_str!("../../assets/jobs/salt3d.toml").chars().collect();
            for (place, with) in damage {
                let place = place.index(text.len());
                text.splice(place..place + 1, with.chars());
            }
            if cut {
                text.truncate(end.index(text.len()));
            }
            let text: String = text.into_iter().collect();
            match JobFile::parse("a job", &text, PathBuf::new()) {
                Ok(file) => drop(file.mistake("source[0].wavelet", "is wrong")),
                // A place outside the text would panic here.
                Err(JobError::Mistake(mistake)) => drop(format!("{:?}", miette::Report::new(*mistake))),
                Err(_) => prop_assert!(false, "the mistake stands in the text"),
            }
        }
    }
}
