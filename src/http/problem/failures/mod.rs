//! Failures of use cases as problems: the one place where they get their code, members and headers. Each service has a
//! file; this one has what is common.

mod accounts;
mod auth;
mod calculator;
mod games;
mod identities;
mod mail;
mod moderation;
mod notifications;
mod people;
mod public_log;
mod talk;

use actix_web::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};

use super::{Problem, ProblemCode};
use crate::http::field_errors::FieldErrors;
use estimation_service::base::failure::{Failure, StoreError};
use estimation_service::base::field_error::{Fault, Faults, FieldCode, FieldFault, sentence};

/// Seconds after which a client may repeat a request that failed for the moment.
const RETRY: &str = "1";

/// The detail where the database did not confirm a change.
const OUTCOME_UNKNOWN: &str = "It is not known whether that was done. Repeat the request with its `Idempotency-Key` \
                               or `If-Match`, or read the state first.";

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Problem {
        match failure {
            Failure::NotFound { what } => described(ProblemCode::NotFound { what }, &failure),
            Failure::Withheld { what } => {
                Problem { withheld: true, ..described(ProblemCode::NotFound { what }, &failure) }
            }
            Failure::Fields(faults) => wrong_fields(faults),
            Failure::Store(StoreError::OutcomeUnknown { .. }) => outcome_unknown().because(failure),
            Failure::Store(StoreError::Corrupt { .. } | StoreError::NewerGame { .. }) => {
                game_unavailable(failure)
            }
            Failure::Store(ref error) if error.is_unavailable() => unavailable(&failure),
            Failure::Store(_) | Failure::Defect(_) => Problem::defect(failure),
        }
    }
}

impl Problem {
    /// The problem for a request that had changed something before it failed; none where this problem does not
    /// claim that nothing was changed.
    pub(in crate::http) fn after_a_change(&self) -> Option<Problem> {
        matches!(*self.code, ProblemCode::Unavailable { .. })
            .then(|| Problem { cause: self.cause.clone(), ..outcome_unknown() })
    }
}

/// A fault of a field that has a code of its own.
trait Coded: Fault {
    /// The code of a problem with these errors, of which this fault caused the first.
    fn code(self, errors: FieldErrors) -> ProblemCode;
}

impl Coded for FieldFault {
    fn code(self, errors: FieldErrors) -> ProblemCode {
        let FieldFault { field, code, reason } = self;
        let field = field.into_owned();
        match code {
            FieldCode::OtherList => {
                ProblemCode::MalformedQuery { parameter: Some(field), errors: Some(errors) }
            }
            _ => ProblemCode::InvalidField { errors, field, reason },
        }
    }
}

/// The problem of wrong fields. The first fault decides the code.
fn wrong_fields<F: Coded>(faults: Faults<F>) -> Problem {
    let errors = FieldErrors::new(faults.field_errors());
    let detail = errors.detail_or("");
    match faults.into_first() {
        Some(first) => Problem::new(first.code(errors), detail),
        None => Problem::defect("wrong fields, and none"),
    }
}

/// A problem whose detail is the text of the failure.
fn described(code: ProblemCode, failure: &impl ToString) -> Problem {
    Problem::new(code, sentence(&failure.to_string()))
}

/// A problem that a client may solve by repeating the request soon.
fn later(code: ProblemCode, failure: &impl ToString) -> Problem {
    described(code, failure).header(RETRY_AFTER, RETRY)
}

/// A 401 with the challenge that the status asks for (RFC 6750).
pub(in crate::http) fn challenge(problem: Problem, error: Option<&str>) -> Problem {
    let error = error.map(|error| format!(", error=\"{error}\"")).unwrap_or_default();
    problem.header(WWW_AUTHENTICATE, format!("Bearer realm=\"estimation\"{error}"))
}

fn outcome_unknown() -> Problem {
    Problem::new(ProblemCode::OutcomeUnknown, OUTCOME_UNKNOWN).header(RETRY_AFTER, RETRY)
}

fn unavailable(failure: impl ToString) -> Problem {
    let code = ProblemCode::Unavailable { reason: None };
    let problem = Problem::new(code, "The service cannot do that at the moment.");
    problem.header(RETRY_AFTER, RETRY).because(failure)
}

/// One game's data is damaged; the others go on.
fn game_unavailable(failure: impl ToString) -> Problem {
    Problem { of_one_game: true, ..unavailable(failure) }
}
