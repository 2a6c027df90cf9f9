//! Who waits for a game: matchmaking, and tables in the lobby.

use serde::Serialize;
use utoipa::ToSchema;

use crate::auth::permission::Moderator;
use crate::base::failure::Failure;
use crate::moderation::Moderation;
use crate::moderation::games::Facts;
use estimation_engine::event::Visibility;
use estimation_engine::ruleset::RulesetId;
use estimation_record::RecordTime;
use estimation_store::{Connection, GameId, games, matchmaking};

/// The most tables in a list.
const TABLES: i64 = 50;

/// A table of strangers at which players wait.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = WaitingQueue)]
pub struct WaitingQueueView {
    /// The table.
    pub game: GameId,
    /// The ruleset.
    pub ruleset: RulesetId,
    /// The number of seats.
    #[schema(minimum = 2, maximum = 5)]
    pub players: i32,
    /// The number of players who wait.
    #[schema(minimum = 1, maximum = 5)]
    pub waiting: i64,
    /// Since when the first waits.
    pub since: RecordTime,
    /// Whether all of them accept bots, sooner or later.
    pub accepts_bots: bool,
}

/// A table in the lobby that its host opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = WaitingTable)]
pub struct WaitingTableView {
    /// The table.
    pub game: GameId,
    /// The ruleset.
    pub ruleset: RulesetId,
    /// The number of seats.
    #[schema(minimum = 2, maximum = 5)]
    pub players: i32,
    /// The number of occupied seats.
    #[schema(minimum = 0, maximum = 5)]
    pub taken: i32,
    /// Whether it is public.
    pub visibility: Visibility,
    /// When it was opened.
    pub opened_at: RecordTime,
}

/// Who waits for a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = WaitingGames)]
pub struct Queues {
    /// Matchmaking, the longest waiting first.
    #[schema(max_items = 50)]
    pub queues: Vec<WaitingQueueView>,
    /// Tables in the lobby, oldest first.
    #[schema(max_items = 50)]
    pub tables: Vec<WaitingTableView>,
}

fn ruleset(text: &str) -> Result<RulesetId, Failure> {
    text.parse().map_err(|_| Failure::Defect(format!("{text:?} is no ruleset")))
}

impl Moderation {
    /// Who waits for a game.
    pub async fn queues(&self, _by: &Moderator) -> Result<Queues, Failure> {
        let read = |conn: &mut Connection| {
            Ok((matchmaking::queues(conn, TABLES)?, games::waiting_tables(conn, TABLES)?))
        };
        let (queues, tables) = self.database.read(read).await?;
        let queue = |row: matchmaking::WaitingQueue| {
            Ok::<_, Failure>(WaitingQueueView {
                game: row.game,
                ruleset: ruleset(&row.ruleset)?,
                players: row.players,
                waiting: row.waiting,
                since: row.since,
                accepts_bots: row.accepting == row.waiting,
            })
        };
        let table = |row: games::GameRow| {
            let Facts { visibility, ruleset, opened_at, .. } = Facts::of(&row)?;
            Ok::<_, Failure>(WaitingTableView {
                game: row.id,
                ruleset,
                players: row.players,
                taken: row.taken,
                visibility,
                opened_at,
            })
        };
        Ok(Queues {
            queues: queues.into_iter().map(queue).collect::<Result<_, _>>()?,
            tables: tables.into_iter().map(table).collect::<Result<_, _>>()?,
        })
    }
}
