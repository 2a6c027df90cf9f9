//! An SQLite database on a disk that another program fills up: nothing acknowledged is lost, and writing goes on
//! by itself once there is room, with a restart in between or without one.

use std::time::{Duration, Instant};

use tokio::time::sleep;

use super::audit::audit;
use super::site::{Location, Site};
use crate::databases::TestDatabase;
use crate::harness::client::{Answer, Client};
use crate::harness::table::Table;
use crate::patience::PATIENCE;
use crate::small_disk::SmallDisk;

async fn move_of(table: &Table) -> Answer {
    let (actor, view) = table.turn().await.expect("a game under way");
    table.seat(actor).command(&view["legal"][0]).await
}

/// Plays until a move is refused, while whatever room there is goes to another program.
async fn until_refused(disk: &SmallDisk, table: &Table) {
    let begun = Instant::now();
    loop {
        disk.fill();
        let answer = move_of(table).await;
        if !answer.is_success() {
            answer.unavailable();
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "the disk is full and moves are made all the same");
    }
}

/// Tries moves until one is made; nothing but problems of the moment may be in between.
async fn moves_again(table: &Table) {
    let begun = Instant::now();
    loop {
        let answer = move_of(table).await;
        if answer.is_success() {
            return;
        }
        answer.unavailable();
        assert!(begun.elapsed() < PATIENCE / 6, "there is room, and no move after {:?}", begun.elapsed());
        sleep(Duration::from_millis(50)).await;
    }
}

/// What is in the log is what was acknowledged: a move that was refused is not there.
fn is_whole(database: &TestDatabase, table: &Table, version: u64) {
    let logs = audit(&mut database.outsider());
    assert_eq!(logs[&table.id].events.len() as u64, version);
}

#[tokio::test]
async fn writing_goes_on_when_there_is_room_again() {
    let disk = SmallDisk::mount();
    let site = Site::on(TestDatabase::in_folder(disk.path()));
    let Location::Test(database) = &site.database else { unreachable!() };
    let mut node = site.node();
    // More of the game is left than is played here.
    let mut table = Table::of_two(&Client::anybody(&node.url)).await;
    for round in 0..3 {
        until_refused(&disk, &table).await;
        let version = table.version().await;
        if round > 0 {
            // Killed in one round and told to stop in the other.
            if round == 1 {
                node.kill()
            } else {
                node.terminate()
            }
            node.restart();
            table = table.at(&node.url);
            // Those of the process before are closed.
            table.players.iter_mut().for_each(|player| player.client = player.client.apart());
            assert_eq!(table.version().await, version, "what was acknowledged is there after a restart");
        }
        for _ in 0..5 {
            disk.fill();
            move_of(&table).await.unavailable();
        }
        assert_eq!(table.version().await, version, "nothing was written");
        is_whole(database, &table, version);
        disk.make_room();
        moves_again(&table).await;
        for _ in 0..20 {
            move_of(&table).await.accepted();
        }
    }
    is_whole(database, &table, table.version().await);
}
