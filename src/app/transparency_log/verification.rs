//! Verifies the whole log of an ended game before its end is signed. It reads the stored events alone: no cached state
//! and no snapshot.

use crate::app::failure::Failure;
use crate::engine::chance::Hex;
use crate::engine::event::Standing;
use crate::engine::ruleset::RulesetId;
use crate::engine::seat::BySeat;
use crate::store::event_reads;
use crate::store::{Connection, GameId, StoreError};
use estimation_record::verify::{End, EventLine, FORMAT, Finding, Header, Status, Trust, Verifier};

/// Events read per query.
const PAGE: i64 = 200;

/// An ended game as its row and its last event state it.
pub(super) struct Ended {
    pub(super) game: GameId,
    pub(super) ruleset: RulesetId,
    pub(super) events: u64,
    pub(super) head: Hex<32>,
    /// None for an abandoned game.
    pub(super) standings: Option<BySeat<Standing>>,
}

impl Ended {
    /// The first finding of the verifier; none if the log is sound.
    pub(super) fn finding(&self, conn: &mut Connection) -> Result<Option<Finding>, StoreError> {
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
            events.into_iter().map(EventLine::from).for_each(|line| verifier.event(&line));
        }
        let end =
            End { events: self.events, head: self.head, standings: self.standings.clone(), signature: None };
        Ok(verifier.end(&end).findings.into_iter().next())
    }

    /// The failure that a finding is.
    pub(super) fn unsound(&self, finding: &Finding) -> Failure {
        Failure::UnsoundLog { game: self.game, finding: finding.to_string() }
    }
}
