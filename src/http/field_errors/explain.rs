//! Compares a value with a schema of the spec, and says in stable codes and sentences what is wrong with it.
//!
//! A schema of a request has few of the keywords of JSON Schema: [`KEYWORDS`]. A test compares the results with those of
//! a complete validator.

use std::collections::{BTreeMap, BTreeSet};

use regex::{Regex, RegexBuilder};
use serde_json::{Map, Number, Value};

use super::MOST_ERRORS;
use super::document::joined;
use crate::http::spec;
use estimation_service::base::field_error::{FieldCode, FieldError};

/// The keywords that restrict a value, or lead to a schema that does.
#[cfg(test)]
pub(super) const KEYWORDS: [&str; 15] = [
    "$ref",
    "additionalProperties",
    "enum",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maximum",
    "minLength",
    "minimum",
    "oneOf",
    "pattern",
    "properties",
    "required",
    "type",
];

/// The patterns of the schemas, compiled.
#[derive(Default)]
pub(super) struct Patterns(BTreeMap<String, Regex>);

impl Patterns {
    /// # Errors
    /// If a pattern is no regular expression.
    pub fn add(&mut self, schema: &Value) -> Result<(), regex::Error> {
        match schema {
            Value::Object(members) => {
                if let Some(pattern) = schema["pattern"].as_str() {
                    // As in JSON Schema, `\d` is a digit of ASCII.
                    let regex = RegexBuilder::new(pattern).unicode(false).build()?;
                    self.0.insert(pattern.to_owned(), regex);
                }
                members.values().try_for_each(|member| self.add(member))
            }
            Value::Array(items) => items.iter().try_for_each(|item| self.add(item)),
            _ => Ok(()),
        }
    }

    fn matches(&self, pattern: &str, text: &str) -> bool {
        self.0.get(pattern).is_none_or(|regex| regex.is_match(text))
    }
}

/// What is wrong with a value: at most [`MOST_ERRORS`], and at most one error for each field. `components` are the schemas
/// that this one may refer to.
pub(super) fn explained(
    components: &Map<String, Value>,
    patterns: &Patterns,
    schema: &Value,
    value: &Value,
) -> Vec<FieldError> {
    let mut comparison = Comparison { components, patterns, errors: Vec::new() };
    comparison.compare(schema, value, "");
    let mut errors = comparison.errors;
    errors.sort_by(|a, b| a.field.cmp(&b.field));
    errors.dedup_by(|next, kept| next.field == kept.field);
    errors.truncate(MOST_ERRORS);
    errors
}

struct Comparison<'s> {
    components: &'s Map<String, Value>,
    patterns: &'s Patterns,
    errors: Vec<FieldError>,
}

impl<'s> Comparison<'s> {
    fn refuse(&mut self, at: &str, code: FieldCode, reason: &str) {
        self.errors.push(FieldError::new(at, code, reason));
    }

