//! The driver against a service, both as the processes they are.

mod crashes;
mod load;
mod options;
mod refereed;
mod tokens;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;

use serde_json::Value;
use tempfile::TempDir;

/// A service on a port of its own; killed when dropped.
struct Service {
    process: Child,
    url: String,
}

impl Service {
    fn start(data: &Path, listen: &str) -> Service {
        let mut command = program("serve");
        command.args(["--log", "warn", "--listen", listen, "--data-dir"]).arg(data);
        // All players of a drive come from one address.
        command.args(["--limit-accounts", "off", "--limit-login-address", "off", "--limit-refresh", "off"]);
        command.args(["--rate-address", "off", "--rate-account", "off"]);
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        let url = first.split_whitespace().last().unwrap().to_owned();
        assert!(url.starts_with("http://"), "{first}");
        thread::spawn(move || lines.for_each(drop));
        Service { process, url }
    }

    /// The process id.
    fn id(&self) -> u32 {
        self.process.id()
    }

    /// Ends the process as a power cut would: SIGKILL.
    fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// The server with a subcommand and an empty environment.
fn program(subcommand: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_estimation"));
    command.env_clear().arg(subcommand);
    command
}

/// The driver with an empty environment.
fn driver() -> Command {
    let mut command = Command::new(tool("drive"));
    command.env_clear();
    command
}

/// The path of a program of the crate `estimation-tools`.
pub fn tool(name: &str) -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_estimation")).with_file_name("examples").join(name)
}

/// A drive that reports in JSON.
fn drive(url: &str, flags: &[&str]) -> Command {
    let mut command = driver();
    command.args(["--json", "--url", url]).args(flags);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The report of a drive that went as it should.
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
fn a_game_alone_prints_its_score_sheet() {
    let data = TempDir::new().unwrap();
    let service = Service::start(data.path(), "127.0.0.1:0");
    let mut command = driver();
    command.args(["--url", &service.url, "--ruleset", "squares", "--option", "length=micro"]);
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
    let service = Service::start(data.path(), "127.0.0.1:0");
    let output = drive(&service.url, &["--option", "jokers=7"]).output().unwrap();
    assert!(!output.status.success());
    let told = text(&output.stderr);
    assert!(told.contains("POST /v1/games") && told.contains("invalid-option"), "{told}");
}

#[test]
fn a_service_that_is_not_there_is_given_up() {
    let output = drive("http://127.0.0.1:9", &["--patience", "0"]).output().unwrap();
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains("POST /v1/accounts"), "{}", text(&output.stderr));
}
