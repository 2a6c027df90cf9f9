//! Announces changed games to this node's watchers and to other nodes.

use std::sync::{Arc, OnceLock};

use super::Hub;
use crate::base::metrics::Metrics;
use estimation_engine::player::AccountId;
use estimation_store::reactions::ReactionRow;
use estimation_store::{Database, GameId, NodeMessage, NodeMessages};

#[derive(Default)]
pub(crate) struct Announcements {
    pub(crate) hub: Arc<Hub>,
    other_nodes: OnceLock<NodeMessages>,
}

impl Announcements {
    /// Starts to exchange messages with other nodes, on the caller's runtime.
    pub(crate) fn exchange(&self, database: &Database, metrics: &Arc<Metrics>) {
        let (hub, metrics) = (Arc::clone(&self.hub), Arc::clone(metrics));
        let sender = database.exchange_messages(move |message| {
            metrics.notice_heard();
            match message {
                NodeMessage::Moved { game, seq, accounts } => hub.moved(game, seq, &accounts),
                NodeMessage::Reaction(reaction) => hub.reacted(&reaction),
            }
        });
        if let Some(sender) = sender {
            // A second start would only replace the sender with an equal one.
            let _ = self.other_nodes.set(sender);
        }
    }

    pub(crate) fn has_other_nodes(&self) -> bool {
        self.other_nodes.get().is_some()
    }

    /// Announces a game's new version to its watchers and to the streams of the accounts.
    pub(crate) fn announce(&self, game: GameId, version: u64, accounts: Vec<AccountId>) {
        self.hub.moved(game, version, &accounts);
        if let Some(sender) = self.other_nodes.get() {
            sender.post(NodeMessage::Moved { game, seq: version, accounts });
        }
    }

    /// Tells the streams of a game that a player reacted.
    pub(crate) fn react(&self, reaction: ReactionRow) {
        self.hub.reacted(&reaction);
        if let Some(sender) = self.other_nodes.get() {
            sender.post(NodeMessage::Reaction(reaction));
        }
    }
}
