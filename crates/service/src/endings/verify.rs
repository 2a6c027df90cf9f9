//! Verifies the whole log of an ended game before its end is signed: by the rules, against the snapshot that a node bound to
//! the log, and against the start in the public log.

use std::sync::{Arc, LazyLock};

use super::refusal::{Reason, Refusal};
use crate::auth::keys::RecordKeys;
use crate::games::{SnapshotCheck, check_snapshot};
use crate::public_log::{Comparable, StartCheck, check_start};
use estimation_engine::event::Standing;
use estimation_engine::hex::Hex;
use estimation_engine::ruleset::RulesetId;
use estimation_engine::seat::BySeat;
use estimation_record::RecordTime;
use estimation_record::verify::{End, FORMAT, Finding, Header, Status, Trust, Verifier};
use estimation_store::{Connection, GameId, Hash, StoreError};
use estimation_store::{event_reads, snapshots};

/// Events in a piece.
const PAGE: i64 = 200;

/// An ended game as its row and its last event state it.
pub(super) struct StatedEnd {
    pub(super) game: GameId,
    pub(super) ruleset: RulesetId,
    /// The time of the last event.
    pub(super) at: RecordTime,
    pub(super) events: u64,
    pub(super) head: Hex<32>,
    /// None for an abandoned game.
    pub(super) standings: Option<BySeat<Standing>>,
}

/// A verification that has not seen all events yet.
pub(super) struct Verification {
    ended: StatedEnd,
    /// The snapshot's event and its hash.
    bound: Option<(u64, Hash)>,
    verifier: Verifier<'static>,
    keys: Arc<RecordKeys>,
}

/// What a piece of a verification ends with.
pub(super) enum Piece {
    More(Box<Verification>),
    /// All events were seen. With the first finding, if there is one.
    Done(Box<StatedEnd>, Option<Refusal>),
    /// The start of the game has no place in a signed checkpoint yet.
    Waits,
}

/// The end of a game has no signature yet when it is verified.
static TRUST: LazyLock<Trust> = LazyLock::new(|| {
    let mut trust = Trust::default();
    trust.unsigned = true;
    trust
});

impl StatedEnd {
    /// The first piece: checks the snapshot.
    pub(super) fn verify(self, conn: &mut Connection, keys: Arc<RecordKeys>) -> Result<Piece, StoreError> {
        let bound = match check_snapshot(self.game, snapshots::latest(conn, self.game)?, &keys) {
            SnapshotCheck::Unusable => None,
            SnapshotCheck::Bound(snapshot) => Some((snapshot.seq, snapshot.hash)),
            SnapshotCheck::Forged => {
                let refusal = self.unsound("the stored state is not one that a node made".to_owned());
                return Ok(Piece::Done(Box::new(self), Some(refusal)));
            }
        };
        let status = if self.standings.is_some() { Status::Finished } else { Status::Abandoned };
        let header = Header { format: FORMAT.to_owned(), game: self.game.0, ruleset: self.ruleset, status };
        let verifier = Verifier::new(&TRUST, header);
        Ok(Piece::More(Box::new(Verification { ended: self, bound, verifier, keys })))
    }

    /// The refusal that a finding in the log is.
    fn unsound(&self, finding: String) -> Refusal {
        Refusal::of_finding(self.game, Reason::LogUnsound, finding)
    }
}

impl Verification {
    /// The next piece: verifies a page of events.
    pub(super) fn next(mut self: Box<Self>, conn: &mut Connection) -> Result<Piece, StoreError> {
        let events = event_reads::after(conn, self.ended.game, self.verifier.seq(), PAGE)?;
        if events.is_empty() {
            let id = self.ended.game;
            let game = self.verifier.state();
            let game = game.map(|state| Comparable { id, state, start: self.verifier.started() });
            let start = game.map(|game| check_start(conn, &self.keys, &game)).transpose()?;
            let StatedEnd { events, head, standings, .. } = &self.ended;
            let end = End { events: *events, head: *head, standings: standings.clone(), signature: None };
            let finding = self.verifier.end(&end).findings.first().map(Finding::to_string);
            let refusal = match (finding, start) {
                (None, Some(StartCheck::Waits)) => return Ok(Piece::Waits),
                (None, Some(StartCheck::Refused { is_missing, detail })) => {
                    let reason = if is_missing { Reason::StartMissing } else { Reason::StartDiffers };
                    Some(Refusal::of_finding(id, reason, detail))
                }
                (finding, _) => finding.map(|finding| self.ended.unsound(finding)),
            };
            return Ok(Piece::Done(Box::new(self.ended), refusal));
        }
        if let Some((seq, hash)) = self.bound
            && events.iter().any(|event| event.seq == seq && event.hash != hash)
        {
            let refusal = self.ended.unsound(format!("event {seq} is not that of the stored state"));
            return Ok(Piece::Done(Box::new(self.ended), Some(refusal)));
        }
        events.into_iter().map(|event| event.into_line()).for_each(|line| self.verifier.event(&line));
        Ok(Piece::More(self))
    }
}
