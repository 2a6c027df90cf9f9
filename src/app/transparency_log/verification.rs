//! Verifies the whole log of an ended game before its end is signed: by the rules, and against the snapshot that a node
//! bound to the log.

use crate::app::failure::Failure;
use crate::app::games::{SnapshotCheck, check_snapshot};
use crate::auth::keys::RecordKeys;
use crate::engine::chance::Hex;
use crate::engine::event::Standing;
use crate::engine::ruleset::RulesetId;
use crate::engine::seat::BySeat;
use crate::store::{Connection, GameId, StoreError};
use crate::store::{event_reads, snapshots};
use estimation_record::RecordTime;
use estimation_record::verify::{End, EventLine, FORMAT, Finding, Header, Status, Trust, Verifier};

/// Events read per query.
const PAGE: i64 = 200;

/// An ended game as its row and its last event state it.
pub(super) struct Ended {
    pub(super) game: GameId,
    pub(super) ruleset: RulesetId,
    /// The time of the last event.
    pub(super) at: RecordTime,
    pub(super) events: u64,
    pub(super) head: Hex<32>,
    /// None for an abandoned game.
    pub(super) standings: Option<BySeat<Standing>>,
}

impl Ended {
    /// The first finding; none if the log is sound.
    pub(super) fn finding(
        &self,
        conn: &mut Connection,
        keys: &RecordKeys,
    ) -> Result<Option<String>, StoreError> {
        let bound = match check_snapshot(self.game, snapshots::latest(conn, self.game)?, keys) {
            SnapshotCheck::Unusable => None,
            SnapshotCheck::Bound(snapshot) => Some((snapshot.seq, snapshot.hash)),
            SnapshotCheck::Forged => {
                return Ok(Some("the stored state is not one that a node made".to_owned()));
            }
        };
        let mut trust = Trust::default();
        trust.unsigned = true;
        let status = if self.standings.is_some() { Status::Finished } else { Status::Abandoned };
        let header = Header { format: FORMAT.to_owned(), game: self.game.0, ruleset: self.ruleset, status };
        let mut verifier = Verifier::new(&trust, header);
        loop {
            let events = event_reads::after(conn, self.game, verifier.seq(), PAGE)?;
            if events.is_empty() {
                break;
            }
            if let Some((seq, hash)) = bound
                && events.iter().any(|event| event.seq == seq && event.hash != hash)
            {
                return Ok(Some(format!("event {seq} is not that of the stored state")));
            }
            events.into_iter().map(EventLine::from).for_each(|line| verifier.event(&line));
        }
        let end =
            End { events: self.events, head: self.head, standings: self.standings.clone(), signature: None };
        Ok(verifier.end(&end).findings.first().map(Finding::to_string))
    }

    /// The failure that a finding is.
    pub(super) fn unsound(&self, finding: String) -> Failure {
        Failure::UnsoundLog { game: self.game, finding }
    }
}
