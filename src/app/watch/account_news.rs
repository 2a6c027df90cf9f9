//! What happens in an account's games, as its streams tell it.

use serde::Serialize;
use uuid::Uuid;

use crate::engine::game::Status;

/// What a stream of an account has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccountNews {
    YourTurn(Matter),
    /// The account sits at a table it did not sit at before, or a rematch awaits it.
    Invited(Matter),
    Started(Matter),
    Finished(Matter),
    /// Nothing, for a while.
    Quiet,
    /// The node is stopping: connect again, to another one.
    Reconnect,
    /// The session has ended, and the stream with it.
    SessionEnded,
}

/// The game that news are about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Matter {
    pub game: Uuid,
    pub version: u64,
    /// Lobby, playing, finished or abandoned.
    pub status: Status,
}
