//! Games: opening tables, joining, playing, watching.
//!
//! Every change of an existing game uses `Games::change`. It loads the state, decides, hashes the events
//! onto the chain and appends them in one transaction. Only then does it cache the new state and answer.

mod adopt;
mod barred;
pub mod bots;
mod change;
mod choice;
mod commit;
pub(super) mod committed_event;
mod create;
pub(crate) mod due_games;
pub mod events;
pub(crate) mod hub;
pub mod idempotency;
mod list;
mod load;
pub(super) mod loaded_game;
mod lobby;
pub(super) mod log_position;
mod play;
mod proof;
pub mod published_event;
mod rematch;
mod round_changes;
mod scores;
pub(crate) mod skipped_games;
mod snapshot;
pub mod turn;
pub(crate) mod turn_watch;
pub mod view;
pub mod viewer_text;

pub use adopt::{Adoption, adopt};
pub(super) use change::Request;
pub use choice::Hint;
pub use create::NewTable;
pub(crate) use create::Terms;
pub use events::EventsPage;
pub use list::{GameList, GameSummary, GamesPage};
pub(super) use list::{list_tag, page_of};
pub(super) use loaded_game::LoadedGame;
pub use lobby::Invitation;
pub use log_position::{HashTag, LogPosition, tag_of};
pub use play::{CommandAnswer, Play, RefusalBudget, Unlimited};
pub use proof::ProvenEntry;
pub use scores::ScoreSheet;
pub(crate) use snapshot::check_binding;
pub use snapshot::snapshot_complaint;
pub(super) use snapshot::{SnapshotCheck, check_snapshot};

use std::sync::Arc;

use tokio::sync::Semaphore;

use self::bots::{BotDelay, NextTimedAction, schedule};
use self::due_games::DueGames;
use self::hub::presence::Presence;
use self::hub::{Announcements, Hub};
use self::idempotency::Idempotency;
use self::load::GameCache;
use self::skipped_games::SkippedGames;
use self::turn_watch::TurnWatch;
use crate::auth::active_keys::ActiveKeys;
use crate::base::clock::Clock;
use crate::base::entropy::Entropy;
use crate::base::live::Live;
use crate::base::metrics::Metrics;
use crate::base::names::Names;
use crate::public_log::PublicLog;
use estimation_store::{Database, GameId};

/// The most concurrent replays of past states; each takes a read connection and a core.
pub(crate) const REPLAYS_AT_ONCE: usize = 2;

pub struct Games {
    pub(crate) database: Database,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) keys: Arc<ActiveKeys>,
    pub(crate) public_log: Arc<PublicLog>,
    pub(crate) cache: GameCache,
    pub(crate) idempotency: Idempotency,
    pub(crate) names: Arc<Names>,
    pub(crate) presence: Arc<Presence>,
    pub(crate) hub: Arc<Hub>,
    pub(crate) announcements: Arc<Announcements>,
    pub(crate) due: Arc<DueGames>,
    pub(crate) turn_watch: Arc<TurnWatch>,
    pub(crate) skipped_games: Arc<SkippedGames>,
    pub(crate) replays: Semaphore,
    /// The most lobby tables per host; `None` for no limit.
    pub(crate) tables_per_host: Live<Option<u32>>,
    /// The seconds for opening client seeds at new tables.
    pub(crate) opening_seconds: u32,
    /// How long the turns of bots take; `None` to act at once.
    pub(crate) bot_delay: Option<BotDelay>,
}

impl Games {
    /// Whether there are games in a format that this node does not know.
    pub(crate) fn has_newer_games(&self) -> bool {
        self.presence.has_newer_games()
    }

    /// Changes the limit of lobby tables per host.
    pub(crate) fn limit_tables(&self, per_host: Option<u32>) {
        self.tables_per_host.set(per_host);
    }

    /// The next timed action of a game; none once it is over.
    pub(crate) fn schedule(&self, loaded: &LoadedGame) -> Option<NextTimedAction> {
        schedule(self.bot_delay, loaded.turn_clock, &loaded.game, &loaded.hash)
    }

    /// How long the turns of bots take; `None` to act at once.
    pub(crate) fn bot_delay(&self) -> Option<BotDelay> {
        self.bot_delay
    }

    /// Drops the cached state of a game whose log has lost events.
    pub(crate) fn forget(&self, game: &GameId) {
        self.cache.forget(game, u64::MAX);
    }
}
