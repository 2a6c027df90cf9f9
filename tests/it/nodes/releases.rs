//! What each release leaves behind in `tests/fixtures/releases/`: a database of each kind, a history and a promise that a
//! player kept, and a client. This version upgrades the databases, plays on, and verifies; the client plays with it.
//!
//! `ESTIMATION_TEST_RECORD=1` records what this version leaves, under its number. Released folders never change.

use std::fs::File;
use std::io::{Read, Write};
use std::process::Command;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use super::site::SECRET;
use crate::documents::root;
use crate::prelude::*;

const PASSWORD: &str = "plum-kettle-orbit";

fn folder() -> PathBuf {
    root().join("tests/fixtures/releases")
}

fn is_recording() -> bool {
    std::env::var_os("ESTIMATION_TEST_RECORD").is_some()
}

/// The folders of the releases, by version.
fn releases() -> Vec<PathBuf> {
    let entries = fs::read_dir(folder()).expect("releases");
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    found.retain(|path| path.is_dir());
    found.sort();
    assert!(!found.is_empty(), "no release is filed");
    found
}

fn packed(file: &Path, bytes: &[u8]) {
    let mut encoder = GzEncoder::new(File::create(file).expect("a file"), Compression::best());
    encoder.write_all(bytes).expect("a file");
    encoder.finish().expect("a file");
}

fn unpacked(file: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    GzDecoder::new(File::open(file).expect("a file")).read_to_end(&mut bytes).expect("gzip");
    bytes
}

/// What a player kept, and what the database has.
#[derive(serde::Serialize, serde::Deserialize)]
struct Kept {
    /// The usernames of the players of both games.
    names: Vec<String>,
    /// The game that is over, and the one that is played.
    finished: String,
    running: String,
    /// The promise of the finished game, as its view had it.
    promise: Value,
    history: Value,
}

/// Plays a game to its end and another half, and stops the node.
async fn lived(site: &Site) -> Kept {
    let mut node = site.node();
    let nobody = Client::anonymous(&node.url);
    let finished = Table::of_two(&nobody).await;
    let promise = finished.view().await["log"].clone();
    finished.play(&mut Random(1), usize::MAX).await;
    let wish = json!({"ruleset": "nineteen", "players": 2});
    let running = Table::of(finished.players.clone(), &wish).await;
    running.start().await.accepted();
    running.play(&mut Random(2), 9).await;
    eventually("both are in the public log", async || {
        site.outsider().count("log_entries") >= 3
            && site.outsider().count("games WHERE logged_at IS NOT NULL") == 1
    })
    .await;
    eventually("the log is signed", async || site.outsider().count("log_tree WHERE signed_size = size") == 1)
        .await;
    let history = finished.seat(0).player.client.get(&finished.path("history")).await.accepted();
    let mut names = Vec::new();
    for player in &finished.players {
        names.push(
            player.client.get("/v1/me").await.accepted()["username"].as_str().expect("a name").to_owned(),
        );
    }
    node.terminate();
    node.ended_within(PATIENCE).expect("its end");
    Kept { names, finished: finished.id, running: running.id, promise, history }
}

fn state_file(site: &Site) -> PathBuf {
    Path::new(&site.keys_file()).with_file_name("log-state")
}

