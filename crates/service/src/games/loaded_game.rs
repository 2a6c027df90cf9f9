//! A game as loaded or committed, and who may see it: the one check for accounts without a seat.

use std::sync::Arc;

use super::Games;
use super::log_position::LogPosition;
use super::view::{CommonParts, accounts_at};
use crate::base::failure::Failure;
use crate::base::prerendered::Prerendered;
use crate::public_log::PromiseView;
use crate::rulesets::RulesetSummary;
use estimation_engine::command::Position;
use estimation_engine::event::Visibility;
use estimation_engine::game::{Game, GameStatus};
use estimation_engine::player::AccountId;
use estimation_engine::redact::Viewer;
use estimation_engine::rejection::Rejection;
use estimation_record::RecordTime;
use estimation_record::fairness::ServerSeed;
use estimation_record::turn_clock::TurnClock;
use estimation_store::{GameId, Hash, relations};

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

impl Games {
    /// Refuses accounts that may not see the game: outsiders at a private table, outsiders at a running table without
    /// spectators, and outsiders with a block between them and a player. Players always see their own game.
    ///
    /// # Errors
    /// [`Failure::Blocked`], [`Withheld`](crate::base::failure::Failure::Withheld),
    /// [`Failure::SpectatorsBarred`].
    pub(crate) async fn admit(&self, loaded: &LoadedGame, account: &AccountId) -> Result<(), Failure> {
        if loaded.has_sat(account) {
            return Ok(());
        }
        if self.is_blocked_at(loaded, account).await? {
            return Err(Failure::Blocked);
        }
        loaded.admit_outsider()
    }

    /// Whether there is a block, in either direction, between an account and a player of a game.
    pub(crate) async fn is_blocked_at(
        &self,
        loaded: &LoadedGame,
        account: &AccountId,
    ) -> Result<bool, Failure> {
        let table = &loaded.game.table;
        let others: Vec<AccountId> = accounts_at(table).chain([&table.host]).cloned().collect();
        let account = account.clone();
        Ok(self.database.read(move |conn| relations::is_blocked_with(conn, &account, &others)).await?)
    }

    /// The position of an account that plays.
    ///
    /// # Errors
    /// [`Rejection::NotSeated`], or what [`admit`](Games::admit) refuses.
    pub(crate) async fn seated(&self, loaded: &LoadedGame, account: &AccountId) -> Result<Position, Failure> {
        if let Some(position) = loaded.position_of(account) {
            return Ok(position);
        }
        self.admit(loaded, account).await?;
        Err(Rejection::NotSeated.into())
    }

    /// Refuses a table command of an outsider with a block between them and a player, before it is decided.
    pub(super) async fn bar_blocked(&self, id: GameId, account: &AccountId) -> Result<(), Failure> {
        let loaded = self.recent(id).await?;
        if loaded.position_of(account).is_none() && self.is_blocked_at(&loaded, account).await? {
            return Err(Failure::Blocked);
        }
        Ok(())
    }
}
