//! Keys: rotated under running nodes, shared by all nodes, and required where a node cannot create them.

use estimation_service::auth::key_source::KeySource;
use estimation_service::auth::keys::{KeyError, KeysSecret};
use estimation_service::base::clock::{Clock, SystemClock};
use estimation_service::base::entropy::SystemEntropy;
use estimation_service::services::AppSettings;

use crate::prelude::*;

fn sealed(secret: &str) -> KeySource {
    KeySource::Sealed(KeysSecret::read(secret.repeat(32)).expect("a secret"))
}

async fn node(database: &TestDatabase, source: &KeySource) -> Arc<App> {
    let database = database.open();
    let loaded = source.load(&database, &SystemEntropy, SystemClock.now()).await;
    let (ring, version) = loaded.expect("keys");
    let watched_keys = Some((source.clone(), version));
    Arc::new(App::new(database, ring, AppSettings { watched_keys, ..AppSettings::default() }))
}

/// A running node sees the rotation, and its earlier tokens remain valid.
async fn is_rotated(database: &TestDatabase, source: KeySource) {
    let app = node(database, &source).await;
    let background = app.start_background();
    let (_, session) = app.accounts.register_guest(None, None).await.expect("a guest");
    let before = app.keys.jwks();
    let store = database.open();
    let rotate = |ring: &mut estimation_service::auth::keys::KeyRing| {
        ring.rotate_token_key(&SystemEntropy, SystemClock.now())
    };
    let kid = source.change(&store, &SystemEntropy, rotate).await.expect("a rotation").expect("a key");
    eventually("the new key is published", async || app.keys.jwks().keys.iter().any(|key| key.kid == kid))
        .await;
    assert_eq!(app.keys.jwks().keys.len(), before.keys.len() + 1);
    app.sessions.authenticate(&session.access_token).await.expect("the token stays good");
    let refreshed = app.sessions.refresh(&session.refresh_token, None).await.expect("so does the other");
    let second = node(database, &source).await;
    second.sessions.authenticate(&refreshed.access_token).await.expect("it is good on every node");
    drop(background);
    app.shutdown().await;
    second.shutdown().await;
}

on_both! {
    async fn a_file_is_rotated_under_a_running_node(database: TestDatabase) {
        let folder = tempfile::TempDir::new().expect("a temporary folder");
        is_rotated(&database, KeySource::OwnFile(folder.path().join("keys.json"))).await;
    }

    async fn a_sealed_ring_is_rotated_under_a_running_node(database: TestDatabase) {
        is_rotated(&database, sealed("a")).await;
    }

    async fn a_sealed_ring_is_the_same_on_every_node(database: TestDatabase) {
        let nodes: Vec<_> = (0..4)
            .map(|_| {
                let store = database.open();
                tokio::spawn(async move {
                    let now = SystemClock.now();
                    sealed("a").load(&store, &SystemEntropy, now).await.expect("keys").0.jwks(now)
                })
            })
            .collect();
        let mut rings = Vec::new();
        for node in nodes {
            rings.push(node.await.expect("a node"));
        }
        rings.dedup();
        assert_eq!(rings.len(), 1);
        let other = sealed("b").load(&database.open(), &SystemEntropy, SystemClock.now()).await;
        assert!(matches!(other, Err(KeyError::WrongSecret)));
    }
}

#[test]
fn on_postgresql_a_node_without_keys_refuses_to_start() {
    let database = TestDatabase::new(Backend::Postgres);
    let folder = tempfile::TempDir::new().expect("a temporary folder");
    let started = run(&[
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--database-url",
        database.url_text(),
        "--data-dir",
        folder.path().to_str().expect("a path"),
    ]);
    assert!(!started.status.success());
    let complaint = String::from_utf8_lossy(&started.stderr);
    for way in ["--keys-file", "ESTIMATION_KEYS", "ESTIMATION_KEYS_SECRET"] {
        assert!(complaint.contains(way), "{complaint}");
    }
}
