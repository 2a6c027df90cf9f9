//! The driver against a server of its own, both as the processes they are.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use serde_json::Value;
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_estimation");

/// A service on a port of its own; killed when dropped.
struct Service {
    process: Child,
    url: String,
}

impl Service {
    fn start(data: &Path, listen: &str) -> Service {
        let mut command = Command::new(PROGRAM);
        command.args(["serve", "--log", "warn", "--listen", listen, "--data-dir"]).arg(data);
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        let url = first.split_whitespace().last().unwrap().to_owned();
        assert!(url.starts_with("http://"), "{first}");
        thread::spawn(move || lines.for_each(drop));
        Service { process, url }
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

fn drive(url: &str, flags: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(["drive", "--json", "--url", url]).args(flags);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The report of a drive that went as it should.
fn report(output: &Output) -> Value {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}\n{err}\n{out}", output.status);
    serde_json::from_str(&out).unwrap()
}

/// Plays every value of every option of a ruleset.
fn plays_every_option(ruleset: &str, flags: &[&str]) -> Value {
    let data = TempDir::new().unwrap();
    let service = Service::start(data.path(), "127.0.0.1:0");
    let mut all = vec!["--ruleset", ruleset, "--options", "--verify", "--sample-refusals", "--seed", "3"];
    all.extend(flags);
    let report = report(&drive(&service.url, &all).output().unwrap());
    assert_eq!(report["finished"], report["games"]);
    assert!(report["games"].as_u64() >= Some(9), "{report}");
    assert!(report["refusals"].as_u64() > Some(100), "{report}");
    report
}

#[test]
fn nineteen_is_played_with_every_option_and_number_of_players() {
    let report = plays_every_option("nineteen", &["--revoke-rate", "0.1"]);
    assert!(report["revokes"].as_u64() > Some(0), "{report}");
}

#[test]
fn squares_is_played_with_every_option() {
    plays_every_option("squares", &["--option", "length=micro"]);
}

#[test]
fn kabooot_is_played_with_every_option() {
    plays_every_option("kabooot", &["--option", "length=micro"]);
}

#[test]
fn plain_is_played_with_every_option() {
    plays_every_option("plain", &["--option", "length=micro"]);
}

#[test]
fn double_risk_is_played_with_every_option() {
    plays_every_option("double-risk", &["--option", "length=micro"]);
}

#[test]
fn a_game_alone_prints_its_score_sheet() {
    let data = TempDir::new().unwrap();
    let service = Service::start(data.path(), "127.0.0.1:0");
    let mut command = Command::new(PROGRAM);
    command.args(["drive", "--url", &service.url, "--ruleset", "squares", "--option", "length=micro"]);
    let output = command.output().unwrap();
    let sheet = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{sheet}");
    assert!(sheet.contains("seat 3") && sheet.contains("rank"), "{sheet}");
    assert_eq!(
        sheet.lines().filter(|line| line.trim_start().starts_with(['1', '2', '3', '4', '5'])).count(),
        5
    );
}

#[test]
fn a_drive_that_cannot_be_played_ends_with_a_failure() {
    let data = TempDir::new().unwrap();
    let service = Service::start(data.path(), "127.0.0.1:0");
    let output = drive(&service.url, &["--option", "jokers=7"]).output().unwrap();
    assert!(!output.status.success());
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("POST /v1/games") && told.contains("invalid-option"), "{told}");
}

#[test]
fn a_killed_service_loses_no_acknowledged_command() {
    let data = TempDir::new().unwrap();
    let address = free_address();
    let mut service = Service::start(data.path(), &address);
    let acknowledged = data.path().join("acknowledged.ndjson");
    let file = acknowledged.to_str().unwrap();
    let driver = drive(
        &service.url,
        &["--games", "100", "--concurrency", "32", "--players", "2", "--verify", "--acknowledged", file],
    );
    let driver = Driver::start(driver);
    // Twice in the middle of it: early, and when the first games are over.
    for lines in [2_000, 12_000] {
        driver.wait_for(&acknowledged, lines);
        service.kill();
        service = Service::start(data.path(), &address);
    }
    let report = report(&driver.output());
    assert_eq!(report["finished"], 100);
    assert!(report["unknown_outcomes"].as_u64() > Some(0), "nobody was interrupted: {report}");
    let lines = count_lines(&acknowledged) as u64;
    assert!(report["commands"].as_u64().unwrap() < lines && lines > 20_000, "{lines}: {report}");
}

/// A driver in the background; killed when dropped.
struct Driver(Option<Child>);

impl Driver {
    fn start(mut command: Command) -> Driver {
        Driver(Some(command.spawn().unwrap()))
    }

    /// Waits until so many commands have been acknowledged.
    fn wait_for(&self, file: &Path, lines: usize) {
        let started = Instant::now();
        while count_lines(file) < lines {
            assert!(started.elapsed() < Duration::from_secs(120), "{lines} commands take too long");
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn output(mut self) -> Output {
        self.0.take().unwrap().wait_with_output().unwrap()
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            child.kill().ok();
            child.wait().ok();
        }
    }
}

fn count_lines(file: &Path) -> usize {
    fs::read(file).map_or(0, |text| text.iter().filter(|&&byte| byte == b'\n').count())
}

/// An address nobody listens on, which can be listened on twice in a row.
fn free_address() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}
