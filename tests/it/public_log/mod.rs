//! The public log: its entries, checkpoints, proofs, witnesses and what it refuses.

mod adoptions;
mod bundles;
mod entries;
mod opened;
mod procedures;
mod reopened;
mod restored;
mod rollback;
mod starts;
mod times;
mod watched;
pub(crate) mod witness;
mod witnesses;

use estimation_audit::log::Findings;
use estimation_service::base::clock::{Clock, SystemClock};
use estimation_service::base::entropy::SystemEntropy;
use estimation_service::public_log::LogSettings;
use estimation_service::services::AppSettings;
use estimation_tlog::{
    BundleId, Checkpoint, Hash, Note, Resource, TileId, TileSource, checkpoint, decode_entries,
};

use crate::audit::served::*;
use crate::prelude::*;

/// A node with these settings of its log. Its background jobs do not run.
async fn node(database: &TestDatabase, log: LogSettings) -> Arc<App> {
    node_at(database, log, Arc::new(SystemClock)).await
}

/// A node with the default log, of which the first checkpoint is signed.
async fn node_with_log(database: &TestDatabase) -> Arc<App> {
    let app = node(database, LogSettings::default()).await;
    app.public_log.advance().await.expect("the empty log");
    app
}

async fn node_at(database: &TestDatabase, log: LogSettings, clock: Arc<dyn Clock>) -> Arc<App> {
    let settings = AppSettings { log, ..AppSettings::unlimited(clock, Arc::new(SystemEntropy)) };
    service_with(database, settings).await
}

/// Asserts the exit status of a command of the auditor's program, and a part of what it prints.
#[track_caller]
fn expect(findings: &Findings, status: u8, part: &str) {
    let text = findings.to_string();
    assert!(
        findings.outcome().status() == status && text.contains(part),
        "expected {status}, {part:?}: {text}"
    );
}

/// The last checkpoint, verified with the log's own keys.
async fn signed(app: &App) -> (Checkpoint, Note) {
    let keys = app.public_log.verifiers().await.expect("keys").expect("a log");
    let note = app.public_log.checkpoint().await.expect("a look").expect("a checkpoint");
    let (checkpoint, note) = checkpoint::open(&note, &keys.log).expect("a signed checkpoint");
    assert!(note.verify(&keys.cosigner).expect("a cosignature").time.is_some());
    (checkpoint, note)
}

/// The tiles as the node serves them.
struct Served(Vec<(TileId, Vec<Hash>)>);

impl TileSource for Served {
    type Error = String;

    fn tile(&mut self, id: TileId) -> Result<Vec<Hash>, String> {
        let found = self.0.iter().find(|(known, _)| *known == id);
        found.map(|(_, hashes)| hashes.clone()).ok_or_else(|| id.to_string())
    }
}

/// All tiles of a log of up to 256 entries, and its entries.
async fn whole(app: &App, size: u64) -> (Served, Vec<String>) {
    let tile = TileId::of_tree(size, 0, 0).expect("a tile");
    let bytes = app.public_log.resource(Resource::Tile(tile)).await.expect("a look").expect("the tile");
    let bundle = BundleId::of_tree(size, 0).expect("a bundle");
    let entries =
        app.public_log.resource(Resource::Entries(bundle)).await.expect("a look").expect("the entries");
    let entries = decode_entries(&entries).expect("a bundle");
    let entries = entries.into_iter().map(|entry| String::from_utf8(entry.to_vec()).expect("text")).collect();
    (Served(vec![(tile, tile.decode(&bytes).expect("hashes"))]), entries)
}
