//! The number of instructions that a command costs, counted by valgrind: a figure that does not depend on what else the
//! machine does.
//!
//! `cargo bench --profile counted --bench instructions` compares the figures with `benches/instructions.txt`, and fails if
//! one is more than 10 % above. `-- record` writes the file. The figures are those of the profile `counted`. The node runs
//! in a process of its own under callgrind, on SQLite with one worker, fixed seeds, a clock that stands still, and without
//! background jobs. It plays the same games with two numbers of commands; the difference has nothing of its start. What
//! follows the time of day instead of commands does not count: the thread that moves SQLite's log into the database file,
//! and reading sessions again.
//!
//! One command is: a player's command with its whole answer, and the view that the next player reads. The second scene
//! has a stream open for each of the four players. In the third the players send the commands of the first again, to a
//! node that draws the same cards, with `Prefer: return=minimal` and without reading a view.
//!
//! It also counts a reaction and a refused command at tables in the lobby, and fails if a reaction costs more
//! (`-- reactions` counts only these).
//!
//! It also counts what a worker spends on each of some thousand refused bodies ([`refusals`]); `-- refusals` counts only
//! these.
//!
//! `-- profile SCENE FILE` keeps what callgrind counted of a scene, a file for each thread, for `callgrind_annotate`.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark prints, and stops where it cannot go on"
)]

mod counted_node;
mod refusals;

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::Duration;

use estimation::http::{ServerSettings, serve};
use estimation_service::auth::keys::KeyRing;
use estimation_service::auth::sessions::SessionSettings;
use estimation_service::base::clock::ManualClock;
use estimation_service::base::entropy::SeededEntropy;
use estimation_service::services::{App, AppSettings};
use estimation_store::{Database, Settings};
use estimation_test_support::Random;
use jiff::Timestamp;
use serde_json::{Value, json};

use self::counted_node::Node;

/// The numbers of commands whose difference counts.
const COMMANDS: [u64; 2] = [200, 1_200];

/// The tables at which each player reacts once.
const TABLES: usize = 50;

/// By how much a figure may be above the recorded one.
const MAX: f64 = 1.10;

/// The work of the thread that moves SQLite's log.
const CHECKPOINTS: &str = "estimation_store::checkpoint::Work::run";

const PLAYERS: usize = 4;

/// The recorded figures.
const FIGURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/instructions.txt");

const SCENES: [(&str, Scene); 3] = [
    ("command", Scene::Whole),
    ("command with four streams", Scene::Streams),
    ("minimal command", Scene::Minimal),
];

/// What the players do.
#[derive(Clone, Copy, PartialEq)]
enum Scene {
    Whole,
    /// Each player has a stream.
    Streams,
    Minimal,
}

/// The commands of each game, with the player who sends it.
type Played = Vec<Vec<(usize, Value)>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["serve", folder] => {
            node(Path::new(folder));
            ExitCode::SUCCESS
        }
        ["record"] => {
            let text = SCENES.iter().fold(String::new(), |mut text, &(name, scene)| {
                writeln!(text, "{name}: {}", measured(name, scene)).expect("a line");
                text
            });
            fs::write(FIGURES, text).expect("a file");
            ExitCode::SUCCESS
        }
        ["profile", name, file] => {
            let (_, scene) = SCENES.iter().find(|(known, _)| *known == name).expect("the name of a scene");
            counted(COMMANDS[1], *scene, Some(Path::new(file)));
            ExitCode::SUCCESS
        }
        ["refusals"] => refusals::checked(),
        ["reactions"] => reactions(),
        [] => {
            let codes = [compared(), reactions(), refusals::checked()];
            codes.into_iter().find(|code| *code != ExitCode::SUCCESS).unwrap_or(ExitCode::SUCCESS)
        }
        _ => panic!(
            "usage: cargo bench --profile counted --bench instructions \
             [-- record | profile SCENE FILE | reactions | refusals]"
        ),
    }
}

/// Compares each scene with its figure.
fn compared() -> ExitCode {
    let text = fs::read_to_string(FIGURES).expect("the recorded figures");
    let mut code = ExitCode::SUCCESS;
    for (name, scene) in SCENES {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        let recorded: f64 = line.and_then(|figure| figure.parse().ok()).expect("a figure for each scene");
        let ratio = measured(name, scene) as f64 / recorded;
        let verdict = if ratio <= MAX { "ok" } else { "TOO MANY" };
        println!("{name}: {ratio:.3} of the recorded figure, {verdict}");
        if ratio > MAX {
            code = ExitCode::FAILURE;
        }
    }
    code
}

