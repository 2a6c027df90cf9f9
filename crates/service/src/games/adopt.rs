//! `estimation games adopt`: after the record keys were lost, audits the games that are not packed and binds their heads
//! under the present key, so that they are played on, signed and rated. Each adoption is an entry of the public log.

use std::sync::{Arc, LazyLock};

use super::committed_event::event_of;
use crate::auth::keys::head::{bind_adopted, check_adopted, check_head, forged};
use crate::auth::keys::{BindingCheck, KeyRing, RecordKeys};
use crate::base::entropy::{Entropy, draw};
use crate::base::failure::{Failure, milliseconds};
use crate::public_log::{
    LoggedEntry, NOT_SEALED, adopt_entries, adopted_entry, bind_entry, is_ahead, stated_head,
};
use estimation_engine::event::{Event, Standing, Visibility};
use estimation_engine::hex::Hex;
use estimation_engine::seat::BySeat;
use estimation_record::RecordTime;
use estimation_record::fairness::ServerSeed;
use estimation_record::verify::{End, FORMAT, Finding, Header, Status, Trust, Verifier};
use estimation_store::adopted_heads::{AdoptedHead, LoggedAdoption};
use estimation_store::event_reads::{self, Head, StoredEvent};
use estimation_store::games::{self, GameRow};
use estimation_store::public_log::{EntryKind, tree};
use estimation_store::{
    Connection, Database, GameId, Server, StoreError, UnitFailure, adopted_heads, packed, seeds,
};
use jiff::Timestamp;

/// Games in a page, and events in a piece.
const GAMES: i64 = 100;
const EVENTS: i64 = 200;

/// What an adoption did.
#[derive(Debug, Default)]
pub struct Adoption {
    /// The games that were bound under the present key.
    pub adopted: Vec<GameId>,
    /// The games that were not, with the reason.
    pub refused: Vec<(GameId, String)>,
    /// The number of entries that wait for the public log and were bound under the present key.
    pub entries: usize,
    /// The number of entries about adoptions that were queued for the public log.
    pub queued: usize,
}

/// What is to be done with a game.
enum Judgement {
    /// Nothing: it is packed, or a present key has bound it.
    Leave,
    Adopt(Head, Visibility),
    Refuse(String),
}

static TRUST: LazyLock<Trust> = LazyLock::new(|| {
    let mut trust = Trust::default();
    (trust.running, trust.unsigned) = (true, true);
    trust
});

/// Adopts games whose heads are bound under keys that the ring does not have. A game that no node has bound, or whose log
/// or seed is not sound, is refused.
///
/// # Errors
/// Those of the database; [`Failure::Defect`] if every record key is retired.
pub async fn adopt(
    database: &Database,
    ring: &KeyRing,
    entropy: &dyn Entropy,
    now: Timestamp,
) -> Result<Adoption, Failure> {
    let keys = ring.record_keys();
    let mut adoption = Adoption::default();
    let mut after = String::new();
    loop {
        let last = after.clone();
        let page = database.read(move |conn| games::ids_after(conn, &last, GAMES)).await?;
        let Some(last) = page.last() else { break };
        after.clone_from(last);
        for game in page {
            let game: GameId = game.parse().map_err(|_| {
                Failure::Store(StoreError::Corrupt { detail: format!("{game:?} is no game") })
            })?;
            let known = Arc::clone(&keys);
            match database.read(move |conn| judge(conn, game, &known)).await {
                Ok(Judgement::Leave) => {}
                Ok(Judgement::Adopt(head, visibility)) => {
                    let salt = (visibility == Visibility::Private).then(|| draw(entropy));
                    let new = NewAdoption { game, head, salt, keys: Arc::clone(&keys), now };
                    let save = move |conn: &mut Connection| new.save(conn);
                    match database.write(Server, save).await {
                        Ok(is_queued) => {
                            adoption.queued += usize::from(is_queued);
                            adoption.adopted.push(game);
                        }
                        Err(UnitFailure::Refused(fault)) => adoption.refused.push((game, fault.to_owned())),
                        Err(UnitFailure::Store(error)) => return Err(error.into()),
                    }
                }
                Ok(Judgement::Refuse(finding)) => adoption.refused.push((game, finding)),
                Err(error) if error.is_unavailable() => return Err(error.into()),
                Err(error) => adoption.refused.push((game, error.to_string())),
            }
        }
    }
    adoption.entries =
        database.write(Server, move |conn: &mut Connection| adopt_entries(conn, &keys, now)).await?;
    Ok(adoption)
}

/// A head that is adopted now.
struct NewAdoption {
    game: GameId,
    head: Head,
    /// Seals the entry of a private game.
    salt: Option<[u8; 32]>,
    keys: Arc<RecordKeys>,
    now: Timestamp,
}

