//! Announcements: this node and the others are told that a game has moved on.

use std::sync::{Arc, OnceLock};

use uuid::Uuid;

use super::hub::Hub;
use crate::app::metrics::Metrics;
use crate::engine::player::AccountId;
use crate::store::{Database, Notice, NoticeBoard};

/// What tells this node's watchers, and other nodes where there are any.
#[derive(Default)]
pub(in crate::app) struct Announcements {
    pub(in crate::app) hub: Arc<Hub>,
    board: OnceLock<NoticeBoard>,
}

impl Announcements {
    /// Starts to exchange notices with other nodes, on the runtime of the caller.
    pub(in crate::app) fn exchange(&self, database: &Database, metrics: &Arc<Metrics>) {
        let (hub, metrics) = (Arc::clone(&self.hub), Arc::clone(metrics));
        let board = database.exchange_notices(move |Notice { game, seq, accounts }| {
            metrics.notice_heard();
            if let Ok(game) = game.parse() {
                hub.moved(game, seq);
                let accounts: Vec<AccountId> = accounts.into_iter().map(AccountId::new).collect();
                hub.concerns(game, seq, &accounts);
            }
        });
        if let Some(board) = board {
            // A second start would only replace a board by its like.
            let _ = self.board.set(board);
        }
    }

    pub(in crate::app) fn has_other_nodes(&self) -> bool {
        self.board.get().is_some()
    }

    /// Tells this node and the others that a game has moved on. Those it concerns may not have known of it.
    pub(in crate::app) fn announce(&self, game: Uuid, version: u64, concerned: &[AccountId]) {
        self.hub.moved(game, version);
        self.hub.concerns(game, version, concerned);
        if let Some(board) = self.board.get() {
            let accounts = concerned.iter().map(ToString::to_string).collect();
            board.post(Notice { game: game.to_string(), seq: version, accounts });
        }
    }
}
