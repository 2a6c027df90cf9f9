//! The Prometheus metrics of the program, on their own address.

use std::collections::HashMap;
use std::net::TcpStream;

use estimation_service::base::metrics::names::METRICS;

use super::raw::Raw;
use crate::documents::root;
use crate::harness::node::free_port;
use crate::prelude::*;

struct Measured {
    node: Node,
    metrics: String,
    _folder: TempDir,
}

impl Measured {
    fn start(database: &str, flags: &[&str]) -> Measured {
        let folder = TempDir::new().expect("a temporary folder");
        let metrics = format!("127.0.0.1:{}", free_port());
        // The service notices a closed stream when it next writes to it.
        let mut all = vec!["--metrics-listen", &metrics, "--heartbeat", "1", "--log", "warn"];
        all.extend(["--keys-secret", "sssssssssssssssssssssssssssssssss", "--database-url", database]);
        all.extend(["--data-dir", folder.path().to_str().expect("a path")]);
        let log_state = folder.path().join("log-state");
        all.extend(["--log-state", log_state.to_str().expect("a path")]);
        all.extend(flags);
        let node = Node::start(folder.path(), &all);
        // The metrics listener is ready shortly after the main listener.
        let begun = Instant::now();
        while TcpStream::connect(&metrics).is_err() {
            assert!(begun.elapsed() < PATIENCE, "{}", node.complaints());
        }
        Measured { node, metrics: format!("http://{metrics}/metrics"), _folder: folder }
    }

    async fn scrape(&self) -> HashMap<String, f64> {
        let answer = crate::web::client()
            .build()
            .expect("a client")
            .get(&self.metrics)
            .send()
            .await
            .expect("an answer");
        assert_eq!(answer.status(), 200);
        let format = answer.headers()["content-type"].to_str().expect("a text").to_owned();
        assert!(format.starts_with("text/plain; version=0.0.4"), "{format}");
        let text = answer.text().await.expect("a body");
        for metric in METRICS.iter().filter(|metric| text.contains(&format!("\n{}", metric.name))) {
            assert!(text.contains(&format!("# HELP {} {}", metric.name, metric.help)), "{}", metric.name);
        }
        let samples = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        samples
            .map(|line| {
                let (name, value) = line.rsplit_once(' ').expect("a sample");
                (name.to_owned(), value.parse().expect("a number"))
            })
            .collect()
    }
}

