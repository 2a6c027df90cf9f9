//! The driver as a load generator: what it counts is what happened, and a service that stalls cannot hide it.

use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use super::{Service, drive, report};

const MICRO: [&str; 4] = ["--ruleset", "squares", "--option", "length=micro"];

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Every stream says every event, views are asked for seldom, and reads are as many as they should be.
#[test]
fn streams_and_reads_go_along_with_commands() {
    let data = TempDir::new().unwrap();
    let service = Service::start(data.path(), "127.0.0.1:0");
    let flags =
        ["--games", "4", "--concurrency", "2", "--streams", "4", "--reads", "50", "--foresee", "--verify"];
    let report = report(&drive(&service.url, &[&MICRO[..], &flags].concat()).output().unwrap());
    assert_eq!(number(&report["stream_frames"]), 4.0 * number(&report["verified_events"]), "{report:#}");
    let commands = number(&report["commands"]);
    assert!((number(&report["reads"]) - commands / 2.0).abs() <= 4.0 + commands / 50.0, "{report:#}");
    // 52 of some 70 commands of a round are cards, and those are foreseen.
    assert!(number(&report["looks"]) < commands * 0.4, "{report:#}");
    assert_eq!(report["loop"], "closed");
    assert!(number(&report["driver_cpu_share"]) > 0.0);
}

/// What is sent while warming up is played and not counted.
#[test]
fn a_warm_up_does_not_count() {
    let data = TempDir::new().unwrap();
    let service = Service::start(data.path(), "127.0.0.1:0");
    let flags = ["--seconds", "2", "--warm-up", "1", "--concurrency", "2", "--rate", "40"];
    let output = drive(&service.url, &[&MICRO[..], &flags].concat()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    // 40 a second fall due, for two seconds that count.
    assert_eq!(number(&report["seconds"]), 2.0);
    assert!((70.0..=82.0).contains(&number(&report["commands"])), "{report:#}");
    assert_eq!(report["loop"], "open");
}

/// A stall of a second and a half: in an open loop everybody who was due meanwhile has waited; in a closed
/// loop one has, and the correction says how many there would have been.
#[test]
fn a_stall_is_not_hidden() {
    for (form, flags, latency, quantile) in [
        ("open", &["--rate", "50", "--concurrency", "4"][..], "latency_ms", "p95"),
        // With eight tables some of them wait for a command, whoever else waits for a view.
        ("closed", &["--foresee", "--concurrency", "8"], "corrected_latency_ms", "p99"),
    ] {
        let data = TempDir::new().unwrap();
        let service = Service::start(data.path(), "127.0.0.1:0");
        let acknowledged = data.path().join("acknowledged");
        let seconds = ["--seconds", "5", "--warm-up", "1", "--acknowledged", acknowledged.to_str().unwrap()];
        let mut command = drive(&service.url, &[&MICRO[..], flags, &seconds].concat());
        let driving = command.spawn().unwrap();
        // Once something was acknowledged they play.
        while std::fs::metadata(&acknowledged).map_or(0, |file| file.len()) == 0 {
            sleep(Duration::from_millis(20));
        }
        sleep(Duration::from_millis(2_500));
        let signal = |name: &str| {
            let sent = Command::new("kill").args([name, &service.id().to_string()]).status();
            assert!(sent.unwrap().success());
        };
        signal("-STOP");
        sleep(Duration::from_millis(1_500));
        signal("-CONT");
        let output = driving.wait_with_output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["loop"], form);
        // Three tenths of the time were lost: many of those who come at an even rate waited half a second.
        assert!(number(&report[latency][quantile]) > 500.0, "{report:#}");
    }
}
