//! Followers of one game: how late each of them gets the frames of a command, and the memory of their streams.
//!
//! `cargo bench --bench followers` with 2,000 streams, or another number after `--`. Node and
//! clients are separate processes.

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

use std::sync::Arc;
use std::time::{Duration, Instant};

use node::Node;
use reqwest::{Client, Method};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, mpsc};
use tokio::time::{sleep, timeout};

/// The maximum number of streams per account.
const EACH: usize = 16;

/// The number of commands.
const COMMANDS: usize = 150;

/// The maximum delay of a frame at p99, in milliseconds.
const LATE_MS: f64 = 50.0;

#[tokio::main]
async fn main() {
    let wanted: usize = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(2_000);
    rlimit::increase_nofile_limit(rlimit::INFINITY).expect("a limit");
    let folder = tempfile::TempDir::new().expect("a folder");
    let node = Node::start(folder.path(), &[]);
    let http = web::client().build().expect("a client");
    let mut accounts = Vec::new();
    for _ in 0..wanted.div_ceil(EACH).max(4) {
        accounts.push(node.guest(&http).await);
    }
    let game = start(&http, &node, &accounts[..4]).await;
    let before = node.resident();
    let (heard, mut hears) = mpsc::unbounded_channel();
    let opened = Arc::new(Semaphore::new(0));
    for number in 0..wanted {
        let token = &accounts[number / EACH];
        let head = format!("GET {game}/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n");
        let socket = TcpStream::connect(&node.address).await.expect("a connection");
        tokio::spawn(follow(socket, head, heard.clone(), Arc::clone(&opened)));
    }
    opened.acquire_many(wanted as u32).await.expect("all streams").forget();
    sleep(Duration::from_secs(1)).await;
    while hears.try_recv().is_ok() {}
    let idle = node.resident();
    let mut delays = Vec::new();
    for _ in 0..COMMANDS {
        let (token, view) = turn(&http, &node, &accounts[..4], &game).await;
        let sent = Instant::now();
        let command = view["legal"][0].clone();
        node.ask(&http, Method::POST, &format!("{game}/commands"), &token, command).await;
        for _ in 0..wanted {
            let at = timeout(Duration::from_secs(10), hears.recv()).await.expect("a frame in time");
            delays.push(at.expect("the streams are open").duration_since(sent));
        }
        // Frames of the same command that came in a second part.
        sleep(Duration::from_millis(20)).await;
        while hears.try_recv().is_ok() {}
    }
    delays.sort_unstable();
    let at = |share: f64| delays[((delays.len() - 1) as f64 * share) as usize].as_secs_f64() * 1000.0;
    let each = |now: u64| now.saturating_sub(before) as f64 / wanted as f64 / 1024.0;
    println!(
        "{wanted} followers: frames after {:.1} ms (p50), {:.1} ms (p99); {:.1} KiB a stream before the first event, {:.1} KiB after {COMMANDS} commands",
        at(0.50),
        at(0.99),
        each(idle),
        each(node.resident()),
    );
    assert!(at(0.99) <= LATE_MS, "frames come after more than {LATE_MS} ms");
}

/// Opens a stream, and tells when bytes come.
async fn follow(
    mut socket: TcpStream,
    head: String,
    heard: mpsc::UnboundedSender<Instant>,
    opened: Arc<Semaphore>,
) {
    socket.write_all(head.as_bytes()).await.expect("a request");
    let mut buffer = vec![0; 16 * 1024];
    let read = socket.read(&mut buffer).await.expect("an answer");
    assert!(buffer[..read].starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&buffer[..read]));
    opened.add_permits(1);
    while let Ok(1..) = socket.read(&mut buffer).await {
        if heard.send(Instant::now()).is_err() {
            return;
        }
    }
}

/// Four players start a public game. Returns its path.
async fn start(http: &Client, node: &Node, players: &[String]) -> String {
    let wish = json!({"ruleset": "squares", "visibility": "public"});
    let view = node.ask(http, Method::POST, "/v1/games", &players[0], wish).await;
    let game = format!("/v1/games/{}", view["id"].as_str().expect("an id"));
    for player in &players[1..] {
        node.ask(http, Method::POST, &format!("{game}/seats"), player, json!({})).await;
    }
    node.ask(http, Method::POST, &format!("{game}/start"), &players[0], json!({})).await;
    game
}

/// The player who has commands, and its view.
async fn turn(http: &Client, node: &Node, players: &[String], game: &str) -> (String, Value) {
    for player in players {
        let view = node.ask(http, Method::GET, game, player, Value::Null).await;
        if view["legal"].as_array().is_some_and(|legal| !legal.is_empty()) {
            return (player.clone(), view);
        }
    }
    panic!("nobody has a command");
}
