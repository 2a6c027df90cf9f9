//! Histories: the complete record of a game, streamed page by page to accounts that may read it. The events
//! are the stored text, unchanged.

mod audit_accesses;
mod pages;

pub use audit_accesses::{AccessLine, AccessPage, AuditAccess, AuditAccessPage};
pub use pages::History;

use std::sync::Arc;

use super::clock::Clock;
use super::games::Games;
use super::handles::Handles;
use crate::store::Database;

pub struct Records {
    database: Database,
    clock: Arc<dyn Clock>,
    games: Arc<Games>,
}

impl Records {
    pub(super) fn new(handles: &Handles, games: Arc<Games>) -> Records {
        let Handles { database, clock, .. } = handles.clone();
        Records { database, clock, games }
    }
}
