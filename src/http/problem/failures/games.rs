//! Problems of games, of matchmaking, and of streams.

use actix_web::http::header::RETRY_AFTER;

use super::{described, game_unavailable, later, wrong_fields};
use crate::http::problem::{Problem, ProblemCode};
use estimation_service::games::failure::GameFailure;
use estimation_service::games::idempotency::IdempotencyFailure;
use estimation_service::matchmaking::failure::MatchmakingFailure;
use estimation_service::watch::failure::WatchFailure;

impl From<GameFailure> for Problem {
    fn from(failure: GameFailure) -> Problem {
        let text = failure.to_string();
        let new = |code| described(code, &text);
        match failure {
            GameFailure::Common(failure) => failure.into(),
            GameFailure::Auth(failure) => failure.into(),
            GameFailure::PublicLog(failure) => failure.into(),
            GameFailure::Idempotency(failure) => failure.into(),
            GameFailure::Rules(faults) => wrong_fields(faults),
            GameFailure::Rejected(rejection) => rejection.into(),
            GameFailure::StaleVersion { current_version, events } => {
                new(ProblemCode::StaleVersion { current_version, events })
            }
            GameFailure::LogReplaced { current_version } => new(ProblemCode::LogReplaced { current_version }),
            GameFailure::Busy => later(ProblemCode::GameBusy, &text),
            GameFailure::TooManyRefusals => later(ProblemCode::TooManyRequests { policy: "commands" }, &text),
            GameFailure::Blocked => Problem { withheld: true, ..new(ProblemCode::NotFound { what: "game" }) },
            GameFailure::SpectatorsBarred => new(ProblemCode::SpectatorsBarred),
            GameFailure::AuditorBarred => new(ProblemCode::AuditorBarred),
            GameFailure::NotOver => new(ProblemCode::GameNotOver),
            GameFailure::NotLogged => new(ProblemCode::NotLogged),
            GameFailure::StrangersTable => new(ProblemCode::StrangersTable),
            GameFailure::TableChangedTooOften { limit } | GameFailure::SatDownTooOften { limit } => {
                new(ProblemCode::TooManyChanges { limit })
            }
            GameFailure::TooManyTables { host, limit } => new(ProblemCode::TooManyTables { host, limit }),
            GameFailure::UnreadableLog { .. } | GameFailure::UnsoundLog { .. } => game_unavailable(text),
        }
    }
}

impl From<IdempotencyFailure> for Problem {
    fn from(failure: IdempotencyFailure) -> Problem {
        match failure {
            IdempotencyFailure::Common(failure) => failure.into(),
            IdempotencyFailure::InProgress => later(ProblemCode::RequestInProgress, &failure),
            IdempotencyFailure::KeyReused => described(ProblemCode::IdempotencyKeyReused, &failure),
        }
    }
}

impl From<MatchmakingFailure> for Problem {
    fn from(failure: MatchmakingFailure) -> Problem {
        match failure {
            MatchmakingFailure::Game(failure) => failure.into(),
            MatchmakingFailure::WaitsAlready { game } => {
                described(ProblemCode::AlreadyWaiting { game: game.to_string() }, &failure)
            }
            MatchmakingFailure::Barred { until, retry_after } => {
                described(ProblemCode::OpeningsMissed { until }, &failure)
                    .header(RETRY_AFTER, retry_after.to_string())
            }
        }
    }
}

impl From<WatchFailure> for Problem {
    fn from(failure: WatchFailure) -> Problem {
        match failure {
            WatchFailure::Game(failure) => failure.into(),
            WatchFailure::TooManyStreams => later(ProblemCode::TooManyStreams, &failure),
        }
    }
}
