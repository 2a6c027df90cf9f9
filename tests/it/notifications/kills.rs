//! Notices while nodes die: every turn that lasts is told of, a repeat has the id of the first, and the first deliveries of a
//! game are in order.
//!
//! With `ESTIMATION_TEST_LONG=1` there are 64 tables and 10 kills.

use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::receiver::{Received, Receiver};
use super::{about, node};
use crate::patience::is_long;
use crate::prelude::*;

/// The tables, the kills, and the turns of each table that last.
fn scale() -> (usize, usize, usize) {
    if is_long() { (64, 10, 12) } else { (6, 3, 3) }
}

/// How long a turn lasts before its player is told.
const LASTS: i64 = 5_000;

/// How long after the end of a turn a notice of it may arrive.
const GROUPING: i64 = 60_000;

/// A turn that lasted.
#[derive(Debug)]
struct Turn {
    game: String,
    account: String,
    /// Milliseconds since 1970.
    began: i64,
    ended: i64,
}

#[ignore = "all: runs, kills and freezes programs for many seconds"]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_and_its_node_are_killed() {
    kill(Backend::Sqlite, 1).await;
}

#[ignore = "all: runs, kills and freezes programs for many seconds"]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_stays_and_its_nodes_are_killed() {
    kill(Backend::Postgres, 3).await;
}

async fn kill(backend: Backend, count: usize) {
    let (tables, kills, turns) = scale();
    let (site, receiver) = (Site::new(backend), Arc::new(Receiver::start()));
    let mut nodes: Vec<Node> = (0..count).map(|_| node(&site, &receiver, &[])).collect();
    let urls: Arc<Vec<String>> = Arc::new(nodes.iter().map(|node| node.url.clone()).collect());
    let mut playing = Vec::new();
    for number in 0..tables {
        let table = Table::of_two(&Client::anonymous(&urls[number % urls.len()])).await;
        let (urls, receiver) = (Arc::clone(&urls), Arc::clone(&receiver));
        playing.push(tokio::spawn(play(table, number, turns, urls, receiver)));
    }
    let mut dice = Random(7);
    for _ in 0..kills {
        sleep(Duration::from_millis(1_000 + dice.below(4_000) as u64)).await;
        let mut node = nodes.swap_remove(dice.below(nodes.len()));
        let away = Duration::from_millis(dice.below(1_000) as u64);
        let back = spawn_blocking(move || {
            node.kill();
            std::thread::sleep(away);
            node.restart();
            node
        });
        nodes.push(back.await.expect("the node is back"));
    }
    let mut lasted: Vec<Turn> = Vec::new();
    for task in playing {
        lasted.extend(task.await.expect("a table that was played"));
    }
    let told = told_of_turns(&receiver.received());
    check(&lasted, &told);
    let mut delays: Vec<i64> = lasted
        .iter()
        .map(|turn| first_of(turn, &told).map_or(i64::MAX, |one| one.at - turn.began - LASTS))
        .collect();
    delays.sort_unstable();
    let p95 = delays[delays.len() * 95 / 100];
    println!("{backend:?}: {} turns, {kills} kills, {} webhooks, p95 {p95} ms", lasted.len(), told.len());
}

/// Plays a table in which some turns last until their player is told. Returns those.
async fn play(
    table: Table,
    number: usize,
    turns: usize,
    urls: Arc<Vec<String>>,
    receiver: Arc<Receiver>,
) -> Vec<Turn> {
    let (mut dice, mut lasted, mut at) = (Random(number as u64), Vec::new(), number);
    while lasted.len() < turns {
        let Some((actor, view)) = insist(&table, &urls, &mut at).await else { break };
        let account = table.players[actor].account.clone();
        let began = last_event(&table, actor, &urls, &mut at).await;
        let is_long = dice.below(3) == 0;
        if is_long {
            // It lasts until its player is told.
            let turn = Turn { game: table.id.clone(), account: account.clone(), began, ended: i64::MAX };
            let begun = Instant::now();
            while first_of(&turn, &told_of_turns(&receiver.received())).is_none() {
                assert!(begun.elapsed() < PATIENCE, "nobody was told of {turn:?}");
                sleep(Duration::from_millis(50)).await;
            }
        }
        let command = dice.command(view["legal"].as_array().expect("commands"));
        let begun = Instant::now();
        loop {
            at += 1;
            let player = table.players[actor].at(&urls[at % urls.len()]);
            let key = format!("{}-{}", table.id, view["version"]);
            let sent = player.client.send(&table.path("commands"), &command).header("idempotency-key", &key);
            if sent.sent_within(PATIENCE).await.is_ok_and(|answer| answer.is_success()) {
                break;
            }
            assert!(begun.elapsed() < PATIENCE, "no answer");
            sleep(Duration::from_millis(50)).await;
        }
        if is_long {
            lasted.push(Turn { game: table.id.clone(), account, began, ended: now() });
        }
    }
    lasted
}

