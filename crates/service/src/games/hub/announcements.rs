//! Announces changed games to this node's watchers and to other nodes.

use std::sync::{Arc, OnceLock};

use super::Hub;
use crate::base::metrics::Metrics;
use estimation_engine::player::AccountId;
use estimation_store::reactions::ReactionRow;
use estimation_store::{Database, GameId, Notice, NoticeBoard};

#[derive(Default)]
pub(crate) struct Announcements {
    pub(crate) hub: Arc<Hub>,
    board: OnceLock<NoticeBoard>,
}

impl Announcements {
    /// Starts to exchange notices with other nodes, on the caller's runtime.
    pub(crate) fn exchange(&self, database: &Database, metrics: &Arc<Metrics>) {
        let (hub, metrics) = (Arc::clone(&self.hub), Arc::clone(metrics));
        let board = database.exchange_notices(move |notice| {
            metrics.notice_heard();
            match notice {
                Notice::Moved { game, seq, accounts } => {
                    hub.moved(game, seq);
                    hub.concerns(game, seq, &accounts);
                }
                Notice::Reaction(reaction) => hub.reacted(&reaction),
            }
        });
        if let Some(board) = board {
            // A second start would only replace the board with an equal one.
            let _ = self.board.set(board);
        }
    }

    pub(crate) fn has_other_nodes(&self) -> bool {
        self.board.get().is_some()
    }

    /// Announces a game's new version. The `concerned` accounts may not know of the game yet.
    pub(crate) fn announce(&self, game: GameId, version: u64, concerned: &[AccountId]) {
        self.hub.moved(game, version);
        self.hub.concerns(game, version, concerned);
        if let Some(board) = self.board.get() {
            board.post(Notice::Moved { game, seq: version, accounts: concerned.to_vec() });
        }
    }

    /// Tells the streams of a game that a player reacted.
    pub(crate) fn react(&self, reaction: ReactionRow) {
        self.hub.reacted(&reaction);
        if let Some(board) = self.board.get() {
            board.post(Notice::Reaction(reaction));
        }
    }
}
