//! Failures of use cases as problems: the one place where they get their code, members and headers.

use actix_web::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use serde_json::json;

use super::{Problem, ProblemCode};
use crate::http::field_errors::FieldErrors;
use estimation_service::base::failure::{Failure, PasswordError, Refusal, StoreError, TokenError, sentence};
use estimation_service::rulesets::PublishedValue;
use estimation_service::vocabulary::{OptionError, OptionValues, RulesetId};

/// Seconds after which a client may repeat a request that failed for the moment.
const RETRY: &str = "1";

/// The detail where the database did not confirm a change.
const OUTCOME_UNKNOWN: &str = "It is not known whether that was done. Repeat the request with its `Idempotency-Key` \
                               or `If-Match`, or read the state first.";

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Problem {
        let errors = FieldErrors::new(failure.field_errors());
        let detail = errors.detail_or(sentence(&failure.to_string()));
        Problem::of(failure, errors, detail)
    }
}

impl Problem {
    fn of(failure: Failure, errors: FieldErrors, detail: String) -> Problem {
        let new = |code| Problem::new(code, detail.as_str());
        let later = |code| new(code).header(RETRY_AFTER, RETRY);
        match failure {
            // The first failure decides the code.
            Failure::Several(failures) => match failures.into_iter().next() {
                Some(first) => Problem::of(first, errors, detail),
                None => Problem::defect("several failures, and none"),
            },
            Failure::NotFound { what } => new(ProblemCode::NotFound { what }),
            Failure::Withheld { what } => Problem { withheld: true, ..new(ProblemCode::NotFound { what }) },
            Failure::Rejected(rejection) => rejection.into(),
            Failure::StaleVersion { current_version, events } => {
                new(ProblemCode::StaleVersion { current_version, events })
            }
            Failure::LogReplaced { current_version } => new(ProblemCode::LogReplaced { current_version }),
            Failure::Busy => later(ProblemCode::GameBusy),
            Failure::RequestInProgress => later(ProblemCode::RequestInProgress),
            Failure::TooManyStreams => later(ProblemCode::TooManyStreams),
            Failure::KeyReused => new(ProblemCode::IdempotencyKeyReused),
            Failure::SpectatorsBarred => new(ProblemCode::SpectatorsBarred),
            Failure::WaitsAlready { game } => new(ProblemCode::AlreadyWaiting { game: game.to_string() }),
            Failure::StrangersTable => new(ProblemCode::StrangersTable),
            Failure::TableChangedTooOften { limit } | Failure::SatDownTooOften { limit } => {
                new(ProblemCode::TooManyChanges { limit })
            }
            Failure::TooManyTables { host, limit } => new(ProblemCode::TooManyTables { host, limit }),
            Failure::NotOver => new(ProblemCode::GameNotOver),
            Failure::AuditorBarred => new(ProblemCode::AuditorBarred),
            Failure::Option(error) => new(option(error, errors)),
            Failure::UnknownRuleset(_) => {
                new(ProblemCode::UnknownRuleset { errors, rulesets: &RulesetId::ALL })
            }
            Failure::ImpossibleRound { reason, .. } => {
                new(ProblemCode::ImpossibleRound { errors, round: reason })
            }
            Failure::Field { field, reason, .. } => {
                new(ProblemCode::InvalidField { errors, field: field.into_owned(), reason })
            }
            Failure::Name { field, refusal } => new(name(field, &refusal, errors)),
            Failure::OtherList => new(ProblemCode::MalformedQuery {
                parameter: Some("cursor".to_owned()),
                errors: Some(errors),
            }),
            Failure::Password { field, error } => new(match error {
                PasswordError::TooShort { .. } => ProblemCode::PasswordTooShort { errors, field },
                PasswordError::TooLong => ProblemCode::PasswordTooLong { errors, field },
                PasswordError::Common => ProblemCode::PasswordCommon { errors, field },
                PasswordError::Username => ProblemCode::PasswordIsUsername { errors, field },
            }),
            Failure::UsernameTaken => new(ProblemCode::UsernameTaken),
            Failure::WrongCredentials => challenge(new(ProblemCode::WrongCredentials), None),
            Failure::WrongPassword => new(ProblemCode::WrongPassword),
            Failure::NotAGuest => new(ProblemCode::NotAGuest),
            Failure::GuestAccount => new(ProblemCode::GuestAccount),
            Failure::RoleRequired { role } => new(ProblemCode::RoleRequired { role }),
            // RFC 9470.
            Failure::SignInTooOld { max_age } => new(ProblemCode::RecentSignInRequired { max_age }).header(
                WWW_AUTHENTICATE,
                format!(
                    "Bearer realm=\"estimation\", error=\"insufficient_user_authentication\", \
                     max_age=\"{max_age}\""
                ),
            ),
            Failure::OwnRole => new(ProblemCode::OwnRole),
            Failure::LastAdmin => new(ProblemCode::LastAdmin),
            Failure::UnknownRole(error) => {
                let (field, reason) = ("role".to_owned(), error.to_string());
                new(ProblemCode::InvalidField { errors, field, reason })
            }
            Failure::TooManyAttempts { limit, retry_after } => {
                new(ProblemCode::TooManyAttempts { policy: limit })
                    .header(RETRY_AFTER, retry_after.to_string())
            }
            // Clients that flood the service get this answer, so it has no cause in the log.
            Failure::HashingOverloaded => later(ProblemCode::Unavailable { reason: None }),
            Failure::TooManyRefusals => later(ProblemCode::TooManyRequests { policy: "commands" }),
            Failure::Token(TokenError::Expired { .. }) => challenge(
                Problem::new(ProblemCode::TokenExpired, "The access token has expired."),
                Some("invalid_token"),
            ),
            Failure::Token(_) => challenge(new(ProblemCode::TokenInvalid), Some("invalid_token")),
            Failure::SessionEnded => challenge(new(ProblemCode::SessionEnded), Some("invalid_token")),
            Failure::RefreshToken => challenge(new(ProblemCode::RefreshTokenInvalid), None),
            Failure::RefreshTokenReused => challenge(new(ProblemCode::RefreshTokenReused), None),
            // One game's data is damaged; the others go on.
            ref failure if failure.is_unreadable() => unavailable(failure),
            Failure::Store(StoreError::OutcomeUnknown { .. }) => outcome_unknown().because(failure),
            Failure::Store(ref error) if error.is_unavailable() => unavailable(&failure),
            Failure::UnreadableLog { .. }
            | Failure::UnsoundLog { .. }
            | Failure::LogRolledBack { .. }
            | Failure::LogOrigin(_)
            | Failure::Store(_)
            | Failure::Keys(_)
            | Failure::Defect(_) => Problem::defect(failure),
        }
    }

