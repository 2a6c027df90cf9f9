//! Latencies of honest players under attack: 16 honest tables, first alone, then beside 16 attackers.
//!
//! `cargo bench --bench attackers`, or another number of seconds after `--`. The node is a separate process with
//! its default limits but for connections, and so is the driver of the honest tables (`drive`). Each attacker
//! has its own address in 127.0.1.0/24, so that limits by address count it alone. The attackers
//!
//! - hold connections on which request heads never end,
//! - open tables without end, and streams of an account with many tables,
//! - post commands with an invalid token, illegal commands, and commands for an outdated version,
//! - cause password hashing: by registering taken names, and by signing in to their own accounts,
//! - send every command of their games 12 times concurrently,
//! - send large bodies that are refused, to the calculator and as commands,
//! - read the history of a public game, compressed with brotli,
//! - hold idle connections from many addresses, more than the node may have.

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

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use node::{Node, driver};
use reqwest::{Client, Method};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{Instant, interval, sleep, timeout};

/// The number of honest tables.
const TABLES: &str = "16";

/// Commands per second at all honest tables together.
const RATE: &str = "200";

/// The maximum p95 of an honest command under attack, as a multiple of the quiet p95.
const SLOWER: f64 = 3.0;

/// The number of connections that each attacker of heads tries to hold.
const HEADS: usize = 400;

/// The number of connections that the node may have.
const CONNECTIONS: &str = "3000";

/// The addresses of the attacker of idle connections. Together they try to hold more than the node may have.
const IDLE_ADDRESSES: u8 = 12;

/// The number of connections that each of these addresses tries to hold.
const IDLE: usize = 300;

/// The bytes of a refused body, less than the smallest limit of the service.
const HUGE: usize = 60 * 1024;

/// The open files of this process: a connection for each of the node's, and those of the attackers' clients.
const FILES: u64 = 16 * 1024;

/// Actions per second of each of the other attackers.
const PACE: u64 = 50;

/// The pause between two actions of an attacker.
const PAUSE: Duration = Duration::from_millis(1_000 / PACE);

