//! One game: its log, its snapshot, and what follows from its end.

use super::bindings::Bindings;
use super::row::{break_off_faults, recorded_break_offs, row_faults};
use super::{DatabaseAudit, PAGE};
use crate::auth::keys::RecordKeys;
use crate::base::failure::Failure;
use crate::games::{check_binding, snapshot_complaint};
use crate::public_log::{
    Comparable, ComparableEnd, adoption_faults, end_faults, promise_statement, start_faults, stated_head,
};
use estimation_engine::event::AbandonReason;
use estimation_engine::game::{Ending, Stage};
use estimation_engine::hex::Hex;
use estimation_engine::outcome::{Outcome, outcome};
use estimation_engine::ruleset::RulesetId;
use estimation_record::RecordTime;
use estimation_record::verify::{
    Adoption, End, FORMAT, Finding, Header, Rule, SignatureLine, Status, Trust, Verdict, Verifier,
};
use estimation_store::adopted_heads::AdoptedHead;
use estimation_store::ended_games::EndedGame;
use estimation_store::public_log::audit_reads::{self, LoggedStart};
use estimation_store::{
    Connection, GameId, StoreError, adopted_heads, ended_games, event_reads, games, packed, snapshots,
};

/// A game that is over, as its log makes it.
pub(super) struct Over {
    pub(super) ruleset: RulesetId,
    pub(super) ended_at: RecordTime,
    /// `None` for an abandoned game.
    pub(super) outcome: Option<Box<Outcome>>,
    /// Whether the operator ended it.
    pub(super) is_ended_early: bool,
}

struct VerifiedGame {
    verdict: Verdict,
    /// `None` while the game runs, or if its log breaks the rules.
    over: Option<Over>,
    /// The number of bindings under keys that were not given.
    unknown_bindings: u64,
}

impl DatabaseAudit<'_> {
    /// Verifies a game. A game that cannot be read is one finding.
    pub(super) fn stored_game(&mut self, conn: &mut Connection, id: &str) -> Result<(), Failure> {
        let Ok(game) = id.parse::<GameId>() else {
            self.find(None, format!("the id {id:?} of a game is no UUID"));
            return Ok(());
        };
        match conn.in_snapshot(|conn| verified(conn, game, self.trust, self.keys, &self.origins)) {
            Ok(None) => {}
            Ok(Some(VerifiedGame { verdict, over, unknown_bindings })) => {
                self.unknown_bindings += unknown_bindings;
                self.audit.verified(verdict);
                if let Some(over) = over {
                    self.over.insert(game, over);
                }
            }
            Err(failure) if failure.is_of_one_game() => {
                let detail = format!("the stored game cannot be read: {failure}");
                self.audit.skip(game.0, "it cannot be read");
                self.audit.find(Finding::new(Some(game.0), None, Rule::State, detail));
            }
            Err(failure) => return Err(failure),
        }
        Ok(())
    }
}

