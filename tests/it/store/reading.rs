//! Reading: bounded, off the event loop, and sound again after trouble.

use std::time::Duration;

use estimation::store::{Settings, StoreError};

use crate::databases::on_both;

on_both! {
    /// A closure that panics is an error for its caller alone.
    async fn a_panic_stays_with_its_caller(database: TestDatabase) {
        let store = database.open_with(Settings { readers: 1, ..Settings::default() });
        let panicked = store.read(|_| -> Result<(), StoreError> { panic!("as planned") }).await;
        assert!(matches!(panicked, Err(StoreError::Defect { .. })), "{panicked:?}");
        store.ping().await.expect("the next read");
    }

    /// More reads than connections wait; more than may wait are refused.
    async fn reads_are_bounded(database: TestDatabase) {
        let store = database.open_with(Settings { readers: 2, queue: 10, ..Settings::default() });
        let reads: Vec<_> = (0..30)
            .map(|_| {
                let store = store.clone();
                tokio::spawn(async move {
                    store
                        .read(|_| {
                            std::thread::sleep(Duration::from_millis(50));
                            Ok(())
                        })
                        .await
                })
            })
            .collect();
        let mut done = 0;
        for read in reads {
            match read.await.expect("no panic") {
                Ok(()) => done += 1,
                Err(error) => assert_eq!(error, StoreError::Overloaded),
            }
        }
        assert_eq!(done, 10);
        store.ping().await.expect("a read afterwards");
    }

    /// A transaction left open does not reach the next reader.
    async fn an_open_transaction_is_not_handed_on(database: TestDatabase) {
        let store = database.open_with(Settings { readers: 1, ..Settings::default() });
        store
            .read(|conn| {
                use diesel::connection::TransactionManager;
                type Conn = estimation::store::Connection;
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
