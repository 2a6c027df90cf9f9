//! Translates the errors of the schema validator into stable codes and sentences.

use std::collections::BTreeSet;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::paths::{Location, LocationSegment};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;

use super::MOST_ERRORS;
use super::document::joined;
use estimation_service::base::field_error::{FieldCode, FieldError};

/// An error of the validator before its sentence is written, so that the types of `oneOf` branches can be merged.
#[derive(Clone)]
struct Violation {
    field: String,
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    Missing,
    Unknown,
    /// The value is of none of these types.
    Type(BTreeSet<&'static str>),
    /// The value is none of these.
    Choice(BTreeSet<String>),
    /// Any other fault, with the rest of its sentence.
    Other(FieldCode, String),
}

/// The errors that a validator finds: at most [`MOST_ERRORS`], and at most one for each field.
pub fn explained<'a>(errors: impl Iterator<Item = ValidationError<'a>>) -> Vec<FieldError> {
    let mut violations: Vec<Violation> = Vec::new();
    for error in errors {
        violations.extend(explain(&error));
        // One field may have several violations.
        if violations.len() >= 4 * MOST_ERRORS {
            break;
        }
    }
    violations.sort_by(|a, b| (&a.field, a.kind.rank()).cmp(&(&b.field, b.kind.rank())));
    violations.dedup_by(|next, kept| next.field == kept.field);
    violations.into_iter().take(MOST_ERRORS).map(Violation::into_error).collect()
}

/// Continues the sentence about a list that is too long.
pub(super) fn most_items(limit: u64) -> String {
    format!("must have at most {limit} items")
}

fn explain(error: &ValidationError<'_>) -> Vec<Violation> {
    let at = path(error.instance_path());
    let other = |code, reason: String| vec![Violation { field: at.clone(), kind: Kind::Other(code, reason) }];
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            let field = joined(&at, property.as_str().unwrap_or_default());
            vec![Violation { field, kind: Kind::Missing }]
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            let unknown = |name: &String| Violation { field: joined(&at, name), kind: Kind::Unknown };
            unexpected.iter().take(MOST_ERRORS).map(unknown).collect()
        }
        ValidationErrorKind::Type { kind } => vec![Violation { field: at, kind: Kind::Type(types(kind)) }],
        ValidationErrorKind::Enum { options } => {
            let options = options.as_array().into_iter().flatten().map(shown).collect();
            vec![Violation { field: at, kind: Kind::Choice(options) }]
        }
        ValidationErrorKind::Constant { expected_value } => {
            vec![Violation { field: at, kind: Kind::Choice([shown(expected_value)].into()) }]
        }
        ValidationErrorKind::OneOfNotValid { context } | ValidationErrorKind::AnyOf { context } => {
            let branches = context.iter().map(|errors| errors.iter().flat_map(explain).collect());
            explain_one_of(&at, branches.collect())
        }
        ValidationErrorKind::Minimum { limit } => {
            other(FieldCode::OutOfRange, format!("must be at least {limit}"))
        }
        ValidationErrorKind::Maximum { limit } => {
            other(FieldCode::OutOfRange, format!("must be at most {limit}"))
        }
        ValidationErrorKind::MinLength { limit } => {
            other(FieldCode::TooShort, format!("must have at least {limit} characters"))
        }
        ValidationErrorKind::MaxLength { limit } => {
            other(FieldCode::TooLong, format!("must have at most {limit} characters"))
        }
        ValidationErrorKind::MinItems { limit } => {
            other(FieldCode::TooShort, format!("must have at least {limit} items"))
        }
        ValidationErrorKind::MaxItems { limit } => other(FieldCode::TooLong, most_items(*limit)),
        ValidationErrorKind::Pattern { pattern } => {
            other(FieldCode::WrongFormat, format!("must match `{pattern}`"))
        }
        ValidationErrorKind::Format { format } if format == "uuid" => {
            other(FieldCode::WrongFormat, "must be a UUID".to_owned())
        }
        _ => other(FieldCode::WrongFormat, "is not what this operation takes".to_owned()),
    }
}

/// Explains why no branch of a `oneOf` matches: a schema or null. The errors are those of the branch that has the type of
/// the value; if there is none, the types of all branches.
fn explain_one_of(at: &str, branches: Vec<Vec<Violation>>) -> Vec<Violation> {
    let of_type = |violation: &Violation| match &violation.kind {
        Kind::Type(types) if violation.field == at => Some(types.clone()),
        _ => None,
    };
    let has_type =
        |violations: &&Vec<Violation>| violations.iter().all(|violation| of_type(violation).is_none());
    if let Some(meant) = branches.iter().find(has_type) {
        return meant.clone();
    }
    let types = branches.iter().flatten().filter_map(of_type).flatten().collect();
    vec![Violation { field: at.to_owned(), kind: Kind::Type(types) }]
}

impl Violation {
    fn into_error(self) -> FieldError {
        let Violation { field, kind } = self;
        match kind {
            Kind::Missing => FieldError::new(field, FieldCode::Missing, "is missing"),
            Kind::Unknown => FieldError::new(field, FieldCode::Unknown, "is not known here"),
            Kind::Type(types) => {
                let types: Vec<&str> = types.into_iter().collect();
                FieldError::new(field, FieldCode::WrongType, &format!("must be {}", types.join(" or ")))
            }
            Kind::Choice(options) => {
                let one = if options.len() == 1 { "" } else { "one of " };
                let options: Vec<String> = options.into_iter().collect();
                let reason = format!("must be {one}`{}`", options.join("`, `"));
                FieldError::new(field, FieldCode::NotAChoice, &reason)
            }
            Kind::Other(code, reason) => FieldError::new(field, code, &reason),
        }
    }
}

impl Kind {
    /// The order in which violations of one field take precedence; the first is reported.
    fn rank(&self) -> u8 {
        match self {
            Kind::Missing | Kind::Unknown => 0,
            Kind::Type(_) => 1,
            Kind::Choice(_) => 2,
            Kind::Other(_, reason) if reason == "must be a UUID" => 3,
            Kind::Other(FieldCode::TooShort | FieldCode::TooLong, _) => 4,
            Kind::Other(FieldCode::OutOfRange, _) => 5,
            Kind::Other(..) => 6,
        }
    }
}

/// The path of a field, from the top: `calls[2].tricks`.
fn path(location: &Location) -> String {
    location.iter().fold(String::new(), |path, segment| match segment {
        LocationSegment::Property(name) => joined(&path, &name),
        LocationSegment::Index(index) => format!("{path}[{index}]"),
    })
}

fn types(kind: &TypeKind) -> BTreeSet<&'static str> {
    match kind {
        TypeKind::Single(one) => [named(*one)].into(),
        TypeKind::Multiple(several) => several.iter().map(named).collect(),
    }
}

/// The name of a JSON type in a sentence.
fn named(kind: JsonType) -> &'static str {
    match kind {
        JsonType::Null => "null",
        JsonType::Boolean => "true or false",
        JsonType::Integer => "an integer",
        JsonType::Number => "a number",
        JsonType::String => "a string",
        JsonType::Array => "an array",
        JsonType::Object => "an object",
    }
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
