//! An SQLite database on a disk that another program fills: no acknowledged data is lost, and writes resume
//! once there is room, with or without a restart.

use tokio::time::timeout;

use super::audit::is_whole;
use super::site::Location;
use crate::prelude::*;
use crate::small_disk::SmallDisk;

/// Plays until a move is refused, while another program takes the remaining room.
async fn until_refused(disk: &SmallDisk, table: &Table) {
    let begun = Instant::now();
    loop {
        disk.fill();
        let answer = table.any_move().await;
        if !answer.is_success() {
            answer.unavailable();
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "the disk is full and moves are made all the same");
    }
}

/// Waits until the node says this at `/readyz`.
async fn writes(url: &str, wanted: Value) {
    let anybody = Client::anonymous(url);
    eventually(format!("{wanted} at /readyz"), async || anybody.get("/readyz").await.accepted() == wanted)
        .await;
}

/// The node writes again where nobody asks it to.
#[ignore = "all: runs, kills and freezes programs for many seconds"]
#[tokio::test]
async fn an_idle_node_makes_room_by_itself() {
    let disk = SmallDisk::mount();
    let site = Site::on(TestDatabase::in_folder(disk.path()));
    let node = site.node();
    let table = Table::of_two(&Client::anonymous(&node.url)).await;
    until_refused(&disk, &table).await;
    writes(&node.url, json!({"status": "ok", "writes": "refused", "reason": "disk-full"})).await;
    disk.make_room();
    writes(&node.url, json!({"status": "ok", "writes": "accepted"})).await;
    table.any_move().await.accepted();
}

#[ignore = "all: runs, kills and freezes programs for many seconds"]
#[tokio::test]
async fn writes_resume_when_there_is_room() {
    let disk = SmallDisk::mount();
    let site = Site::on(TestDatabase::in_folder(disk.path()));
    let Location::Test(database) = &site.database else { unreachable!() };
    let mut node = site.node();
    // The game has more moves than the test plays.
    let mut table = Table::of_two(&Client::anonymous(&node.url)).await;
    for round in 0..3 {
        until_refused(&disk, &table).await;
        writes(&node.url, json!({"status": "ok", "writes": "refused", "reason": "disk-full"})).await;
        let version = table.version().await;
        if round > 0 {
            // One round kills the node, the other stops it.
            if round == 1 {
                node.kill()
            } else {
                node.terminate()
            }
            node.restart();
            table = table.at(&node.url);
            // Replaces the connections to the earlier process.
            table.players.iter_mut().for_each(|player| player.client = player.client.apart());
            assert_eq!(table.version().await, version, "what was acknowledged is there after a restart");
        }
        for _ in 0..5 {
            disk.fill();
            table.any_move().await.unavailable();
        }
        assert_eq!(table.version().await, version, "nothing was written");
        is_whole(&mut database.outsider(), &table, version);
        disk.make_room();
        timeout(PATIENCE / 6, table.moves_again()).await.expect("a move where there is room");
        for _ in 0..20 {
            table.any_move().await.accepted();
        }
        writes(&node.url, json!({"status": "ok", "writes": "accepted"})).await;
    }
    is_whole(&mut database.outsider(), &table, table.version().await);
}
