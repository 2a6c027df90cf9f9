//! The drills of docs/backups.md on both databases, with the lines of the page; and nodes on a database that is read-only
//! meanwhile.

use std::process::{Command, Output};

use super::cluster::Cluster;
use crate::documents::root;
use crate::harness::node::free_port;
use crate::prelude::*;

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
        let home = folder.path().to_str().expect("UTF-8").to_owned();
        let (port, spare) = (free_port(), free_port());
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
            ("RESTORED", format!("{home}/restored")),
            ("PORT", spare.to_string()),
            ("RESTORED_URL", format!("postgres://postgres@127.0.0.1:{spare}/estimation")),
            ("PGBACKREST_CONFIG", format!("{home}/pgbackrest.conf")),
            ("PGBACKREST_PG1_PORT", port.to_string()),
            ("PGBACKREST_PG1_SOCKET_PATH", home.clone()),
            ("PGBACKREST_LOCK_PATH", format!("{home}/locks")),
            ("PGBACKREST_LOG_LEVEL_FILE", "off".to_owned()),
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
             mkdir \"$BACKUP\"\n\
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
        let (output, log) = self.shell(lines);
        let [told, complained] =
            [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        assert!(output.status.success(), "{lines}\n{told}{complained}{log}");
        told
    }

    /// Runs lines of which one fails, and returns what programs and servers said.
    fn run_refused(&self, lines: &str) -> String {
        let (output, log) = self.shell(lines);
        let told = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned() + &log;
        assert!(!output.status.success(), "{lines}\n{told}");
        told
    }

    /// What lines say, and the logs of the servers.
    fn shell(&self, lines: &str) -> (Output, String) {
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
        let logs = ["PGDATA", "RESTORED"].iter().filter_map(|folder| self.variables.get(folder));
        (output, logs.map(|folder| fs::read_to_string(format!("{folder}.log")).unwrap_or_default()).collect())
    }

    /// Whether a program is installed.
    fn has(&self, program: &str) -> bool {
        self.shell(&format!("command -v {program}")).0.status.success()
    }

    /// Ends a segment of the write-ahead log, waits until it is archived, and returns its name.
    async fn archived_segment(&self) -> String {
        let ask = |query: &str| self.run(&format!("psql -d postgres -Atc \"{query}\"")).trim().to_owned();
        let segment = ask("SELECT pg_walfile_name(pg_current_wal_lsn())");
        ask("SELECT pg_switch_wal()");
        eventually("the segment is archived", async || {
            ask("SELECT last_archived_wal FROM pg_stat_archiver") >= segment
        })
        .await;
        segment
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
        let _stopped = self.shell(
            "for one in \"$PGDATA\" \"$RESTORED\"; do pg_ctl -D \"$one\" -m immediate stop || true; done",
        );
    }
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().expect("id");
    id.stdout == b"0\n"
}

