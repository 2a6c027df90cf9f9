//! Why a round cannot be scored.

use thiserror::Error;

use crate::base::failure::{Failure, Fault, FieldFault};
use crate::base::field_error::{FieldCode, FieldError, FieldErrors, sentence};
use crate::rulesets::RulesFault;
use estimation_engine::score::ImpossibleRound;

/// What is wrong with a field of a round.
#[derive(Debug, Error)]
pub enum RoundFault {
    #[error("{reason}")]
    Impossible {
        /// As in `/tricks/2`.
        field: String,
        reason: ImpossibleRound,
    },
    #[error(transparent)]
    Rules(#[from] RulesFault),
    #[error(transparent)]
    Field(#[from] FieldFault),
}

impl Fault for RoundFault {
    fn field_error(&self) -> FieldError {
        match self {
            RoundFault::Impossible { field, reason } => FieldError {
                field: field.clone(),
                code: FieldCode::Impossible,
                detail: sentence(&reason.to_string()),
            },
            RoundFault::Rules(fault) => fault.field_error(),
            RoundFault::Field(fault) => fault.field_error(),
        }
    }

    fn failure(self, errors: FieldErrors) -> Failure {
        match self {
            RoundFault::Impossible { reason, .. } => Failure::ImpossibleRound { errors, round: reason },
            RoundFault::Rules(fault) => fault.failure(errors),
            RoundFault::Field(fault) => fault.failure(errors),
        }
    }
}

impl RoundFault {
    pub(super) fn new(field: impl Into<String>, code: FieldCode, reason: impl Into<String>) -> RoundFault {
        FieldFault::new(field.into(), code, reason).into()
    }
}
