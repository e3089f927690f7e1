//! The JSON schema of a job file, for editors.

use super::Job;
use schemars::{Schema, generate::SchemaSettings, transform::RecursiveTransform};
use serde_json::Value;

/// The schema of a job file: draft 7, the latest that every editor reads.
pub(crate) fn schema() -> Value {
    let plain = RecursiveTransform(in_toml);
    let settings = SchemaSettings::draft07().with_transform(plain);
    let mut schema = settings.into_generator().into_root_schema_for::<Job>();
    schema.insert("title".into(), "A job of huygens".into());
    schema.to_value()
}

/// Removes parts of the Rust types without meaning in TOML: null, and the width of numbers.
fn in_toml(schema: &mut Schema) {
    let Some(schema) = schema.as_object_mut() else { return };
    if schema.remove("format").is_some_and(|format| format == "uint32") {
        schema.insert("maximum".into(), u32::MAX.into());
    }
    let null = |value: &Value| value == "null" || value["type"] == "null";
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|kind| !null(kind));
        if let [one] = types.as_slice() {
            let one = one.clone();
            schema.insert("type".into(), one);
        }
    }
    if let Some(Value::Array(choices)) = schema.get_mut("enum") {
        choices.retain(|choice| !choice.is_null());
    }
    if let Some(Value::Array(choices)) = schema.get_mut("anyOf") {
        choices.retain(|choice| !null(choice));
        if let [one] = choices.as_slice() {
            let one = one.clone();
            schema.remove("anyOf");
            schema.insert("allOf".into(), Value::Array(vec![one]));
        }
    }
    if let Some(default) = schema.get_mut("default") {
        without_null(default);
        if matches!(default, Value::Null) || default.as_object().is_some_and(|keys| keys.is_empty())
        {
            schema.remove("default");
        }
    }
    // A comment has line breaks as code does; an editor breaks lines by itself.
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
}

fn without_null(value: &mut Value) {
    if let Value::Object(keys) = value {
        keys.retain(|_, value| !value.is_null());
        keys.values_mut().for_each(without_null);
    }
}
