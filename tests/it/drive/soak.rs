//! A soak: an hour of play in an open loop with streams, reads, packing and the public log. Memory, file descriptors and
//! SQLite's write-ahead log stay bounded, the driver finds each acknowledged command in the logs, and the database is
//! sound.
//!
//! `./test.sh long` runs it. `ESTIMATION_TEST_SOAK_SECONDS` and `ESTIMATION_TEST_SOAK_RATE` (commands a second) set its
//! length and its rate, by default half of the highest. It prints a verdict on each measure, and the latencies. Their
//! bounds are in docs/performance.md, because they depend on what else the machine does.

use std::process::Output;
use std::thread::sleep;

use super::{drive, service_on, text};
use crate::harness::node::free_port;
use crate::prelude::*;

/// How often the node is measured.
const STEP: Duration = Duration::from_secs(5);

/// From when memory is flat: until then caches and pools fill up.
const SETTLED: Duration = Duration::from_secs(10 * 60);

/// The number of measurements whose median counts; fewer in a short run.
const WINDOW: usize = 12;
const SHORTEST_WINDOW: usize = 3;

/// How much memory may grow after that, as a ratio.
const GROWTH: f64 = 1.10;

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

const LOAD: [&str; 7] =
    ["--table", r#"{"ruleset":"squares"}"#, "--follow", "--concurrency", "64", "--reads", "5"];

/// For how many seconds the highest rate is measured.
const MEASURED_FOR: &str = "20";

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().expect("a number"))
}

#[test]
#[ignore = "long: takes an hour"]
fn an_hour_on_sqlite() {
    soak(Backend::Sqlite);
}

#[test]
#[ignore = "long: takes an hour"]
fn an_hour_on_postgres() {
    soak(Backend::Postgres);
}

fn soak(backend: Backend) {
    let seconds = setting("ESTIMATION_TEST_SOAK_SECONDS").unwrap_or(3_600);
    let (data, database) = (TempDir::new().unwrap(), TestDatabase::new(backend));
    let metrics = format!("127.0.0.1:{}", free_port());
    let flags = "--rate-commands off --max-connections-per-address off --pack-after 60s --metrics-listen";
    let flags: Vec<&str> = flags.split_whitespace().chain([metrics.as_str()]).collect();
    let node = service_on(data.path(), &database, &flags);
    let rate = setting("ESTIMATION_TEST_SOAK_RATE").unwrap_or_else(|| highest_rate(&node) / 2);
    let length = ["--rate", &rate.to_string(), "--seconds", &seconds.to_string(), "--verify"];
    let driving = drive(&node.url, &[&LOAD[..], &length].concat()).spawn().unwrap();
    let samples = measured(Duration::from_secs(seconds), &metrics, &database);
    // Then the driver compares all games with the logs.
    let output = driving.wait_with_output().unwrap();
    let report: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
    println!("{backend:?} at {rate} commands a second for {seconds} seconds:");
    println!("  latency in ms: {}, corrected: {}", report["latency_ms"], report["corrected_latency_ms"]);
    let audit = audit(&database, &node, data.path());
    let driven = format!("{} events verified, failures: {}", report["verified_events"], report["failures"]);
    let mut verdicts = bounded(&samples);
    verdicts.push((output.status.success(), driven));
    verdicts.push((audit.status.success(), format!("audit: {}{}", text(&audit.stdout), text(&audit.stderr))));
    for (well, what) in &verdicts {
        println!("  {}: {}", if *well { "pass" } else { "FAIL" }, what.trim_end());
    }
    assert!(verdicts.iter().all(|(well, _)| *well), "the soak failed");
}

/// The rate of a closed loop.
fn highest_rate(node: &Node) -> u64 {
    let output = drive(&node.url, &[&LOAD[..], &["--seconds", MEASURED_FOR]].concat()).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    report["commands_per_second"].as_f64().expect("a rate") as u64
}

/// Measures the node for a time.
fn measured(time: Duration, metrics: &str, database: &TestDatabase) -> Vec<Sample> {
    let began = Instant::now();
    let mut samples = Vec::new();
    while began.elapsed() < time {
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
    samples
}

#[tokio::main(flavor = "current_thread")]
async fn get(url: &str) -> String {
    let client = crate::web::client().build().expect("a client");
    client.get(url).send().await.expect("an answer").text().await.expect("a text")
}

/// Whether each measure is bounded.
fn bounded(samples: &[Sample]) -> Vec<(bool, String)> {
    let total = samples.last().expect("a sample").at;
    let settled = samples.iter().position(|sample| sample.at >= SETTLED.min(total / 2)).expect("a sample");
    let window = WINDOW.min((samples.len() - settled) / 2);
    assert!(window >= SHORTEST_WINDOW, "too short: {total:?}");
    let (first, last) = (&samples[settled..settled + window], &samples[samples.len() - window..]);
    let both = |value: fn(&Sample) -> f64| (median(first, value), median(last, value));
    let resident = both(|sample| sample.resident);
    let open_files = both(|sample| sample.open_files);
    let log = samples.iter().map(|sample| sample.log).max().unwrap_or_default();
    let mib = |bytes: f64| bytes / 1_048_576.0;
    let from = samples[settled].at.as_secs();
    vec![
        (
            resident.1 <= resident.0 * GROWTH,
            format!("resident {:.0} MiB after {from} s, then {:.0}", mib(resident.0), mib(resident.1)),
        ),
        (
            open_files.1 <= open_files.0 + MORE_FILES,
            format!("{} open files after {from} s, then {}", open_files.0, open_files.1),
        ),
        (log <= LONGEST_LOG, format!("at most {} MiB of SQLite's write-ahead log", log >> 20)),
    ]
}

fn median(samples: &[Sample], value: fn(&Sample) -> f64) -> f64 {
    let mut values: Vec<f64> = samples.iter().map(value).collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn audit(database: &TestDatabase, node: &Node, data: &Path) -> Output {
    let file = data.join("jwks.json");
    fs::write(&file, get(&format!("{}/.well-known/jwks.json", node.url))).unwrap();
    run(&["audit", "--jwks", file.to_str().unwrap(), "--database", database.url_text()])
}