/// The number of responses by attack and status.
#[derive(Clone, Default)]
struct Tally(Arc<Mutex<BTreeMap<(&'static str, u16), usize>>>);

impl Tally {
    fn count(&self, attack: &'static str, status: u16) {
        *self.0.lock().expect("a tally").entry((attack, status)).or_default() += 1;
    }
}

/// An attacker with its own address.
#[derive(Clone)]
struct Attacker {
    http: Client,
    node: SocketAddr,
    from: IpAddr,
    tally: Tally,
}

#[tokio::main]
async fn main() {
    let seconds = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(60);
    let folder = tempfile::TempDir::new().expect("a folder");
    rlimit::increase_nofile_limit(FILES).expect("a limit of open files");
    // All honest accounts come from one address, so the limit of accounts is higher than the default.
    let node =
        Node::start_limited(folder.path(), &["--limit-accounts", "600/1h", "--max-connections", CONNECTIONS]);
    let tally = Tally::default();
    let mut attackers = Attackers { node: &node, tally: &tally, last: 0 };
    let history = attackers.next().play_to_the_end().await;
    let quiet = honest(&node, seconds).await;
    let attack = attackers.start(history);
    sleep(Duration::from_secs(2)).await;
    let attacked = honest(&node, seconds).await;
    drop(attack);
    let mut attacks: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for ((attack, status), times) in tally.0.lock().expect("a tally").iter() {
        attacks.entry(attack).or_default().push(format!("{times} × {status}"));
    }
    for (attack, answers) in attacks {
        println!("{attack}: {}", answers.join(", "));
    }
    let slower = attacked.latency_ms.p95 / quiet.latency_ms.p95;
    for (when, seen) in [("quiet", &quiet), ("attacked", &attacked)] {
        let Seen { commands, latency_ms: Percentiles { p50, p95, p99, max }, .. } = seen;
        println!(
            "{when}: {commands} commands, p50 {p50:.2} ms, p95 {p95:.2} ms, p99 {p99:.2} ms, max {max:.2} ms"
        );
    }
    println!("p95 × {slower:.2}");
    assert_eq!(
        (attacked.deferred_requests, attacked.unknown_outcomes),
        (0, 0),
        "honest requests were refused"
    );
    assert!(attacked.failures.is_empty(), "honest requests were lost");
    assert!(slower <= SLOWER, "more than {SLOWER} times the quiet p95");
}

/// The measurements at the honest tables.
#[derive(Deserialize)]
struct Seen {
    commands: u64,
    latency_ms: Percentiles,
    /// Requests answered with 429 or 503.
    deferred_requests: u64,
    /// Commands without a response at first.
    unknown_outcomes: u64,
    /// All other errors, including a log that lacks an acknowledged command.
    failures: Vec<String>,
}

/// Latencies of commands in milliseconds.
#[derive(Deserialize)]
struct Percentiles {
    p50: f64,
    p95: f64,
    p99: f64,
    max: f64,
}

/// Plays at honest tables for `seconds`.
async fn honest(node: &Node, seconds: u64) -> Seen {
    let url = format!("http://{}", node.address);
    let seconds = seconds.to_string();
    let flags =
        ["--concurrency", TABLES, "--rate", RATE, "--seconds", &seconds, "--warm-up", "2", "--verify"];
    let mut driver = driver();
    driver.args(["--url", &url]).args(flags).stderr(Stdio::inherit());
    let output =
        tokio::task::spawn_blocking(move || driver.output()).await.expect("a thread").expect("the driver");
    serde_json::from_slice(&output.stdout).expect("a report")
}

/// Makes the attackers, each with its own address.
struct Attackers<'a> {
    node: &'a Node,
    tally: &'a Tally,
    last: u8,
}

impl Attackers<'_> {
    fn next(&mut self) -> Attacker {
        self.last += 1;
        let from = IpAddr::V4(Ipv4Addr::new(127, 0, 1, self.last));
        let http = web::client().local_address(from).build().expect("a client");
        let node = self.node.address.parse().expect("an address");
        Attacker { http, node, from, tally: self.tally.clone() }
    }

    /// Starts 16 attackers; `history` is the path of a public one. They end when the returned set is dropped.
    fn start(&mut self, history: String) -> JoinSet<()> {
        let mut attackers = JoinSet::new();
        for _ in 0..2 {
            attackers.spawn(self.next().open_tables());
            attackers.spawn(self.next().repeat_commands());
            attackers.spawn(self.next().read_history(history.clone()));
            attackers.spawn(self.next().send_huge_scores());
            attackers.spawn(self.next().send_huge_commands());
        }
        attackers.spawn(self.next().hold_heads());
        attackers.spawn(self.next().hold_idle_connections());
        attackers.spawn(self.next().send_forged_tokens());
        attackers.spawn(self.next().send_refused_commands());
        attackers.spawn(self.next().take_names());
        attackers.spawn(self.next().sign_in());
        attackers
    }
}

/// A body with many unknown fields.
fn huge_body() -> Bytes {
    let mut body = String::from("{\"unknown\": 0");
    let mut number = 0;
    while body.len() < HUGE {
        number += 1;
        body += &format!(",\"unknown{number}\":[{{}}]");
    }
    Bytes::from(body + "}")
}

impl Attacker {
    async fn ask(
        &self,
        attack: &'static str,
        method: Method,
        path: &str,
        token: &str,
        body: &Value,
    ) -> Value {
        let request = self.http.request(method, format!("http://{}{path}", self.node));
        let request = request.bearer_auth(token).json(body);
        match request.send().await {
            Ok(answer) => {
                self.tally.count(attack, answer.status().as_u16());
                answer.json().await.unwrap_or_default()
            }
            Err(_) => {
                self.tally.count(attack, 0);
                Value::Null
            }
        }
    }

    /// A guest's token.
    async fn guest(&self) -> String {
        let made = self.ask("guests", Method::POST, "/v1/accounts/guest", "", &json!({})).await;
        made["session"]["access_token"].as_str().unwrap_or_default().to_owned()
    }

    /// Holds connections on which a first request was answered and the second never ends.
    async fn hold_heads(self) {
        let mut held = Vec::new();
        let mut ticks = interval(Duration::from_secs(1));
        loop {
            ticks.tick().await;
            let mut alive = Vec::new();
            for mut connection in std::mem::take(&mut held) {
                if TcpStream::write_all(&mut connection, b"x").await.is_ok() {
                    alive.push(connection);
                }
            }
            held = alive;
            for _ in held.len()..HEADS {
                let Some(mut connection) = self.connected(self.from).await else { break };
                let head = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /healthz HTTP/1.1\r\nX: ";
                let sent = connection.write_all(head).await.is_ok();
                self.tally.count("heads held", if sent { 200 } else { 0 });
                if sent {
                    held.push(connection);
                }
            }
        }
    }

