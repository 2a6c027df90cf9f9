//! A persistent player: retries at any node until there is an answer, and records what was acknowledged.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::time::sleep;

use super::frames::{Frame, Frames, id_of};
use super::ledger::Ledger;
use crate::prelude::*;

pub struct Acknowledged {
    pub command: Value,
    pub events: Vec<(u64, String)>,
}

pub struct CommandAnswer {
    pub table: Table,
    pub begun: u64,
    pub acknowledged: Vec<Acknowledged>,
    pub streamed: Vec<Vec<(u64, String)>>,
}

#[derive(Clone, Copy)]
pub struct Pace {
    pub timeout: Duration,
    pub think: Duration,
}

pub struct Drive {
    pub urls: Vec<String>,
    pub pace: Pace,
    pub ledger: Ledger,
    /// Set when no more games shall begin.
    pub enough: AtomicBool,
    pub commands: AtomicUsize,
    /// Requests whose outcome was unknown at first.
    pub doubtful: AtomicUsize,
    pub replayed: AtomicUsize,
    pub resumed: AtomicUsize,
    /// Wrong answers: requests that took effect although every earlier answer said that nothing changed, and
    /// legal commands that were refused.
    misreported: Mutex<Vec<String>>,
    /// Reads older than what was acknowledged to the same client.
    pub stale: AtomicUsize,
}

impl Drive {
    pub fn new(urls: Vec<String>) -> Arc<Drive> {
        Drive::at_pace(urls, Pace { timeout: PATIENCE, think: Duration::ZERO })
    }

    pub fn at_pace(urls: Vec<String>, pace: Pace) -> Arc<Drive> {
        let count = AtomicUsize::default;
        Arc::new(Drive {
            urls,
            pace,
            ledger: Ledger::default(),
            enough: AtomicBool::new(false),
            commands: count(),
            doubtful: count(),
            replayed: count(),
            resumed: count(),
            misreported: Mutex::default(),
            stale: count(),
        })
    }

    fn misreported(&self, what: String) {
        self.misreported.lock().expect("a list").push(what);
    }

    pub fn were_told_the_truth(&self) {
        let misreported = self.misreported.lock().expect("a list");
        assert!(misreported.is_empty(), "{} wrong answers: {}", misreported.len(), misreported.join("\n"));
    }
}

pub struct Driver {
    pub drive: Arc<Drive>,
    pub players: Vec<Player>,
    pub wish: Value,
    pub dice: Random,
    pub node: usize,
    /// The number of the table in the ledger.
    pub number: usize,
    pub keys: u64,
    /// When the accounts were created. Their access tokens are valid for 15 minutes.
    pub since: Instant,
}

/// The age of accounts after which a table gets new players. A game takes much less than the remaining time.
const RENEWED_AFTER: Duration = Duration::from_secs(300);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Guard {
    Key,
    /// The version of a view, and the beginning of its last event's hash.
    Version(u64, String),
    /// Not protected, and a repeat is harmless.
    None,
    Reading,
}

impl Driver {
    /// Seats players at a table. Every third table has four of them.
    pub async fn seat(drive: &Arc<Drive>, number: usize) -> Driver {
        let (wish, count) = match number % 3 {
            0 => (json!({"ruleset": "squares", "options": {"length": "micro"}}), 4),
            _ => (json!({"ruleset": "nineteen", "players": 2}), 2),
        };
        let nobody = Client::anonymous(&drive.urls[number % drive.urls.len()]);
        let mut players = Vec::new();
        for name in ["noor", "omar", "lina", "ziad"].iter().take(count) {
            players.push(nobody.register(name).await);
        }
        Driver::of(drive, players, wish, number)
    }

    pub fn of(drive: &Arc<Drive>, players: Vec<Player>, wish: Value, number: usize) -> Driver {
        let (drive, dice) = (Arc::clone(drive), Random(number as u64));
        Driver { drive, players, wish, dice, node: number, number, keys: 0, since: Instant::now() }
    }

    pub async fn run(mut self) -> Vec<CommandAnswer> {
        let mut games = Vec::new();
        while !self.drive.enough.load(Ordering::Relaxed) {
            games.push(self.game().await);
        }
        games
    }

