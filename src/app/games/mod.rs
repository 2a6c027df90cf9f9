//! Games: opening tables, sitting down, playing, looking on.
//!
//! Every change of a game that is there goes through [`Games::change`]: load the state, decide, hash the events onto the
//! chain, append them in one unit, and only then keep the new state and answer.

mod cache;
mod change;
mod commit;
mod create;
pub mod events;
mod host_successor;
mod list;
mod load;
mod lobby;
mod lobby_bounds;
mod log_position;
mod play;
mod rematch;
mod scores;
mod state;
pub mod view;

pub(super) use change::Request;
pub use create::NewTable;
pub(in crate::app) use create::Terms;
pub(super) use list::page_of;
pub use list::{GameList, GameSummary, GamesPage};
pub use load::snapshot_complaint;
pub use log_position::{HashTag, LogPosition, tag_of};
pub use play::{NewVersion, Played, RefusalBudget, Unlimited};
pub use scores::ScoreSheet;

use std::sync::Arc;

use tokio::sync::Semaphore;
use uuid::Uuid;

use self::cache::GameCache;
use super::clock::Clock;
use super::entropy::Entropy;
use super::failure::Failure;
use super::handles::Handles;
use super::idempotency::Idempotency;
use super::metrics::Metrics;
use super::names::Names;
use super::presence::Presence;
use super::rulesets::RulesetSummary;
use super::skipped_games::SkippedGames;
use super::timers::DueGames;
use super::watch::{Announcements, Hub};
use crate::engine::command::Position;
use crate::engine::event::Visibility;
use crate::engine::game::{Game, Status};
use crate::engine::player::AccountId;
use crate::engine::redact::Viewer;
use crate::store::{Database, Hash};
use estimation_record::RecordTime;
use estimation_record::fairness::ServerSeed;
use estimation_record::turn_clock::TurnClock;

/// How many past states are put together at the same time; each takes a connection for reading and a core.
const REPLAYS_AT_ONCE: usize = 2;

/// Loads, changes and shows games.
pub struct Games {
    database: Database,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    metrics: Arc<Metrics>,
    cache: GameCache,
    pub(in crate::app) idempotency: Idempotency,
    names: Arc<Names>,
    presence: Arc<Presence>,
    hub: Arc<Hub>,
    announcements: Arc<Announcements>,
    /// The games whose timers this node has to look at.
    due: Arc<DueGames>,
    skipped_games: Arc<SkippedGames>,
    /// Limits how many past states are put together at the same time.
    replays: Semaphore,
    /// How many tables a host may have in the lobby; none for any number.
    tables_per_host: Option<u32>,
}

impl Games {
    pub(in crate::app) fn new(
        handles: &Handles,
        names: &Arc<Names>,
        presence: &Arc<Presence>,
        announcements: &Arc<Announcements>,
        due: &Arc<DueGames>,
        skipped_games: &Arc<SkippedGames>,
        tables_per_host: Option<u32>,
    ) -> Games {
        Games {
            database: handles.database.clone(),
            clock: Arc::clone(&handles.clock),
            entropy: Arc::clone(&handles.entropy),
            metrics: Arc::clone(&handles.metrics),
            cache: GameCache::new(),
            idempotency: Idempotency::new(handles),
            names: Arc::clone(names),
            presence: Arc::clone(presence),
            hub: Arc::clone(&announcements.hub),
            announcements: Arc::clone(announcements),
            due: Arc::clone(due),
            skipped_games: Arc::clone(skipped_games),
            replays: Semaphore::new(REPLAYS_AT_ONCE),
            tables_per_host,
        }
    }

    /// Drops what is cached of a game whose log has lost events.
    pub(in crate::app) fn forget(&self, game: &Uuid) {
        self.cache.forget(game, u64::MAX);
    }
}

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
