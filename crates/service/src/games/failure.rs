//! Why a use case of games fails.

use std::sync::Arc;

use thiserror::Error;

use super::idempotency::IdempotencyFailure;
use super::published_event::PublishedEvent;
use crate::auth::failure::AuthFailure;
use crate::base::failure::{Failure, conversions};
use crate::base::field_error::Faults;
use crate::public_log::failure::LogFailure;
use crate::rulesets::RulesFault;
use estimation_engine::player::AccountId;
use estimation_engine::rejection::Rejection;
use estimation_engine::ruleset::UnknownRuleset;
use estimation_store::{GameId, StoreError};

#[derive(Debug, Error)]
pub enum GameFailure {
    #[error(transparent)]
    Common(#[from] Failure),
    #[error(transparent)]
    Auth(AuthFailure),
    #[error(transparent)]
    PublicLog(LogFailure),
    #[error(transparent)]
    Idempotency(IdempotencyFailure),
    /// The rules that a new table asks for are wrong.
    #[error(transparent)]
    Rules(#[from] Faults<RulesFault>),
    /// The rules of the game or the table refuse the command.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// The game has advanced past the version the caller expected.
    #[error("the game is at version {current_version}")]
    StaleVersion {
        current_version: u64,
        /// The events since that version, as the caller may see them.
        events: Vec<Arc<PublishedEvent>>,
    },
    /// The log lacks the event the caller knows: it was restored, or lost its end.
    #[error("the log does not have that event; it ends at {current_version}")]
    LogReplaced { current_version: u64 },
    #[error("the game is too busy")]
    Busy,
    /// The command would be refused, and the caller's refusal budget is empty.
    #[error("too many commands were refused")]
    TooManyRefusals,
    #[error("this game has no spectators")]
    SpectatorsBarred,
    /// There is a block between the account and a player of the game. Answered like a game that does not exist.
    #[error("there is no such game")]
    Blocked,
    /// The caller accessed the game as an auditor, and may not play in it.
    #[error("an auditor cannot play in a game whose record they have read")]
    AuditorBarred,
    /// A game's history is available once it is over.
    #[error("the game is not over")]
    NotOver,
    /// No signed checkpoint of the public log has this entry of the game.
    #[error("the public log does not have that entry of the game")]
    NotLogged,
    /// Players cannot use host commands at a matchmade table before it starts.
    #[error("the service seats the players of this table and starts it")]
    StrangersTable,
    #[error("the limit of {limit} changes before the start is reached")]
    TableChangedTooOften { limit: u64 },
    /// The account reached the limit of joins or of commitments at a table.
    #[error("the limit of {limit} joins, or of commitments to a seed, is reached")]
    SatDownTooOften { limit: u64 },
    #[error("the host already has {limit} tables in the lobby, which is the maximum")]
    TooManyTables { host: AccountId, limit: u32 },
    /// A log holds an event that this version cannot read.
    #[error("the log of game {game} cannot be read at {seq}: {detail}")]
    UnreadableLog {
        game: GameId,
        /// The first unreadable event.
        seq: u64,
        detail: String,
    },
    /// The log of a game does not verify, or its stored state is not what the log makes.
    #[error("the log does not verify: {finding}")]
    UnsoundLog {
        game: GameId,
        /// The verifier's first finding.
        finding: String,
    },
}

conversions!(GameFailure, Auth(AuthFailure), PublicLog(LogFailure), Idempotency(IdempotencyFailure));

impl From<UnknownRuleset> for GameFailure {
    fn from(error: UnknownRuleset) -> GameFailure {
        GameFailure::Rules(RulesFault::from(error).into())
    }
}

impl GameFailure {
    /// Whether the failure concerns one game only, not the database, the keys or the moment.
    pub(crate) fn is_of_one_game(&self) -> bool {
        match self {
            GameFailure::Common(Failure::Store(StoreError::Migration { .. }))
            | GameFailure::Auth(AuthFailure::Keys(_))
            | GameFailure::Busy => false,
            GameFailure::Common(Failure::Store(error)) => !error.is_unavailable(),
            _ => true,
        }
    }

    /// The failure without what is stored, which may be a card.
    pub(crate) fn public_reason(&self) -> String {
        match self {
            GameFailure::UnreadableLog { seq, .. } => format!("its log cannot be read at event {seq}"),
            GameFailure::UnsoundLog { .. } => "its log does not verify".to_owned(),
            GameFailure::Common(Failure::Store(StoreError::Corrupt { .. })) => {
                "a stored row is damaged".to_owned()
            }
            GameFailure::Common(_) => "the database or the program failed".to_owned(),
            failure => failure.to_string(),
        }
    }

    /// Whether the stored game cannot be read, or is not what its log makes.
    pub fn is_unreadable(&self) -> bool {
        matches!(
            self,
            GameFailure::UnreadableLog { .. }
                | GameFailure::UnsoundLog { .. }
                | GameFailure::Common(Failure::Store(StoreError::Corrupt { .. }))
        )
    }
}