    async fn game(&mut self) -> CommandAnswer {
        if self.since.elapsed() > RENEWED_AFTER {
            self.renew().await;
        }
        let wish = self.wish.clone();
        let opened = self.insist(0, Method::POST, "/v1/games", Some(&wish), Guard::Key).await.accepted();
        self.drive.ledger.acknowledged_head(&opened);
        let table =
            Table { id: opened["id"].as_str().expect("an id").to_owned(), players: self.players.clone() };
        for player in 1..table.players.len() {
            let path = table.path("seats");
            let seated =
                self.insist(player, Method::POST, &path, Some(&json!({})), Guard::Key).await.accepted();
            self.drive.ledger.acknowledged_head(&seated);
        }
        let streams: Vec<_> = (0..table.players.len())
            .map(|player| {
                let (drive, table) = (Arc::clone(&self.drive), table.clone());
                tokio::spawn(stream(drive, table, player, self.dice.below(100)))
            })
            .collect();
        let started = self.insist(0, Method::POST, &table.path("start"), None, Guard::Key).await.accepted();
        self.drive.ledger.acknowledged_head(&started);
        let begun = started["version"].as_u64().expect("a version");
        let acknowledged = self.play(&table, begun).await;
        let mut streamed = Vec::new();
        for stream in streams {
            let said = tokio::time::timeout(PATIENCE, stream).await;
            streamed.push(said.expect("the stream of a game that is over ends").expect("no panic"));
        }
        CommandAnswer { table, begun, acknowledged, streamed }
    }

    /// Replaces players whose access tokens expire soon by new guests.
    async fn renew(&mut self) {
        let wish = json!({});
        for player in 0..self.players.len() {
            let made = self.insist(player, Method::POST, "/v1/accounts/guest", Some(&wish), Guard::None);
            let made = made.await.accepted();
            let Player { client, name, .. } = &self.players[player];
            self.players[player] = Player::new(client, name, &made);
        }
        self.since = Instant::now();
    }

    async fn play(&mut self, table: &Table, begun: u64) -> Vec<Acknowledged> {
        let (mut acknowledged, mut version, mut viewer) = (Vec::new(), begun, 0);
        let mut view = self.look(table, viewer, version).await;
        while let Some(actor) = table.actor(&view) {
            if actor != viewer {
                viewer = actor;
                view = self.look(table, viewer, version).await;
            }
            if !self.drive.pace.think.is_zero() {
                sleep(self.drive.pace.think).await;
            }
            let command = self.dice.command(view["legal"].as_array().expect("commands"));
            let head = view["head"]["hash"].as_str().expect("a hash")[..16].to_owned();
            let guard = if self.dice.below(2) == 0 { Guard::Key } else { Guard::Version(version, head) };
            let path = table.path("commands");
            let answer = self.insist(actor, Method::POST, &path, Some(&command), guard).await;
            let stale = answer.status == 412;
            let body = if stale { answer.json() } else { answer.accepted() };
            let events: Vec<(u64, String)> =
                body["events"].as_array().expect("events").iter().map(numbered).collect();
            assert_eq!(events.first().map(|event| event.0), Some(version + 1), "{body}");
            self.drive.ledger.acknowledged(&table.id, &events);
            version += events.len() as u64;
            assert_eq!(body[if stale { "current_version" } else { "version" }], version, "{body}");
            acknowledged.push(Acknowledged { command, events });
            self.drive.commands.fetch_add(1, Ordering::Relaxed);
            view = if stale { self.look(table, viewer, version).await } else { body["game"].clone() };
        }
        acknowledged
    }

    /// A player's view of the game. A view older than an acknowledged event is counted and requested again.
    async fn look(&mut self, table: &Table, player: usize, version: u64) -> Value {
        let begun = Instant::now();
        loop {
            let view = self.insist(player, Method::GET, &table.game(), None, Guard::Reading).await.accepted();
            if view["version"] == version {
                return view;
            }
            assert!(view["version"].as_u64() < Some(version), "nobody else plays: {version} {view}");
            assert!(begun.elapsed() < PATIENCE, "{} stays older than {version}", table.id);
            self.drive.stale.fetch_add(1, Ordering::Relaxed);
            sleep(Duration::from_millis(50)).await;
        }
    }

