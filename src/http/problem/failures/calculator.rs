//! Problems of the calculator, and of the rules that a request asks for.

use serde_json::json;

use super::{Coded, wrong_fields};
use crate::http::field_errors::FieldErrors;
use crate::http::problem::{Problem, ProblemCode};
use estimation_service::calculator::{CalculatorFailure, RoundFault};
use estimation_service::rulesets::{PublishedValue, RulesFault};
use estimation_service::vocabulary::{OptionError, OptionValues, RulesetId};

impl From<CalculatorFailure> for Problem {
    fn from(failure: CalculatorFailure) -> Problem {
        match failure {
            CalculatorFailure::Common(failure) => failure.into(),
            CalculatorFailure::Fields(faults) => wrong_fields(faults),
        }
    }
}

impl Coded for RoundFault {
    fn code(self, errors: FieldErrors) -> ProblemCode {
        match self {
            RoundFault::Impossible { reason, .. } => ProblemCode::ImpossibleRound { errors, round: reason },
            RoundFault::Rules(fault) => fault.code(errors),
            RoundFault::Field(fault) => fault.code(errors),
        }
    }
}

impl Coded for RulesFault {
    fn code(self, errors: FieldErrors) -> ProblemCode {
        match self {
            RulesFault::UnknownRuleset(_) => {
                ProblemCode::UnknownRuleset { errors, rulesets: &RulesetId::ALL }
            }
            RulesFault::Option(error) => option(error, errors),
            RulesFault::Field(fault) => fault.code(errors),
        }
    }
}

fn option(error: OptionError, errors: FieldErrors) -> ProblemCode {
    match error {
        OptionError::Unknown { ruleset, option } => ProblemCode::UnknownOption { errors, ruleset, option },
        OptionError::Value { option, allowed, .. } => {
            let allowed = match allowed {
                OptionValues::Number { min, max } => json!({"min": min, "max": max}),
                values => {
                    json!({"values": values.all().into_iter().map(PublishedValue::from).collect::<Vec<_>>()})
                }
            };
            ProblemCode::InvalidOption { allowed, errors, option }
        }
        OptionError::Players { min, max, .. } => ProblemCode::PlayersOutOfRange { errors, min, max },
    }
}