on_sqlite_first! {
    async fn process_resources_are_measured(database: TestDatabase) {
        let measured = Measured::start(database.url_text(), &[]);
        let found = measured.scrape().await;
        assert!(found["process_resident_memory_bytes"] > 1e6);
        assert!(found["process_virtual_memory_bytes"] >= found["process_resident_memory_bytes"]);
        assert!(found["process_cpu_seconds_total"] > 0.0);
        assert!(found["process_threads"] >= 2.0);
        let now = std::time::SystemTime::UNIX_EPOCH.elapsed().expect("after 1970").as_secs_f64();
        assert!((now - found["process_start_time_seconds"]).abs() < 600.0);
        let (before, most) = (found["process_open_fds"], found["process_max_fds"]);
        assert!((10.0..most).contains(&before), "{before} of {most}");
        let held: Vec<_> = (0..50).map(|_| TcpStream::connect(&measured.node.url["http://".len()..])).collect();
        // Connections may still be on their way to a worker. A few files that the start still had open may be closed by
        // now: only the growth shows the connections, so both ends of them are compared.
        while measured.scrape().await["process_open_fds"] < before + 40.0 {}
        let full = measured.scrape().await["process_open_fds"];
        drop(held);
        while measured.scrape().await["process_open_fds"] > full - 40.0 {}
    }

    async fn accepted_and_refused_connections_are_counted(database: TestDatabase) {
        let measured = Measured::start(database.url_text(), &["--max-connections-per-address", "3"]);
        let host = &measured.node.url["http://".len()..];
        let begun = measured.scrape().await;
        let refused = "estimation_connections_refused_total{cap=\"address\"}";
        assert_eq!((begun["estimation_open_connections"], begun[refused]), (0.0, 0.0));
        assert_eq!(begun["estimation_connections_refused_total{cap=\"total\"}"], 0.0);
        let mut held: Vec<Raw> = (0..3).map(|_| Raw::at(host)).collect();
        for raw in &mut held {
            raw.is_answered();
        }
        for _ in 0..2 {
            Raw::at(host).end();
        }
        let full = measured.scrape().await;
        assert_eq!((full["estimation_open_connections"], full[refused]), (3.0, 2.0));
        drop(held);
        while measured.scrape().await["estimation_open_connections"] > 0.0 {}
        let mut raw = Raw::at(host);
        raw.say("hello\r\n\r\n");
        raw.end();
        assert_eq!(measured.scrape().await["estimation_unreadable_requests_total{status=\"400\"}"], 1.0);
    }

    async fn requests_and_games_are_counted(database: TestDatabase) {
        let measured = Measured::start(database.url_text(), &[]);
        let before = measured.scrape().await;
        assert_eq!(before[&format!("estimation_build_info{{version=\"{}\"}}", env!("CARGO_PKG_VERSION"))], 1.0);
        assert_eq!(before["estimation_games{status=\"lobby\"}"], 0.0);
        assert_eq!(before["estimation_open_streams"], 0.0);

        let nobody = Client::anonymous(&measured.node.url).judged();
        let mut players = Vec::new();
        for _ in 0..4 {
            let guest = nobody.send("/v1/accounts/guest", &json!({})).await.accepted();
            let token = guest["session"]["access_token"].as_str().expect("a token").to_owned();
            players.push(nobody.with_token(&token));
        }
        let game = players[0].send("/v1/games", &json!({"ruleset": "nineteen"})).await.accepted();
        let path = format!("/v1/games/{}", game["id"].as_str().expect("an id"));
        for player in &players[1..] {
            player.send(&format!("{path}/seats"), &json!({})).await.accepted();
        }
        let refused = players[1].send(&format!("{path}/start"), &json!({})).await;
        assert!(refused.status >= 400);
        players[0].send(&format!("{path}/start"), &json!({})).await.accepted();
        let mut accepted = 0;
        for player in &players {
            let view = player.get(&path).await.accepted();
            if let Some(command) = view["legal"].get(0) {
                player.send(&format!("{path}/commands"), command).await.accepted();
                accepted += 1;
                break;
            }
        }
        assert_eq!(accepted, 1);

        let after = measured.scrape().await;
        let requests = |operation: &str, status: u16| {
            let name = format!("estimation_requests_total{{operation=\"{operation}\",status=\"{status}\"}}");
            after.get(&name).copied().unwrap_or(0.0)
        };
        assert_eq!(requests("registerGuest", 201), 4.0);
        assert_eq!(requests("createGame", 201), 1.0);
        assert_eq!(requests("joinGame", 200) + requests("joinGame", 201), 3.0);
        assert_eq!(requests("startGame", 200), 1.0);
        assert_eq!(requests("startGame", refused.status), 1.0);
        assert_eq!(requests("postCommand", 200), 1.0);
        assert_eq!(after["estimation_request_seconds_count{operation=\"postCommand\"}"], 1.0);
        assert_eq!(after["estimation_command_seconds_count"], 1.0);
        assert!(after["estimation_command_seconds_sum"] > 0.0);
        assert!(after["estimation_command_seconds_bucket{le=\"+Inf\"}"] == 1.0);
        // Opening, joining, starting and playing are appends. There is at least one COMMIT for each append
        // that waited for the one before.
        assert!(after["estimation_writer_queue_seconds_count"] >= 6.0);
        assert!(after["estimation_writer_commit_seconds_count"] >= 6.0);
        // A batch is counted before its COMMIT.
        eventually("each batch is committed", async || {
            let now = measured.scrape().await;
            now["estimation_writer_commit_seconds_count"] == now["estimation_writer_batch_units_count"]
        })
        .await;
        assert!(after["estimation_state_cache_hits_total"] >= 6.0);
        assert!(after["estimation_reader_wait_seconds_count"] > before["estimation_reader_wait_seconds_count"]);
        // A scrape shows the former numbers of games if the database takes long to count them.
        eventually("the games are counted", async || {
            let now = measured.scrape().await;
            now["estimation_games{status=\"playing\"}"] == 1.0 && now["estimation_games{status=\"lobby\"}"] == 0.0
        })
        .await;
    }

    async fn streams_count_while_they_are_open(database: TestDatabase) {
        let measured = Measured::start(database.url_text(), &[]);
        let nobody = Client::anonymous(&measured.node.url).judged();
        let guest = nobody.send("/v1/accounts/guest", &json!({})).await.accepted();
        let token = guest["session"]["access_token"].as_str().expect("a token");
        let url = format!("{}/v1/me/stream", measured.node.url);
        let stream = crate::web::client().build().expect("a client").get(url).bearer_auth(token).send().await.expect("a stream");
        assert_eq!(stream.status(), 200);
        assert_eq!(measured.scrape().await["estimation_open_streams"], 1.0);
        drop(stream);
        let closed = async || measured.scrape().await["estimation_open_streams"] == 0.0;
        eventually("the stream is not counted any more", closed).await;
    }
}

#[test]
fn the_metrics_and_alerts_that_operators_read_of_exist() {
    for page in ["docs/operations.md", "docs/operations/alerts.yml", "docs/operations/grafana.json"] {
        let text = fs::read_to_string(root().join(page)).expect("a page");
        let names = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let mut found = 0;
        for name in names.filter(|name| name.starts_with("estimation_")) {
            found += 1;
            let parts = ["_bucket", "_count", "_sum"];
            let whole = parts.iter().find_map(|part| name.strip_suffix(part)).unwrap_or(name);
            let known = METRICS.iter().any(|metric| metric.name == name || metric.name == whole);
            assert!(known, "{page} names {name}");
        }
        assert!(found > 10, "{page} names {found} metrics");
    }
}
