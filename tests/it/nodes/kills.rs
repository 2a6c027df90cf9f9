//! Power cuts during many games, of nodes and of PostgreSQL. Each acknowledged event exists once, every
//! stream gets all events in order, and all games end.
//!
//! With `ESTIMATION_TEST_LONG=1` there are 64 drivers and 20 kills, and PostgreSQL is killed 3 times.

use std::sync::atomic::Ordering;

use diesel::{Connection as _, SqliteConnection};
use estimation_store::PgConnection;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::audit::{Log, audit};
use super::cluster::Cluster;
use super::driver::{CommandAnswer, Drive, Driver};
use crate::patience::is_long;
use crate::prelude::*;

struct Scale {
    drivers: usize,
    kills: usize,
    crashes: usize,
}

fn scale() -> Scale {
    if is_long() {
        Scale { drivers: 64, kills: 20, crashes: 3 }
    } else {
        Scale { drivers: 6, kills: 4, crashes: 1 }
    }
}

#[ignore = "all: runs, kills and freezes programs for many seconds"]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_and_its_node_are_killed() {
    let site = Site::new(Backend::Sqlite);
    let mut outcome = kill(&site, None).await;
    check(outsider(&site), &mut outcome).await;
}

#[ignore = "all: runs, kills and freezes programs for many seconds"]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_and_its_nodes_are_killed() {
    let cluster = Arc::new(spawn_blocking(Cluster::durable).await.expect("a cluster"));
    let site = Site::at(&format!("{}/postgres", cluster.url));
    let mut outcome = kill(&site, Some(Arc::clone(&cluster))).await;
    check(outsider(&site), &mut outcome).await;
}

pub struct Outcome {
    pub games: Vec<CommandAnswer>,
    pub nodes: Vec<Node>,
}

/// Runs drivers while nodes die and restart.
async fn kill(site: &Site, cluster: Option<Arc<Cluster>>) -> Outcome {
    let Scale { drivers, kills, crashes } = scale();
    let begun = Instant::now();
    let mut nodes = site.nodes();
    let drive = Drive::new(nodes.iter().map(|node| node.url.clone()).collect());
    let mut driving = Vec::new();
    for number in 0..drivers {
        let driver = Driver::seat(&drive, number).await;
        driving.push(tokio::spawn(driver.run()));
    }
    println!("{drivers} drivers sit at their tables after {:?}", begun.elapsed());

    let mut dice = Random(99);
    for kill in 0..kills {
        sleep(Duration::from_millis(400 + dice.below(900) as u64)).await;
        let mut node = nodes.swap_remove(dice.below(nodes.len()));
        let away = Duration::from_millis(dice.below(400) as u64);
        let node = spawn_blocking(move || {
            node.kill();
            std::thread::sleep(away);
            node.restart();
            node
        });
        // Kills PostgreSQL while a node is down.
        if let Some(cluster) =
            cluster.clone().filter(|_| kill * crashes / kills != (kill + 1) * crashes / kills)
        {
            spawn_blocking(move || {
                cluster.crash();
                std::thread::sleep(Duration::from_millis(300));
                cluster.again();
            })
            .await
            .expect("PostgreSQL is back");
        }
        nodes.push(node.await.expect("the node is back"));
        if driving.iter().any(tokio::task::JoinHandle::is_finished) {
            break;
        }
    }
    drive.enough.store(true, Ordering::Relaxed);
    let mut games = Vec::new();
    for driver in driving {
        games.extend(driver.await.expect("a driver that finished its games"));
    }
    let count = |counter: &std::sync::atomic::AtomicUsize| counter.load(Ordering::Relaxed);
    println!(
        "{:?}: {} games, {} commands, {kills} kills, {} doubtful requests, {} replayed answers, {} streams taken \
         up again, {:?}",
        site.backend(),
        games.len(),
        count(&drive.commands),
        count(&drive.doubtful),
        count(&drive.replayed),
        count(&drive.resumed),
        begun.elapsed()
    );
    assert!(count(&drive.doubtful) > 0, "nobody was interrupted");
    drive.were_told_the_truth();
    assert_eq!(count(&drive.stale), 0, "a command was refused by an older state than was acknowledged");
    assert!(games.len() >= drivers);
    Outcome { games, nodes }
}

fn outsider(site: &Site) -> Outsider {
    match site.backend() {
        Backend::Sqlite => {
            let path = site.url().trim_start_matches("sqlite://");
            Outsider::Sqlite(SqliteConnection::establish(path).expect("SQLite"))
        }
        Backend::Postgres => Outsider::Postgres(PgConnection::establish(site.url()).expect("PostgreSQL")),
    }
}

pub async fn check(mut outsider: Outsider, outcome: &mut Outcome) {
    let logs = audit(&mut outsider);
    let played: BTreeSet<&str> = outcome.games.iter().map(|game| game.table.id.as_str()).collect();
    let logged: BTreeSet<&str> = logs.keys().map(String::as_str).collect();
    assert_eq!(played, logged, "every game is one that was opened, and was opened once");
    for game in &outcome.games {
        is_as_acknowledged(game, &logs);
        let log = &logs[&game.table.id];
        let node = &outcome.nodes[game.table.id.len() % outcome.nodes.len()];
        for player in 0..game.table.players.len() {
            let shown = game.table.at(&node.url).seat(player).view().await.accepted();
            log.agrees_with(&shown, &game.table.players[player].account);
        }
    }
}

/// Each acknowledged command is in the log once, and nothing else is. Every stream got all of it in order.
fn is_as_acknowledged(game: &CommandAnswer, logs: &BTreeMap<String, Log>) {
    let log = &logs[&game.table.id];
    assert!(log.is_over());
    let hashes: Vec<&str> = log.events.iter().map(|event| event.hash.as_str()).collect();
    let mut next = game.begun + 1;
    for acknowledged in &game.acknowledged {
        for ((seq, hash), derived) in acknowledged.events.iter().zip(0..) {
            assert_eq!((*seq, hash.as_str()), (next, hashes[next as usize - 1]));
            let logged = &log.events[next as usize - 1];
            if derived == 0 {
                assert_ne!(logged.actor, "server");
                is_the_event_of(&acknowledged.command, &logged.event);
            } else {
                assert_eq!(logged.actor, "server");
            }
            next += 1;
        }
    }
    assert_eq!(next, hashes.len() as u64 + 1, "the log has what nobody acknowledged");
    for (player, said) in game.streamed.iter().enumerate() {
        let heard: Vec<&str> = said.iter().map(|(_, tag)| tag.as_str()).collect();
        let tags: Vec<&str> = hashes.iter().map(|hash| &hash[..16]).collect();
        assert_eq!(heard, tags, "what player {player} heard");
    }
}

fn is_the_event_of(command: &Value, event: &Value) {
    let kind = match command["type"].as_str().expect("a kind") {
        "play" => "card_played",
        "estimate" => "estimate_made",
        "bid" => "bid_made",
        "pass" => "passed",
        "dash_call" => "dash_called",
        "redeal" => "redeal_called",
        "avoid" => "avoid_declared",
        "enter_auction" => "auction_entered",
        "blind_dash" => "blind_dashed",
        other => panic!("{other}"),
    };
    assert_eq!(event["type"], kind);
    for field in ["card", "tricks"] {
        assert_eq!(command[field], event[field], "{command} {event}");
    }
}
