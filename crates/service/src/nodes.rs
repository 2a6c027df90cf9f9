//! The nodes of a service: what each says of itself, and the formats of games that it knows.
//!
//! A node writes a heartbeat every second. A game is opened in the newest format that every live node knows; a node refuses
//! a game in a format that it does not know, so that it never continues what it cannot.

use std::sync::Arc;

use crate::base::failure::Failure;
pub use crate::games::hub::presence::{Claims, NEWEST_FORMAT};
use crate::games::hub::presence::{NodeState, Presence};
use crate::readiness::Readiness;
use estimation_store::Database;
use estimation_store::presence::{NodeRow, live};

pub struct Nodes {
    pub(crate) database: Database,
    pub(crate) presence: Arc<Presence>,
    pub(crate) readiness: Arc<Readiness>,
}

impl Nodes {
    /// Writes the heartbeat of this node.
    pub(crate) async fn tell(&self) -> Result<(), Failure> {
        self.presence.tell(self.state()).await
    }

    /// Takes this node off the list, before it stops. Nothing on SQLite, where there is no list.
    pub async fn leave(&self) {
        if !self.database.is_shared() {
            return;
        }
        if let Err(error) = self.presence.leave().await {
            tracing::debug!(%error, "the heartbeat of this node stays until it is old");
        }
    }

    /// The live nodes, the longest running first; this one alone on SQLite, where there is no list.
    pub(crate) async fn live(&self, now: i64) -> Result<Vec<NodeRow>, Failure> {
        if !self.database.is_shared() {
            return Ok(vec![NodeRow { seen_at: now, ..self.presence.row(self.state()) }]);
        }
        Ok(self.database.read(live).await?)
    }

    fn state(&self) -> NodeState {
        NodeState { state: self.readiness.glimpse(), waits: self.database.longest_wait() }
    }
}