/// The outcome of a game that ended after the audit read it. `None` if its log cannot be read or breaks the rules.
pub(super) fn ended_meanwhile(
    conn: &mut Connection,
    game: GameId,
    trust: &Trust,
    origins: &[String],
) -> Result<Option<Over>, Failure> {
    match verified(conn, game, trust, None, origins) {
        Ok(verified) => Ok(verified.and_then(|verified| verified.over)),
        Err(failure) if failure.is_of_one_game() => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// Verifies a game: its log, snapshot, row, seed, with keys also their bindings, and what the public logs with these
/// origins have of it. `None` if there is no such game.
fn verified(
    conn: &mut Connection,
    id: GameId,
    trust: &Trust,
    keys: Option<&RecordKeys>,
    origins: &[String],
) -> Result<Option<VerifiedGame>, Failure> {
    let Some(row) = &games::find(conn, id)? else { return Ok(None) };
    let status = match row.status.as_str() {
        "finished" => Status::Finished,
        "abandoned" => Status::Abandoned,
        _ => Status::Running,
    };
    let header = Header { format: FORMAT.to_owned(), game: id.0, ruleset: row.ruleset.parse()?, status };
    let adopted = adopted_heads::of_game(conn, id)?;
    let adoptions = adopted.iter().filter_map(|adopted| adoption(id, adopted, origins)).collect();
    let mut verifier = Verifier::new(trust, header).with_adoptions(adoptions);
    let snapshot = snapshots::latest(conn, id)?;
    let (mut told, mut head, mut began) = (0, [0; 32], None);
    let mut broken_off = Vec::new();
    let mut bindings = Bindings::new(id, keys, &adopted);
    if let Some(snapshot) = &snapshot {
        bindings.row(|keys| check_binding(id, snapshot, keys), "the stored state");
    }
    loop {
        let page = event_reads::after(conn, id, told, PAGE)?;
        let Some(last) = page.last() else { break };
        (told, head) = (last.seq, last.hash);
        for event in page {
            let seq = event.seq;
            if let Some(state) = verifier.state() {
                broken_off.extend(recorded_break_offs(row, state, &event));
            }
            bindings.event(&event);
            verifier.event(&event.into_line());
            let (hash, at) = verifier.position();
            began = began.or(at);
            if let Some(snapshot) = snapshot.as_ref().filter(|snapshot| snapshot.seq == seq)
                && let Some(at) = at
                && let Some(complaint) =
                    verifier.state().and_then(|game| snapshot_complaint(snapshot, &hash, at, game))
            {
                verifier.find(Some(seq), Rule::State, complaint);
            }
        }
    }
    if snapshot.as_ref().is_some_and(|snapshot| snapshot.seq > told) {
        verifier.find(Some(told.saturating_add(1)), Rule::State, "the snapshot is newer than the last event");
    }
    let ended = readable(ended_games::find(conn, id))?.flatten();
    let Some(dates) = games::job_dates(conn, id)? else { return Ok(None) };
    let is_packed = packed::head(conn, id)?.is_some();
    let (faults, unknown_bindings) = bindings.end(!is_packed);
    for (seq, rule, detail) in faults {
        verifier.find(seq, rule, detail);
    }
    let mut faults = row_faults(conn, row, (dates, is_packed), began, ended.as_ref(), &verifier)?;
    if verifier.state().is_some() {
        faults.extend(break_off_faults(conn, id, broken_off)?);
    }
    faults.into_iter().for_each(|(rule, detail)| verifier.find(None, rule, detail));
    let (_, at) = verifier.position();
    if let (Some(state), Some(at)) = (verifier.state(), at) {
        let comparable = Comparable { id, state, start: verifier.started() };
        let end = ComparableEnd { last: (told, head, at), logged_at: dates.logged_at };
        let stored = audit_reads::find(conn, id)?;
        let mut faults = start_faults(conn, &comparable, stored.as_ref(), &|_, start, at| {
            Ok(is_promised(origins, trust, start, at))
        })?;
        faults.extend(end_faults(&comparable, &end, stored.as_ref()));
        faults.extend(adopted.iter().flat_map(|adopted| adoption_faults(&comparable, adopted)));
        faults.into_iter().for_each(|detail| verifier.find(None, Rule::State, detail));
    }
    let over = verifier.state().zip(at).filter(|(game, _)| game.is_over()).map(|(game, at)| Over {
        ruleset: game.rules().id,
        ended_at: at,
        outcome: outcome(game).map(Box::new),
        is_ended_early: matches!(
            game.stage,
            Stage::Over(Ending::Abandoned { reason: AbandonReason::Ended, .. })
        ),
    });
    let standings = match verifier.state().map(|game| &game.stage) {
        Some(Stage::Over(Ending::Finished { standings, .. })) => Some(standings.clone()),
        _ => None,
    };
    // A game that has just ended has no signature yet. If it stays so, its end is missing in the public log.
    let sign = |ended: EndedGame| SignatureLine { kid: ended.kid, value: Hex(ended.signature) };
    let signature = ended.map(sign);
    let mut unsigned = trust.clone();
    unsigned.unsigned = true;
    let end = End { events: told, head: Hex(head), standings, signature };
    let verifier = if end.signature.is_none() { verifier.trusting(&unsigned) } else { verifier };
    Ok(Some(VerifiedGame { verdict: verifier.end(&end), over, unknown_bindings }))
}

/// What the entry of an adopted head states; none if it is not of this head.
fn adoption(game: GameId, adopted: &AdoptedHead, origins: &[String]) -> Option<Adoption> {
    let head = stated_head(game, adopted)?;
    let origin = |log: i32| origins.get(usize::try_from(log).ok()?.checked_sub(1)?);
    let place = match adopted.position {
        None => "an entry that waits for the public log".to_owned(),
        Some((log, position)) => {
            format!("entry {position} of {}", origin(log).map_or("no log", String::as_str))
        }
    };
    Some(Adoption { place, events: head.seq, head: Hex(head.hash) })
}

/// Whether a record key signed the promise of a start, for one of the logs.
fn is_promised(origins: &[String], trust: &Trust, start: &LoggedStart, at: RecordTime) -> bool {
    let signature = SignatureLine { kid: start.promise.kid.clone(), value: Hex(start.promise.signature) };
    let is_of = |origin: &String| {
        let statement = promise_statement(origin, &start.promise, at).ok().flatten();
        statement.is_some_and(|statement| trust.problem(&statement, &signature).is_none())
    };
    // The first games may start before the log begins.
    origins.is_empty() || origins.iter().any(is_of)
}

/// `None` for a damaged row, which is reported elsewhere.
fn readable<T>(read: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
    match read {
        Err(StoreError::Corrupt { .. }) => Ok(None),
        read => read.map(Some),
    }
}
