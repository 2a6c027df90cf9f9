//! `estimation check`: says what is wrong before a server is started, and of one that runs.

use std::net::TcpListener;

use super::site::SECRET;
use crate::documents::root;
use crate::prelude::*;

/// The report, and the verdicts with their texts by area.
fn checked(flags: &[&str]) -> (bool, BTreeMap<String, Vec<String>>) {
    let free = ["check", "--json", "--metrics-listen", "127.0.0.1:0"];
    let output = run(&[&free, flags].concat());
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for finding in report["findings"].as_array().expect("findings") {
        let text = |name: &str| finding[name].as_str().unwrap_or_default().to_owned();
        assert_eq!(
            text("verdict") == "good",
            text("why").is_empty() && text("remedy").is_empty(),
            "{finding}"
        );
        found.entry(text("area")).or_default().push(format!("{}: {}", text("verdict"), text("what")));
    }
    let problems = found.values().flatten().filter(|line| line.starts_with("problem")).count();
    assert_eq!(report["problems"], problems, "{report}");
    assert_eq!(output.status.success(), problems == 0, "{report}");
    (problems == 0, found)
}

#[track_caller]
fn is_wrong(flags: &[&str], area: &str, what: &str) {
    let (is_sound, found) = checked(flags);
    let lines = found.get(area).cloned().unwrap_or_default();
    let is_told = lines.iter().any(|line| line.starts_with("problem: ") && line.contains(what));
    assert!(!is_sound && is_told, "{what:?} is not in {found:?}");
}

/// As after a restore by root: the file has another owner than its folder. Only root can try it.
fn is_wrong_owner(flags: &[&str], database: &Path) {
    use std::os::unix::fs::{MetadataExt as _, chown};
    let owner = database.metadata().expect("the file").uid();
    if chown(database, Some(12_345), None).is_ok() {
        is_wrong(flags, "database", "does not belong to the owner of its folder");
        chown(database, Some(owner), None).expect("the former owner");
    }
}

#[test]
fn a_check_before_the_first_start_changes_nothing() {
    let folder = TempDir::new().expect("a folder");
    let data = folder.path().join("new");
    let data = data.to_str().expect("a path");
    let flags = ["--listen", "127.0.0.1:0", "--data-dir", data];
    let (is_sound, found) = checked(&flags);
    assert!(is_sound && found["keys"][0].contains("the first start creates"), "{found:?}");
    assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 0);
    let output = run(&[&["check", "--metrics-listen", "127.0.0.1:0"], &flags[..]].concat());
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && told.contains("problems: 0, "), "{told}");
}

