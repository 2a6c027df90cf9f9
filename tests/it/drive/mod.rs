mod followers;
mod load;
mod options;
mod refereed;
mod soak;
mod tokens;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::databases::{Backend, TestDatabase};
use crate::harness::node::Node;

/// All players of a drive share one address.
const LIMITS: &str = "--limit-accounts off --limit-login-address off --limit-refresh off --rate-address off \
    --rate-account off";

fn service(data: &Path) -> Node {
    let mut flags = vec!["--log", "warn", "--data-dir", data.to_str().unwrap()];
    flags.extend(LIMITS.split_whitespace());
    Node::start(data, &flags)
}

/// A service on a database, with more flags.
fn service_on(data: &Path, database: &TestDatabase, more: &[&str]) -> Node {
    let log_state = data.join("log-state");
    let mut flags = vec!["--log", "warn", "--data-dir", data.to_str().unwrap()];
    flags.extend(["--database-url", database.url_text()]);
    if database.backend() == Backend::Postgres {
        flags.extend(["--keys-secret", "a secret of the drives that nobody else uses"]);
        flags.extend(["--log-state", log_state.to_str().unwrap()]);
    }
    flags.extend(LIMITS.split_whitespace());
    flags.extend(more);
    Node::start(data, &flags)
}

/// The driver; `ESTIMATION_TEST_DRIVER` names another one.
fn driver() -> Command {
    let built = || Path::new(env!("CARGO_BIN_EXE_estimation")).with_file_name("examples").join("drive");
    let mut command =
        Command::new(std::env::var_os("ESTIMATION_TEST_DRIVER").map_or_else(built, PathBuf::from));
    command.env_clear();
    command
}

fn drive(url: &str, flags: &[&str]) -> Command {
    let mut command = driver();
    command.args(["--json", "--url", url]).args(flags);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn report(output: &Output) -> Value {
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{}\n{err}\n{out}", output.status);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["finished"], report["games"]);
    report
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
#[ignore = "all: plays whole games; the default plays shorter ones"]
fn a_single_game_prints_its_score_sheet() {
    let data = TempDir::new().unwrap();
    let node = service(data.path());
    let mut command = driver();
    command.args(["--url", &node.url, "--ruleset", "squares", "--option", "length=micro"]);
    let output = command.output().unwrap();
    let sheet = text(&output.stdout);
    assert!(output.status.success(), "{sheet}");
    assert!(sheet.contains("seat 3") && sheet.contains("rank"), "{sheet}");
    for round in 1..=5 {
        let lines = sheet.lines().filter(|line| line.starts_with(&format!("    {round} ")));
        assert_eq!(lines.count(), 1, "{sheet}");
    }
}

#[test]
fn a_table_that_cannot_be_opened_ends_with_a_failure() {
    let data = TempDir::new().unwrap();
    let node = service(data.path());
    let output = drive(&node.url, &["--option", "jokers=7"]).output().unwrap();
    assert!(!output.status.success());
    let told = text(&output.stderr);
    assert!(told.contains("POST /v1/games") && told.contains("invalid-option"), "{told}");
}

#[test]
fn an_unreachable_service_ends_the_drive() {
    let output = drive("http://127.0.0.1:9", &["--patience", "0"]).output().unwrap();
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains("POST /v1/accounts"), "{}", text(&output.stderr));
}