    /// Opens tables, and streams of the account that hosts them.
    async fn open_tables(self) {
        let token = self.guest().await;
        let mut streams = JoinSet::new();
        for _ in 0..16 {
            let url = format!("http://{}/v1/me/stream", self.node);
            let request = self.http.get(url).bearer_auth(&token);
            streams.spawn(async move {
                if let Ok(mut answer) = request.send().await {
                    while let Ok(Some(_)) = answer.chunk().await {}
                }
            });
        }
        loop {
            self.ask("tables", Method::POST, "/v1/games", &token, &json!({"ruleset": "nineteen"})).await;
            sleep(PAUSE).await;
        }
    }

    /// A game of two guests: its path and their tokens.
    async fn game(&self, tokens: &[String; 2]) -> String {
        let wish = json!({"ruleset": "nineteen", "players": 2, "visibility": "public"});
        let game = self.ask("games", Method::POST, "/v1/games", &tokens[0], &wish).await;
        let path = format!("/v1/games/{}", game["id"].as_str().unwrap_or_default());
        self.ask("games", Method::POST, &format!("{path}/seats"), &tokens[1], &json!({})).await;
        self.ask("games", Method::POST, &format!("{path}/start"), &tokens[0], &json!({})).await;
        path
    }

    /// Sends every command 12 times concurrently.
    async fn repeat_commands(self) {
        let tokens = [self.guest().await, self.guest().await];
        loop {
            let path = self.game(&tokens).await;
            loop {
                let mut moved = false;
                for token in &tokens {
                    let view = self.ask("views", Method::GET, &path, token, &Value::Null).await;
                    let Some(command) = view["legal"].get(0) else { continue };
                    let mut copies = JoinSet::new();
                    for _ in 0..12 {
                        let (attacker, path) = (self.clone(), format!("{path}/commands"));
                        let (token, command) = (token.clone(), command.clone());
                        copies.spawn(async move {
                            attacker
                                .ask("commands sent 12 times", Method::POST, &path, &token, &command)
                                .await;
                        });
                    }
                    copies.join_all().await;
                    moved = true;
                    sleep(PAUSE).await;
                }
                if !moved {
                    break;
                }
            }
        }
    }

    /// Plays a public game alone, and returns the path of its history once it is signed.
    async fn play_to_the_end(self) -> String {
        let tokens = [self.guest().await, self.guest().await];
        let path = self.game(&tokens).await;
        loop {
            let mut moved = false;
            for token in &tokens {
                let view = self.ask("views", Method::GET, &path, token, &Value::Null).await;
                if let Some(command) = view["legal"].get(0) {
                    self.ask("moves", Method::POST, &format!("{path}/commands"), token, command).await;
                    moved = true;
                }
            }
            if !moved {
                break;
            }
        }
        let path = format!("{path}/history");
        loop {
            let answer =
                self.http.get(format!("http://{}{path}", self.node)).send().await.expect("an answer");
            let history: Value = answer.json().await.unwrap_or_default();
            if history["end"]["signature"].is_object() {
                let events = history["events"].as_array().map_or(0, Vec::len);
                println!("the public history has {events} events");
                return path;
            }
            sleep(PAUSE).await;
        }
    }

    /// Reads a public history with brotli, without a token.
    async fn read_history(self, path: String) {
        let url = format!("http://{}{path}", self.node);
        loop {
            let request = self.http.get(&url).header("accept-encoding", "br");
            if let Ok(answer) = request.send().await {
                self.tally.count("public histories", answer.status().as_u16());
                let _ = answer.bytes().await;
            }
            sleep(PAUSE).await;
        }
    }

    async fn send_huge(&self, attack: &'static str, path: &str) {
        let (token, body) = (self.guest().await, huge_body());
        let url = format!("http://{}{path}", self.node);
        loop {
            let request = self.http.post(&url).bearer_auth(&token).header("content-type", "application/json");
            if let Ok(answer) = request.body(body.clone()).send().await {
                self.tally.count(attack, answer.status().as_u16());
                let _ = answer.bytes().await;
            }
            sleep(PAUSE).await;
        }
    }

