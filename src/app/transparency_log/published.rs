//! The published transparency log: its entries, and a checkpoint signed on demand.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use utoipa::ToSchema;

use super::TransparencyLog;
use crate::app::failure::Failure;
use crate::auth::caller::Caller;
use crate::auth::tokens::Role;
use crate::engine::chance::Hex;
use crate::store::Connection;
use crate::store::ended_games::{self, EndedGame};
use estimation_record::verify::{ListedLine, SignatureLine, SignedCheckpoint};
use estimation_record::{Checkpoint, GENESIS, ListedGame, RecordTime};

/// A page of the transparency log, oldest first.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = EndedGamePage)]
pub struct ListPage {
    /// The entries.
    #[schema(max_items = 100)]
    pub items: Vec<ListedLine>,
    /// The `after` of the next page; null at the end of the log.
    #[schema(min_length = 1, max_length = 512)]
    pub next_cursor: Option<String>,
}

pub fn published(ended: EndedGame) -> Result<ListedLine, Failure> {
    let EndedGame { position, game, events, head, chain, kid, signature, listed_at } = ended;
    let entry = ListedGame {
        position,
        game: game.0,
        events,
        head: Hex(head),
        listed_at: RecordTime::from_milliseconds(listed_at)?,
        kid,
        signature: Hex(signature),
    };
    Ok(ListedLine { entry, hash: Hex(chain) })
}

impl TransparencyLog {
    /// The entries of the log after a position, for auditors those of all games. A damaged row is left out, and its
    /// position is missing.
    pub async fn listed_games(
        &self,
        caller: Option<&Caller>,
        after: u64,
        limit: usize,
    ) -> Result<ListPage, Failure> {
        let (is_auditor, asked) = (is_auditor(caller), limit as i64 + 1);
        let read = move |conn: &mut Connection| {
            let mut rows = ended_games::after(conn, after, asked)?;
            if !is_auditor {
                let published = ended_games::published(conn)?;
                rows.retain(|(position, _)| *position <= published);
            }
            Ok(rows)
        };
        let mut rows = self.database.read(read).await?;
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next_cursor = rows.last().filter(|_| more).map(|(position, _)| position.to_string());
        let mut items = Vec::with_capacity(rows.len());
        for (position, row) in rows {
            match row.map_err(Failure::from).and_then(published) {
                Ok(line) => items.push(line),
                Err(failure) => self.damaged.report(position, &failure),
            }
        }
        Ok(ListPage { items, next_cursor })
    }

    /// A signed checkpoint: the number of entries, the hash of the log's chain, and the head of the public log, which
    /// has the ends of later games. For auditors the list goes on.
    pub async fn checkpoint(&self, caller: Option<&Caller>) -> Result<SignedCheckpoint, Failure> {
        let (end, log) = match is_auditor(caller) {
            true => (self.database.read(ended_games::end).await?, None),
            false => {
                (self.database.read(ended_games::published_end).await?, Some(self.public_log.head().await?))
            }
        };
        let (games, head) = end.unwrap_or((0, GENESIS));
        let at = RecordTime::of(self.clock.now(), None);
        let checkpoint = Checkpoint { games, head: Hex(head), at, log };
        let signed = self.keys.ring().record_keys().sign(&checkpoint.statement()?, self.clock.now());
        let signed = signed.ok_or_else(|| Failure::Defect("every record key is retired".to_owned()))?;
        let signature = SignatureLine { kid: signed.kid.to_string(), value: Hex(signed.signature) };
        Ok(SignedCheckpoint { checkpoint, signature })
    }
}

fn is_auditor(caller: Option<&Caller>) -> bool {
    caller.is_some_and(|caller| caller.role == Role::Auditor)
}

/// The damaged rows that this node has reported: one log line for each.
#[derive(Default)]
pub(super) struct DamagedRows(Mutex<BTreeSet<u64>>);

impl DamagedRows {
    fn report(&self, position: u64, failure: &Failure) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() < MOST_DAMAGED && known.insert(position) {
            tracing::error!(position, %failure, "an entry of the transparency log is damaged");
        }
    }
}

/// The maximum number of damaged rows that are remembered.
const MOST_DAMAGED: usize = 1_000;