    /// Repeats a request until there is an answer. A repeat gets the answer of the first request.
    async fn insist(
        &mut self,
        player: usize,
        method: Method,
        path: &str,
        body: Option<&Value>,
        guard: Guard,
    ) -> Answer {
        let begun = Instant::now();
        self.keys += 1;
        let key = format!("{}-{}", self.players[0].account, self.keys);
        // Whether an earlier attempt may have taken effect, and all answers so far.
        let mut doubtful = false;
        let mut told = Vec::new();
        if self.dice.below(16) == 0 {
            self.node += 1;
        }
        loop {
            let client = self.players[player].client.at(&self.drive.urls[self.node % self.drive.urls.len()]);
            let mut request = client.request(method.clone(), path);
            if let Some(body) = body {
                request = request.json(body);
            }
            match &guard {
                Guard::Key => request = request.header("idempotency-key", &key),
                Guard::Version(version, head) => {
                    request = request.header("if-match", format!("\"{version}.{head}.{:016x}\"", 0));
                }
                Guard::None | Guard::Reading => {}
            }
            let sent = Instant::now();
            let answer = request.sent_within(self.drive.pace.timeout).await;
            let accepted = answer.as_ref().is_ok_and(Answer::is_success);
            // The game has moved on. Only this client's command can have caused that.
            let moved_on = |answer: &Answer| match &guard {
                Guard::Version(version, _) => {
                    answer.status == 412 && answer.json()["current_version"].as_u64() > Some(*version)
                }
                _ => false,
            };
            let known = !told.is_empty() && answer.as_ref().is_ok_and(moved_on);
            let replayed =
                answer.as_ref().is_ok_and(|answer| answer.header("idempotency-replayed").is_some());
            assert!(
                !replayed || !told.is_empty(),
                "{method} {path}: replayed at the first attempt: {answer:?}"
            );
            if (known || replayed) && !doubtful {
                self.drive.misreported(format!("{method} {path}: carried out, after {told:#?}"));
            }
            if guard != Guard::Reading {
                self.drive.ledger.answered(self.number, sent, accepted || known);
            }
            told.push(format!("{:?}: {}", begun.elapsed(), summary(&answer)));
            match answer {
                Ok(answer) if accepted => {
                    if replayed {
                        self.drive.replayed.fetch_add(1, Ordering::Relaxed);
                    }
                    return answer;
                }
                Ok(answer) if known => return answer,
                Ok(answer) if answer.status == 503 || answer.json()["code"] == "request-in-progress" => {
                    assert!(answer.header("retry-after").is_some(), "{answer:?}");
                    let unknown = answer.json()["code"] == "outcome-unknown";
                    doubtful |= unknown || answer.status == 409;
                }
                // Every command is legal in the true state, so the node's state is stale. Asks again.
                Ok(answer) if matches!(guard, Guard::Key | Guard::Version(..)) && answer.status < 500 => {
                    self.drive.misreported(format!(
                        "{method} {path} {guard:?}: refused: {} {told:#?}",
                        answer.body
                    ));
                }
                Ok(answer) => panic!("{method} {path} {body:?}: {answer:?}, after {told:#?}"),
                Err(_) => {
                    if !doubtful && guard != Guard::Reading {
                        self.drive.doubtful.fetch_add(1, Ordering::Relaxed);
                    }
                    doubtful = true;
                }
            }
            assert!(begun.elapsed() < PATIENCE, "{method} {path}: no answer");
            self.node += 1;
            sleep(Duration::from_millis(50)).await;
        }
    }
}

fn summary(answer: &Result<Answer, reqwest::Error>) -> String {
    match answer {
        Ok(answer) => {
            format!("{} {} {:?}", answer.status, answer.json()["code"], answer.header("x-request-id"))
        }
        Err(error) => format!("{error:?}"),
    }
}

fn numbered(event: &Value) -> (u64, String) {
    (event["seq"].as_u64().expect("a number"), event["hash"].as_str().expect("a hash").to_owned())
}

/// Follows a game to its end, at any available node.
async fn stream(drive: Arc<Drive>, table: Table, player: usize, mut node: usize) -> Vec<(u64, String)> {
    let mut said: Vec<(u64, String)> = Vec::new();
    loop {
        node += 1;
        let client = table.players[player].client.at(&drive.urls[node % drive.urls.len()]);
        let after = said.last().map(|(seq, hash)| id_of(*seq, hash));
        match Frames::open(&client, &table.stream(), after.as_deref()).await {
            Ok(Ok(mut frames)) => {
                while let Ok(Some(frame)) = frames.next().await {
                    match frame {
                        Frame::Event { id, data } => {
                            assert_eq!(id, said.len() as u64 + 1, "a hole or a repeat");
                            said.push(numbered(&data));
                        }
                        Frame::Named { name, .. } if name == "end" => return said,
                        Frame::Reset { id, .. } => panic!("the log lost events after {id}"),
                        Frame::Named { .. } | Frame::Turn(_) | Frame::Comment => {}
                    }
                }
                drive.resumed.fetch_add(1, Ordering::Relaxed);
            }
            Ok(Err(answer)) if answer.status == 204 => return said,
            Ok(Err(answer)) => assert!(answer.status == 503 || answer.status == 429, "{answer:?}"),
            Err(_) => {}
        }
        sleep(Duration::from_millis(50)).await;
    }
}
