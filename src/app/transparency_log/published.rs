//! The published transparency log: its entries, and a checkpoint signed on demand.

use serde::Serialize;
use utoipa::ToSchema;

use super::TransparencyLog;
use crate::app::failure::Failure;
use crate::engine::chance::Hex;
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
    /// The entries of the log after a position.
    pub async fn listed_games(&self, after: u64, limit: usize) -> Result<ListPage, Failure> {
        let asked = limit as i64 + 1;
        let mut rows = self.database.read(move |conn| ended_games::after(conn, after, asked)).await?;
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next_cursor = rows.last().filter(|_| more).map(|last| last.position.to_string());
        Ok(ListPage { items: rows.into_iter().map(published).collect::<Result<_, _>>()?, next_cursor })
    }

    /// A signed checkpoint: the number of entries, and the hash of the log's chain.
    pub async fn checkpoint(&self) -> Result<SignedCheckpoint, Failure> {
        let (games, head) = self.database.read(ended_games::end).await?.unwrap_or((0, GENESIS));
        let at = RecordTime::of(self.clock.now(), None);
        let checkpoint = Checkpoint { games, head: Hex(head), at };
        let signed = self.keys.ring().record_keys().sign(&checkpoint.statement()?, self.clock.now());
        let signed = signed.ok_or_else(|| Failure::Defect("every record key is retired".to_owned()))?;
        let signature = SignatureLine { kid: signed.kid.to_string(), value: Hex(signed.signature) };
        Ok(SignedCheckpoint { checkpoint, signature })
    }
}
