//! The drills of docs/backups.md on both databases, with the lines of the page; and nodes on a database that is read-only
//! meanwhile.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use estimation_test_support::Random;
use serde_json::json;
use tempfile::TempDir;

use super::cluster::Cluster;
use super::site::Site;
use crate::documents::root;
use crate::harness::client::Client;
use crate::harness::node::{Node, free_port};
use crate::harness::table::Table;
use crate::patience::{PATIENCE, eventually};

const SECRET: &str = "a secret that all of these nodes share";

/// The blocks of shell lines of a section, in order.
fn blocks(section: &str) -> Vec<String> {
    let page = fs::read_to_string(root().join("docs/backups.md")).expect("the page");
    let (_, section) = page.split_once(&format!("\n{section}\n")).expect("the section");
    let section = section.split("\n#").next().expect("its text");
    let mut blocks = Vec::new();
    for block in section.split("\n```sh\n").skip(1) {
        blocks.push(block.split("\n```").next().expect("its end").to_owned());
    }
    blocks
}

/// A server that an operator has set up, and a shell of theirs.
struct Operated {
    folder: TempDir,
    variables: BTreeMap<&'static str, String>,
}

impl Operated {
    fn start() -> Operated {
        let folder = TempDir::new().expect("a folder");
        let (home, port) = (folder.path().to_str().expect("UTF-8").to_owned(), free_port());
        let found = Command::new("bash")
            .args(["-c", "ls -d /usr/lib/postgresql/*/bin /usr/pgsql-*/bin 2>/dev/null | sort -V | tail -1"])
            .output()
            .expect("bash");
        let bin = String::from_utf8(found.stdout).expect("a path");
        let program = Path::new(env!("CARGO_BIN_EXE_estimation")).parent().expect("a folder");
        let path = format!("{}:{}:/usr/sbin:/usr/bin:/sbin:/bin", program.display(), bin.trim());
        let variables = BTreeMap::from([
            ("PATH", path),
            ("PGDATA", format!("{home}/data")),
            ("PGHOST", home.clone()),
            ("PGPORT", port.to_string()),
            ("PGUSER", "postgres".to_owned()),
            ("BACKUP", format!("{home}/backup")),
            ("ESTIMATION_DATABASE_URL", format!("postgres://postgres@127.0.0.1:{port}/estimation")),
            ("ESTIMATION_KEYS_SECRET", SECRET.to_owned()),
            ("NEW_ORIGIN", "cards.example/second".to_owned()),
        ]);
        let operated = Operated { folder, variables };
        if is_root() {
            let owned = Command::new("chown").arg("postgres").arg(operated.folder.path()).status();
            assert!(owned.expect("chown").success());
        }
        operated.run(&format!(
            "initdb -D \"$PGDATA\" -U postgres --auth=trust --no-sync\n\
             echo \"port = {port}\nunix_socket_directories = '{home}'\nfsync = off\" >> \"$PGDATA/postgresql.conf\"\n\
             pg_ctl -D \"$PGDATA\" -l \"$PGDATA.log\" -w start\n\
             createdb estimation"
        ));
        operated
    }

    fn url(&self) -> &str {
        &self.variables["ESTIMATION_DATABASE_URL"]
    }

    /// Runs lines of a node, which refuses the variables of PostgreSQL's programs.
    fn run_on_node(&self, lines: &str) -> String {
        self.run(&format!("unset PGHOST PGPORT PGUSER\n{lines}"))
    }