impl NewAdoption {
    /// Binds the head, and queues the entry of its adoption. Returns whether the entry was queued now, or why an earlier
    /// adoption of the head is not bound again.
    fn save(&self, conn: &mut Connection) -> Result<bool, UnitFailure<&'static str>> {
        let NewAdoption { game, head, ref keys, now, .. } = *self;
        let bind = |logged: &str| bind_adopted(game, head, logged, keys, now).map_err(|error| defect(&error));
        if let Some(adopted) = adopted_heads::find(conn, game, head.seq)? {
            if let Some(fault) = self.fault(&adopted) {
                return Err(UnitFailure::Refused(fault));
            }
            adopted_heads::bind_again(conn, game, head.seq, &bind(&adopted.logged)?)?;
            return Ok(false);
        }
        let entry = self.logged(conn)?;
        adopted_heads::add(conn, game, head.seq, &bind(&entry.logged)?, &entry)?;
        Ok(true)
    }

    /// The entry, not before the last one of the log.
    fn logged(&self, conn: &mut Connection) -> Result<LoggedAdoption, StoreError> {
        let NewAdoption { game, head, salt, ref keys, now } = *self;
        let latest = tree::hold_off(conn)?;
        if is_ahead(latest, milliseconds(now)) {
            return Err(StoreError::LogTimePassed { latest });
        }
        let latest = RecordTime::from_milliseconds(latest).map_err(|error| defect(&error))?;
        let time = RecordTime::of(now, Some(latest));
        let entry = adopted_entry(game, time, (head.seq, Hex(head.hash)), salt);
        let LoggedEntry { logged, entry, salt } = entry.map_err(|error| defect(&error))?;
        let at = milliseconds(time.timestamp());
        let binding = bind_entry(game, EntryKind::Adopted, at, &logged, keys, now);
        Ok(LoggedAdoption { at, logged, entry, salt, binding: binding.map_err(|error| defect(&error))? })
    }

    /// Why an earlier adoption of the head is not bound again.
    fn fault(&self, adopted: &AdoptedHead) -> Option<&'static str> {
        if !states(self.game, self.head, adopted) {
            return Some("the entry of its adoption is not that of the last event");
        }
        if adopted.salt.is_some() != self.salt.is_some() {
            return Some(NOT_SEALED);
        }
        let check = check_adopted(self.game, self.head, adopted, &self.keys);
        (check == BindingCheck::Forged).then_some("the adopted head is not bound by a node")
    }
}

fn defect(error: &dyn std::fmt::Display) -> StoreError {
    StoreError::Defect { detail: error.to_string() }
}

fn judge(conn: &mut Connection, game: GameId, keys: &RecordKeys) -> Result<Judgement, StoreError> {
    let Some(row) = games::find(conn, game)? else { return Ok(Judgement::Leave) };
    if packed::head(conn, game)?.is_some() {
        return Ok(Judgement::Leave);
    }
    let Some(head) = event_reads::head(conn, game)? else {
        return Ok(Judgement::Refuse("it has no log".to_owned()));
    };
    let Some(last) = event_reads::after(conn, game, head.seq - 1, 1)?.pop() else {
        return Ok(Judgement::Refuse("it has no log".to_owned()));
    };
    match check_head(game, head, last.binding.as_ref(), keys) {
        BindingCheck::Sound => return Ok(Judgement::Leave),
        BindingCheck::Forged => return Ok(Judgement::Refuse(forged(head))),
        BindingCheck::UnknownKey => {}
    }
    if let Some(adopted) = adopted_heads::find(conn, game, head.seq)?
        && states(game, head, &adopted)
        && check_adopted(game, head, &adopted, keys) == BindingCheck::Sound
    {
        return Ok(Judgement::Leave);
    }
    Ok(match verified(conn, &row, &last)? {
        Ok(visibility) => Judgement::Adopt(head, visibility),
        Err(finding) => Judgement::Refuse(finding),
    })
}

/// Whether an adoption has the entry of this head.
fn states(game: GameId, head: Head, adopted: &AdoptedHead) -> bool {
    stated_head(game, adopted) == Some(head)
}

/// Verifies the log and the seed of a game. Returns who may see it, or the first thing that is wrong.
fn verified(
    conn: &mut Connection,
    row: &GameRow,
    last: &StoredEvent,
) -> Result<Result<Visibility, String>, StoreError> {
    let id = row.id;
    let status = match row.status.as_str() {
        "finished" => Status::Finished,
        "abandoned" => Status::Abandoned,
        _ => Status::Running,
    };
    let Ok(ruleset) = row.ruleset.parse() else {
        return Ok(Err(format!("its row names the ruleset {:?}", row.ruleset)));
    };
    let header = Header { format: FORMAT.to_owned(), game: id.0, ruleset, status };
    let mut verifier = Verifier::new(&TRUST, header);
    loop {
        let events = event_reads::after(conn, id, verifier.seq(), EVENTS)?;
        if events.is_empty() {
            break;
        }
        events.into_iter().map(StoredEvent::into_line).for_each(|line| verifier.event(&line));
    }
    let visibility = verifier.state().map(|game| game.table.visibility);
    if status == Status::Running
        && let Some(game) = verifier.state()
    {
        let Some(seed) = seeds::find(conn, id)? else { return Ok(Err("it has no seed".to_owned())) };
        let seed = ServerSeed::from_bytes(*seed.expose());
        if !seed.after_openings(game.table.openings).opens(&game.table.commitment) {
            return Ok(Err("the stored seed is not the one that the server committed to".to_owned()));
        }
    }
    let end = End { events: last.seq, head: Hex(last.hash), standings: standings(id, last), signature: None };
    let finding = verifier.end(&end).findings.first().map(Finding::to_string);
    // An event that breaks the rules is a finding.
    Ok(match (finding, visibility) {
        (Some(finding), _) => Err(finding),
        (None, visibility) => visibility.ok_or_else(|| "it has no table".to_owned()),
    })
}

fn standings(game: GameId, last: &StoredEvent) -> Option<BySeat<Standing>> {
    match event_of(game, last) {
        Ok((_, Event::GameFinished(finished))) => Some(finished.standings),
        _ => None,
    }
}
