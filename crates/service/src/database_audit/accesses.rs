//! The auditor access log, compared with its signed end.

use super::DatabaseAudit;
use crate::base::failure::Failure;
use crate::histories::access_log::AccessLog;
use estimation_engine::hex::Hex;
use estimation_record::verify::SignatureLine;
use estimation_store::{Connection, audit_accesses, results};

/// How much earlier than the log's beginning a game may have been counted: another node's clock may differ.
const SKEW: i64 = 60_000;

impl DatabaseAudit<'_> {
    /// Compares the access log with its signed end, in one snapshot of the database.
    pub(super) fn access_log(&mut self, conn: &mut Connection) -> Result<(), Failure> {
        // Nodes sign the access log from their start.
        let first = results::first_counted(conn)?;
        let Some(head) = audit_accesses::head(conn)? else {
            let accesses = audit_accesses::after(conn, 0, 1)?;
            if first.is_some() || !accesses.is_empty() {
                self.find(None, "the access log of auditors has no signed end");
            }
            return Ok(());
        };
        let signed = AccessLog::of(&head);
        let signature = SignatureLine { kid: head.kid.clone(), value: Hex(head.signature) };
        if let Some(problem) = self.trust.problem(&signed.statement()?, &signature) {
            self.find(None, format!("the end of the access log of auditors: {}", problem.detail));
        }
        let mut found = AccessLog::begun(head.began_at);
        found.extend(conn, head.position)?;
        if found != signed {
            let detail = format!(
                "the access log of auditors has {} accesses that are not the {} that were signed",
                found.accesses, signed.accesses
            );
            self.find(None, detail);
        }
        if first.is_some_and(|first| first < head.began_at.milliseconds().saturating_sub(SKEW)) {
            self.find(None, "the access log of auditors began again after a game had been counted");
        }
        self.notes.push(format!(
            "the access log of auditors is signed since {}: {} accesses",
            head.began_at, signed.accesses
        ));
        let newer = audit_accesses::after(conn, head.position, 1)?;
        if !newer.is_empty() {
            self.find(None, "the access log of auditors has newer accesses than the signed ones");
        }
        Ok(())
    }
}
