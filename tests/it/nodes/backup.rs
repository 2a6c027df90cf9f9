//! Backups of an SQLite database during play.

use std::os::unix::fs::PermissionsExt;
use std::process::Output;
use std::sync::atomic::Ordering;

use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use diesel::sql_types::Text;
use sha2::{Digest as _, Sha256};
use tokio::task::spawn_blocking;

use super::audit::{Log, audit};
use super::driver::{Drive, Driver};
use crate::harness::table::Table;
use crate::prelude::*;

#[derive(QueryableByName)]
struct Finding {
    #[diesel(sql_type = Text)]
    integrity_check: String,
}

fn backup(url: &str, file: &Path) -> Output {
    run(&["backup", "--database-url", url, file.to_str().expect("a path")])
}

fn opened(file: &Path) -> (SqliteConnection, BTreeMap<String, Log>) {
    let establish = || SqliteConnection::establish(file.to_str().expect("a path")).expect("SQLite");
    let mut conn = establish();
    let findings: Vec<Finding> =
        diesel::sql_query("PRAGMA integrity_check").load(&mut conn).expect("a check");
    assert_eq!(findings.iter().map(|finding| finding.integrity_check.as_str()).collect::<Vec<_>>(), ["ok"]);
    (conn, audit(&mut Outsider::Sqlite(establish())))
}

#[ignore = "all: runs, kills and freezes programs for many seconds"]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_of_a_running_database_is_whole() {
    let site = Site::new(Backend::Sqlite);
    let node = site.node();
    let drive = Drive::new(vec![node.url.clone()]);
    let mut driving = Vec::new();
    for number in 0..4 {
        let nobody = Client::anonymous(&node.url);
        let players = vec![nobody.register("noor").await, nobody.register("omar").await];
        let wish = json!({"ruleset": "nineteen", "players": 2});
        driving.push(tokio::spawn(Driver::of(&drive, players, wish, number).run()));
    }
    let folder = TempDir::new().expect("a folder");
    let copies: Vec<_> = (0..6).map(|number| folder.path().join(format!("copy-{number}.db"))).collect();
    for (number, copy) in copies.iter().enumerate() {
        while drive.commands.load(Ordering::Relaxed) < 40 * (number + 1) {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        let (url, file) = (site.url().to_owned(), copy.clone());
        let output = spawn_blocking(move || backup(&url, &file)).await.expect("no panic");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    drive.enough.store(true, Ordering::Relaxed);
    for driver in driving {
        driver.await.expect("a driver that finished its games");
    }
    drive.were_told_the_truth();
    assert_eq!(drive.stale.load(Ordering::Relaxed), 0, "commands refused by an old state");

    let original = opened(Path::new(site.url().trim_start_matches("sqlite://"))).1;
    let mut sizes = Vec::new();
    for copy in &copies {
        let (_, logs) = opened(copy);
        for (id, log) in &logs {
            let hashes = |log: &Log| log.events.iter().map(|event| event.hash.clone()).collect::<Vec<_>>();
            assert!(
                hashes(&original[id]).starts_with(&hashes(log)),
                "game {id} is no prefix of the original"
            );
        }
        sizes.push(logs.values().map(|log| log.events.len()).sum::<usize>());
    }
    println!(
        "{sizes:?} events in the copies, {} in the end",
        original.values().map(|log| log.events.len()).sum::<usize>()
    );
    assert!(sizes.windows(2).all(|pair| pair[0] < pair[1]), "{sizes:?}");
    let files =
        fs::read_dir(folder.path()).expect("the folder").map(|entry| entry.expect("an entry").file_name());
    let names: Vec<String> = files.map(|name| name.into_string().expect("a name")).collect();
    assert!(names.iter().all(|name| !name.contains("partial")), "{names:?}");
}

/// A backup is a database: its games continue, with the same keys and accounts.
#[ignore = "all: runs, kills and freezes programs for many seconds"]
#[tokio::test]
async fn a_backup_can_be_served() {
    let site = Site::new(Backend::Sqlite);
    let node = site.node();
    let table = Table::of_two(&Client::anonymous(&node.url)).await;
    let mut dice = Random(4);
    table.play(&mut dice, 30).await;
    let copied = table.view().await;
    let folder = TempDir::new().expect("a folder");
    let copy = folder.path().join("copy.db");
    assert!(backup(site.url(), &copy).status.success());
    assert_eq!(fs::metadata(&copy).expect("the copy").permissions().mode() & 0o777, 0o600);
    table.play(&mut dice, 10).await;

    let restored = site.node_through(&format!("sqlite://{}", copy.display()), &[]);
    let again = table.at(&restored.url);
    // Presence is not in the backup: both players make a request.
    again.seat(1).view().await.accepted();
    assert_eq!(again.view().await, copied);
    again.play(&mut Random(5), usize::MAX).await;
    assert_eq!(again.view().await["status"], "finished");
    assert_ne!(table.view().await["status"], "finished");
}

fn check(file: &Path, flags: &[&str]) -> Output {
    run(&[&["backup", "check", file.to_str().expect("a path")], flags].concat())
}

fn manifest_of(copy: &Path) -> PathBuf {
    format!("{}.manifest.json", copy.display()).into()
}

/// Changes a copy, and its manifest to match, as an attacker does.
fn forge(copy: &Path, sql: &str) {
    let mut conn = SqliteConnection::establish(copy.to_str().expect("a path")).expect("SQLite");
    conn.batch_execute(sql).expect("a change");
    drop(conn);
    let bytes = fs::read(copy).expect("the copy");
    let text = fs::read_to_string(manifest_of(copy)).expect("the manifest");
    let mut manifest: Value = serde_json::from_str(&text).expect("JSON");
    manifest["bytes"] = bytes.len().into();
    manifest["sha256"] = hex::encode(Sha256::digest(&bytes)).into();
    fs::write(manifest_of(copy), manifest.to_string()).expect("a manifest");
}

#[ignore = "all: runs, kills and freezes programs for many seconds"]
#[tokio::test]
async fn a_backup_is_checked_by_restoring_it() {
    let site = Site::new(Backend::Sqlite);
    let node = site.node();
    let table = Table::of_two(&Client::anonymous(&node.url)).await;
    table.play(&mut Random(4), usize::MAX).await;
    let folder = TempDir::new().expect("a folder");
    let copy = folder.path().join("copy.db");
    assert!(backup(site.url(), &copy).status.success());
    let names = || {
        let files = fs::read_dir(folder.path()).expect("the folder");
        files.map(|file| file.expect("a file").file_name()).collect::<BTreeSet<_>>()
    };
    let whole = BTreeSet::from(["copy.db".into(), "copy.db.manifest.json".into()]);
    assert_eq!(names(), whole);

    let keys = site.keys_file();
    let known = ["--keys-file", keys.as_str()];
    let output = check(&copy, &[&known[..], &["--json"]].concat());
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(output.status.success(), "{report}");
    assert_eq!(report["manifest"]["contents"]["games"], json!({"finished": 1}));
    assert!(report["age_seconds"].is_u64() && report["manifest"]["made_at"].is_string(), "{report}");
    assert_eq!((&report["audit"]["outcome"], &report["audit"]["wrong"]), (&json!("sound"), &json!(0)));
    let output = check(&copy, &known);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && told.contains("games: 1; log: ") && told.contains(" ago"), "{told}");
    assert_eq!(check(&copy, &[]).status.code(), Some(2), "no keys were given");
    assert_eq!(names(), whole, "a check leaves something behind");

    let kept = (fs::read(&copy).expect("the copy"), fs::read(manifest_of(&copy)).expect("the manifest"));
    let restore = || {
        fs::write(&copy, &kept.0).expect("the copy");
        fs::write(manifest_of(&copy), &kept.1).expect("the manifest");
    };
    let refused = |why: &str| {
        let output = check(&copy, &known);
        let told = [output.stdout, output.stderr].concat();
        let told = String::from_utf8_lossy(&told).into_owned();
        assert!(!output.status.success() && told.contains(why), "{told}");
        restore();
    };
    let mut flipped = kept.0.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 1;
    fs::write(&copy, flipped).expect("a damaged copy");
    refused("is not the file of its manifest");
    fs::write(&copy, &kept.0[..middle]).expect("half a copy");
    refused("is not the file of its manifest");
    forge(&copy, "UPDATE log_tree SET size = size + 1");
    refused("holds other games or logs than its manifest says");
    forge(&copy, "UPDATE accounts SET role = 'admin'");
    refused("found to be wrong");
    fs::remove_file(manifest_of(&copy)).expect("no manifest");
    refused("copy.db.manifest.json: No such file");
    assert!(check(&copy, &known).status.success());
}

