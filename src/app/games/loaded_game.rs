//! A game as loaded or committed, and who may see it.

use std::sync::Arc;

use super::log_position::LogPosition;
use super::view::CommonParts;
use crate::app::failure::Failure;
use crate::app::public_log::PromiseView;
use crate::app::rulesets::RulesetSummary;
use crate::app::written::Written;
use crate::engine::command::Position;
use crate::engine::event::Visibility;
use crate::engine::game::{Game, GameStatus};
use crate::engine::player::AccountId;
use crate::engine::redact::Viewer;
use crate::store::{GameId, Hash};
use estimation_record::RecordTime;
use estimation_record::fairness::ServerSeed;
use estimation_record::turn_clock::TurnClock;

/// A game at a committed version. It holds the seed and is never serialised.
#[derive(Clone)]
pub(in crate::app) struct LoadedGame {
    pub(in crate::app) id: GameId,
    /// The number of the last event.
    pub(in crate::app) version: u64,
    /// The chain hash at that event.
    pub(in crate::app) hash: Hash,
    /// The times of the last event and of the start of the current turn.
    pub(in crate::app) pace: TurnClock,
    /// The row's `wake_at`; early, never late.
    pub(in crate::app) wake_at: Option<i64>,
    pub(in crate::app) created_at: RecordTime,
    pub(in crate::app) join_code: Option<String>,
    /// The first server seed. See [`ServerSeed::after_openings`].
    pub(in crate::app) seed: ServerSeed,
    pub(in crate::app) rules: Arc<Written<RulesetSummary>>,
    /// The promise of the public log; none before the start.
    pub(in crate::app) promise: Option<Arc<Written<PromiseView>>>,
    pub(in crate::app) common_parts: Arc<CommonParts>,
    pub(in crate::app) game: Game,
}

impl LoadedGame {
    pub(in crate::app) fn position_of(&self, account: &AccountId) -> Option<Position> {
        self.game.position_of(account)
    }

    /// Which hidden cards an account may see.
    pub(in crate::app) fn viewer(&self, account: &AccountId) -> Viewer {
        match self.position_of(account) {
            Some(Position::Seat(seat)) => Viewer::Seat(seat),
            Some(Position::Place(_)) | None => Viewer::Stranger,
        }
    }

    /// Refuses accounts that may not see the game: outsiders at a private table, and at a running table
    /// without spectators.
    pub(in crate::app) fn admit(&self, account: &AccountId) -> Result<(), Failure> {
        let table = &self.game.table;
        let sat_in_it = self.game.is_over() && self.game.sat_in(account);
        if sat_in_it || self.position_of(account).is_some() {
            Ok(())
        } else if table.visibility == Visibility::Private {
            Err(Failure::Withheld { what: "game" })
        } else if self.game.status() == GameStatus::Playing && !table.spectators {
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
