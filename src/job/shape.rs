//! Checks a job against its schema before it is parsed: tables, lists, numbers and text in their
//! places. Rust's deserializer would take the values of a list for those of a table, in an order
//! that nobody sees.

use super::{mistake::Wrong, schema::schema};
use serde_json::Value;
use std::{ops::Range, sync::LazyLock};
use toml::{
    Spanned,
    de::{DeInteger, DeTable, DeValue},
};

/// Longer keys or names, characters, are not mistyped ones.
const LONGEST: usize = 100;

/// Returns an error for the first key or value that the schema does not allow, and for a table
/// without a required key.
pub(crate) fn check(job: &Spanned<DeTable<'_>>) -> Result<(), Wrong> {
    // Made once: that takes longer than a small shot.
    static ROOT: LazyLock<Value> = LazyLock::new(schema);
    Schema { root: &ROOT }.table("the job", job.get_ref(), job.span(), &ROOT)
}

struct Schema<'a> {
    root: &'a Value,
}

/// A key, or an item of its list, counted from 1.
#[derive(Clone, Copy)]
struct KeyPlace<'k> {
    key: &'k str,
    item: Option<usize>,
}

impl<'a> Schema<'a> {
    /// Checks the keys of a table called `name`.
    fn table(
        &self,
        name: &str,
        table: &DeTable<'_>,
        span: Range<usize>,
        known: &'a Value,
    ) -> Result<(), Wrong> {
        let missing = required(known).find(|key| !table.contains_key(*key));
        // Without its kind nothing is known of a table.
        for (key, value) in table.iter().filter(|_| missing != Some("kind")) {
            match known["properties"].get(key.get_ref().as_ref()) {
                Some(schema) => {
                    self.value(KeyPlace { key: key.get_ref(), item: None }, value, schema)?
                }
                None => {
                    let keys =
                        known["properties"].as_object().into_iter().flat_map(|all| all.keys());
                    let keys: Vec<_> = keys.map(String::as_str).collect();
                    return Err(unknown("key", key.get_ref(), &keys, key.span()));
                }
            }
        }
        let Some(missing) = missing else { return Ok(()) };
        let message = match known["properties"][missing]["items"].is_object() {
            true => format!(
                "a {name} without a {missing}; those of a {name} are tables [[{name}.{missing}]] below its [[{name}]]"
            ),
            false => format!("{missing} is missing"),
        };
        Err(Wrong { span: Some(span), message, help: None })
    }

    /// Checks the value of a key, or an item of its list.
    fn value(
        &self,
        place: KeyPlace<'_>,
        value: &Spanned<DeValue<'_>>,
        schema: &'a Value,
    ) -> Result<(), Wrong> {
        let choices = self.choices(schema);
        let Some(fitting) = choices.iter().find(|schema| fits(value.get_ref(), schema)) else {
            let message = self.refused(place, value.get_ref(), &choices);
            return Err(Wrong { span: Some(value.span()), message, help: None });
        };
        match value.get_ref() {
            DeValue::Table(table) => match choices.iter().find(|schema| is_kind(table, schema)) {
                Some(schema) => self.table(place.key, table, value.span(), schema),
                None => {
                    let kinds: Vec<_> = choices.iter().filter_map(|schema| kind(schema)).collect();
                    let given = table.get("kind").unwrap_or(value);
                    let name = given.get_ref().as_str().unwrap_or_default();
                    Err(unknown("choice", name, &kinds, given.span()))
                }
            },
            // Text with rules of its own, such as the order of axes, gets a better message where it
            // is parsed.
            DeValue::String(given) if schema["enum"].is_null() => {
                let names: Option<Vec<_>> = choices.iter().map(|schema| names(schema)).collect();
                match names.map(|names| names.concat()) {
                    Some(names) if !names.contains(&given.as_ref()) => {
                        Err(match gone(place.key, given) {
                            Some(message) => {
                                Wrong { span: Some(value.span()), message, help: None }
                            }
                            None => unknown("choice", given, &names, value.span()),
                        })
                    }
                    _ => Ok(()),
                }
            }
            DeValue::Array(list) => list.iter().enumerate().try_for_each(|(index, value)| {
                self.value(KeyPlace { item: Some(index + 1), ..place }, value, &fitting["items"])
            }),
            _ => Ok(()),
        }
    }

