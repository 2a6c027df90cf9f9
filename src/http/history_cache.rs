//! Histories of games whose end is signed. They never change, so each is read and compressed once for each form and
//! encoding, and kept. Requests for one that is being compressed wait for it.

use std::pin::Pin;
use std::sync::Arc;

use actix_web::web::Bytes;
use futures_util::stream::{Stream, StreamExt, iter};
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::compression::Coding;
use super::large_answers::Compressors;
use estimation_service::base::failure::Failure;
use estimation_service::base::metrics::Metrics;
use estimation_service::histories::SignedHistory;

/// The bytes of histories that a node keeps at most.
const KEPT: u64 = 32 << 20;

/// The expected number of them. The cache divides its bytes among shards of at least so many; here it is one shard.
const EXPECTED: usize = 32;

/// The largest history that is compressed or kept, in bytes before it is compressed. A larger one would take too much
/// memory; it is streamed.
const LARGEST: usize = 16 << 20;

/// The bytes of a history, or its failure.
pub(super) type Pieces = Pin<Box<dyn Stream<Item = Result<Bytes, Failure>>>>;

/// A history as it is sent.
pub(super) enum HistoryBody {
    /// In the encoding that the client prefers.
    Whole(Bytes),
    /// Uncompressed.
    Streamed(Pieces),
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct HistoryKey {
    pub(super) history: SignedHistory,
    /// Whether it is lines, not one object.
    pub(super) lines: bool,
    /// None if it is not compressed.
    pub(super) coding: Option<Coding>,
}

#[derive(Clone)]
struct Bytewise;

impl Weighter<HistoryKey, Bytes> for Bytewise {
    fn weight(&self, _: &HistoryKey, history: &Bytes) -> u64 {
        history.len() as u64
    }
}

/// The histories that a node keeps.
pub(super) struct HistoryCache {
    kept: Cache<HistoryKey, Bytes, Bytewise>,
    metrics: Arc<Metrics>,
}

impl HistoryCache {
    pub(super) fn new(metrics: Arc<Metrics>) -> HistoryCache {
        HistoryCache { kept: Cache::with_weighter(EXPECTED, KEPT, Bytewise), metrics }
    }

    /// A signed history. It is streamed if it is not kept and no thread is free to compress it.
    pub(super) async fn kept(
        &self,
        key: HistoryKey,
        pieces: Pieces,
        compressors: &Compressors,
    ) -> Result<HistoryBody, Failure> {
        let missing = match self.kept.get_value_or_guard_async(&key).await {
            Ok(history) => return Ok(HistoryBody::Whole(history)),
            Err(missing) => missing,
        };
        let sent = whole(key.coding, pieces, compressors).await?;
        if let HistoryBody::Whole(history) = &sent {
            // Refused if it was removed meanwhile; then the next request reads it again.
            let _ = missing.insert(history.clone());
            self.metrics.histories_kept(self.kept.weight());
        }
        Ok(sent)
    }
}

/// A whole history, if a thread is free and it is not too large; otherwise its pieces. Without a coding, this limits how
/// many histories are collected at once.
pub(super) async fn whole(
    coding: Option<Coding>,
    mut pieces: Pieces,
    compressors: &Compressors,
) -> Result<HistoryBody, Failure> {
    let Some(compressor) = compressors.reserve() else { return Ok(HistoryBody::Streamed(pieces)) };
    let mut plain = Vec::new();
    while let Some(piece) = pieces.next().await {
        plain.extend_from_slice(&piece?);
        if plain.len() > LARGEST {
            let begun = iter([Ok(Bytes::from(plain))]);
            return Ok(HistoryBody::Streamed(Box::pin(begun.chain(pieces))));
        }
    }
    let whole = match coding {
        Some(coding) => compressor.compress(coding, plain.into()).await,
        None => Ok(plain.into()),
    };
    whole.map(HistoryBody::Whole).map_err(|error| Failure::Defect(error.to_string()))
}

#[cfg(test)]
mod tests {
    use estimation_service::vocabulary::GameId;
    use std::cell::Cell;
    use std::rc::Rc;

    use futures_util::future::join_all;
    use futures_util::stream::once;
    use uuid::Uuid;

    use super::*;
    use crate::http::compression::Effort;

    const HISTORY: &[u8] = b"{\"header\":{}}";

    /// A history that counts how often it is read.
    fn read(times: &Rc<Cell<u32>>) -> Pieces {
        let times = Rc::clone(times);
        Box::pin(once(async move {
            times.set(times.get() + 1);
            actix_web::rt::task::yield_now().await;
            Ok(Bytes::from_static(HISTORY))
        }))
    }

    fn key(game: u128, coding: Option<Coding>) -> HistoryKey {
        let history =
            SignedHistory { game: GameId(Uuid::from_u128(game)), head: [0; 32], signature: Vec::new() };
        HistoryKey { history, lines: false, coding }
    }

    #[actix_web::test]
    async fn many_requests_for_a_history_read_it_once_for_each_encoding() {
        let (cache, compressors) = (HistoryCache::new(Arc::default()), Compressors::new(1));
        let times = Rc::default();
        for (coding, read_before) in [(Some(Coding::Brotli), 0), (Some(Coding::Gzip), 1), (None, 2)] {
            let asked = (0..50).map(|_| cache.kept(key(1, coding), read(&times), &compressors));
            let expected = match coding {
                Some(coding) => coding.compress(HISTORY, Effort::Low).unwrap(),
                None => HISTORY.to_vec(),
            };
            for sent in join_all(asked).await {
                assert!(matches!(sent, Ok(HistoryBody::Whole(bytes)) if bytes == expected));
            }
            assert_eq!(times.get(), read_before + 1);
        }
    }

    #[actix_web::test]
    async fn a_history_goes_out_uncompressed_while_no_thread_is_free() {
        let (cache, compressors) = (HistoryCache::new(Arc::default()), Compressors::new(1));
        let times = Rc::default();
        let busy = compressors.reserve();
        let ask = || cache.kept(key(1, Some(Coding::Gzip)), read(&times), &compressors);
        assert!(
            join_all([ask(), ask()]).await.iter().all(|sent| matches!(sent, Ok(HistoryBody::Streamed(_))))
        );
        drop(busy);
        assert!(matches!(ask().await, Ok(HistoryBody::Whole(_))));
    }

    #[actix_web::test]
    async fn the_kept_histories_take_no_more_than_their_bytes() {
        let cache = HistoryCache::new(Arc::default());
        let large = Bytes::from(vec![0; 3 << 20]);
        for game in 0..40 {
            let key = key(game, Some(Coding::Gzip));
            cache.kept.insert(key.clone(), large.clone());
            assert!(cache.kept.weight() <= KEPT);
            assert!(cache.kept.get(&key).is_some(), "a large one is kept too");
        }
        assert!(cache.kept.weight() > KEPT / 2);
    }
}
