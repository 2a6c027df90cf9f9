//! Audits a database: verifies every log, and compares every derived row with the logs. Needs neither the keys of the
//! service nor a running one; reads only.
//!
//! A new table whose rows follow from the logs is a comparison in `comparison.rs`, or a check of one game in `row.rs`, with
//! the words of its findings.

mod accesses;
mod accounts;
mod bindings;
mod comparison;
mod counting;
mod game;
mod log_tree;
mod row;
mod tables;

use std::collections::HashMap;

use uuid::Uuid;

use self::game::Over;
use crate::auth::keys::{BindingCheck, RecordKeys};
use crate::base::failure::Failure;
use estimation_record::RecordTime;
use estimation_record::verify::{Audit, Finding, Report, Rule, Trust};
use estimation_store::public_log::audit_reads;
use estimation_store::{Connection, GameId, StoreError, games};

/// Rows per query.
const PAGE: i64 = 200;

/// The maximum number of findings per kind of foreign row.
const MAX: i64 = 100;

/// What an audit of a database found.
#[derive(Debug)]
pub struct DatabaseReport {
    pub report: Report,
    /// Remarks that are no findings: what was not checked, and since when the access log is signed.
    pub notes: Vec<String>,
}

/// A running audit of a database.
struct DatabaseAudit<'t> {
    trust: &'t Trust,
    /// The node's keys, by which nodes know what nodes have written.
    keys: Option<&'t RecordKeys>,
    audit: Audit<'t>,
    /// The number of bindings under keys that were not given.
    unknown_bindings: u64,
    /// The games that are over, as their logs make them.
    over: HashMap<GameId, Over>,
    notes: Vec<String>,
    /// The names of the public logs, the newest last.
    origins: Vec<String>,
}

impl DatabaseAudit<'_> {
    /// Adds a finding about a stored row.
    fn find(&mut self, game: Option<Uuid>, detail: impl Into<String>) {
        self.audit.find(Finding::new(game, None, Rule::State, detail));
    }

    /// Makes a comparison in one snapshot of the database. A row that cannot be read is a finding, and ends this comparison
    /// alone.
    fn compare(
        &mut self,
        conn: &mut Connection,
        what: &str,
        comparison: impl FnOnce(&mut Self, &mut Connection) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        match conn.in_snapshot(|conn| comparison(self, conn)) {
            Err(Failure::Store(StoreError::Corrupt { detail })) => {
                self.find(None, format!("{what}: a row cannot be read: {detail}"));
                Ok(())
            }
            compared => compared,
        }
    }

    /// Judges the keyed hash of a row beside the logs, which was checked with keys.
    fn bound(&mut self, game: Option<Uuid>, checked: Option<BindingCheck>, what: &str) {
        match checked {
            Some(BindingCheck::Forged) => self.find(game, format!("{what} is not bound by a node")),
            Some(BindingCheck::UnknownKey) => self.unknown_bindings += 1,
            Some(BindingCheck::Sound) | None => {}
        }
    }

    /// Says which keyed hashes were not checked.
    fn note_bindings(&mut self) {
        let note = match (self.keys, self.unknown_bindings) {
            (None, _) => "HMACs were not checked: give the keys of the node".to_owned(),
            (Some(_), 0) => return,
            (Some(_), 1) => "1 HMAC was not checked: it is under a key that was not given".to_owned(),
            (Some(_), unknown) => {
                format!("{unknown} HMACs were not checked: they are under keys that were not given")
            }
        };
        self.notes.push(note);
    }
}

/// Audits a database. `progress` is called after each game. A damaged row is a finding. Without the node's keys, the
/// keyed hashes are not checked, and a note says so.
///
/// # Errors
/// The database cannot be read at all.
pub fn audit(
    conn: &mut Connection,
    trust: &Trust,
    keys: Option<&RecordKeys>,
    now: RecordTime,
    mut progress: impl FnMut(),
) -> Result<DatabaseReport, Failure> {
    let audit = Audit::new(trust);
    let origins = audit_reads::logs(conn)?.into_iter().map(|log| log.origin).collect();
    let mut this = DatabaseAudit {
        trust,
        keys,
        audit,
        unknown_bindings: 0,
        over: HashMap::new(),
        notes: Vec::new(),
        origins,
    };
    this.triggers(conn)?;
    this.compare(conn, "role grants", DatabaseAudit::roles)?;
    this.compare(conn, "acts of moderators", DatabaseAudit::standings)?;
    this.contradictions(conn)?;
    this.audit.whole = true;
    let mut after = String::new();
    loop {
        let ids = games::ids_after(conn, &after, PAGE)?;
        let Some(last) = ids.last() else { break };
        after.clone_from(last);
        for id in &ids {
            this.stored_game(conn, id)?;
            progress();
        }
    }
    this.compare(conn, "ends by the operator", DatabaseAudit::early_ends)?;
    this.foreign_rows(conn)?;
    this.compare(conn, "ended games", DatabaseAudit::ended_games)?;
    this.compare(conn, "public log", DatabaseAudit::public_log)?;
    // The log was read after the games. A game that was over when the audit began has its end there.
    this.audit.close_log(now);
    this.compare(conn, "results and ratings", DatabaseAudit::counted_games)?;
    this.compare(conn, "accesses of auditors", DatabaseAudit::access_log)?;
    this.note_bindings();
    Ok(DatabaseReport { report: this.audit.finish(), notes: this.notes })
}