/// The drill of one of the two ways to back up PostgreSQL. `faults` are lines that damage a backup, and what is said of it.
async fn drill(section: &str, folder_of_segments: &str, faults: &[(&str, &str)]) {
    let (way, check, loss) =
        (blocks(section), blocks("### Check a restored backup"), blocks("### After a loss"));
    let [archive, backup, restore] = &way[..] else { panic!("{way:?}") };
    let [wait, audit, discard] = &check[..] else { panic!("{check:?}") };
    let [replace, log] = &loss[..] else { panic!("{loss:?}") };
    let mut operated = Operated::start();
    operated.run(archive);
    let mut node = operated.node("before", &[]);
    let table = Table::of_two(&Client::anonymous(&node.url)).await;
    let mut dice = Random(1);
    table.play(&mut dice, 5).await;
    operated.run(backup);
    // pgBackRest keeps the end of a backup in whole seconds, and takes a backup whose second is before the target's.
    operated.run("second=$(date +%s); until [ \"$(date +%s)\" -gt \"$second\" ]; do sleep 0.05; done");
    table.play(&mut dice, 3).await;
    let segment = operated.archived_segment().await;
    table.play(&mut dice, 2).await;
    let restored = table.version().await;
    let target = operated.run("psql -d postgres -Atc 'SELECT clock_timestamp()'").trim().to_owned();
    let lost = table.play(&mut dice, 5).await;
    assert!(lost > restored);
    operated.archived_segment().await;
    operated.variables.insert("TARGET", target);
    let base = operated.run("ls -d \"$BACKUP\"/base-* 2>/dev/null || true").trim().to_owned();
    operated.variables.insert("BASE", base);

    // Files of the backup that were changed or are missing.
    operated.run("cp -a \"$BACKUP\" \"$BACKUP.kept\"");
    let repair = "rm -r \"$BACKUP\"; cp -a \"$BACKUP.kept\" \"$BACKUP\"";
    for (fault, refusal) in faults {
        operated.run(fault);
        let told = operated.run_refused(restore);
        assert!(told.contains(refusal), "{fault}: {told}");
        operated.run(&format!("rm -rf \"$RESTORED\" \"$RESTORED.log\"; {repair}"));
    }
    // A missing segment of the write-ahead log.
    operated.run(&format!("rm \"$BACKUP\"/{folder_of_segments}/{segment}*"));
    let told = operated.run_refused(&format!("{restore}\n{wait}"));
    assert!(told.contains("recovery ended before configured recovery target was reached"), "{told}");
    operated.run_refused(&format!("unset PGHOST PGPORT PGUSER\n{audit}"));
    operated.run(&format!("rm -r \"$RESTORED\" \"$RESTORED.log\"; {repair}"));

    let recorded = "psql -d estimation -Atc 'SELECT kind, games FROM checked_backups'";
    assert_eq!(operated.run(recorded), "", "what was refused is not recorded");
    operated.run(restore);
    operated.run(wait);
    let told = operated.run_on_node(audit);
    assert!(told.contains("1 game") && told.contains("all is well"), "{told}");
    assert_eq!(operated.run(recorded).trim(), "postgres|1");
    operated.run(discard);

    node.terminate();
    node.ended_within(PATIENCE).expect("its end");
    operated.run(restore);
    operated.run(wait);
    operated.run(replace);
    operated.run_on_node(log);
    let node = operated.node("after", &["--log-origin", "cards.example/second"]);
    node.is_ready_again().await;
    let mut again = table.at(&node.url);
    again.players.iter_mut().for_each(|player| player.client = player.client.apart());
    assert_eq!(again.version().await, restored, "the state of that time, and no later one");
    again.play(&mut dice, 5).await;
}

#[ignore = "all: runs, kills and freezes programs for many seconds"]
#[tokio::test]
async fn the_page_restores_a_base_backup() {
    let faults = [
        ("echo 1 >> \"$BASE/PG_VERSION\"", "\"PG_VERSION\" has size 5 on disk but size 3 in the manifest"),
        ("sed -i s/all/ALL/ \"$BASE/pg_hba.conf\"", "checksum mismatch for file \"pg_hba.conf\""),
        (
            "rm \"$BASE/global/pg_control\"",
            "\"global/pg_control\" is present in the manifest but not on disk",
        ),
        ("rm \"$BASE\"/pg_wal/0*", "WAL parsing failed"),
    ];
    drill("### With pg_basebackup", "wal", &faults).await;
}

#[ignore = "all: runs, kills and freezes programs for many seconds"]
#[tokio::test]
async fn the_page_restores_with_pgbackrest() {
    if !Operated::start().has("pgbackrest") {
        println!("!!!! PGBACKREST IS NOT INSTALLED: ITS LINES ON THE PAGE OF BACKUPS WERE NOT TESTED !!!!");
        return;
    }
    let copy = "\"$BACKUP\"/repository/backup/estimation/latest/pg_data";
    let changed = format!("cp {copy}/pg_hba.conf.gz {copy}/PG_VERSION.gz");
    let missing = format!("rm {copy}/global/pg_control.gz");
    let faults = [(&*changed, "PG_VERSION"), (&*missing, "unable to open missing file")];
    drill("### With pgBackRest", "repository/archive/estimation/*/*", &faults).await;
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
