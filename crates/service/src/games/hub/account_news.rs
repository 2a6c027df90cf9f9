//! News of an account's games, as its streams send them.

use serde::Serialize;

use estimation_engine::game::GameStatus;
use estimation_store::GameId;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccountNews {
    YourTurn(Matter),
    /// The account was seated at a table, or a rematch is open to it.
    Invited(Matter),
    Started(Matter),
    Finished(Matter),
    /// Heartbeat: nothing has happened for a while.
    Quiet,
    /// The node is stopping; reconnect to another one.
    Reconnect,
    /// The session has ended, and the stream with it.
    SessionEnded,
}

/// The game that the news are about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Matter {
    pub game: GameId,
    pub version: u64,
    pub status: GameStatus,
}
