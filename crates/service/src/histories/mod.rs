//! Histories: the complete record of a game, streamed page by page to accounts that may read it. The events
//! are the stored text, unchanged.

pub(crate) mod access_log;
mod audit_accesses;
mod bundle;
mod pages;

pub use audit_accesses::{AccessLine, AccessPage, AuditAccess, AuditAccessPage};
pub use bundle::Bundle;
pub use pages::{History, SignedHistory};

use std::sync::Arc;

use crate::auth::active_keys::ActiveKeys;
use crate::base::clock::Clock;
use crate::games::Games;
use estimation_store::Database;

pub struct Records {
    pub(crate) database: Database,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) keys: Arc<ActiveKeys>,
    pub(crate) games: Arc<Games>,
}
