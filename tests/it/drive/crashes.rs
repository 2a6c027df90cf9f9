//! Power cuts: a service that is killed in the middle of many games loses nothing it has acknowledged.

use std::path::Path;
use std::process::{Child, Command, Output};
use std::time::{Duration, Instant};
use std::{fs, thread};

use tempfile::TempDir;

use super::{drive, report, service};

/// Far longer than so many commands take on the busiest machine.
const LONG: Duration = Duration::from_secs(900);

#[test]
fn a_killed_service_loses_no_acknowledged_command_and_every_game_ends() {
    let data = TempDir::new().unwrap();
    let mut node = service(data.path());
    let acknowledged = data.path().join("acknowledged.ndjson");
    let file = acknowledged.to_str().unwrap();
    let flags = ["--games", "100", "--concurrency", "32", "--players", "2"];
    let driver = Driver::start(drive(&node.url, &flags).args(["--verify", "--acknowledged", file]));
    // Early, and when many games are over.
    for lines in [2_000, 12_000] {
        driver.wait_for(&acknowledged, lines);
        node.kill();
        node.restart();
    }
    let report = report(&driver.output());
    assert_eq!(report["games"], 100);
    assert!(report["unknown_outcomes"].as_u64() > Some(0), "nobody was interrupted: {report}");
    assert!(report["verified_events"].as_u64() > Some(20_000), "{report}");
}

/// A driver in the background; killed when dropped.
struct Driver(Option<Child>);

impl Driver {
    fn start(command: &mut Command) -> Driver {
        Driver(Some(command.spawn().unwrap()))
    }

    /// Waits until so many commands have been acknowledged.
    fn wait_for(&self, file: &Path, lines: usize) {
        let started = Instant::now();
        let acknowledged = || fs::read(file).map_or(0, |text| text.split(|&byte| byte == b'\n').count());
        while acknowledged() < lines {
            assert!(started.elapsed() < LONG, "{lines} commands take too long");
            thread::sleep(Duration::from_millis(50));
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
