//! Failures of use cases as problems: the one place where they get their status.

use actix_web::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use serde_json::{Value, json};

use super::Problem;
use crate::app::failure::{Failure, PasswordError, Refusal, StoreError, TokenError, sentence};
use crate::app::vocabulary::{OptionError, OptionValues, RulesetId};

/// Seconds after which a client may try again what could not be done.
const RETRY: &str = "1";

/// What a client is told when the database did not confirm a change.
const OUTCOME_UNKNOWN: &str = "It is not known whether that was done. Repeat the request with its `Idempotency-Key` \
                               or `If-Match`, or read the state first.";

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Problem {
        let errors = failure.field_errors();
        let problem = Problem::of(&failure);
        if errors.is_empty() { problem } else { problem.with_errors(errors) }
    }
}

impl Problem {
    /// The problem that a failure is, but for the errors of its fields.
    fn of(failure: &Failure) -> Problem {
        let text = sentence(&failure.to_string());
        match failure {
            // The first tells what kind of problem it is.
            Failure::Several(failures) => {
                failures.first().map_or_else(|| Problem::defect(failure), Problem::of)
            }
            Failure::NotFound { what } => Problem::new("not-found", text).with("what", *what),
            Failure::Withheld { what } => {
                Problem { withheld: true, ..Problem::new("not-found", text).with("what", *what) }
            }
            Failure::Rejected(rejection) => Problem::from(rejection),
            Failure::StaleVersion { current_version, events } => Problem::new("stale-version", text)
                .with("current_version", *current_version)
                .with("events", json!(events)),
            Failure::LogReplaced { current_version } => {
                Problem::new("log-replaced", text).with("current_version", *current_version)
            }
            Failure::Busy => Problem::new("game-busy", text).header(RETRY_AFTER, RETRY),
            Failure::RequestInProgress => {
                Problem::new("request-in-progress", text).header(RETRY_AFTER, RETRY)
            }
            Failure::TooManyStreams => Problem::new("too-many-streams", text).header(RETRY_AFTER, RETRY),
            Failure::KeyReused => Problem::new("idempotency-key-reused", text),
            Failure::SpectatorsBarred => Problem::new("spectators-barred", text),
            Failure::WaitsAlready { game } => {
                Problem::new("already-waiting", text).with("game", game.as_str())
            }
            Failure::StrangersTable => Problem::new("strangers-table", text),
            Failure::TableChangedTooOften { limit } | Failure::SatDownTooOften { limit } => {
                Problem::new("too-many-changes", text).with("limit", *limit)
            }
            Failure::TooManyTables { host, limit } => {
                Problem::new("too-many-tables", text).with("limit", *limit).with("host", host.as_str())
            }
            Failure::NotOver => Problem::new("game-not-over", text),
            Failure::AuditorBarred => Problem::new("auditor-barred", text),
            Failure::Option(error) => option(error, text),
            Failure::UnknownRuleset(_) => Problem::new("unknown-ruleset", text)
                .with("rulesets", json!(RulesetId::ALL.map(RulesetId::as_str))),
            Failure::ImpossibleRound { reason, .. } => impossible(json!(reason), text),
            Failure::Field { field, reason, .. } => {
                Problem::new("invalid-field", text).with("field", &**field).with("reason", reason.as_str())
            }
            Failure::Name { field, refusal } => name(field, refusal, text),
            Failure::OtherList => Problem::new("malformed-query", text).with("parameter", "cursor"),
            Failure::Password { field, error } => {
                let code = match error {
                    PasswordError::TooShort { .. } => "password-too-short",
                    PasswordError::TooLong => "password-too-long",
                    PasswordError::Common => "password-common",
                    PasswordError::Username => "password-is-username",
                };
                Problem::new(code, text).with("field", *field)
            }
            Failure::UsernameTaken => Problem::new("username-taken", text),
            Failure::WrongCredentials => challenge(Problem::new("wrong-credentials", text), None),
            Failure::WrongPassword => Problem::new("wrong-password", text),
            Failure::NotAGuest => Problem::new("not-a-guest", text),
            Failure::GuestAccount => Problem::new("guest-account", text),
            Failure::RoleRequired { role } => Problem::new("role-required", text).with("role", role.as_str()),
            Failure::UnknownRole(_) => {
                Problem::new("invalid-field", text).with("field", "role").with("reason", failure.to_string())
            }
            Failure::TooManyAttempts { what, retry_after } => Problem::new("too-many-attempts", text)
                .with("policy", *what)
                .header(RETRY_AFTER, retry_after.to_string()),
            // Not a failure of the service that its log has to tell: clients that flood it get this answer.
            Failure::HashingOverloaded => Problem::new("unavailable", text).header(RETRY_AFTER, RETRY),
            Failure::TooManyRefusals => {
                Problem::new("too-many-requests", text).with("policy", "commands").header(RETRY_AFTER, RETRY)
            }
            Failure::Token(TokenError::Expired { .. }) => challenge(
                Problem::new("token-expired", "The access token has expired."),
                Some("invalid_token"),
            ),
            Failure::Token(_) => challenge(Problem::new("token-invalid", text), Some("invalid_token")),
            Failure::SessionEnded => challenge(Problem::new("session-ended", text), Some("invalid_token")),
            Failure::RefreshToken => challenge(Problem::new("refresh-token-invalid", text), None),
            Failure::RefreshTokenReused => challenge(Problem::new("refresh-token-reused", text), None),
            Failure::UnreadableLog { .. } => unavailable(failure),
            Failure::Store(StoreError::OutcomeUnknown { .. }) => {
                Problem::new("outcome-unknown", OUTCOME_UNKNOWN).header(RETRY_AFTER, RETRY).because(failure)
            }
            Failure::Store(error) if error.is_unavailable() => unavailable(failure),
            Failure::Store(_) | Failure::Keys(_) | Failure::Defect(_) => Problem::defect(failure),
        }
    }
}