    /// The alternatives of a schema, each of one type.
    fn choices(&self, schema: &'a Value) -> Vec<&'a Value> {
        if let Some(name) = schema["$ref"].as_str() {
            let name = name.trim_start_matches("#/definitions/");
            return self.choices(&self.root["definitions"][name]);
        }
        let several = ["allOf", "anyOf", "oneOf"].iter().find_map(|key| schema[key].as_array());
        match several {
            Some(several) => several.iter().flat_map(|schema| self.choices(schema)).collect(),
            None => vec![schema],
        }
    }

    fn refused(
        &self,
        KeyPlace { key, item }: KeyPlace<'_>,
        value: &DeValue<'_>,
        choices: &[&'a Value],
    ) -> String {
        let found = match value {
            DeValue::String(_) => "text".into(),
            DeValue::Integer(number) => match whole(number) {
                Some(_) => number.to_string(),
                None => format!("{number}, which 64 bits do not hold"),
            },
            DeValue::Float(number) => number.to_string(),
            DeValue::Boolean(value) => value.to_string(),
            DeValue::Datetime(_) => "a date".into(),
            DeValue::Array(list) => format!("a list of {}", list.len()),
            DeValue::Table(_) => "a table".into(),
        };
        let (name, is) = match item {
            Some(item) => (format!("value {item} of {key}"), String::new()),
            None => (key.to_owned(), format!("{key} = ")),
        };
        let kinds: Vec<_> = choices.iter().filter_map(|schema| kind(schema)).collect();
        let wanted = match kinds.as_slice() {
            [] => choices.iter().map(|schema| self.wanted(key, &is, schema)).collect(),
            kinds => {
                let kinds: Vec<_> = kinds.iter().map(|kind| format!("\"{kind}\"")).collect();
                vec![format!("a table, {is}{{ kind = {}, ... }}", kinds.join(" or "))]
            }
        };
        format!("{name} is {found}; give {}", wanted.join(", or "))
    }

    /// The values of a schema of one type, in a user's notation.
    fn wanted(&self, key: &str, is: &str, schema: &'a Value) -> String {
        match schema["type"].as_str() {
            Some("object") => format!("a table, {is}{}", form(schema)),
            Some("array") => {
                let items = self.choices(&schema["items"]);
                let table = items.first().filter(|item| item["type"] == "object");
                match (table, schema["minItems"].as_u64()) {
                    (Some(table), _) => {
                        format!("a list of tables, {is}[{}, ...] or [[{key}]]", form(table))
                    }
                    (None, Some(count)) => format!("a list of {count}, in brackets"),
                    (None, None) => "a list, in brackets".into(),
                }
            }
            Some("string") => match schema["enum"].as_array() {
                Some(names) => names.iter().map(Value::to_string).collect::<Vec<_>>().join(" or "),
                None => "text, in quotes".into(),
            },
            Some("integer") => match (schema["minimum"].as_i64(), schema["maximum"].as_u64()) {
                (Some(least), Some(most)) => format!("a whole number from {least} to {most}"),
                (Some(least), None) => format!("a whole number, {least} or more"),
                _ => "a whole number".into(),
            },
            Some("boolean") => "true or false".into(),
            _ => "a number".into(),
        }
    }
}

/// The mistake of a value that an earlier version had.
fn gone(key: &str, given: &str) -> Option<String> {
    let instead = match (key, given) {
        ("wavefield", "boundaries" | "boundaries-16") => {
            "\"checkpoints\", which gives the bits of \"kept\""
        }
        _ => return None,
    };
    Some(format!("{key} = \"{given}\" is gone; give {instead}"))
}

/// An unknown key or name, with the nearest known one.
fn unknown(what: &str, given: &str, known: &[&str], span: Range<usize>) -> Wrong {
    let similarity = |known: &&&str| strsim::jaro(given, known);
    let nearest = known.iter().max_by(|a, b| similarity(a).total_cmp(&similarity(b)));
    let nearest = nearest.filter(|known| given.len() < LONGEST && similarity(known) > 0.75);
    let all = known.join(", ");
    let message = match known.len() {
        1 => format!("there is no {what} {given}; the only one is {all}"),
        _ => format!("there is no {what} {given}; there are {all}"),
    };
    let help = nearest.map(|nearest| format!("did you mean `{nearest}`?"));
    Wrong { span: Some(span), message, help }
}

/// The names that a schema of text allows, if they are few.
fn names(schema: &Value) -> Option<Vec<&str>> {
    match (&schema["const"], &schema["enum"]) {
        (Value::String(name), _) => Some(vec![name]),
        (_, Value::Array(names)) => Some(names.iter().filter_map(Value::as_str).collect()),
        _ => None,
    }
}

/// The required keys of a table.
fn required(schema: &Value) -> impl Iterator<Item = &str> {
    schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// True if a value is of the type of a schema.
fn fits(value: &DeValue<'_>, schema: &Value) -> bool {
    match (schema["type"].as_str(), value) {
        (Some("object"), DeValue::Table(_))
        | (Some("string"), DeValue::String(_))
        | (Some("boolean"), DeValue::Boolean(_))
        | (Some("number"), DeValue::Integer(_) | DeValue::Float(_)) => true,
        (Some("integer"), DeValue::Integer(number)) => is_within(number, schema),
        (Some("array"), DeValue::Array(list)) => {
            schema["minItems"].as_u64().is_none_or(|count| count == list.len() as u64)
        }
        _ => false,
    }
}

fn is_within(number: &DeInteger<'_>, schema: &Value) -> bool {
    let Some(number) = whole(number) else { return false };
    schema["minimum"].as_i64().is_none_or(|least| number >= i128::from(least))
        && schema["maximum"].as_u64().is_none_or(|most| number <= i128::from(most))
}

/// An integer of at most 64 bits.
fn whole(number: &DeInteger<'_>) -> Option<i128> {
    let number = i128::from_str_radix(number.as_str(), number.radix()).ok()?;
    (number <= i128::from(u64::MAX)).then_some(number)
}

/// True if a table is of a schema's kind; a table without a kind is of the first.
fn is_kind(table: &DeTable<'_>, schema: &Value) -> bool {
    let Some(kind) = kind(schema) else { return schema["type"] == "object" };
    table.get("kind").and_then(|value| value.get_ref().as_str()).is_none_or(|given| given == kind)
}

/// The kind of a schema's tables, if it has one.
fn kind(schema: &Value) -> Option<&str> {
    schema["properties"]["kind"]["const"].as_str()
}

/// A table in a user's notation: its required keys or, without any, all of them.
fn form(schema: &Value) -> String {
    let must: Vec<&str> = required(schema).collect();
    let all = schema["properties"].as_object();
    let mut keys: Vec<&str> =
        all.into_iter().flat_map(|keys| keys.keys()).map(String::as_str).collect();
    let in_volumes = !must.is_empty() && !must.contains(&"y") && keys.contains(&"y");
    keys.retain(|key| must.is_empty() || must.contains(key));
    let keys: Vec<String> = keys.iter().map(|key| format!("{key} = ...")).collect();
    let y = if in_volumes { ", with y = ... in 3-D" } else { "" };
    format!("{{ {} }}{y}", keys.join(", "))
}
