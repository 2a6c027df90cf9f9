//! A soak: an hour of play in an open loop with streams, reads and packing. Memory, file descriptors and SQLite's
//! write-ahead log stay bounded, the driver finds each acknowledged command in the logs, and the database is sound.
//!
//! `./test.sh long` runs it. `ESTIMATION_TEST_SOAK_SECONDS` and `ESTIMATION_TEST_SOAK_RATE` (commands a second) set its
//! length and its rate. It prints the latencies. Their bounds are in docs/performance.md, because they depend on what
//! else the machine does.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Child;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use super::{drive, text};
use crate::databases::{Backend, TestDatabase};
use crate::harness::node::{Node, free_port, run};

/// How often the node is measured.
const STEP: Duration = Duration::from_secs(5);

/// From when memory is flat: until then caches and pools fill up.
const SETTLED: Duration = Duration::from_secs(5 * 60);

/// The number of measurements whose median counts.
const WINDOW: usize = 12;

/// How much memory may grow after that, as a ratio.
const GROWTH: f64 = 1.05;

/// How many file descriptors may come and go: reconnecting clients.
const MORE_FILES: f64 = 8.0;

/// The maximum length of SQLite's write-ahead log.
const LONGEST_LOG: u64 = 128 << 20;

struct Sample {
    at: Duration,
    resident: f64,
    open_files: f64,
    log: u64,
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().expect("a number"))
}

#[test]
#[ignore = "takes an hour: ./test.sh long runs it"]
fn an_hour_on_sqlite() {
    soak(Backend::Sqlite);
}

#[test]
#[ignore = "takes an hour: ./test.sh long runs it"]
fn an_hour_on_postgres() {
    soak(Backend::Postgres);
}

fn soak(backend: Backend) {
    let seconds = setting("ESTIMATION_TEST_SOAK_SECONDS", 3_600);
    let rate = setting("ESTIMATION_TEST_SOAK_RATE", 1_000);
    let (data, database) = (TempDir::new().unwrap(), TestDatabase::new(backend));
    let metrics = format!("127.0.0.1:{}", free_port());
    let node = node(data.path(), &database, &metrics);
    let load = ["--ruleset", "squares", "--foresee", "--concurrency", "64", "--streams", "2", "--reads", "5"];
    let (seconds, rate) = (seconds.to_string(), rate.to_string());
    let length = ["--rate", &rate, "--seconds", &seconds, "--verify"];
    let driving = drive(&node.url, &[&load[..], &length].concat()).spawn().unwrap();
    let (samples, report) = measured(driving, &metrics, &database);
    println!("{backend:?} at {rate} commands a second for {seconds} seconds:");
    println!("  latency in ms: {}, corrected: {}", report["latency_ms"], report["corrected_latency_ms"]);
    check(&samples);
    assert_eq!(report["failures"], Value::Array(Vec::new()), "{report:#}");
    audit(&database, &node, data.path());
}

fn node(data: &Path, database: &TestDatabase, metrics: &str) -> Node {
    // All players of a drive share one address.
    let limits = "--limit-accounts off --limit-login-address off --limit-refresh off --rate-address off \
        --rate-account off --rate-commands off --max-connections-per-address off --pack-after 60s";
    let log_state = data.join("log-state");
    let mut flags = vec!["--log", "warn", "--data-dir", data.to_str().unwrap(), "--metrics-listen", metrics];
    flags.extend(["--database-url", database.url_text()]);
    if database.backend() == Backend::Postgres {
        flags.extend(["--keys-secret", "a secret of the soak that nobody else uses"]);
        flags.extend(["--log-state", log_state.to_str().unwrap()]);
    }
    flags.extend(limits.split_whitespace());
    Node::start(data, &flags)
}

/// Measures the node until the driver ends. Returns the driver's report too.
fn measured(mut driving: Child, metrics: &str, database: &TestDatabase) -> (Vec<Sample>, Value) {
    let began = Instant::now();
    let mut samples = Vec::new();
    while driving.try_wait().unwrap().is_none() {
        sleep(STEP);
        let told = get(&format!("http://{metrics}/metrics"));
        let values: BTreeMap<&str, &str> = told.lines().filter_map(|line| line.split_once(' ')).collect();
        let value = |name: &str| values[name].parse().expect("a number");
        let log = match database.backend() {
            Backend::Sqlite => {
                fs::metadata(format!("{}-wal", database.file().display())).expect("the log").len()
            }
            Backend::Postgres => 0,
        };
        samples.push(Sample {
            at: began.elapsed(),
            resident: value("process_resident_memory_bytes"),
            open_files: value("process_open_fds"),
            log,
        });
    }
    let output = driving.wait_with_output().unwrap();
    assert!(output.status.success(), "{}\n{}", text(&output.stderr), text(&output.stdout));
    (samples, serde_json::from_slice(&output.stdout).unwrap())
}

#[tokio::main(flavor = "current_thread")]
async fn get(url: &str) -> String {
    let client = crate::web::client().build().expect("a client");
    client.get(url).send().await.expect("an answer").text().await.expect("a text")
}

fn check(samples: &[Sample]) {
    let total = samples.last().expect("a sample").at;
    let settled = samples.iter().position(|sample| sample.at >= SETTLED.min(total / 2)).expect("a sample");
    assert!(samples.len() >= settled + 2 * WINDOW, "too short: {total:?}");
    let (first, last) = (&samples[settled..settled + WINDOW], &samples[samples.len() - WINDOW..]);
    let both = |value: fn(&Sample) -> f64| (median(first, value), median(last, value));
    let resident = both(|sample| sample.resident);
    let open_files = both(|sample| sample.open_files);
    let log = samples.iter().map(|sample| sample.log).max().unwrap_or_default();
    println!("  resident {:.0} then {:.0} MiB", resident.0 / 1_048_576.0, resident.1 / 1_048_576.0);
    println!(
        "  {} then {} open files; at most {} MiB of write-ahead log",
        open_files.0,
        open_files.1,
        log >> 20
    );
    assert!(resident.1 <= resident.0 * GROWTH, "memory grows");
    assert!(open_files.1 <= open_files.0 + MORE_FILES, "open files grow");
    assert!(log <= LONGEST_LOG, "the write-ahead log grows");
}

fn median(samples: &[Sample], value: fn(&Sample) -> f64) -> f64 {
    let mut values: Vec<f64> = samples.iter().map(value).collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn audit(database: &TestDatabase, node: &Node, data: &Path) {
    let file = data.join("jwks.json");
    fs::write(&file, get(&format!("{}/.well-known/jwks.json", node.url))).unwrap();
    let output = run(&["audit", "--jwks", file.to_str().unwrap(), "--database", database.url_text()]);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
}
