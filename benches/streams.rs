//! The cost of idle streams: opens 5,000 of them on one node and prints the memory per stream.
//!
//! `cargo bench --bench streams`, or another number after `--`. Node and clients are separate processes: 16
//! streams per account, half of them of a game and half of the account.

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

use node::Node;
use reqwest::{Client, Method, Response};
use serde_json::json;
use tokio::time::sleep;

/// The maximum number of streams per account.
const EACH: usize = 16;

/// The maximum memory of a node with 5,000 streams.
const LIMIT: u64 = 200 * 1024 * 1024;

#[tokio::main]
async fn main() {
    let wanted = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(5_000);
    let files = rlimit::increase_nofile_limit(rlimit::INFINITY).expect("a limit");
    assert!(files as usize > wanted + 100, "only {files} files may be open");
    let folder = tempfile::TempDir::new().expect("a folder");
    let node = Node::start(folder.path(), &[]);
    let http = web::client().build().expect("a client");
    println!("{} MiB at the start", mebibytes(node.resident()));
    let accounts = accounts(&http, &node, wanted.div_ceil(EACH)).await;
    // Each account has a table that all accounts may watch.
    let before = node.resident();
    println!("{} MiB with {} accounts and tables", mebibytes(before), accounts.len());

    let begun = Instant::now();
    let mut streams = Vec::new();
    for number in 0..wanted {
        let (token, _) = &accounts[number / EACH];
        let path = if number % 2 == 0 {
            "/v1/me/stream".to_owned()
        } else {
            format!("/v1/games/{}/stream", accounts[(number * 7) % accounts.len()].1)
        };
        streams.push(open(&http, &node, &path, token).await);
    }
    println!("{} streams were opened in {:?}", streams.len(), begun.elapsed());
    let limit = LIMIT * wanted as u64 / 5_000;
    // Idle, and again after each stream has had a heartbeat.
    for wait in [2, 17] {
        sleep(Duration::from_secs(wait)).await;
        let now = node.resident();
        println!(
            "after {:>3} s: {} MiB resident, {:.1} KiB a stream",
            begun.elapsed().as_secs(),
            mebibytes(now),
            now.saturating_sub(before) as f64 / streams.len() as f64 / 1024.0
        );
        assert!(wanted < 5_000 || now < limit, "more than {} MiB", mebibytes(limit));
    }
    for stream in &mut streams {
        assert!(lives(stream).await, "all streams have shown that they live");
    }
    println!("{} streams live", streams.len());
}

/// The tokens of new accounts, each with the id of its table.
async fn accounts(http: &Client, node: &Node, count: usize) -> Vec<(String, String)> {
    let mut accounts = Vec::new();
    for _ in 0..count {
        let token = node.guest(http).await;
        let wish = json!({"ruleset": "squares", "visibility": "public"});
        let game = node.ask(http, Method::POST, "/v1/games", &token, wish).await;
        accounts.push((token, game["id"].as_str().expect("an id").to_owned()));
    }
    accounts
}

/// Opens a stream and waits for its response.
async fn open(http: &Client, node: &Node, path: &str, token: &str) -> Response {
    let request = http.get(format!("http://{}{path}", node.address)).bearer_auth(token);
    let answer = request.send().await.expect("an answer");
    assert_eq!(answer.status(), 200, "{path}");
    answer
}

/// Whether a stream has had a heartbeat since it was opened.
async fn lives(stream: &mut Response) -> bool {
    let mut text = Vec::new();
    while !text.windows(7).any(|window| window == b": quiet") {
        match stream.chunk().await {
            Ok(Some(chunk)) => text.extend_from_slice(&chunk),
            _ => return false,
        }
    }
    true
}

fn mebibytes(bytes: u64) -> u64 {
    bytes.div_ceil(1024 * 1024)
}