async fn record(target: &Path) {
    fs::create_dir_all(target).expect("a folder");
    let site = Site::new(Backend::Sqlite);
    let kept = lived(&site).await;
    let copy = TempDir::new().expect("a folder");
    let file = copy.path().join("copy.db");
    let output = run(&["backup", "--database-url", site.url(), file.to_str().expect("a path")]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    packed(&target.join("estimation.db.gz"), &fs::read(&file).expect("the copy"));
    fs::copy(site.keys_file(), target.join("keys.json")).expect("the keys");
    fs::copy(state_file(&site), target.join("log-state")).expect("the state");
    fs::write(target.join("sqlite.json"), serde_json::to_vec(&kept).expect("JSON")).expect("a file");

    let site = Site::new(Backend::Postgres);
    let kept = lived(&site).await;
    let dump = Command::new(postgres_program("pg_dump"))
        .args(["--format=plain", "--no-owner", "--no-privileges", site.url()])
        .output()
        .expect("pg_dump");
    assert!(dump.status.success(), "{}", String::from_utf8_lossy(&dump.stderr));
    packed(&target.join("estimation.sql.gz"), &dump.stdout);
    fs::write(target.join("postgres.json"), serde_json::to_vec(&kept).expect("JSON")).expect("a file");
}

/// A program of PostgreSQL, of the newest version that is installed.
fn postgres_program(name: &str) -> PathBuf {
    let found = Command::new("bash")
        .args(["-c", "ls -d /usr/lib/postgresql/*/bin /usr/pgsql-*/bin 2>/dev/null | sort -V | tail -1"])
        .output()
        .expect("bash");
    Path::new(String::from_utf8(found.stdout).expect("a path").trim()).join(name)
}

#[tokio::test]
#[ignore = "all: runs, kills and freezes programs for many seconds"]
async fn the_databases_of_each_release_are_upgraded_and_played_on() {
    if is_recording() {
        record(&folder().join(env!("CARGO_PKG_VERSION"))).await;
    }
    for release in releases() {
        let work = TempDir::new().expect("a folder");
        let read = |name: &str| fs::read(release.join(name)).expect("a file of the release");
        let kept = |name: &str| -> Kept { serde_json::from_slice(&read(name)).expect("JSON") };

        let data = work.path().join("data");
        fs::create_dir(&data).expect("a folder");
        fs::write(data.join("estimation.db"), unpacked(&release.join("estimation.db.gz")))
            .expect("a database");
        for name in ["keys.json", "log-state"] {
            fs::write(data.join(name), read(name)).expect("a file");
            let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
            fs::set_permissions(data.join(name), private).expect("a mode");
        }
        let url = format!("sqlite://{}", data.join("estimation.db").display());
        let (data, keys) = (data.display().to_string(), data.join("keys.json").display().to_string());
        let (flags, keys) = (["--data-dir", &data], ["--keys-file", &keys]);
        goes_on(&url, &work.path().join("sqlite"), &flags, &keys, &kept("sqlite.json")).await;

        let database = TestDatabase::empty(Backend::Postgres);
        let dump = work.path().join("dump.sql");
        fs::write(&dump, unpacked(&release.join("estimation.sql.gz"))).expect("a dump");
        let output = Command::new(postgres_program("psql"))
            .args(["--quiet", "--no-psqlrc", "-v", "ON_ERROR_STOP=1", "-d", database.url_text(), "-f"])
            .arg(&dump)
            .output()
            .expect("psql");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let state = work.path().join("log-state");
        let flags = ["--database-url", database.url_text(), "--keys-secret", SECRET, "--log-state"];
        let flags = [&flags[..], &[state.to_str().expect("a path")]].concat();
        // The dump is in another cluster than it was.
        let output = run(&[&["log", "init"], &flags[..]].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let keys = ["--keys-secret", SECRET];
        goes_on(database.url_text(), &work.path().join("postgres"), &flags, &keys, &kept("postgres.json"))
            .await;
    }
}

/// Starts this version on a database of a release, plays its running game to the end, and verifies everything.
async fn goes_on(url: &str, logs: &Path, flags: &[&str], keys: &[&str], kept: &Kept) {
    fs::create_dir(logs).expect("a folder");
    let node = Node::start(logs, &[&["--log", "warn", "--metrics-listen", "127.0.0.1:0"], flags].concat());
    let nobody = Client::anonymous(&node.url);
    let mut players = Vec::new();
    for name in &kept.names {
        let login = json!({"username": name, "password": PASSWORD});
        let session = nobody.send("/v1/sessions", &login).await.accepted();
        let client = nobody.with_token(session["access_token"].as_str().expect("a token"));
        let account = client.get("/v1/me").await.accepted();
        players.push(Player::new(&nobody, name, &json!({"account": account, "session": session})));
    }
    let running = Table { id: kept.running.clone(), players };
    running.play(&mut Random(3), usize::MAX).await;
    assert_eq!(running.view().await["status"], "finished");
    let client = &running.players[0].client;
    assert_eq!(client.get(&format!("/v1/games/{}/history", kept.finished)).await.accepted(), kept.history);
    let view = client.get(&format!("/v1/games/{}", kept.finished)).await.accepted();
    assert_eq!(view["log"], kept.promise, "another promise than the player kept");
    let output = run(&[&["audit", "--database", url, "--unsigned"], keys].concat());
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && told.contains("2 games"), "{told}");
    client_plays(&node.url).await;
}

/// The client of each release plays a game with this version.
async fn client_plays(url: &str) {
    for release in releases() {
        let output =
            Command::new("python3").arg(release.join("client.py")).arg(url).output().expect("python3");
        let told = [output.stdout, output.stderr].concat();
        let told = String::from_utf8_lossy(&told).into_owned();
        assert!(output.status.success() && told.contains("finished"), "{told}");
    }
}
