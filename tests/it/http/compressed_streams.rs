//! Streams that are compressed: for clients that ask, up to a limit, and so that no length tells of a hand.

use std::io::Write;
use std::process::Command;

use estimation::http::ServerSettings;
use estimation_test_support::Random;
use reqwest::{Method, Response};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::service::{Service, Setup};
use super::table::Player;
use crate::databases::{Backend, TestDatabase, on_sqlite_first};
use crate::nodes::frames::{Frame, Frames};
use crate::patience::{PATIENCE, eventually};

fn sqlite() -> TestDatabase {
    TestDatabase::new(Backend::Sqlite)
}

async fn opened(player: &Player, path: &str, accepted: &str) -> Response {
    let request = player.client.unjudged(path).header("accept-encoding", accepted);
    request.send().await.expect("a stream")
}

fn encoding(response: &Response) -> Option<&str> {
    response.headers().get("content-encoding").map(|value| value.to_str().expect("a text"))
}

async fn compressed(service: &Service) -> u64 {
    let metrics = service.app().monitoring.scrape().await;
    let line = metrics.lines().find_map(|line| line.strip_prefix("estimation_compressed_streams "));
    line.expect("the metric").parse().expect("a number")
}

#[tokio::test]
async fn a_stream_is_compressed_for_clients_that_ask() {
    let service = Service::start(sqlite());
    let table = service.table("plain").open().await;
    for (accepted, expected) in [
        ("gzip", Some("gzip")),
        ("gzip, deflate, br, zstd", Some("gzip")),
        ("br", None),
        ("gzip;q=0", None),
        ("identity, gzip;q=0.5", None),
        ("zebra", None),
    ] {
        let mut stream = opened(&table.players[0], &table.stream(), accepted).await;
        assert_eq!(encoding(&stream), expected, "{accepted}");
        assert_eq!(stream.headers()["cache-control"], "no-store");
        assert!(stream.headers()["vary"].to_str().expect("a text").contains("Accept-Encoding"));
        let first = stream.chunk().await.expect("a frame").expect("a frame");
        assert_eq!(first.starts_with(b"id: 1-"), expected.is_none(), "{accepted}: {first:?}");
    }
    let stream = opened(&table.players[0], "/v1/me/stream", "gzip").await;
    assert_eq!(encoding(&stream), None);
}

#[tokio::test]
async fn a_compressed_stream_brings_each_frame_at_once() {
    let service = Service::start(sqlite());
    let table = service.table("plain").open().await;
    let host = &table.players[0].client;
    let mut frames = Frames::compressed(host, &table.stream(), None).await;
    let created = frames.soon(PATIENCE).await;
    assert!(matches!(&created, Frame::Event { id: 1, .. }), "{created:?}");
    let turn = timeout(PATIENCE, frames.next()).await.expect("a turn").expect("no break");
    assert!(matches!(&turn, Some(Frame::Turn(_))), "{turn:?}");
    for seat in [1, 2, 3] {
        let path = table.path(&format!("seats/{seat}/bot"));
        host.request(Method::PUT, &path).json(&json!({"level": "easy"})).await.accepted();
        let seated = frames.soon(PATIENCE).await;
        assert!(matches!(&seated, Frame::Event { id, .. } if *id == seat + 1), "{seated:?}");
    }
}

#[tokio::test]
async fn only_so_many_streams_are_compressed_at_a_time() {
    let settings = ServerSettings { compressed_streams: 1, workers: 1, ..ServerSettings::default() };
    let service = Service::told(sqlite(), Setup { settings, ..Setup::default() });
    let table = service.table("plain").open().await;
    let (player, path) = (&table.players[0], table.stream());
    let first = opened(player, &path, "gzip").await;
    assert_eq!((encoding(&first), compressed(&service).await), (Some("gzip"), 1));
    let second = opened(player, &path, "gzip").await;
    assert_eq!((encoding(&second), compressed(&service).await), (None, 1));
    drop(first);
    eventually("the stream is not counted any more", async || compressed(&service).await == 0).await;
    assert_eq!(encoding(&opened(player, &path, "gzip").await), Some("gzip"));
}

/// Decodes a complete gzip stream with Python's zlib, which checks its length and checksum.
fn unzipped(packed: &[u8]) -> String {
    const UNZIP: &str = "import sys, zlib\n\
        stream = zlib.decompressobj(31)\n\
        sys.stdout.buffer.write(stream.decompress(open(sys.argv[1], 'rb').read()))\n\
        assert stream.eof and not stream.unused_data";
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(packed).expect("a file");
    let python = std::env::var("ESTIMATION_TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let output = Command::new(python).args(["-c", UNZIP]).arg(file.path()).output().expect("python3");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The length of a list with as many of the longest items as there are cards.
fn longest(item: &str, cards: u64) -> u64 {
    (item.len() as u64 + 1) * cards + 1
}

async fn a_game(database: TestDatabase, ruleset: &str, options: Value, seed: u64) {
    let service = Service::start(database);
    let table = service.table(ruleset).options(options).started().await;
    let player = &table.players[0];
    let stream = opened(player, &table.stream(), "gzip").await;
    assert_eq!(encoding(&stream), Some("gzip"));
    let reading = tokio::spawn(async move { stream.bytes().await.expect("the stream ends") });
    table.play_out(&mut Random(seed)).await;
    let packed = reading.await.expect("no panic");
    let text = unzipped(&packed);

    assert!(packed.len() * 2 < text.len(), "{} bytes for {}", packed.len(), text.len());
    assert!(text.ends_with("event: end\ndata: {}\n\n"), "{text}");

    let view = table.view().await;
    let (mut seqs, mut deals, mut plays, mut own) = (Vec::new(), 0, 0, 0);
    let stored = |private: &str| {
        assert!(packed.windows(private.len()).any(|window| window == private.as_bytes()), "{private}");
    };
    for frame in text.split("\n\n").filter(|frame| frame.starts_with("id: ")) {
        let (_, json) = frame.split_once("\ndata: ").expect("data");
        let data: Value = serde_json::from_str(json).expect("JSON");
        seqs.push(data["seq"].as_u64().expect("a number"));
        let event = &data["event"];
        if let Some((_, rest)) = json.split_once("\"cards\":[").filter(|_| event["type"] == "round_dealt") {
            let (cards, _) = rest.split_once('}').expect("the end of the hand");
            own = event["deal"]["hand_size"].as_u64().expect("a size");
            assert_eq!(cards.len() as u64, longest("\"10S\"", own) - 1, "{cards:?}");
            stored(cards);
            deals += 1;
        }
        own -= u64::from(event["type"] == "card_played" && event["seat"] == view["you"]["seat"]);
        if let Some((_, legal)) =
            json.split_once("\"legal\":").filter(|(_, legal)| legal.contains("\"play\""))
        {
            let legal = legal.strip_suffix("}}").expect("the last member");
            assert_eq!(legal.len() as u64, longest("{\"type\":\"play\",\"card\":\"10S\"}", own), "{legal:?}");
            stored(legal);
            plays += 1;
        }
    }
    assert_eq!(seqs, (1..=view["version"].as_u64().expect("a number")).collect::<Vec<_>>());
    assert!(deals > 0 && plays >= 13, "{deals} deals, {plays} plays");
}

on_sqlite_first! {
    async fn python_decodes_the_stream_of_a_game(database: TestDatabase) {
        a_game(database, "plain", json!({"length": "micro"}), 1).await;
    }
}