/// Compares what a worker spends on a reaction with what it spends on a refused command. The rows of the reactions of all
/// tables are written together, twice a second: they are not counted.
fn reactions() -> ExitCode {
    let [reaction, refused] = [
        ("reaction", "reactions", json!({"reaction": "hello"}), 204),
        ("refused command", "commands", json!({"type": "estimate", "tricks": 0}), 409),
    ]
    .map(|(name, part, body, expected)| {
        let folder = tempfile::tempdir().expect("a folder");
        let mut node = Node::start(folder.path());
        let mut players = registered(node.address());
        let tables: Vec<String> = (0..TABLES).map(|_| table(&mut players)).collect();
        let (instructions, ()) = node.counted(|_| {
            for path in &tables {
                players.iter_mut().for_each(|player| player.answered(path, part, &body, expected));
            }
        });
        drop(players);
        node.stop();
        let each = instructions / (TABLES * PLAYERS) as u64;
        println!("{name}: {each} instructions");
        each
    });
    let is_cheap = reaction <= refused;
    println!("a reaction: {}", if is_cheap { "ok" } else { "MORE THAN A REFUSED COMMAND" });
    if is_cheap { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Instructions per command.
fn measured(name: &str, scene: Scene) -> u64 {
    let [few, many] = COMMANDS.map(|commands| counted(commands, scene, None));
    let each = (many - few) / (COMMANDS[1] - COMMANDS[0]);
    println!("{name}: {each} instructions");
    each
}

/// The instructions of a node from its start to its end, with so many commands. Keeps the counts in a file.
fn counted(commands: u64, scene: Scene, file: Option<&Path>) -> u64 {
    let program = std::env::current_exe().expect("this program");
    let streams = scene == Scene::Streams;
    let known = (scene == Scene::Minimal)
        .then(|| with_node(Command::new(&program), |address| play(address, commands, streams)));
    let folder = tempfile::tempdir().expect("a folder");
    let counts = folder.path().join("counts");
    let mut valgrind = Command::new("valgrind");
    valgrind
        .args(["--tool=callgrind", "--quiet", "--separate-threads=yes"])
        .arg(format!("--callgrind-out-file={}", counts.display()))
        .arg(&program);
    with_node(valgrind, |address| match &known {
        Some(known) => replay(address, known),
        None => drop(play(address, commands, streams)),
    });
    let threads: Vec<PathBuf> = fs::read_dir(folder.path())
        .expect("the folder")
        .map(|file| file.expect("a file").path())
        .filter(|path| path.extension().is_none() && is_counted(path))
        .collect();
    assert!(threads.len() > 2, "callgrind counted {} threads", threads.len());
    if let Some(file) = file {
        let number = |path: &PathBuf| path.to_string_lossy().rsplit('-').next().map(ToOwned::to_owned);
        for thread in &threads {
            let number = number(thread).expect("the number of a thread");
            fs::copy(thread, format!("{}-{number}", file.display())).expect("a file for the counts");
        }
    }
    threads.iter().map(|thread| total(thread)).sum()
}

/// Whether a file has the counts of a thread whose work follows commands.
fn is_counted(counts: &Path) -> bool {
    let is_of_thread = counts.file_name().is_some_and(|name| name.to_string_lossy().starts_with("counts-"));
    let text = fs::read_to_string(counts).expect("the counts of valgrind");
    is_of_thread && !text.lines().any(|line| line.starts_with("fn=") && line.ends_with(CHECKPOINTS))
}

/// Starts a node, runs the work at its address, and ends it.
fn with_node<T>(mut node: Command, work: impl FnOnce(&str) -> T) -> T {
    let folder = tempfile::tempdir().expect("a folder");
    let mut node = node
        .args([Path::new("serve"), folder.path()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a node");
    let mut lines = BufReader::new(node.stdout.take().expect("its output")).lines();
    let address = lines.next().expect("an address").expect("an address");
    let done = work(&address);
    drop(node.stdin.take());
    assert!(node.wait().expect("its end").success(), "the node failed");
    done
}

/// The total in a file of callgrind.
fn total(counts: &Path) -> u64 {
    let counts = fs::read_to_string(counts).expect("the counts of valgrind");
    let total =
        counts.lines().find_map(|line| line.strip_prefix("summary: ").or(line.strip_prefix("totals: ")));
    total.and_then(|total| total.trim().parse().ok()).expect("a total")
}

/// A node, until the standard input ends.
fn node(folder: &Path) {
    let url = format!("sqlite://{}", folder.join("games.db").display()).parse().expect("a URL");
    let database = Database::open(&url, Settings { readers: 1, ..Settings::default() }).expect("a database");
    let now: Timestamp = "2026-01-01T00:00:00Z".parse().expect("a time");
    let (clock, entropy) = (Arc::new(ManualClock::at(now)), Arc::new(SeededEntropy::new(1)));
    let keys = KeyRing::create(&SeededEntropy::new(2), now);
    let sessions = SessionSettings { trusted: Duration::MAX, ..SessionSettings::default() };
    let settings = AppSettings { sessions, ..AppSettings::unlimited(clock, entropy) };
    let app = Arc::new(App::new(database, keys, settings));
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    println!("{}", listener.local_addr().expect("an address"));
    actix_web::rt::System::new().block_on(async {
        let settings = ServerSettings { workers: 1, ..ServerSettings::default() };
        let server = serve(Arc::clone(&app), listener, settings).expect("a server");
        let handle = server.handle();
        let end = std::thread::spawn(|| std::io::stdin().read_to_end(&mut Vec::new()));
        let running = actix_web::rt::spawn(server);
        while !end.is_finished() {
            actix_web::rt::time::sleep(Duration::from_millis(50)).await;
        }
        handle.stop(false).await;
        running.await.expect("the server").expect("its end");
        app.shutdown().await;
    });
}

/// A connection with an access token.
struct Client {
    connection: BufReader<TcpStream>,
    token: String,
    /// Whether answers to commands are to be minimal.
    brief: bool,
}

impl Client {
    fn new(address: &str) -> Client {
        let connection = TcpStream::connect(address).expect("a connection");
        connection.set_nodelay(true).expect("a setting");
        Client { connection: BufReader::new(connection), token: String::new(), brief: false }
    }

    fn request(&mut self, method: &str, path: &str, body: &str) {
        let prefer = if self.brief { "prefer: return=minimal\r\n" } else { "" };
        let framing = format!("{prefer}content-length: {}", body.len());
        ask(self.connection.get_mut(), &format!("{method} {path}"), &self.token, &framing, body.as_bytes());
    }

    /// The length of the body that follows, if the head says it.
    fn head(&mut self) -> Option<usize> {
        let (status, length) = head(&mut self.connection);
        assert!((200..300).contains(&status), "{status}");
        length
    }

    fn send(&mut self, method: &str, path: &str, body: &Value) -> Value {
        self.request(method, path, &if body.is_null() { String::new() } else { body.to_string() });
        let mut bytes = vec![0; self.head().expect("a length")];
        self.connection.read_exact(&mut bytes).expect("a body");
        if bytes.is_empty() { Value::Null } else { serde_json::from_slice(&bytes).expect("JSON") }
    }

    /// Posts a body to a part of a game, and reads an answer with a status.
    fn answered(&mut self, path: &str, part: &str, body: &Value, expected: u16) {
        self.request("POST", &format!("{path}/{part}"), &body.to_string());
        let (status, length) = head(&mut self.connection);
        assert_eq!(status, expected, "{part}");
        self.connection.read_exact(&mut vec![0; length.unwrap_or_default()]).expect("a body");
    }

    /// Reads a stream up to the frame of a version.
    fn frame(&mut self, version: u64) {
        let wanted = format!("id: {version}-");
        loop {
            let mut line = String::new();
            assert!(self.connection.read_line(&mut line).expect("a frame") > 0, "the stream ended");
            if line.starts_with(&wanted) {
                return;
            }
        }
    }
}

/// Sends a request with a JSON body, which the header `framing` announces.
fn ask(connection: &mut TcpStream, request: &str, token: &str, framing: &str, body: &[u8]) {
    let authorization =
        if token.is_empty() { String::new() } else { format!("authorization: Bearer {token}\r\n") };
    let head = format!(
        "{request} HTTP/1.1\r\nhost: bench\r\n{authorization}content-type: application/json\r\n{framing}\r\n\r\n"
    );
    connection.write_all(&[head.as_bytes(), body].concat()).expect("a request");
}

/// The status of an answer, and the length of the body that follows, if the head says it.
fn head(connection: &mut BufReader<TcpStream>) -> (u16, Option<usize>) {
    let (mut first, mut length) = (String::new(), None);
    connection.read_line(&mut first).expect("a status");
    let status = first.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    loop {
        let mut line = String::new();
        connection.read_line(&mut line).expect("a header");
        if line.trim().is_empty() {
            return (status, length);
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok();
        }
    }
}

/// Plays games, one after the other, until so many commands were answered.
fn play(address: &str, commands: u64, streams: bool) -> Played {
    let mut players = registered(address);
    let mut dice = Random(5);
    let (mut played, mut left) = (Played::new(), commands);
    while left > 0 {
        let path = table(&mut players);
        let mut listeners: Vec<Client> = Vec::new();
        if streams {
            for player in &players {
                let mut listener = Client::new(address);
                listener.token.clone_from(&player.token);
                listener.request("GET", &format!("{path}/stream"), "");
                assert_eq!(listener.head(), None, "a stream has no length");
                listeners.push(listener);
            }
        }
        let mut view = players[0].send("POST", &format!("{path}/start"), &Value::Null);
        let mut game = Vec::new();
        while left > 0 && view["status"] == "playing" {
            let (player, read) = actor(&mut players, &path, &view);
            let legal = read["legal"].as_array().expect("commands");
            let command = legal[dice.below(legal.len())].clone();
            let done = players[player].send("POST", &format!("{path}/commands"), &command);
            let version = done["version"].as_u64().unwrap_or_else(|| panic!("{done}"));
            listeners.iter_mut().for_each(|listener| listener.frame(version));
            view = done["game"].clone();
            game.push((player, command));
            left -= 1;
        }
        played.push(game);
    }
    played
}

/// Sends the commands of games that were played, with minimal answers. The seeds and so the cards are the same.
fn replay(address: &str, played: &Played) {
    let mut players = registered(address);
    players.iter_mut().for_each(|player| player.brief = true);
    for game in played {
        let path = table(&mut players);
        players[0].send("POST", &format!("{path}/start"), &Value::Null);
        for (player, command) in game {
            let done = players[*player].send("POST", &format!("{path}/commands"), command);
            assert!(done["game"].is_null(), "a whole answer");
        }
    }
}

fn registered(address: &str) -> Vec<Client> {
    let mut players: Vec<Client> = (0..PLAYERS).map(|_| Client::new(address)).collect();
    for (number, player) in players.iter_mut().enumerate() {
        let wish = json!({"display_name": format!("Player {number}")});
        let made = player.send("POST", "/v1/accounts/guest", &wish);
        let token = &made["session"]["access_token"];
        player.token = token.as_str().unwrap_or_else(|| panic!("{made}")).to_owned();
    }
    players
}

/// Seats the players at a new table. Returns its path.
fn table(players: &mut [Client]) -> String {
    let table = json!({"ruleset": "squares", "options": {"length": "mini"}});
    let game = players[0].send("POST", "/v1/games", &table);
    let path = format!("/v1/games/{}", game["id"].as_str().unwrap_or_else(|| panic!("{game}")));
    for player in &mut players[1..] {
        player.send("POST", &format!("{path}/seats"), &json!({}));
    }
    path
}

/// The player whose turn it is, with the view that the player reads.
fn actor(players: &mut [Client], path: &str, view: &Value) -> (usize, Value) {
    let acts = &view["round"]["to_act"];
    let seat = acts["seat"].as_u64().or(acts["seats"][0].as_u64());
    let seat = seat.unwrap_or_else(|| panic!("nobody is to act: {view}"));
    let name = &view["seats"][usize::try_from(seat).expect("a seat")]["player"]["name"];
    let place = (0..PLAYERS).find(|number| *name == format!("Player {number}")).expect("a player");
    let read = players[place].send("GET", path, &Value::Null);
    (place, read)
}
