//! Reads: limited in number, off the event loop, and usable again after failures.

use std::sync::Mutex;
use std::sync::mpsc::channel;

use estimation_store::{Settings, StoreError};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;

use crate::prelude::*;

on_both! {
    async fn a_panic_stays_with_its_caller(database: TestDatabase) {
        let store = database.open_with(Settings { readers: 1, ..Settings::default() });
        let panicked = store.read(|_| -> Result<(), StoreError> { panic!("as planned") }).await;
        assert!(matches!(panicked, Err(StoreError::Defect { .. })), "{panicked:?}");
        store.ping().await.expect("the next read");
    }

    async fn reads_are_bounded(database: TestDatabase) {
        let store = database.open_with(Settings { readers: 2, queue: 10, ..Settings::default() });
        let (closed, gate) = channel::<()>();
        let gate = Arc::new(Mutex::new(gate));
        let mut reads: FuturesUnordered<_> = (0..30)
            .map(|_| {
                let gate = Arc::clone(&gate);
                store.read(move |_| {
                    let _ = gate.lock().expect("a gate").recv();
                    Ok(())
                })
            })
            .collect();
        for _ in 0..20 {
            assert_eq!(reads.next().await, Some(Err(StoreError::Overloaded)));
        }
        drop(closed);
        assert_eq!(reads.collect::<Vec<_>>().await, vec![Ok(()); 10]);
        store.ping().await.expect("a read afterwards");
    }

    async fn an_open_transaction_is_not_handed_on(database: TestDatabase) {
        let store = database.open_with(Settings { readers: 1, ..Settings::default() });
        store
            .read(|conn| {
                use diesel::connection::TransactionManager;
                type Conn = estimation_store::Connection;
                Ok(<Conn as TransactionManager<Conn>>::begin_transaction(conn)?)
            })
            .await
            .expect("a transaction");
        store
            .read(|conn| diesel::Connection::transaction(conn, |_| Ok::<_, StoreError>(())))
            .await
            .expect("a transaction of one's own");
    }
}