    fn compare(&mut self, schema: &'s Value, value: &Value, at: &str) {
        if self.errors.len() >= 4 * MOST_ERRORS {
            return;
        }
        let branches = self.branches(schema);
        let Some(meant) = branches.iter().find(|branch| takes(branch, value)) else {
            let named: BTreeSet<&str> = branches.into_iter().flat_map(types).map(shown_type).collect();
            let named: Vec<&str> = named.into_iter().collect();
            return self.refuse(at, FieldCode::WrongType, &format!("must be {}", named.join(" or ")));
        };
        if let Some(choices) = meant["enum"].as_array()
            && !choices.contains(value)
        {
            return self.refuse(at, FieldCode::NotAChoice, &one_of(choices.iter().map(shown).collect()));
        }
        match value {
            Value::Object(fields) => self.compare_fields(meant, fields, at),
            Value::Array(items) => self.compare_items(meant, items, at),
            Value::String(text) => self.compare_text(meant, text, at),
            Value::Number(number) => self.compare_number(meant, number, at),
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// The schema, or those of which a value has to match one, without references.
    fn branches(&self, schema: &'s Value) -> Vec<&'s Value> {
        if let Some(named) = spec::name_of(schema).and_then(|name| self.components.get(name)) {
            return self.branches(named);
        }
        match schema["oneOf"].as_array() {
            Some(branches) => branches.iter().flat_map(|branch| self.branches(branch)).collect(),
            None => vec![schema],
        }
    }

    fn compare_fields(&mut self, schema: &'s Value, fields: &Map<String, Value>, at: &str) {
        let Some(properties) = schema["properties"].as_object() else { return };
        let listed = |list: &'s Value| list.as_array().into_iter().flatten().filter_map(Value::as_str);
        let mut required: Vec<&str> = listed(&schema["required"]).collect();
        // The schema of a command, which the spec publishes open because answers have it too, lists the members of each kind. The
        // server takes these alone.
        let kinds = schema["x-commands"].as_object();
        let mut of_kind = None;
        if let (Some(kinds), Some(kind)) = (kinds, fields.get("type").and_then(Value::as_str)) {
            of_kind = kinds.get(kind);
            match of_kind {
                Some(of_kind) => required.extend(listed(&of_kind["members"])),
                None => {
                    let reason = one_of(kinds.keys().cloned().collect());
                    self.refuse(&joined(at, "type"), FieldCode::NotAChoice, &reason);
                }
            }
        }
        for name in required.iter().filter(|name| !fields.contains_key(**name)) {
            self.refuse(&joined(at, name), FieldCode::Missing, "is missing");
        }
        let is_of_kind = |name: &str| {
            let perhaps = |of_kind: &'s Value| listed(&of_kind["perhaps"]).any(|taken| taken == name);
            of_kind.is_none_or(|of_kind| required.contains(&name) || perhaps(of_kind))
        };
        let (known, unknown): (Vec<_>, Vec<_>) =
            fields.iter().partition(|(name, _)| properties.contains_key(*name) && is_of_kind(name));
        let is_closed = schema["additionalProperties"] == false || kinds.is_some();
        // So that the fields which are missing are named too.
        let most = if kinds.is_some() { MOST_ERRORS / 2 } else { MOST_ERRORS };
        for (name, _) in unknown.into_iter().take(most).filter(|_| is_closed) {
            self.refuse(&joined(at, name), FieldCode::Unknown, "is not known here");
        }
        for (name, field) in known {
            self.compare(&properties[name], field, &joined(at, name));
        }
    }

    /// The rest of a list that is too long is not read.
    fn compare_items(&mut self, schema: &'s Value, items: &[Value], at: &str) {
        let most = schema["maxItems"].as_u64().map_or(items.len(), |most| most as usize);
        if items.len() > most {
            self.refuse(at, FieldCode::TooLong, &format!("must have at most {most} items"));
        }
        let Some(each) = schema.get("items") else { return };
        for (index, item) in items.iter().take(most).enumerate() {
            self.compare(each, item, &format!("{at}[{index}]"));
        }
    }

    fn compare_text(&mut self, schema: &'s Value, text: &str, at: &str) {
        let format = schema["format"].as_str().unwrap_or_default();
        if format == "uuid" && uuid::Uuid::try_parse(text).is_err() {
            return self.refuse(at, FieldCode::WrongFormat, "must be a UUID");
        }
        let length = text.chars().count() as u64;
        if let Some(least) = schema["minLength"].as_u64().filter(|least| length < *least) {
            return self.refuse(at, FieldCode::TooShort, &format!("must have at least {least} characters"));
        }
        if let Some(most) = schema["maxLength"].as_u64().filter(|most| length > *most) {
            return self.refuse(at, FieldCode::TooLong, &format!("must have at most {most} characters"));
        }
        if let Some(pattern) = schema["pattern"].as_str().filter(|p| !self.patterns.matches(p, text)) {
            return self.refuse(at, FieldCode::WrongFormat, &format!("must match `{pattern}`"));
        }
        if format == "date-time" && text.parse::<jiff::Timestamp>().is_err() {
            self.refuse(at, FieldCode::WrongFormat, "must be a date and a time");
        }
    }

    fn compare_number(&mut self, schema: &'s Value, number: &Number, at: &str) {
        if let Value::Number(least) = &schema["minimum"]
            && is_less(number, least)
        {
            return self.refuse(at, FieldCode::OutOfRange, &format!("must be at least {least}"));
        }
        if let Value::Number(most) = &schema["maximum"]
            && is_less(most, number)
        {
            self.refuse(at, FieldCode::OutOfRange, &format!("must be at most {most}"));
        }
    }
}

fn takes(schema: &Value, value: &Value) -> bool {
    types(schema).next().is_none() || types(schema).any(|name| is_of(name, value))
}

/// The types that a schema names; none if it takes all.
fn types(schema: &Value) -> impl Iterator<Item = &str> {
    let several = schema["type"].as_array().into_iter().flatten();
    several.chain([&schema["type"]]).filter_map(Value::as_str)
}

fn is_of(name: &str, value: &Value) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        _ => value.is_object(),
    }
}

/// The name of a JSON type in a sentence.
fn shown_type(name: &str) -> &str {
    match name {
        "boolean" => "true or false",
        "integer" => "an integer",
        "number" => "a number",
        "string" => "a string",
        "array" => "an array",
        "object" => "an object",
        other => other,
    }
}

fn is_less(a: &Number, b: &Number) -> bool {
    match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => a < b,
        _ => a.as_f64() < b.as_f64(),
    }
}

fn one_of(choices: BTreeSet<String>) -> String {
    let one = if choices.len() == 1 { "" } else { "one of " };
    let choices: Vec<String> = choices.into_iter().collect();
    format!("must be {one}`{}`", choices.join("`, `"))
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
