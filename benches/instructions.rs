//! The instructions of a command, from the request on a socket to the answer, for `.ci/instructions.sh`.
//!
//! `instructions N` plays N commands with fixed seeds, one after the other, against a server in this process with
//! everything on, and SQLite on a file. Under valgrind's callgrind, the difference between two numbers of commands is the
//! cost of the commands alone. The client is a few writes and reads on a socket, and part of the figure.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot go on should say why"
)]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;

use estimation::app::clock::{Clock, ManualClock};
use estimation::app::entropy::SeededEntropy;
use estimation::app::services::{App, AppSettings};
use estimation::auth::keys::KeyRing;
use estimation::http::{ServerSettings, serve};
use estimation::store::{Database, DatabaseUrl, Settings};

fn main() {
    let commands: u32 = std::env::args().nth(1).and_then(|number| number.parse().ok()).unwrap_or(100);
    let folder = tempfile::TempDir::new().expect("a folder");
    let entropy = Arc::new(SeededEntropy::new(1));
    let clock = Arc::new(ManualClock::at("2026-01-01T12:00:00Z".parse().expect("a time")));
    let keys = KeyRing::load_or_create(&folder.path().join("keys.json"), &*entropy, clock.now());
    let url: DatabaseUrl =
        format!("sqlite://{}", folder.path().join("games.db").display()).parse().expect("a URL");
    let database = Database::open(&url, Settings::default()).expect("a database");
    let settings = AppSettings::unlimited(clock, entropy);
    let app = Arc::new(App::new(database, keys.expect("keys"), settings));
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let client = std::thread::spawn(move || play(address, commands));
    actix_web::rt::System::new().block_on(async move {
        let settings = ServerSettings { workers: 1, ..ServerSettings::default() };
        let server = serve(Arc::clone(&app), listener, settings).expect("a server");
        let handle = server.handle();
        std::thread::spawn(move || {
            client.join().expect("the client");
            drop(handle.stop(false));
        });
        server.await.expect("the server");
        app.shutdown().await;
    });
}

/// A table of four guests plays its first legal commands, game after game.
fn play(address: SocketAddr, commands: u32) {
    let mut players: Vec<Player> = (0..4).map(|number| Player::new(address, number)).collect();
    let mut done = 0;
    while done < commands {
        let table = open(&mut players);
        let mut view = players[0].ask("GET", &table, "").to_owned();
        while let Some(seat) = to_act(&view).filter(|_| done < commands) {
            let command = first_legal(players[seat].ask("GET", &table, "")).to_owned();
            view = players[seat].ask("POST", &format!("{table}/commands"), &command).to_owned();
            done += 1;
        }
    }
}

/// The seat that must act. Texts are searched instead of read as JSON, because this counts too.
fn to_act(view: &str) -> Option<usize> {
    let seat = view.split_once("\"to_act\":{\"seat\":")?.1;
    seat.get(..1)?.parse().ok()
}

fn first_legal(view: &str) -> &str {
    let legal = view.split_once("\"legal\":[").expect("a list").1;
    legal.split_inclusive('}').next().expect("a legal command")
}

fn member(object: &str, name: &str) -> String {
    let value = object.split_once(&format!("\"{name}\":\"")).expect("the member").1;
    value.split('"').next().expect("a text").to_owned()
}

fn open(players: &mut [Player]) -> String {
    let opened = players[0].ask("POST", "/v1/games", "{\"ruleset\":\"squares\"}");
    let table = format!("/v1/games/{}", member(opened, "id"));
    for player in &mut players[1..] {
        player.ask("POST", &format!("{table}/seats"), "{}");
    }
    players[0].ask("POST", &format!("{table}/start"), "");
    table
}

/// A player with a connection.
struct Player {
    connection: TcpStream,
    token: String,
    answer: Vec<u8>,
}

impl Player {
    fn new(address: SocketAddr, number: u32) -> Player {
        let connection = TcpStream::connect(address).expect("a connection");
        connection.set_nodelay(true).expect("no delay");
        let mut player = Player { connection, token: String::new(), answer: Vec::new() };
        let name = format!("{{\"display_name\":\"Player {number}\"}}");
        player.token = member(player.ask("POST", "/v1/accounts/guest", &name), "access_token");
        player
    }

    fn ask(&mut self, method: &str, path: &str, body: &str) -> &str {
        let token = match self.token.as_str() {
            "" => String::new(),
            token => format!("authorization: Bearer {token}\r\n"),
        };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: bench\r\n{token}content-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        );
        self.connection.write_all(request.as_bytes()).expect("a request");
        self.answer.clear();
        let mut piece = [0; 16 * 1024];
        loop {
            let read = self.connection.read(&mut piece).expect("an answer");
            assert!(read > 0, "the server closed the connection");
            self.answer.extend_from_slice(&piece[..read]);
            let Some(head) = self.answer.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
            let text = std::str::from_utf8(&self.answer[..head]).expect("a head").to_ascii_lowercase();
            assert!(text.starts_with("http/1.1 2"), "{}", String::from_utf8_lossy(&self.answer));
            let length = text.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
            let length: usize = length.expect("a length").trim().parse().expect("a number");
            if self.answer.len() >= head + 4 + length {
                return std::str::from_utf8(&self.answer[head + 4..]).expect("UTF-8");
            }
        }
    }
}