    async fn send_huge_scores(self) {
        self.send_huge("huge scores", "/v1/rulesets/squares/score").await;
    }

    async fn send_huge_commands(self) {
        let tokens = [self.guest().await, self.guest().await];
        let path = format!("{}/commands", self.game(&tokens).await);
        self.send_huge("huge commands", &path).await;
    }

    /// Holds connections on which a request was answered, from many addresses, and replaces those that end.
    async fn hold_idle_connections(self) {
        let mut held = Vec::new();
        for _ in 0..IDLE {
            for last in 1..=IDLE_ADDRESSES {
                held.push(self.idle_connection(last).await);
            }
        }
        for place in (0..held.len()).cycle() {
            if place == 0 {
                sleep(PAUSE).await;
            }
            let is_open = held[place].as_ref().is_some_and(|connection: &TcpStream| {
                let read = connection.try_read(&mut [0; 1024]);
                matches!(read, Ok(1..)) || read.is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
            });
            if !is_open {
                let last = 1 + (place % usize::from(IDLE_ADDRESSES)) as u8;
                held[place] = self.idle_connection(last).await;
                sleep(PAUSE).await;
            }
        }
    }

    async fn idle_connection(&self, last: u8) -> Option<TcpStream> {
        let mut connection = self.connected(IpAddr::V4(Ipv4Addr::new(127, 0, 2, last))).await;
        let head = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
        let sent = match &mut connection {
            Some(connection) => connection.write_all(head).await.is_ok(),
            None => false,
        };
        self.tally.count("idle connections", if sent { 200 } else { 0 });
        connection
    }

    async fn connected(&self, from: IpAddr) -> Option<TcpStream> {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind(SocketAddr::new(from, 0)).expect("an address");
        timeout(Duration::from_secs(1), socket.connect(self.node)).await.ok()?.ok()
    }

    async fn send_forged_tokens(self) {
        let path = format!("/v1/games/{}/commands", uuid::Uuid::nil());
        loop {
            self.ask("forged tokens", Method::POST, &path, "garbage", &json!({"type": "pass"})).await;
            sleep(PAUSE).await;
        }
    }

    /// Posts illegal commands, and commands for an outdated version.
    async fn send_refused_commands(self) {
        let tokens = [self.guest().await, self.guest().await];
        let path = format!("{}/commands", self.game(&tokens).await);
        let url = format!("http://{}{path}", self.node);
        loop {
            for token in &tokens {
                self.ask("illegal commands", Method::POST, &path, token, &json!({"type": "pass"})).await;
                let stale = self
                    .http
                    .post(&url)
                    .bearer_auth(token)
                    .header("If-Match", "\"1.0000000000000000.0000000000000000\"");
                if let Ok(answer) = stale.json(&json!({"type": "estimate", "tricks": 0})).send().await {
                    self.tally.count("stale versions", answer.status().as_u16());
                }
                sleep(PAUSE).await;
            }
        }
    }

    /// Registers names. Each costs a password hash if it is free.
    async fn take_names(self) {
        let token = self.guest().await;
        for number in 0_u64.. {
            let name = format!("taken-{}-{number}", self.from.to_string().replace('.', "-"));
            let body = json!({"username": name, "password": "a long enough pass phrase"});
            self.ask("credentials", Method::PUT, "/v1/me/credentials", &token, &body).await;
            self.ask("accounts", Method::POST, "/v1/accounts", "", &body).await;
            sleep(PAUSE).await;
        }
    }

    /// Signs in to the same account repeatedly, 20 requests at a time.
    async fn sign_in(self) {
        let body = json!({"username": "signer", "password": "a long enough pass phrase"});
        self.ask("accounts", Method::POST, "/v1/accounts", "", &body).await;
        loop {
            let begun = Instant::now();
            let mut copies = JoinSet::new();
            for _ in 0..20 {
                let (attacker, body) = (self.clone(), body.clone());
                copies.spawn(async move {
                    attacker.ask("sign-ins", Method::POST, "/v1/sessions", "", &body).await;
                });
            }
            copies.join_all().await;
            sleep((20 * PAUSE).saturating_sub(begun.elapsed())).await;
        }
    }
}
