//! The job that signs what is over and lists it. It can be stopped at any moment and taken up by any node:
//! it goes by what is over and not listed yet.

use uuid::Uuid;

use crate::application::app::App;
use crate::application::failure::{Failure, milliseconds};
use crate::application::record::{GENESIS, GameEnd, ListedGame, RecordTime};
use crate::engine::chance::Hex;
use crate::engine::event::Event;
use crate::store::ended::{self, EndedGame};
use crate::store::events::{self, StoredEvent};
use crate::store::{Connection, StoreError, games};

/// How many games are listed in one transaction.
const AT_ONCE: i64 = 64;

/// A game that is over, with its row's ruleset and its last event.
struct Over {
    game: String,
    ruleset: String,
    last: StoredEvent,
}

/// The end of a game, signed, without its place on the list.
#[derive(Clone)]
struct SignedEnd {
    game: Uuid,
    events: u64,
    head: Hex<32>,
    kid: String,
    signature: Hex<64>,
}

impl App {
    /// Signs and lists what is over and not on the list. Returns how many games were listed.
    pub async fn list_ended(&self) -> Result<usize, Failure> {
        let mut listed = 0;
        loop {
            let over = self.database.read(over).await?;
            let full = over.len() as i64 == AT_ONCE;
            let mut ends = Vec::with_capacity(over.len());
            for game in over {
                ends.push(self.sign(&game)?);
            }
            if ends.is_empty() {
                return Ok(listed);
            }
            let now = RecordTime::of(self.now(), None);
            let added = self.database.write(move |conn| add(conn, &ends, now)).await?;
            listed += added;
            if !full || added == 0 {
                return Ok(listed);
            }
        }
    }

    fn sign(&self, over: &Over) -> Result<SignedEnd, Failure> {
        let Over { game, ruleset, last } = over;
        let id: Uuid = game.parse().map_err(|_| Failure::Defect(format!("{game:?} is no id")))?;
        let standings = match last.event_of(game)? {
            Event::GameFinished(finished) => Some(finished.standings),
            Event::GameAbandoned { .. } => None,
            _ => return Err(Failure::Defect(format!("game {game} is over and its log has no end"))),
        };
        let end = GameEnd {
            game: id,
            ruleset: ruleset.parse()?,
            head: Hex(last.hash),
            events: last.seq,
            standings: standings.as_ref(),
        };
        let signed = self.keys().record_keys().sign(&end.statement()?, self.now());
        let signed = signed.ok_or_else(|| Failure::Defect("every record key is retired".to_owned()))?;
        Ok(SignedEnd {
            game: id,
            events: last.seq,
            head: Hex(last.hash),
            kid: signed.kid.to_string(),
            signature: Hex(signed.signature),
        })
    }
}

/// The next games to list.
fn over(conn: &mut Connection) -> Result<Vec<Over>, StoreError> {
    let mut over = Vec::new();
    for game in ended::unlisted(conn, None, AT_ONCE)? {
        let row = games::find(conn, &game)?;
        let head = events::head(conn, &game)?;
        let (Some(row), Some(head)) = (row, head) else { continue };
        let last = events::after(conn, &game, head.seq - 1, 1)?;
        over.extend(last.into_iter().map(|last| Over {
            game: game.clone(),
            ruleset: row.ruleset.clone(),
            last,
        }));
    }
    Ok(over)
}

/// Puts ends on the list, behind whatever is there now. Nothing where another node is at it.
fn add(conn: &mut Connection, ends: &[SignedEnd], now: RecordTime) -> Result<usize, StoreError> {
    if !ended::lead(conn)? {
        return Ok(0);
    }
    let (mut position, mut chain) =
        ended::last(conn)?.map_or((0, GENESIS), |last| (last.position, last.chain));
    let mut added = 0;
    for end in ends {
        let game = end.game.to_string();
        if ended::find(conn, &game)?.is_some() {
            continue;
        }
        position += 1;
        let line = ListedGame {
            position,
            game: end.game,
            events: end.events,
            head: end.head,
            listed_at: now,
            kid: end.kid.clone(),
            signature: end.signature,
        };
        chain = line.chained(chain).map_err(|error| StoreError::Defect { detail: error.to_string() })?;
        ended::add(
            conn,
            &EndedGame {
                position,
                game,
                events: end.events,
                head: end.head.0,
                chain,
                kid: end.kid.clone(),
                signature: end.signature.0,
                listed_at: milliseconds(now.timestamp()),
            },
        )?;
        added += 1;
    }
    Ok(added)
}
