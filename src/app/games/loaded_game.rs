//! A game as it was loaded or committed, and who may look at it.

use std::sync::Arc;

use uuid::Uuid;

use super::log_position::LogPosition;
use crate::app::failure::Failure;
use crate::app::rulesets::RulesetSummary;
use crate::engine::command::Position;
use crate::engine::event::Visibility;
use crate::engine::game::{Game, Status};
use crate::engine::player::AccountId;
use crate::engine::redact::Viewer;
use crate::store::Hash;
use estimation_record::RecordTime;
use estimation_record::fairness::ServerSeed;
use estimation_record::turn_clock::TurnClock;

/// A game at a version, as committed. It holds the seed and is never serialised.
#[derive(Clone)]
pub(in crate::app) struct LoadedGame {
    pub(in crate::app) id: Uuid,
    /// The sequence number of the last event.
    pub(in crate::app) version: u64,
    /// The chain's hash at that event.
    pub(in crate::app) hash: Hash,
    /// When that event happened, and when the present turn began.
    pub(in crate::app) pace: TurnClock,
    /// When the row says that the service has to look at the game; early, never late.
    pub(in crate::app) wake_at: Option<i64>,
    pub(in crate::app) created_at: RecordTime,
    pub(in crate::app) join_code: Option<String>,
    pub(in crate::app) seed: ServerSeed,
    /// The rules as views show them.
    pub(in crate::app) rules: Arc<RulesetSummary>,
    pub(in crate::app) game: Game,
}

impl LoadedGame {
    /// Where an account sits.
    pub(in crate::app) fn position_of(&self, account: &AccountId) -> Option<Position> {
        self.game.position_of(account)
    }

    /// What an account may see of hidden cards.
    pub(in crate::app) fn viewer(&self, account: &AccountId) -> Viewer {
        match self.position_of(account) {
            Some(Position::Seat(seat)) => Viewer::Seat(seat),
            Some(Position::Place(_)) | None => Viewer::Stranger,
        }
    }

    /// Refuses who may not look at the game at all: strangers at a private table, and strangers at a table
    /// in play that has no spectators.
    pub(in crate::app) fn admit(&self, account: &AccountId) -> Result<(), Failure> {
        let table = &self.game.table;
        let sat_in_it = self.game.is_over() && self.game.sat_in(account);
        if sat_in_it || self.position_of(account).is_some() {
            Ok(())
        } else if table.visibility == Visibility::Private {
            Err(Failure::Withheld { what: "game" })
        } else if self.game.status() == Status::Playing && !table.spectators {
            Err(Failure::SpectatorsBarred)
        } else {
            Ok(())
        }
    }
}

impl LogPosition {
    pub(in crate::app) fn is_end_of(self, loaded: &LoadedGame) -> bool {
        self.matches(loaded.version, &loaded.hash)
    }
}
