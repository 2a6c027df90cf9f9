//! `estimation games adopt`: after the record keys were lost, audits the games that are not packed and binds their heads
//! under the present key, so that they are played on, signed and rated.

use std::sync::{Arc, LazyLock};

use super::committed_event::event_of;
use super::head::{binding, check_head, forged};
use crate::auth::keys::{BindingCheck, KeyRing, RecordKeys};
use crate::base::failure::Failure;
use crate::games::failure::GameFailure;
use crate::histories::event_line;
use crate::public_log::adopt_entries;
use estimation_engine::event::{Event, Standing};
use estimation_engine::hex::Hex;
use estimation_engine::seat::BySeat;
use estimation_record::fairness::ServerSeed;
use estimation_record::verify::{End, FORMAT, Finding, Header, Status, Trust, Verifier};
use estimation_store::event_reads::{self, Head, StoredEvent};
use estimation_store::games::{self, GameRow};
use estimation_store::{Connection, Database, GameId, StoreError, adopted_heads, packed, seeds};
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
}

/// What is to be done with a game.
enum Judgement {
    /// Nothing: it is packed, or a present key has bound it.
    Leave,
    Adopt(Head),
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
pub async fn adopt(database: &Database, ring: &KeyRing, now: Timestamp) -> Result<Adoption, GameFailure> {
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
                Ok(Judgement::Adopt(head)) => {
                    let bound = binding(game, head, &keys, now)?;
                    let save = move |conn: &mut Connection| adopted_heads::save(conn, game, head.seq, &bound);
                    database.write(save).await?;
                    adoption.adopted.push(game);
                }
                Ok(Judgement::Refuse(finding)) => adoption.refused.push((game, finding)),
                Err(error) if error.is_unavailable() => return Err(error.into()),
                Err(error) => adoption.refused.push((game, error.to_string())),
            }
        }
    }
    adoption.entries = database.write(move |conn: &mut Connection| adopt_entries(conn, &keys, now)).await?;
    Ok(adoption)
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
    let adopted = adopted_heads::of_game(conn, game)?.filter(|(seq, _)| *seq == head.seq);
    if check_head(game, head, adopted.as_ref().map(|(_, binding)| binding), keys) == BindingCheck::Sound {
        return Ok(Judgement::Leave);
    }
    Ok(match finding(conn, &row, &last)? {
        None => Judgement::Adopt(head),
        Some(finding) => Judgement::Refuse(finding),
    })
}

/// The first thing that is wrong with the log or the seed of a game.
fn finding(conn: &mut Connection, row: &GameRow, last: &StoredEvent) -> Result<Option<String>, StoreError> {
    let id = row.id;
    let status = match row.status.as_str() {
        "finished" => Status::Finished,
        "abandoned" => Status::Abandoned,
        _ => Status::Running,
    };
    let Ok(ruleset) = row.ruleset.parse() else {
        return Ok(Some(format!("its row names the ruleset {:?}", row.ruleset)));
    };
    let header = Header { format: FORMAT.to_owned(), game: id.0, ruleset, status };
    let mut verifier = Verifier::new(&TRUST, header);
    loop {
        let events = event_reads::after(conn, id, verifier.seq(), EVENTS)?;
        if events.is_empty() {
            break;
        }
        events.into_iter().map(event_line).for_each(|line| verifier.event(&line));
    }
    if status == Status::Running
        && let Some(game) = verifier.state()
    {
        let Some(seed) = seeds::find(conn, id)? else { return Ok(Some("it has no seed".to_owned())) };
        let seed = ServerSeed::from_bytes(*seed.expose());
        if !seed.after_openings(game.table.openings).opens(&game.table.commitment) {
            return Ok(Some("the stored seed is not the one that the server committed to".to_owned()));
        }
    }
    let end = End { events: last.seq, head: Hex(last.hash), standings: standings(id, last), signature: None };
    Ok(verifier.end(&end).findings.first().map(Finding::to_string))
}

fn standings(game: GameId, last: &StoredEvent) -> Option<BySeat<Standing>> {
    match event_of(game, last) {
        Ok((_, Event::GameFinished(finished))) => Some(finished.standings),
        _ => None,
    }
}
