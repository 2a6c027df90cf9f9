//! Histories: the record of a game handed out whole, to those who may have it, page by page.
//!
//! Owns who may have it, and the record of accesses by an auditor's right. What is in it is the stored text,
//! untouched.

mod audit_accesses;
mod pages;

pub use audit_accesses::{AccessLine, AccessPage, AuditAccess};
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