    /// The problem for a request that had changed something before it failed; none where this problem does not
    /// claim that nothing was changed.
    pub(in crate::http) fn after_a_change(&self) -> Option<Problem> {
        matches!(*self.code, ProblemCode::Unavailable { .. })
            .then(|| Problem { cause: self.cause.clone(), ..outcome_unknown() })
    }
}

/// A 401 with the challenge that the status asks for (RFC 6750).
pub(in crate::http) fn challenge(problem: Problem, error: Option<&str>) -> Problem {
    let error = error.map(|error| format!(", error=\"{error}\"")).unwrap_or_default();
    problem.header(WWW_AUTHENTICATE, format!("Bearer realm=\"estimation\"{error}"))
}

fn outcome_unknown() -> Problem {
    Problem::new(ProblemCode::OutcomeUnknown, OUTCOME_UNKNOWN).header(RETRY_AFTER, RETRY)
}

fn unavailable(failure: &Failure) -> Problem {
    let code = ProblemCode::Unavailable { reason: None };
    let problem = Problem::new(code, "The service cannot do that at the moment.");
    problem.header(RETRY_AFTER, RETRY).because(failure)
}

/// The code of a refused name, with the character that breaks the rule.
fn name(field: &'static str, refusal: &Refusal, errors: FieldErrors) -> ProblemCode {
    let character = refusal.character().unwrap_or_default();
    match refusal {
        Refusal::Character { kind, .. } => {
            ProblemCode::CharacterNotAllowed { errors, field, character, reason: kind.as_str() }
        }
        Refusal::DisplayNameLength { .. } | Refusal::TooWide { .. } | Refusal::UsernameLength { .. } => {
            ProblemCode::InvalidField { errors, field: field.to_owned(), reason: refusal.to_string() }
        }
        Refusal::Marks { .. } => ProblemCode::TooManyMarks { errors, field, character },
        Refusal::Scripts { .. } => ProblemCode::MixedScripts { errors, field, character },
        Refusal::Reserved => ProblemCode::NameReserved { errors, field },
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
