//! The cost of waiting: an idle node with 10,000 games waiting for their clocks, and a player's game with
//! three bots.
//!
//! `cargo bench --bench waiting`, or another number of games after `--`. The node is a separate process.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot go on should say why"
)]

#[path = "node.rs"]
mod node;
#[path = "../tests/it/web.rs"]
mod web;

use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use node::Node;
use reqwest::{Client, Method};
use serde_json::{Value, json};
use tokio::task::JoinSet;

/// How long the idle node is measured.
const WATCHED: Duration = Duration::from_secs(30);

/// The maximum share of a core while 10,000 games wait.
const IDLE: f64 = 0.02;

/// The maximum time a player waits for three `steady` bots.
const PATIENCE: Duration = Duration::from_millis(300);

#[tokio::main]
async fn main() {
    let wanted = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(10_000);
    let folder = tempfile::TempDir::new().expect("a folder");
    // One host has all games, many of them in the lobby at once.
    let node = Node::start(folder.path(), &["--tables-per-host", "off"]);
    let http = web::client().build().expect("a client");
    play_with_bots(&http, &node).await;
    wait_for_clocks(&http, &node, wanted).await;
}

async fn ask(http: &Client, method: Method, url: String, token: &str, body: Value) -> Value {
    let request = http.request(method, &url).bearer_auth(token).json(&body);
    let answer = request.send().await.expect("an answer");
    let status = answer.status();
    let body: Value = answer.json().await.expect("JSON");
    assert!(status.is_success(), "{url}: {status} {body}");
    body
}

async fn guest(http: &Client, node: &Node) -> String {
    let made =
        ask(http, Method::POST, format!("http://{}/v1/accounts/guest", node.address), "", json!({})).await;
    made["session"]["access_token"].as_str().expect("a token").to_owned()
}

/// A whole game of one player and three bots. Returns the player's waiting times.
async fn play_with_bots(http: &Client, node: &Node) {
    let token = guest(http, node).await;
    let games = format!("http://{}/v1/games", node.address);
    let game = ask(http, Method::POST, games.clone(), &token, json!({"ruleset": "double-risk"})).await;
    let game = format!("{games}/{}", game["id"].as_str().expect("an id"));
    for seat in 1..4 {
        ask(http, Method::PUT, format!("{game}/seats/{seat}/bot"), &token, json!({"level": "steady"})).await;
    }
    let mut view = ask(http, Method::POST, format!("{game}/start"), &token, json!({})).await;
    let mut waits = Histogram::<u64>::new(3).expect("a histogram");
    let (mut moved, mut moves) = (Instant::now(), 0);
    while view["status"] == "playing" {
        let legal = view["legal"].as_array().expect("commands");
        match legal.first() {
            Some(command) => {
                waits.record(moved.elapsed().as_micros() as u64).expect("a wait");
                // Any legal move will do. Pass if possible, so that bots bid as well.
                let pass = json!({"type": "pass"});
                let command = if legal.contains(&pass) { &pass } else { command };
                moved = Instant::now();
                let done = ask(http, Method::POST, format!("{game}/commands"), &token, command.clone()).await;
                view = done["game"].clone();
                moves += 1;
            }
            None => {
                let after = &view["version"];
                let events = format!("{game}/events?after={after}&wait=5");
                http.get(events).bearer_auth(&token).send().await.expect("an answer");
                view = ask_view(http, &game, &token).await;
            }
        }
    }
    let of = |quantile: f64| Duration::from_micros(waits.value_at_quantile(quantile));
    println!(
        "one person and three steady bots: {moves} moves, a person waits {:?} (p50), {:?} (p99), {:?} at most",
        of(0.5),
        of(0.99),
        of(1.0)
    );
    assert!(of(1.0) < PATIENCE, "more than {PATIENCE:?}");
}

async fn ask_view(http: &Client, game: &str, token: &str) -> Value {
    http.get(game).bearer_auth(token).send().await.expect("an answer").json().await.expect("JSON")
}

async fn wait_for_clocks(http: &Client, node: &Node, wanted: usize) {
    let begun = Instant::now();
    let (host, other) = (guest(http, node).await, guest(http, node).await);
    let mut opening = JoinSet::new();
    for side in 0..32 {
        let (http, games) = (http.clone(), format!("http://{}/v1/games", node.address));
        let (host, other) = (host.clone(), other.clone());
        opening.spawn(async move {
            for _ in (side..wanted).step_by(32) {
                let wish = json!({"ruleset": "nineteen", "players": 2, "turn_seconds": 86_400});
                let game = ask(&http, Method::POST, games.clone(), &host, wish).await;
                let game = format!("{games}/{}", game["id"].as_str().expect("an id"));
                ask(&http, Method::POST, format!("{game}/seats"), &other, json!({})).await;
                ask(&http, Method::POST, format!("{game}/start"), &host, json!({})).await;
            }
        });
    }
    opening.join_all().await;
    println!("{wanted} games wait for their clocks after {:?}", begun.elapsed());
    tokio::time::sleep(Duration::from_secs(3)).await;
    let (before, watching) = (processor_time(node), Instant::now());
    tokio::time::sleep(WATCHED).await;
    let share = (processor_time(node) - before) / watching.elapsed().as_secs_f64();
    println!("the idle node uses {:.2} % of a core", share * 100.0);
    assert!(wanted < 10_000 || share < IDLE, "more than {} %", IDLE * 100.0);
}

/// The processor time of a node in seconds.
fn processor_time(node: &Node) -> f64 {
    /// Linux's unit (USER_HZ, which has been 100 everywhere for decades).
    const TICKS: f64 = 100.0;
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", node.process.id())).expect("its figures");
    let fields: Vec<&str> = stat.rsplit(')').next().expect("fields").split_whitespace().collect();
    let ticks = |field: usize| fields[field].parse::<f64>().expect("a number");
    (ticks(11) + ticks(12)) / TICKS
}
