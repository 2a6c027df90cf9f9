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

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread::sleep;
use std::time::{Duration, Instant};

use node::Node;
use serde_json::{Value, json};

/// The maximum number of streams per account.
const EACH: usize = 16;

/// The maximum memory of a node with 5,000 streams.
const LIMIT: u64 = 200 * 1024 * 1024;

fn main() {
    let wanted = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(5_000);
    let files = rlimit::increase_nofile_limit(rlimit::INFINITY).expect("a limit");
    assert!(files as usize > wanted + 100, "only {files} files may be open");
    let folder = tempfile::TempDir::new().expect("a folder");
    let node = Node::start(folder.path(), &[]);
    println!("{} MiB at the start", mebibytes(resident(&node)));
    let accounts = accounts(&node, wanted.div_ceil(EACH));
    // Each account has a table that all accounts may watch.
    let before = resident(&node);
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
        streams.push(open(&node, &path, token));
    }
    println!("{} streams were opened in {:?}", streams.len(), begun.elapsed());
    let limit = LIMIT * wanted as u64 / 5_000;
    // Idle, and again after each stream has had a heartbeat.
    for wait in [2, 17] {
        sleep(Duration::from_secs(wait));
        let now = resident(&node);
        println!(
            "after {:>3} s: {} MiB resident, {:.1} KiB a stream",
            begun.elapsed().as_secs(),
            mebibytes(now),
            now.saturating_sub(before) as f64 / streams.len() as f64 / 1024.0
        );
        assert!(wanted < 5_000 || now < limit, "more than {} MiB", mebibytes(limit));
    }
    let alive = streams.iter().filter(|stream| lives(stream)).count();
    assert_eq!(alive, streams.len(), "all streams have shown that they live");
    println!("{alive} streams live");
}

/// The tokens of new accounts, each with the id of its table.
fn accounts(node: &Node, count: usize) -> Vec<(String, String)> {
    let account = |number: usize| {
        let wish = json!({"username": format!("watcher-{number}"), "password": "plum-kettle-orbit"});
        let made = post(node, "/v1/accounts", "", &wish);
        let token = made["session"]["access_token"].as_str().expect("a token").to_owned();
        let game = post(node, "/v1/games", &token, &json!({"ruleset": "squares", "visibility": "public"}));
        (token, game["id"].as_str().expect("an id").to_owned())
    };
    (0..count).map(account).collect()
}

fn request(node: &Node, head: &str, token: &str, body: &str) -> TcpStream {
    let mut socket = TcpStream::connect(&node.address).expect("a connection");
    let bearer = if token.is_empty() { String::new() } else { format!("Authorization: Bearer {token}\r\n") };
    let length = if body.is_empty() {
        String::new()
    } else {
        format!("Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n", body.len())
    };
    let text = format!("{head} HTTP/1.1\r\nHost: {}\r\n{bearer}{length}\r\n{body}", node.address);
    socket.write_all(text.as_bytes()).expect("a request");
    socket
}

fn post(node: &Node, path: &str, token: &str, body: &Value) -> Value {
    let mut answer = String::new();
    let mut socket = request(node, &format!("POST {path}"), token, &body.to_string());
    socket.read_to_string(&mut answer).expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    assert!(head.starts_with("HTTP/1.1 201"), "{answer}");
    serde_json::from_str(body).expect("JSON")
}

/// Opens a stream and waits for its response.
fn open(node: &Node, path: &str, token: &str) -> TcpStream {
    let mut socket = request(node, &format!("GET {path}"), token, "");
    socket.set_read_timeout(Some(Duration::from_secs(30))).expect("a timeout");
    let mut head = [0; 15];
    socket.read_exact(&mut head).expect("an answer");
    assert_eq!(&head, b"HTTP/1.1 200 OK", "{}", String::from_utf8_lossy(&head));
    socket
}

/// Whether a stream has had a heartbeat since it was opened.
fn lives(mut socket: &TcpStream) -> bool {
    let mut text = Vec::new();
    let mut buffer = [0; 4_096];
    while !text.windows(7).any(|window| window == b": quiet") {
        match socket.read(&mut buffer) {
            Ok(read @ 1..) => text.extend_from_slice(&buffer[..read]),
            _ => return false,
        }
    }
    true
}

fn resident(node: &Node) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", node.process.id())).expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a size");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") * 1024
}

fn mebibytes(bytes: u64) -> u64 {
    bytes.div_ceil(1024 * 1024)
}
