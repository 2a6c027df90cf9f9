//! Faults of request fields: the field, a stable code, and a sentence.

use std::borrow::Cow;

use serde::Serialize;
use utoipa::ToSchema;

use super::failure::Failure;
use crate::auth::passwords::PasswordError;
use crate::auth::tokens::Role;
use estimation_engine::ruleset::RulesetId;
use estimation_engine::ruleset::options::{OptionError, OptionValues, RulesetOption};

/// The longest field name that is quoted, in characters. Clients may send names of any length.
const NAME_LENGTH: usize = 100;

estimation_engine::choices! {
    /// The kind of a fault. More kinds are added over time: for an unknown one, show `detail`.
    pub enum FieldCode {
        /// The field must be given.
        Missing = "missing",
        /// There is no such field.
        Unknown = "unknown",
        /// The field is given more than once.
        Repeated = "repeated",
        /// The value has another type of JSON. A number without a fraction, such as 2.0, is an integer.
        WrongType = "wrong-type",
        /// The value is none of the allowed ones.
        NotAChoice = "not-a-choice",
        /// The number is too small or too large.
        OutOfRange = "out-of-range",
        /// The text has too few characters, or the list too few items.
        TooShort = "too-short",
        /// The text has too many characters, or the list too many items.
        TooLong = "too-long",
        /// The text does not have the required form.
        WrongFormat = "wrong-format",
        /// The value contradicts another one.
        Contradiction = "contradiction",
        /// The password is one of the most common ones.
        TooCommon = "too-common",
        /// The password is the username.
        SameAsUsername = "same-as-username",
        /// No round can have been played like this.
        Impossible = "impossible",
        /// The cursor belongs to another list.
        OtherList = "other-list",
        /// The name has a character that names cannot have. `detail` names it.
        CharacterNotAllowed = "character-not-allowed",
        /// A letter of the name has too many combining marks.
        TooManyMarks = "too-many-marks",
        /// The letters of the name are of more than one script.
        MixedScripts = "mixed-scripts",
        /// The service reserves the name, or one that looks like it.
        Reserved = "reserved",
    }
}

/// A fault of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct FieldError {
    /// The field's path from the top of the body, as in `options.jokers` or `calls[2].tricks`; the name of a
    /// query or path parameter; empty for the whole body.
    #[schema(min_length = 0, max_length = 1000)]
    pub field: String,
    /// The kind of the fault.
    pub code: FieldCode,
    /// What is wrong: in English a sentence for developers that quotes the field's name, in another language a sentence
    /// about the code.
    #[schema(min_length = 1, max_length = 1000)]
    pub detail: String,
}

impl FieldError {
    /// `reason` continues a sentence that starts with the field, as in "must be an integer".
    pub fn new(field: impl Into<String>, code: FieldCode, reason: &str) -> FieldError {
        let mut field = field.into();
        if let Some((end, _)) = field.char_indices().nth(NAME_LENGTH) {
            field.truncate(end);
            field.push('…');
        }
        let detail =
            if field.is_empty() { format!("The body {reason}.") } else { format!("`{field}` {reason}.") };
        FieldError { field, code, detail }
    }
}

impl Failure {
    /// A failure about one field; `reason` continues a sentence that starts with the field.
    pub fn field(field: impl Into<Cow<'static, str>>, code: FieldCode, reason: impl Into<String>) -> Failure {
        Failure::Field { field: field.into(), code, reason: reason.into() }
    }

    /// Fails with all given faults, if any.
    pub fn refuse(faults: Vec<Failure>) -> Result<(), Failure> {
        if faults.is_empty() { Ok(()) } else { Err(Failure::several(faults)) }
    }

    /// Combines faults into one failure. There must be at least one.
    pub fn several(mut faults: Vec<Failure>) -> Failure {
        if faults.len() == 1 { faults.swap_remove(0) } else { Failure::Several(faults) }
    }

    /// The faulty fields; empty if the failure is not about fields.
    pub fn field_errors(&self) -> Vec<FieldError> {
        match self {
            Failure::Several(failures) => failures.iter().flat_map(Failure::field_errors).collect(),
            failure => failure.field_error().into_iter().collect(),
        }
    }

    fn field_error(&self) -> Option<FieldError> {
        Some(match self {
            Failure::Field { field, code, reason } => FieldError::new(field.as_ref(), *code, reason),
            Failure::Password { field, error } => {
                FieldError::new(*field, password_code(*error), &error.to_string())
            }
            Failure::Name { field, refusal } => {
                FieldError::new(*field, refusal.field_code(), &refusal.to_string())
            }
            Failure::UnknownRuleset(_) => one_of("ruleset", &RulesetId::ALL.map(RulesetId::as_str)),
            Failure::UnknownRole(_) => one_of("role", &Role::ALL.map(Role::as_str)),
            Failure::Option(error) => option(error),
            Failure::OtherList => {
                let reason = "was not given out by this list; begin without it";
                FieldError::new("cursor", FieldCode::OtherList, reason)
            }
            Failure::ImpossibleRound { field, reason } => FieldError {
                field: field.clone(),
                code: FieldCode::Impossible,
                detail: sentence(&reason.to_string()),
            },
            _ => return None,
        })
    }
}

fn one_of(field: &str, names: &[&str]) -> FieldError {
    FieldError::new(field, FieldCode::NotAChoice, &format!("must be one of {}", quoted(names)))
}

fn quoted(names: &[&str]) -> String {
    format!("`{}`", names.join("`, `"))
}

fn password_code(error: PasswordError) -> FieldCode {
    match error {
        PasswordError::TooShort { .. } => FieldCode::TooShort,
        PasswordError::TooLong => FieldCode::TooLong,
        PasswordError::Common => FieldCode::TooCommon,
        PasswordError::Username => FieldCode::SameAsUsername,
    }
}

fn option(error: &OptionError) -> FieldError {
    match error {
        OptionError::Unknown { ruleset, option } => {
            let names: Vec<&str> = RulesetOption::of(*ruleset).map(|option| option.name).collect();
            let reason = format!("is no option of `{ruleset}`, which has {}", quoted(&names));
            FieldError::new(format!("options.{option}"), FieldCode::Unknown, &reason)
        }
        OptionError::Value { option, allowed, has_type } => {
            let code = match allowed {
                _ if !has_type => FieldCode::WrongType,
                OptionValues::Number { .. } => FieldCode::OutOfRange,
                OptionValues::Names(_) | OptionValues::Flag => FieldCode::NotAChoice,
            };
            FieldError::new(format!("options.{option}"), code, &format!("must be {allowed}"))
        }
        OptionError::Players { ruleset, min, max } => {
            let range = if min == max { min.to_string() } else { format!("{min} to {max}") };
            FieldError::new("players", FieldCode::OutOfRange, &format!("must be {range} in `{ruleset}`"))
        }
    }
}

/// Turns an error's text into a sentence.
pub fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", characters.as_str())
}
