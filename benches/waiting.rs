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

use futures_util::future::join_all;
use node::Node;
use reqwest::{Client, Method};
use serde_json::{Value, json};

/// How long the idle node is measured.
const WATCHED: Duration = Duration::from_secs(30);

/// The maximum share of a core while 10,000 games wait.
const IDLE: f64 = 0.02;

/// The maximum time a player waits for three `steady` bots, in milliseconds.
const PATIENCE_MS: f64 = 300.0;

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

/// A whole game of one player and three bots. Returns the player's waiting times.
async fn play_with_bots(http: &Client, node: &Node) {
    let token = node.guest(http).await;
    let ask = async |method, path: &str, body| node.ask(http, method, path, &token, body).await;
    let game = ask(Method::POST, "/v1/games", json!({"ruleset": "double-risk"})).await;
    let game = format!("/v1/games/{}", game["id"].as_str().expect("an id"));
    for seat in 1..4 {
        ask(Method::PUT, &format!("{game}/seats/{seat}/bot"), json!({"level": "steady"})).await;
    }
    let mut view = ask(Method::POST, &format!("{game}/start"), json!({})).await;
    let mut waits = Vec::new();
    let mut moved = Instant::now();
    while view["status"] == "playing" {
        let legal = view["legal"].as_array().expect("commands");
        match legal.first() {
            Some(command) => {
                waits.push(moved.elapsed());
                // Any legal move will do. Pass if possible, so that bots bid as well.
                let pass = json!({"type": "pass"});
                let command = if legal.contains(&pass) { &pass } else { command };
                moved = Instant::now();
                let done = ask(Method::POST, &format!("{game}/commands"), command.clone()).await;
                view = done["game"].clone();
            }
            None => {
                let after = &view["version"];
                ask(Method::GET, &format!("{game}/events?after={after}&wait=5"), Value::Null).await;
                view = ask(Method::GET, &game, Value::Null).await;
            }
        }
    }
    waits.sort_unstable();
    let at = |share: f64| waits[((waits.len() - 1) as f64 * share) as usize].as_secs_f64() * 1000.0;
    let [p50, p99, max] = [0.50, 0.99, 1.0].map(at);
    println!(
        "one person and three steady bots: {} moves, a person waits {p50:.1} ms (p50), {p99:.1} ms (p99), {max:.1} ms at most",
        waits.len(),
    );
    assert!(max < PATIENCE_MS, "more than {PATIENCE_MS} ms");
}

async fn wait_for_clocks(http: &Client, node: &Node, wanted: usize) {
    let begun = Instant::now();
    let (host, other) = (node.guest(http).await, node.guest(http).await);
    let mut opening = Vec::new();
    for side in 0..32 {
        let (host, other) = (&host, &other);
        opening.push(async move {
            for _ in (side..wanted).step_by(32) {
                let wish = json!({"ruleset": "nineteen", "players": 2, "turn_seconds": 86_400});
                let game = node.ask(http, Method::POST, "/v1/games", host, wish).await;
                let game = format!("/v1/games/{}", game["id"].as_str().expect("an id"));
                node.ask(http, Method::POST, &format!("{game}/seats"), other, json!({})).await;
                node.ask(http, Method::POST, &format!("{game}/start"), host, json!({})).await;
            }
        });
    }
    join_all(opening).await;
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