#[ignore = "all: runs, kills and freezes programs for many seconds"]
#[test]
fn a_backup_overwrites_no_file() {
    let site = Site::new(Backend::Sqlite);
    drop(site.node());
    let folder = TempDir::new().expect("a folder");
    let refused = |url: &str, file: &Path, why: &str| {
        let output = backup(url, file);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && told.contains(why), "{told}");
    };
    let copy = folder.path().join("copy.db");
    fs::write(&copy, "precious").expect("a file");
    refused(site.url(), &copy, "already exists");
    assert_eq!(fs::read_to_string(&copy).expect("the file"), "precious");

    let other = folder.path().join("other.db");
    let nowhere = folder.path().join("nowhere.db");
    refused(&format!("sqlite://{}", nowhere.display()), &other, "there is no database");
    assert!(!nowhere.exists(), "looking for a database makes none");
    let postgres = "postgres://nobody@127.0.0.1:9/none";
    let why = "PostgreSQL is backed up with its own tools: see docs/backups.md";
    refused(postgres, &other, why);
    for output in [
        check(Path::new(postgres), &["--unsigned"]),
        check(&copy, &["--unsigned", "--database-url", postgres]),
    ] {
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && told.contains(why), "{told}");
    }
    refused(site.url(), &folder.path().join("no/such/folder.db"), "no/such/folder.db");
    refused(&format!("sqlite://{}", copy.display()), &other, "file is not a database");
    fs::write(manifest_of(&other), "precious").expect("a file");
    refused(site.url(), &other, "other.db.manifest.json already exists");
    assert!(!other.exists());
    fs::remove_file(manifest_of(&other)).expect("one file less");
    let mut left: Vec<_> = fs::read_dir(folder.path())
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    left.sort();
    assert_eq!(left, ["copy.db"]);
}
