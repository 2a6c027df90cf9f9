//! The driver as a load generator: its counts are right, and it reports the stalls of a service.

use std::thread::sleep;

use super::{drive, report, service};
use crate::prelude::*;

const MICRO: [&str; 2] = ["--table", r#"{"ruleset":"squares","options":{"length":"micro"}}"#];

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Streams get every event, views are rarely requested, and the number of reads is as configured.
#[ignore = "all: drives load for many seconds"]
#[test]
fn streams_and_reads_accompany_commands() {
    let data = TempDir::new().unwrap();
    let node = service(data.path());
    let flags =
        ["--games", "4", "--concurrency", "2", "--streams", "4", "--reads", "50", "--foresee", "--verify"];
    let report = report(&drive(&node.url, &[&MICRO[..], &flags].concat()).output().unwrap());
    assert_eq!(number(&report["stream_frames"]), 4.0 * number(&report["verified_events"]), "{report:#}");
    let commands = number(&report["commands"]);
    assert!((number(&report["reads"]) - commands / 2.0).abs() <= 4.0 + commands / 50.0, "{report:#}");
    // 52 of about 70 commands of a round are cards, which the driver foresees.
    assert!(number(&report["looks"]) < commands * 0.4, "{report:#}");
    assert_eq!(report["loop"], "closed");
    assert!(number(&report["driver_cpu_share"]) > 0.0);
}

#[ignore = "all: drives load for many seconds"]
#[test]
fn a_warm_up_does_not_count() {
    let data = TempDir::new().unwrap();
    let node = service(data.path());
    let flags = ["--seconds", "2", "--warm-up", "1", "--concurrency", "2", "--rate", "40"];
    let acknowledged = data.path().join("acknowledged");
    let record = ["--acknowledged", acknowledged.to_str().unwrap()];
    let output = drive(&node.url, &[&MICRO[..], &flags, &record].concat()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    // 40 a second for two measured seconds; all are sent, even on a busy machine.
    assert_eq!(number(&report["commands"]), 80.0, "{report:#}");
    assert!(number(&report["seconds"]) >= 2.0, "{report:#}");
    assert_eq!(report["loop"], "open");
    // The commands of the first second were played but not measured.
    let lines = std::fs::read_to_string(&acknowledged).unwrap().lines().count();
    assert!(lines >= 40 + 80, "{lines} acknowledged: {report:#}");
}

/// A stall of 1.5 seconds: in an open loop all requests due meanwhile wait; in a closed loop one waits, and
/// the correction estimates the others.
#[ignore = "all: drives load for many seconds"]
#[test]
fn a_stall_is_not_hidden() {
    // With more tables, those after the first play ahead before the clock starts.
    let open = ["--seconds", "5", "--warm-up", "1", "--rate", "20", "--concurrency", "1"];
    // With eight tables, some always wait for a command.
    let closed = ["--games", "8", "--concurrency", "8", "--foresee"];
    for (form, flags, midst, latency, quantile) in [
        ("open", &open[..], 40, "latency_ms", "p95"),
        ("closed", &closed[..], 400, "corrected_latency_ms", "p99"),
    ] {
        let data = TempDir::new().unwrap();
        let node = service(data.path());
        let acknowledged = data.path().join("acknowledged");
        let record = ["--acknowledged", acknowledged.to_str().unwrap()];
        let mut command = drive(&node.url, &[&MICRO[..], flags, &record].concat());
        let driving = command.spawn().unwrap();
        // The stall begins after the warm-up and before most of the measured time.
        while std::fs::read_to_string(&acknowledged).map_or(0, |text| text.lines().count()) < midst {
            sleep(Duration::from_millis(20));
        }
        node.signal("STOP");
        sleep(Duration::from_millis(1_500));
        node.signal("CONT");
        let output = driving.wait_with_output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["loop"], form);
        // At an even rate, many requests wait half a second.
        assert!(number(&report[latency][quantile]) > 500.0, "{report:#}");
    }
}