#[test]
fn settings_that_do_not_work_are_named() {
    let folder = TempDir::new().expect("a folder");
    let data = folder.path().to_str().expect("a path");
    let base = ["--listen", "127.0.0.1:0", "--data-dir", data];
    let with = |flags: &[&'static str]| [&base[..], flags].concat();
    is_wrong(&with(&["--oidc-issuers", "/no/such/file"]), "settings", "/no/such/file");
    is_wrong(&with(&["--smtp-url", "smtp://localhost"]), "settings", "mail-from");
    is_wrong(&with(&["--trusted-proxy", "0.0.0.0/0"]), "proxy", "every address");
    is_wrong(&with(&["--public-url", "https://localhost:9"]), "proxy", "no proxy is trusted");
    is_wrong(&with(&["--max-connections", "4000000000"]), "files", "open-file limit");
    is_wrong(&with(&["--database-url", "mysql://localhost"]), "database", "unknown database URL scheme");
    let nobody = "postgres://nobody@127.0.0.1:9/none";
    is_wrong(&with(&["--database-url", nobody]), "database", "127.0.0.1:9");
    let sealed = ["--database-url", nobody, "--keys-secret", "a secret that all of these nodes share"];
    assert_eq!(
        checked(&with(&sealed)).1.get("keys"),
        None,
        "nobody knows what keys an unreachable database has"
    );
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("its address").to_string();
    is_wrong(&["--data-dir", data, "--listen", &address], "ports", "in use");
    let (_, found) = checked(&with(&["--public-url", "https://localhost:9", "--trusted-proxy", "127.0.0.1"]));
    assert!(found["proxy"].iter().any(|line| line.contains("does not lead to a server")), "{found:?}");
    assert!(found["log"].iter().any(|line| line.contains("no witness")), "{found:?}");
}

#[tokio::test]
async fn a_server_that_runs_is_checked_and_its_troubles_are_named() {
    let site = Site::new(Backend::Sqlite);
    let node = site.node();
    Table::of_two(&Client::anonymous(&node.url)).await;
    let keys = site.keys_file();
    let address = node.url.trim_start_matches("http://").trim_end_matches('/').to_owned();
    let log_state = Path::new(&keys).with_file_name("log-state").display().to_string();
    let flags =
        ["--database-url", site.url(), "--keys-file", &keys, "--listen", &address, "--log-state", &log_state];
    let (is_sound, found) = checked(&flags);
    assert!(is_sound, "{found:?}");
    assert!(found["ports"][0].contains("a running server answers"), "{found:?}");
    assert!(found["log"][0].contains("entries"), "{found:?}");

    // The database is replaced by a copy. The check names it, and leaves the log alone, which has what the copy lacks.
    let database = Path::new(site.url().trim_start_matches("sqlite://")).to_owned();
    let (aside, log) = (database.with_extension("aside"), format!("{}-wal", database.display()));
    Client::anonymous(&node.url).send("/v1/accounts/guest", &serde_json::json!({})).await.accepted();
    fs::rename(&database, &aside).expect("moved");
    fs::copy(&aside, &database).expect("a copy");
    let ready = Client::anonymous(&node.url);
    eventually("the node notices it", async || ready.get("/readyz").await.status == 503).await;
    let before = fs::read(&log).expect("the log");
    assert!(!before.is_empty());
    is_wrong(&flags, "server", "database-replaced");
    assert!(fs::read(&log).expect("the log") == before, "the check changed the log");
    fs::rename(&aside, &database).expect("put back");
    // Of a server that was killed, an audit leaves the log as it is.
    drop(node);
    let before = fs::read(&log).expect("the log");
    assert!(!before.is_empty());
    let audited = run(&["audit", "--database", site.url(), "--keys-file", &keys]);
    assert!(audited.status.success(), "{}", String::from_utf8_lossy(&audited.stdout));
    assert!(fs::read(&log).expect("the log") == before, "the audit changed the log");
    is_wrong_owner(&flags, &database);

    let permit = |file: &Path, mode: u32| {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(file, fs::Permissions::from_mode(mode)).expect("a mode");
    };
    permit(&database, 0o644);
    is_wrong(&flags, "database", "mode 644");
    permit(&database, 0o600);
    permit(Path::new(&keys), 0o640);
    is_wrong(&flags, "keys", "mode 640");
    permit(Path::new(&keys), 0o600);
    let elsewhere = ["--database-url", site.url(), "--keys-file", "/no/such/keys", "--listen", "127.0.0.1:0"];
    is_wrong(&elsewhere, "keys", "/no/such/keys");
    fs::write(&log_state, "nonsense").expect("a damaged state");
    is_wrong(&flags, "log", "it is not signed");
    fs::write(&database, "nonsense".repeat(1_000)).expect("a damaged database");
    is_wrong(&flags, "database", "file is not a database");
}

#[tokio::test]
async fn postgres_is_checked() {
    let site = Site::new(Backend::Postgres);
    let node = site.node();
    let log_state = Path::new(&site.keys_file()).with_file_name("log-state").display().to_string();
    let address = node.url.trim_start_matches("http://").trim_end_matches('/').to_owned();
    let flags = [
        "--database-url",
        site.url(),
        "--keys-secret",
        SECRET,
        "--listen",
        &address,
        "--log-state",
        &log_state,
    ];
    // A server for tests may do without the disk.
    let is_wrong_otherwise = |line: &String| line.starts_with("problem: ") && !line.contains("fsync");
    let is_sound = async || !checked(&flags).1.values().flatten().any(is_wrong_otherwise);
    eventually("the log is signed", is_sound).await;
    let (_, found) = checked(&flags);
    assert!(found["clock"].iter().any(|line| line == "good: agrees with PostgreSQL's"), "{found:?}");
    assert!(found["database"].iter().any(|line| line.contains("is up to date")), "{found:?}");
    is_wrong(
        &["--database-url", site.url(), "--listen", "127.0.0.1:0"],
        "keys",
        "all nodes need the same keys",
    );
}

/// The package's settings are read with the unit's own command, with `config` in place of `serve`.
#[test]
fn the_unit_starts_the_program_with_the_settings_of_the_package() {
    let read = |name: &str| fs::read_to_string(root().join("packaging").join(name)).expect("a file");
    let unit = read("estimation.service");
    let command =
        unit.lines().find_map(|line| line.strip_prefix("ExecStart=/usr/bin/estimation ")).expect("a command");
    let settings = root().join("packaging/estimation.toml").display().to_string();
    let command =
        command.replace("/etc/estimation/estimation.toml", &settings).replacen("serve", "config", 1);
    let output = run(&command.split(' ').collect::<Vec<_>>());
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(told.contains("data-dir = \"/var/lib/estimation\" # file"), "{told}");
    // The commented settings are settings too.
    let all = read("estimation.toml")
        .replace("# public", "public")
        .replace("# trusted", "trusted")
        .replace("# log-o", "log-o");
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("all.toml");
    fs::write(&file, all).expect("a file");
    let output = run(&["config", "--config", file.to_str().expect("a path")]);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success() && told.contains("log-origin = \"cards.example.org/log\" # file"),
        "{told}"
    );
}
