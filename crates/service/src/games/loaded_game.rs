//! A game as loaded or committed, and who may see it.

use std::sync::Arc;

use super::log_position::LogPosition;
use super::view::CommonParts;
use crate::base::failure::Failure;
use crate::base::prerendered::Prerendered;
use crate::public_log::PromiseView;
use crate::rulesets::RulesetSummary;
use estimation_engine::command::Position;
use estimation_engine::event::Visibility;
use estimation_engine::game::{Game, GameStatus};
use estimation_engine::player::AccountId;
use estimation_engine::redact::Viewer;
use estimation_record::RecordTime;
use estimation_record::fairness::ServerSeed;
use estimation_record::turn_clock::TurnClock;
use estimation_store::{GameId, Hash};

/// A game at a committed version. It holds the seed and is never serialised.
#[derive(Clone)]
pub(crate) struct LoadedGame {
    pub(crate) id: GameId,
    /// The number of the last event.
    pub(crate) version: u64,
    /// The chain hash at that event.
    pub(crate) hash: Hash,
    /// The times of the last event and of the start of the current turn.
    pub(crate) turn_clock: TurnClock,
    /// The row's `wake_at`; early, never late.
    pub(crate) wake_at: Option<i64>,
    pub(crate) created_at: RecordTime,
    pub(crate) join_code: Option<String>,
    /// Whether players may react at the table.
    pub(crate) talk: bool,
    /// The first server seed. See [`ServerSeed::after_openings`].
    pub(crate) seed: ServerSeed,
    pub(crate) rules: Arc<Prerendered<RulesetSummary>>,
    /// The promise of the public log; none before the start.
    pub(crate) promise: Option<Arc<Prerendered<PromiseView>>>,
    pub(crate) common_parts: Arc<CommonParts>,
    pub(crate) game: Game,
}

impl LoadedGame {
    pub(crate) fn position_of(&self, account: &AccountId) -> Option<Position> {
        self.game.position_of(account)
    }

    /// Which hidden cards an account may see.
    pub(crate) fn viewer(&self, account: &AccountId) -> Viewer {
        match self.position_of(account) {
            Some(Position::Seat(seat)) => Viewer::Seat(seat),
            Some(Position::Place(_)) | None => Viewer::Stranger,
        }
    }

    /// Whether the account plays, or has played until the end.
    pub(crate) fn has_sat(&self, account: &AccountId) -> bool {
        self.position_of(account).is_some() || (self.game.is_over() && self.game.sat_in(account))
    }

    /// Refuses outsiders at a private table, and at a running table without spectators.
    pub(crate) fn admit_outsider(&self) -> Result<(), Failure> {
        let table = &self.game.table;
        if table.visibility == Visibility::Private {
            Err(Failure::Withheld { what: "game" })
        } else if self.game.status() == GameStatus::Playing && !table.spectators {
            Err(Failure::SpectatorsBarred)
        } else {
            Ok(())
        }
    }
}

impl LogPosition {
    pub(crate) fn is_end_of(self, loaded: &LoadedGame) -> bool {
        self.matches(loaded.version, &loaded.hash)
    }
}