fn now() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

/// The player to move, and the view.
async fn insist(table: &Table, urls: &[String], at: &mut usize) -> Option<(usize, Value)> {
    let view = look(table, 0, urls, at).await;
    let actor = table.actor(&view)?;
    Some((actor, look(table, actor, urls, at).await))
}

async fn look(table: &Table, player: usize, urls: &[String], at: &mut usize) -> Value {
    loop {
        let client = table.players[player].client.at(&urls[*at % urls.len()]);
        match client.get(&table.game()).sent_within(PATIENCE).await {
            Ok(answer) if answer.is_success() => return answer.json(),
            _ => *at += 1,
        }
        sleep(Duration::from_millis(50)).await;
    }
}

/// The time of the last event: when the turn began.
async fn last_event(table: &Table, player: usize, urls: &[String], at: &mut usize) -> i64 {
    loop {
        let client = table.players[player].client.at(&urls[*at % urls.len()]);
        let path = format!(
            "{}?after={}",
            table.path("events"),
            look(table, player, urls, at).await["version"].as_u64().expect("a version") - 1
        );
        match client.get(&path).sent_within(PATIENCE).await {
            Ok(answer) if answer.is_success() => {
                let time = answer.json()["items"][0]["at"].as_str().expect("a time").to_owned();
                return time.parse::<jiff::Timestamp>().expect("a time").as_millisecond();
            }
            _ => *at += 1,
        }
        sleep(Duration::from_millis(50)).await;
    }
}

/// A webhook about a turn.
struct Told {
    /// When it arrived.
    at: i64,
    id: String,
    account: String,
    game: String,
    version: i64,
}

/// The webhooks about turns, in the order of their arrival.
fn told_of_turns(received: &[Received]) -> Vec<Told> {
    let read = |one: &Received| {
        let body = one.json();
        let (kind, account, game) = about(&body);
        (kind == "your_turn").then(|| Told {
            at: one.at,
            id: one.id().to_owned(),
            account: account.to_owned(),
            game: game.to_owned(),
            version: body["data"]["version"].as_i64().expect("a version"),
        })
    };
    received.iter().filter_map(read).collect()
}

/// The first webhook about a turn.
fn first_of<'a>(turn: &Turn, told: &'a [Told]) -> Option<&'a Told> {
    told.iter().find(|one| {
        one.account == turn.account
            && one.game == turn.game
            && one.at >= turn.began + LASTS - 1_000
            && one.at < turn.ended
    })
}

fn check(lasted: &[Turn], told: &[Told]) {
    // A repeat has the id of the first: a turn has one id.
    let mut ids: BTreeMap<(&str, &str, i64), BTreeSet<&str>> = BTreeMap::new();
    for one in told {
        ids.entry((&one.account, &one.game, one.version)).or_default().insert(&one.id);
    }
    assert!(ids.values().all(|ids| ids.len() == 1), "{ids:?}");
    // The first deliveries of a game are in order.
    let mut versions: BTreeMap<&str, i64> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for Told { game, version, .. } in told.iter().filter(|one| seen.insert(&one.id)) {
        let before = versions.insert(game, *version).unwrap_or(0);
        assert!(before <= *version, "{game}: {version} after {before}");
    }
    // Each is told of, and never long after its end.
    for turn in lasted {
        let Some(first) = first_of(turn, told) else { panic!("nobody was told of {turn:?}") };
        let late = told.iter().filter(|one| one.id == first.id && one.at > turn.ended + GROUPING);
        assert_eq!(late.count(), 0, "{turn:?}");
    }
}
