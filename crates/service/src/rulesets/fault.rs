//! What is wrong with the rules that a request asks for.

use serde_json::json;
use thiserror::Error;

use super::PublishedValue;
use crate::base::failure::{Failure, Fault, Faults, FieldFault};
use crate::base::field_error::{FieldCode, FieldError, FieldErrors, pointer, quoted};
use estimation_engine::ruleset::options::{OptionError, OptionValues, RulesetOption};
use estimation_engine::ruleset::{RulesetId, UnknownRuleset};

#[derive(Debug, Error)]
pub enum RulesFault {
    #[error(transparent)]
    UnknownRuleset(#[from] UnknownRuleset),
    /// Unknown option, or invalid value.
    #[error(transparent)]
    Option(#[from] OptionError),
    #[error(transparent)]
    Field(#[from] FieldFault),
}

impl Fault for RulesFault {
    fn field_error(&self) -> FieldError {
        match self {
            RulesFault::UnknownRuleset(_) => {
                let names = quoted(&RulesetId::ALL.map(RulesetId::as_str));
                FieldError::new("/ruleset", FieldCode::NotAChoice, &format!("must be one of {names}"))
            }
            RulesFault::Option(error) => option(error),
            RulesFault::Field(fault) => fault.field_error(),
        }
    }

    fn failure(self, errors: FieldErrors) -> Failure {
        match self {
            RulesFault::UnknownRuleset(_) => Failure::UnknownRuleset { errors, rulesets: &RulesetId::ALL },
            RulesFault::Option(OptionError::Unknown { ruleset, option }) => {
                Failure::UnknownOption { errors, ruleset, option }
            }
            RulesFault::Option(OptionError::Value { option, allowed, .. }) => {
                let allowed = match allowed {
                    OptionValues::Number { min, max } => json!({"min": min, "max": max}),
                    values => {
                        let values: Vec<_> = values.all().into_iter().map(PublishedValue::from).collect();
                        json!({"values": values})
                    }
                };
                Failure::InvalidOption { allowed, errors, option }
            }
            RulesFault::Option(OptionError::Players { min, max, .. }) => {
                Failure::PlayersOutOfRange { errors, min, max }
            }
            RulesFault::Field(fault) => fault.failure(errors),
        }
    }
}

impl From<UnknownRuleset> for Failure {
    fn from(error: UnknownRuleset) -> Failure {
        Faults::from(RulesFault::from(error)).into()
    }
}

fn option(error: &OptionError) -> FieldError {
    match error {
        OptionError::Unknown { ruleset, option } => {
            let names: Vec<&str> = RulesetOption::of(*ruleset).map(|option| option.name).collect();
            let reason = format!("is no option of `{ruleset}`, which has {}", quoted(&names));
            FieldError::new(pointer(["options", option]), FieldCode::Unknown, &reason)
        }
        OptionError::Value { option, allowed, has_type } => {
            let code = match allowed {
                _ if !has_type => FieldCode::WrongType,
                OptionValues::Number { .. } => FieldCode::OutOfRange,
                OptionValues::Names(_) | OptionValues::Flag => FieldCode::NotAChoice,
            };
            FieldError::new(pointer(["options", option]), code, &format!("must be {allowed}"))
        }
        OptionError::Players { ruleset, min, max } => {
            let range = if min == max { min.to_string() } else { format!("{min} to {max}") };
            FieldError::new("/players", FieldCode::OutOfRange, &format!("must be {range} in `{ruleset}`"))
        }
    }
}
