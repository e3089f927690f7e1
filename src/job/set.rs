//! Keys of a job set from outside: `time.duration=2.0`.

use super::{JobError, JobFile, Operator, read::parse_job};
use crate::boundary::Absorber;

/// Parts of a key, joined by dots: more than any key of a job has.
const MOST_PARTS: usize = 16;

impl JobFile {
    /// Overrides keys of the job: `time.duration=2.0`, `source[0].at.x=500`. A value that is not
    /// valid TOML is a number or a text. Messages name an assignment after `by`, its flag.
    pub(crate) fn set(&mut self, by: &str, assignments: &[String]) -> Result<(), JobError> {
        if assignments.is_empty() {
            return Ok(());
        }
        let mut table: toml::Table =
            toml::from_str(&self.text).map_err(|error| self.mistake("", error.message()))?;
        for assignment in assignments {
            let flag = format!("{by} {assignment}");
            let refused = |what: String| JobError::other(format!("{flag}: {what}"));
            let Some((key, value)) = assignment.split_once('=') else {
                return Err(refused("give KEY=VALUE, such as time.duration=2.0".into()));
            };
            let (key, value) = (key.trim(), value.trim());
            let parts = key.split('.').count();
            if parts > MOST_PARTS {
                return Err(JobError::other(format!(
                    "{by}: a key has at most {MOST_PARTS} parts, not {parts}; give KEY=VALUE, such as \
                     time.duration=2.0"
                )));
            }
            let parsed = toml::from_str::<toml::Table>(&format!("value = {value}"));
            let parsed = parsed.ok().and_then(|mut table| table.remove("value"));
            let value = parsed.unwrap_or_else(|| other(value));
            put(&mut table, key, value).map_err(&refused)?;
            let text = toml::to_string(&table).map_err(|error| refused(error.to_string()))?;
            self.job = parse_job(&text).map_err(|wrong| {
                let help = wrong.help.map_or_else(String::new, |help| format!("; {help}"));
                refused(format!("{}{help}", wrong.message))
            })?;
            self.flags.insert(key.to_owned(), flag);
        }
        Ok(())
    }
}

/// A value that is not valid TOML: a number, such as .5 or one of too many digits, or a text.
fn other(value: &str) -> toml::Value {
    // A name may be 007.
    let digits = value.trim_start_matches('0');
    let is_name = digits.len() < value.len() && digits.starts_with(|c: char| c.is_ascii_digit());
    let is_number =
        !is_name && value.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    match value.parse() {
        Ok(number) if is_number => toml::Value::Float(number),
        _ => toml::Value::String(value.to_owned()),
    }
}

/// A table that the job does not have yet. Those of one kind or another begin as the kind that
/// holds without them.
fn new_table(name: &str) -> toml::Value {
    let default = match name {
        "operator" => toml::Value::try_from(Operator::default()),
        "sides" => toml::Value::try_from(Absorber::default()),
        _ => return toml::Table::new().into(),
    };
    let kind = default.ok().and_then(|default| default.get("kind").cloned());
    toml::Table::from_iter(kind.map(|kind| ("kind".to_owned(), kind))).into()
}

/// Puts a value at a key such as `source[0].at`; creates missing tables on the way.
fn put(table: &mut toml::Table, key: &str, value: toml::Value) -> Result<(), String> {
    let (this, rest) = key.split_once('.').map_or((key, None), |(this, rest)| (this, Some(rest)));
    let (name, index) = match this.strip_suffix(']').and_then(|this| this.split_once('[')) {
        Some((name, index)) => (name, Some(index)),
        None => (this, None),
    };
    if name.is_empty() {
        return Err("the key is missing; give KEY=VALUE, such as time.duration=2.0".into());
    }
    let Some(index) = index else {
        let Some(rest) = rest else {
            table.insert(name.to_owned(), value);
            return Ok(());
        };
        let below = table.entry(name).or_insert_with(|| new_table(name));
        let below = below.as_table_mut();
        return put(below.ok_or_else(|| format!("{name} is no table"))?, rest, value);
    };
    let list = table.get_mut(name).and_then(toml::Value::as_array_mut);
    let list = list.ok_or_else(|| format!("the job has no list {name}"))?;
    let count = list.len();
    let item = index.parse::<usize>().ok().and_then(|index| list.get_mut(index));
    let item = item.ok_or_else(|| {
        format!("{name} has {count} values, counted from 0 here, and none has the index {index}")
    })?;
    match (rest, item) {
        (None, item) => *item = value,
        (Some(rest), toml::Value::Table(item)) => put(item, rest, value)?,
        (Some(_), _) => return Err(format!("{name}[{index}] is no table")),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::Cpml;
    use std::path::PathBuf;

    #[test]
    fn keys_are_set_from_outside() -> Result<(), JobError> {
        let text = include_str!("../../assets/jobs/thesis.toml");
        let job = |set: &str| {
            let mut file = JobFile::parse("a job", text, PathBuf::new())?;
            file.set("with", &[set.to_owned()])?;
            Ok::<_, JobError>(file)
        };
        assert_eq!(job("time.duration = 2.5")?.job.time.duration, Some(2.5));
        assert_eq!(job("source[0].at.x=500")?.job.sources[0].at.x, 500.0);
        assert_eq!(job("time.duration=.5")?.job.time.duration, Some(0.5));
        assert_eq!(job("model.velocity=007")?.job.model.velocity.as_deref(), Some("007"));
        assert_eq!(job("output.pictures=false")?.job.output.pictures, Some(false));
        let named = job("model.velocity=builtin:layers")?;
        assert_eq!(named.job.model.velocity.as_deref(), Some("builtin:layers"));
        let said = named.mistake("model.velocity", "is wrong").to_string();
        assert_eq!(said, "with model.velocity=builtin:layers: is wrong");
        for (wrong, part) in [
            ("time.duration", "give KEY=VALUE"),
            ("=1", "the key is missing"),
            ("time.durration=1", "did you mean `duration`?"),
            ("time.duration=long", "duration is text"),
            ("output.movie.rate=18446744073709551616", "give a whole number"),
            ("source[3].at.x=1", "none has the index 3"),
            ("sources[0].at.x=1", "no list sources"),
            ("time.duration.x=1", "duration is no table"),
        ] {
            let said = job(wrong).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(said.starts_with(&format!("with {wrong}: ")) && said.contains(part), "{said}");
        }
        let said = job(&format!("{}b=1", "a.".repeat(30_000))).err().map(|error| error.to_string());
        let said = said.unwrap_or_default();
        assert!(said.contains("at most 16 parts, not 30001") && said.len() < 200, "{said}");
        Ok(())
    }

    #[test]
    fn a_table_that_is_not_there_is_of_the_kind_that_holds_without_it() -> Result<(), JobError> {
        let text =
            "model = { velocity = \"builtin:salt\", spacing = 40.0 }\ntime = { duration = 1.0 }";
        let job = |set: &str| {
            let mut file = JobFile::parse("a job", text, PathBuf::new())?;
            file.set("with", &[set.to_owned()])?;
            Ok::<_, JobError>(file.job)
        };
        assert!(matches!(job("operator.order=4")?.operator, Operator::Taylor { order: 4 }));
        assert!(matches!(job("operator.kind=ete")?.operator, Operator::Ete { .. }));
        let sides = |set: &str| Ok::<_, JobError>(job(set)?.boundary.sides);
        assert!(matches!(sides("boundary.sides.power=2")?, Absorber::Cpml(Cpml { power: 2, .. })));
        assert!(matches!(sides("boundary.sides.kind=sponge")?, Absorber::Sponge(_)));
        Ok(())
    }
}
