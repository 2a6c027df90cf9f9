//! The followers of a table: players who play as apps should. Each follows the stream of the game and takes the commands
//! that it may post from the turns there. After the first view none is loaded.

use std::sync::Arc;

use bytes::Bytes;
use http::header::HeaderValue;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::timeout;

use super::listener::{Follower, GameStream, Heard, HeardTurn, Listener, SILENCE};
use super::player::Player;
use super::run::Run;
use super::scene::Tag;
use super::trouble::DriveError;

/// The players of a table, each with its stream.
pub(super) struct Followers {
    heard: UnboundedReceiver<Result<Heard, DriveError>>,
    listeners: Vec<Listener>,
}

impl Followers {
    /// Opens a stream for each player, after the last event that was seen.
    pub(super) async fn open(
        run: &Arc<Run>,
        players: &mut [Player],
        game: &str,
        after: (u64, Tag),
    ) -> Result<Followers, DriveError> {
        let (table, heard) = unbounded_channel();
        let mut followers = Followers { heard, listeners: Vec::new() };
        let position = HeaderValue::try_from(format!("{}-{}", after.0, hex::encode(after.1)));
        let position = position.map_err(|error| DriveError::contradiction(game, error.to_string()))?;
        for (player, follower) in players.iter_mut().enumerate() {
            let body = follower.stream(game, Some(position.clone())).await?;
            let follower = Follower { player, table: table.clone(), tells_all: player == 0, after };
            let stream = GameStream { game: game.to_owned(), body, after: after.0, follower: Some(follower) };
            followers.listeners.push(Listener::to(run, stream));
        }
        Ok(followers)
    }

    /// Waits for the next turn that concerns the table. Adds the events before it to `seen`, if the run keeps them.
    pub(super) async fn turn(&mut self, game: &str, seen: &mut Vec<Bytes>) -> Result<HeardTurn, DriveError> {
        loop {
            match timeout(SILENCE, self.heard.recv()).await {
                Ok(Some(Ok(Heard::Turn(turn)))) => return Ok(turn),
                Ok(Some(Ok(Heard::Event(event)))) => seen.push(event),
                Ok(Some(Err(trouble))) => return Err(trouble),
                Ok(None) => return Err(DriveError::contradiction(game, "its streams ended before it did")),
                Err(_) => return Err(DriveError::contradiction(game, "its streams bring no turn")),
            }
        }
    }

    /// Waits for the ends of the streams.
    pub(super) async fn finish(mut self) -> Result<(), DriveError> {
        for listener in self.listeners {
            listener.finish().await;
        }
        while let Ok(heard) = self.heard.try_recv() {
            heard?;
        }
        Ok(())
    }
}
