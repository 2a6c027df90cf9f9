//! The times of bots' turns.

use estimation_test_support::Random;
use futures_util::future::join_all;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::site::Site;
use crate::databases::Backend;
use crate::harness::client::Client;
use crate::harness::node::Node;
use crate::harness::table::Table;
use crate::patience::found;

/// More than a search of `sharp`, and little more.
const RANGE: (u32, u32) = (400, 700);

const FLAG: [&str; 2] = ["--bot-delay", "400ms..700ms"];

async fn versus_bots(node: &Node, level: &str) -> Table {
    let noor = Client::anonymous(&node.url).register("noor").await;
    let wish = json!({"ruleset": "squares", "options": {"length": "micro"}, "bots": {"level": level}});
    let view = noor.client.send("/v1/games", &wish).await.accepted();
    Table { id: view["id"].as_str().expect("an id").to_owned(), players: vec![noor] }
}

/// Plays until the condition holds, and returns the last view.
async fn play_until(table: &Table, dice: &mut Random, enough: impl Fn(&Value) -> bool) -> Value {
    loop {
        let view = table.view().await;
        if enough(&view) {
            return view;
        }
        match view["legal"].as_array().expect("commands").as_slice() {
            [] => {
                let path = table.path(&format!("events?after={}&wait=5", view["version"]));
                table.players[0].client.get(&path).await.accepted();
            }
            legal => drop(table.seat(0).command(&dice.command(legal)).await.accepted()),
        }
    }
}

fn milliseconds(event: &Value) -> i64 {
    event["at"].as_str().expect("a time").parse::<Timestamp>().expect("a time").as_millisecond()
}

/// The time that the service drew for the turn after an event.
fn drawn(event: &Value) -> i64 {
    let hash = event["hash"].as_str().expect("a hash");
    let number = u32::from_str_radix(&hash[56..], 16).expect("digits");
    i64::from(RANGE.0 + number % (RANGE.1 - RANGE.0 + 1))
}

fn median(mut values: Vec<i64>) -> i64 {
    values.sort_unstable();
    values[values.len() / 2]
}

/// The turns of bots in a log: how much longer each took than was drawn for it, and whether the bot followed suit with a
/// choice, with its only card, or did something else.
fn late_by(log: &[Value]) -> Vec<(Option<bool>, i64)> {
    let turns = log.windows(2).filter(|pair| pair[1]["actor"]["by"] == "bot");
    turns
        .map(|pair| {
            (has_choice(log, &pair[1]), milliseconds(&pair[1]) - milliseconds(&pair[0]) - drawn(&pair[0]))
        })
        .collect()
}

/// Whether the bot that played a card had other cards of the suit; none for another event.
fn has_choice(log: &[Value], played: &Value) -> Option<bool> {
    let card = played["event"]["card"].as_str()?;
    let (seq, seat) = (played["seq"].as_u64()?, &played["event"]["seat"]);
    let suit = card.chars().last()?;
    let next_deal = log
        .iter()
        .position(|event| event["seq"].as_u64() > Some(seq) && event["event"]["type"] == "round_dealt");
    let later = log.iter().take(next_deal.unwrap_or(log.len()));
    let later = later.filter(|event| event["seq"].as_u64() > Some(seq) && event["event"]["seat"] == *seat);
    Some(later.filter_map(|event| event["event"]["card"].as_str()).any(|other| other.ends_with(suit)))
}

/// The time of a turn is drawn from the range, and neither a search nor a choice makes it longer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "all: runs, kills and freezes programs for many seconds"]
async fn the_time_of_a_turn_tells_nothing() {
    let site = Site::new(Backend::Sqlite);
    let node = site.node_with(&FLAG);
    let tables = join_all((0..4).map(|_| versus_bots(&node, "sharp"))).await;
    let mut all = Vec::new();
    let played = tables.iter().zip(1..).map(async |(table, number)| {
        let mut dice = Random(number);
        let is_second_round = |view: &Value| view["scores"]["rounds"].as_array().expect("rounds").len() == 1;
        play_until(table, &mut dice, is_second_round).await;
        late_by(&table.seat(0).log().await)
    });
    for late in join_all(played).await {
        all.extend(late);
    }
    assert!(all.len() > 100, "{} turns", all.len());
    assert!(all.iter().all(|(_, late)| *late >= -1), "no turn is shorter than drawn: {all:?}");
    let late =
        |choice| median(all.iter().filter(|(had, _)| *had == Some(choice)).map(|(_, late)| *late).collect());
    let (with, without) = (late(true), late(false));
    // A search takes 250 ms.
    assert!((with - without).abs() < 60, "{with} ms with a choice, {without} ms without");
    assert!(with < 250, "{with} ms more than was drawn");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bots_answer_at_once_without_a_delay() {
    let site = Site::new(Backend::Sqlite);
    let node = site.node_with(&["--bot-delay", "off"]);
    let table = versus_bots(&node, "steady").await;
    play_until(&table, &mut Random(7), |view| view["version"].as_u64() > Some(30)).await;
    let log = table.seat(0).log().await;
    let turns = log.windows(2).filter(|pair| pair[1]["actor"]["by"] == "bot");
    let took: Vec<i64> = turns.map(|pair| milliseconds(&pair[1]) - milliseconds(&pair[0])).collect();
    // A delay is at least 300 ms.
    assert!(took.iter().any(|took| *took < 300), "{took:?}");
}

async fn the_bot_of_a_killed_node_plays(backend: Backend) {
    let site = Site::new(backend);
    let delay = ["--bot-delay", "2000ms..2000ms"];
    let mut node = site.node_with(&delay);
    let other = (backend == Backend::Postgres).then(|| site.node_with(&delay));
    let table = versus_bots(&node, "easy").await;
    // It begins only now, so that the node dies before its end.
    let is_bots_turn = |view: &Value| view["legal"] == json!([]);
    play_until(&table, &mut Random(3), is_bots_turn).await;
    node.kill();
    if other.is_none() {
        node.restart();
    }
    let table = table.at(&other.as_ref().unwrap_or(&node).url);
    let killed = table.view().await;
    assert!(is_bots_turn(&killed));
    found("the bot plays", async || (table.version().await > killed["version"].as_u64()?).then_some(()))
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "all: runs, kills and freezes programs for many seconds"]
async fn the_bot_of_a_killed_node_plays_after_its_restart() {
    the_bot_of_a_killed_node_plays(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "all: runs, kills and freezes programs for many seconds"]
async fn the_bot_of_a_killed_node_plays_on_another_node() {
    the_bot_of_a_killed_node_plays(Backend::Postgres).await;
}