    /// Runs lines as the user of PostgreSQL, and stops at the first that fails.
    fn run(&self, lines: &str) -> String {
        let mut command = Command::new(if is_root() { "runuser" } else { "bash" });
        if is_root() {
            command.args(["-u", "postgres", "--", "bash"]);
        }
        let output = command
            .args(["-euo", "pipefail", "-c", lines])
            .current_dir(self.folder.path())
            .env_clear()
            .envs(&self.variables)
            .output()
            .expect("a shell");
        let [told, complained] =
            [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        let log = fs::read_to_string(self.folder.path().join("data.log")).unwrap_or_default();
        assert!(output.status.success(), "{lines}\n{told}{complained}{log}");
        told
    }

    fn node(&self, name: &str, flags: &[&str]) -> Node {
        let folder = self.folder.path().join(name);
        fs::create_dir(&folder).expect("a folder");
        let state = folder.join("log-state");
        let own = [
            "--log",
            "warn",
            "--limit-accounts",
            "off",
            "--metrics-listen",
            "127.0.0.1:0",
            "--keys-secret",
            SECRET,
            "--database-url",
            self.url(),
            "--data-dir",
            folder.to_str().expect("UTF-8"),
            "--log-state",
            state.to_str().expect("UTF-8"),
        ];
        Node::start(&folder, &[&own[..], flags].concat())
    }
}

impl Drop for Operated {
    fn drop(&mut self) {
        let data = PathBuf::from(&self.variables["PGDATA"]);
        let stop = format!("pg_ctl -D '{}' -m immediate stop", data.display());
        let mut command = Command::new(if is_root() { "runuser" } else { "bash" });
        if is_root() {
            command.args(["-u", "postgres", "--", "bash"]);
        }
        let _stopped = command.args(["-c", &stop]).env("PATH", &self.variables["PATH"]).output();
    }
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().expect("id");
    id.stdout == b"0\n"
}

#[ignore = "all: runs, kills and freezes programs for many seconds"]
#[tokio::test]
async fn the_page_restores_a_point_in_time() {
    let blocks = blocks("### To a point in time");
    let [archive, base, check, restore, log, audit] = &blocks[..] else { panic!("{blocks:?}") };
    let mut operated = Operated::start();
    operated.run(archive);
    let mut node = operated.node("before", &[]);
    let table = Table::of_two(&Client::anonymous(&node.url)).await;
    let mut dice = Random(1);
    table.play(&mut dice, 5).await;
    operated.run(base);
    table.play(&mut dice, 5).await;
    let restored = table.version().await;
    let target = operated.run("psql -d postgres -Atc 'SELECT clock_timestamp()'").trim().to_owned();
    let lost = table.play(&mut dice, 5).await;
    assert!(lost > restored);
    let base = operated.run("ls -d \"$BACKUP\"/base-*").trim().to_owned();
    operated.variables.extend([("TARGET", target), ("BASE", base.clone())]);
    let told = operated.run_on_node(check);
    assert!(told.contains("games: 1; log: ") && told.contains("all is well"), "{told}");
    let recorded = "SELECT kind, games FROM checked_backups";
    assert_eq!(operated.run(&format!("psql -d estimation -Atc '{recorded}'")).trim(), "postgres|1");
    // Files that were changed after the backup.
    for spoil in ["echo 1 >> PG_VERSION", "truncate -s -1 global/pg_control", "rm base/*/PG_VERSION"] {
        let spoilt = "rm -rf \"$BACKUP/spoilt\"; cp -a \"$BASE\" \"$BACKUP/spoilt\"; cd \"$BACKUP/spoilt\"";
        operated.run(&format!("{spoilt}; {spoil}"));
        let told = operated.run_on_node(&format!("BASE=$BACKUP/spoilt\nif {check} 2>&1; then exit 1; fi"));
        assert!(told.contains("is not what its manifest says"), "{told}");
    }
    node.terminate();
    node.ended_within(PATIENCE).expect("its end");
    operated.run(restore);
    operated.run_on_node(log);
    let node = operated.node("after", &["--log-origin", "cards.example/second"]);
    node.is_ready_again().await;
    let mut again = table.at(&node.url);
    again.players.iter_mut().for_each(|player| player.client = player.client.apart());
    assert_eq!(again.version().await, restored, "the state of that time, and no later one");
    again.play(&mut dice, 5).await;
    operated.variables.insert("URL", node.url.clone());
    let told = operated.run_on_node(audit);
    println!("{told}");
    assert!(told.contains("1 game"), "{told}");
}

#[ignore = "all: runs, kills and freezes programs for many seconds"]
#[tokio::test]
async fn the_page_restores_a_copy_of_sqlite() {
    let blocks = blocks("## SQLite");
    let [backup, restore, audit] = &blocks[..] else { panic!("{blocks:?}") };
    let folder = TempDir::new().expect("a folder");
    let place = |name: &str| folder.path().join(name).display().to_string();
    let run = |lines: &str, url: &str| {
        let program = Path::new(env!("CARGO_BIN_EXE_estimation")).parent().expect("a folder");
        let output = Command::new("bash")
            .args(["-euo", "pipefail", "-c", lines])
            .current_dir(folder.path())
            .env_clear()
            .env("PATH", format!("{}:/usr/bin:/bin", program.display()))
            .envs([("DATA", place("data")), ("COPY", place("copy.db")), ("URL", url.to_owned())])
            .env("NEW_ORIGIN", "cards.example/second")
            .output()
            .expect("a shell");
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{lines}\n{told}{}", String::from_utf8_lossy(&output.stderr));
        told
    };
    let metrics = format!("127.0.0.1:{}", free_port());
    let start = |origin: &str, name: &str| {
        let logs = folder.path().join(name);
        fs::create_dir(&logs).expect("a folder");
        let data = place("data");
        let state = place(&format!("{name}/log-state"));
        let flags = ["--log", "warn", "--limit-accounts", "off", "--data-dir", &data, "--log-origin", origin];
        Node::start(&logs, &[&flags[..], &["--log-state", &state, "--metrics-listen", &metrics]].concat())
    };
    let mut node = start("cards.example/first", "before");
    let table = Table::of_two(&Client::anonymous(&node.url)).await;
    let mut dice = Random(1);
    table.play(&mut dice, 5).await;
    let copied = table.version().await;
    let told = run(backup, "");
    assert!(told.contains("games: 1; log: ") && told.contains("all is well"), "{told}");
    eventually("the age of the backup is told", async || {
        let client = crate::web::client().build().expect("a client");
        let answer = client.get(format!("http://{metrics}/metrics")).send().await.expect("an answer");
        answer.text().await.expect("the metrics").contains("\nestimation_backup_age_seconds ")
    })
    .await;
    table.play(&mut dice, 5).await;
    node.terminate();
    node.ended_within(PATIENCE).expect("its end");
    run(restore, "");
    let node = start("cards.example/second", "after");
    let again = table.at(&node.url);
    assert_eq!(again.version().await, copied, "the state of the copy");
    again.play(&mut dice, usize::MAX).await;
    let told = run(audit, &node.url);
    assert!(told.contains("1 game"), "{told}");
}

/// A standby is read-only, like a server whose recovery is paused.
#[ignore = "all: runs, kills and freezes programs for many seconds"]
#[tokio::test]
async fn a_node_starts_on_a_read_only_database() {
    let primary = Cluster::new();
    let site = Site::at(&format!("{}/postgres", primary.url));
    let node = site.node();
    let table = Table::of_two(&Client::anonymous(&node.url)).await;
    let standby = primary.standby();
    let version = table.version().await;
    let reader = site.node_through(&format!("{}/postgres", standby.url), &[]);
    let there = table.at(&reader.url);
    eventually("the standby has the game", async || {
        let view = there.seat(0).view().await;
        view.status == 200 && view.json()["version"] == version
    })
    .await;
    there.any_move().await.unavailable();
    let readiness = async || Client::anonymous(&reader.url).get("/readyz").await;
    let refused = json!({"status": "ok", "writes": "refused", "reason": "read-only"});
    eventually("the node says why", async || readiness().await.accepted() == refused).await;
    drop(node);
    primary.crash();
    standby.promote();
    eventually("writes are accepted", async || {
        let answer = readiness().await;
        answer.status == 200 && answer.json()["writes"] == "accepted"
    })
    .await;
    there.moves_again().await;
}