/// A 401 with the challenge that the status asks for (RFC 6750).
pub(in crate::http) fn challenge(problem: Problem, error: Option<&str>) -> Problem {
    let error = error.map(|error| format!(", error=\"{error}\"")).unwrap_or_default();
    problem.header(WWW_AUTHENTICATE, format!("Bearer realm=\"estimation\"{error}"))
}

impl Problem {
    /// What to tell a client instead when something was changed before the problem was met. None where the problem
    /// does not say that nothing was changed.
    pub(in crate::http) fn after_a_change(&self) -> Option<Problem> {
        if self.code.code != "unavailable" {
            return None;
        }
        let problem = Problem::new("outcome-unknown", OUTCOME_UNKNOWN).header(RETRY_AFTER, RETRY);
        Some(match &self.cause {
            Some(cause) => problem.because(cause),
            None => problem,
        })
    }
}

fn unavailable(failure: &Failure) -> Problem {
    let detail = "The service cannot do that at the moment.";
    Problem::new("unavailable", detail).header(RETRY_AFTER, RETRY).because(failure)
}

/// A name that is refused: with the character that breaks the rule, and of what kind it is.
fn name(field: &str, refusal: &Refusal, text: String) -> Problem {
    let problem = Problem::new(refusal.code(), text).with("field", field);
    let problem = match refusal.character() {
        Some(character) => problem.with("character", character),
        None => problem,
    };
    match refusal {
        Refusal::Character { kind, .. } => problem.with("reason", kind.as_str()),
        Refusal::DisplayNameLength { .. } | Refusal::UsernameLength { .. } => {
            problem.with("reason", refusal.to_string())
        }
        Refusal::Marks { .. } | Refusal::Scripts { .. } | Refusal::Reserved => problem,
    }
}

fn option(error: &OptionError, text: String) -> Problem {
    match error {
        OptionError::Unknown { ruleset, option } => Problem::new("unknown-option", text)
            .with("ruleset", ruleset.as_str())
            .with("option", option.as_str()),
        OptionError::Value { option, allowed, .. } => {
            let allowed = match allowed {
                OptionValues::Number { min, max } => json!({"min": min, "max": max}),
                values => json!(values.all()),
            };
            Problem::new("invalid-option", text).with("option", *option).with("allowed", allowed)
        }
        OptionError::Players { min, max, .. } => {
            Problem::new("players-out-of-range", text).with("min", *min).with("max", *max)
        }
    }
}

/// An impossible round: the reason and its data as they are serialised.
fn impossible(reason: Value, text: String) -> Problem {
    let mut problem = Problem::new("impossible-round", text);
    if let Value::Object(members) = reason {
        problem.members = members;
    }
    problem
}
