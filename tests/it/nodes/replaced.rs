//! SQLite files deleted or replaced under a running node: the node acknowledges nothing more and reports the
//! cause.

use super::site::Location;
use crate::prelude::*;

struct Running {
    site: Site,
    node: Node,
    table: Table,
}

impl Running {
    async fn new() -> Running {
        let site = Site::new(Backend::Sqlite);
        let node = site.node();
        let table = Table::of_two(&Client::anonymous(&node.url)).await;
        Running { site, node, table }
    }

    fn restarted(&self) -> Table {
        let mut table = self.table.at(&self.node.url);
        table.players.iter_mut().for_each(|player| player.client = player.client.apart());
        table
    }

    fn file(&self) -> PathBuf {
        let Location::Test(database) = &self.site.database else { unreachable!() };
        database.file()
    }

    /// Every move is refused. Also checks what else the node reports.
    async fn refuses_everything(&self, told: &str) {
        let (actor, view) = (&self.table.players[0], self.table.path("commands"));
        let command = serde_json::json!({"type": "bid", "tricks": 4, "trump": "hearts"});
        // Legal or not: no decision relies on the cache alone.
        for _ in 0..3 {
            actor.client.send(&view, &command).await.unavailable();
        }
        actor.client.get(&self.table.game()).await.unavailable();
        let ready = Client::anonymous(&self.node.url).get("/readyz").await.unavailable();
        assert_eq!(ready["reason"], "database-replaced");
        let complaints = self.node.complaints();
        let lines: Vec<&str> =
            complaints.lines().filter(|line| line.contains("was replaced while")).collect();
        assert_eq!(lines.len(), 1, "{complaints}");
        assert!(lines[0].contains(told) && lines[0].contains("restart the node"), "{}", lines[0]);
    }

    /// The player to move sends a command, which must not be acknowledged. The node finds the replacement at the
    /// commit, or before it if it reads anything first.
    async fn move_is_not_acknowledged(&self, remove: impl FnOnce(&Path)) {
        let (actor, view) = self.table.turn().await.expect("a game under way");
        remove(&self.file());
        let answer = self.table.seat(actor).command(&view["legal"][0]).await;
        let code = answer.json()["code"].clone();
        assert!(answer.status == 503 && (code == "outcome-unknown" || code == "unavailable"), "{answer}");
    }
}

fn log_of(file: &Path) -> PathBuf {
    PathBuf::from(format!("{}-wal", file.display()))
}

#[tokio::test]
async fn a_deleted_file() {
    let running = Running::new().await;
    running.move_is_not_acknowledged(|file| fs::remove_file(file).expect("deleted")).await;
    running.refuses_everything("test.db is gone").await;
}

/// The operator replaces the file by a copy, and then puts the file back.
#[tokio::test]
async fn a_replaced_file_that_is_put_back() {
    let mut running = Running::new().await;
    let version = running.table.version().await;
    let aside = running.file().with_extension("aside");
    running
        .move_is_not_acknowledged(|file| {
            fs::rename(file, &aside).expect("moved");
            fs::copy(&aside, file).expect("a copy");
        })
        .await;
    running.refuses_everything("test.db is another file").await;
    running.node.terminate();
    running.node.ended_within(crate::patience::PATIENCE).expect("its end");
    fs::rename(&aside, running.file()).expect("put back");
    running.node.restart();
    let table = running.restarted();
    let now = table.version().await;
    assert!(now == version || now == version + 1, "{version} were acknowledged, {now} are there");
    let (actor, view) = table.turn().await.expect("a game under way");
    table.seat(actor).command(&view["legal"][0]).await.accepted();
}

/// Only the write-ahead log is gone: its content is saved into the database file.
#[tokio::test]
async fn a_deleted_log() {
    let mut running = Running::new().await;
    let version = running.table.version().await;
    running.move_is_not_acknowledged(|file| fs::remove_file(log_of(file)).expect("deleted")).await;
    running.refuses_everything("test.db-wal is gone").await;
    running.node.terminate();
    running.node.ended_within(crate::patience::PATIENCE).expect("its end");
    running.node.restart();
    let table = running.restarted();
    let now = table.version().await;
    assert!(now == version || now == version + 1, "{version} were acknowledged, {now} are there");
}

#[tokio::test]
async fn an_idle_node_notices() {
    let running = Running::new().await;
    fs::remove_file(running.file()).expect("deleted");
    let anybody = Client::anonymous(&running.node.url);
    eventually("the node is not ready", async || anybody.get("/readyz").await.status == 503).await;
    running.refuses_everything("test.db is gone").await;
}
