//! Histories of signed games are made once for each form and encoding.

use super::traffic::{bytes, unpacked};
use crate::prelude::*;

/// The bytes of histories that the service keeps.
async fn kept(service: &Service) -> usize {
    let metrics = service.app().monitoring.scrape().await;
    let line = metrics.lines().find_map(|line| line.strip_prefix("estimation_history_cache_bytes "));
    line.map_or(0, |value| value.parse().expect("a number"))
}

on_sqlite_first! {
    async fn a_signed_history_is_made_once_for_each_encoding(database: TestDatabase) {
        let service = Service::told(database, Setup::default());
        let table = service.table("nineteen").with("visibility", "public").open().await;
        let (path, host) = (table.path("history"), &table.players[0]);
        host.client.send(&table.path("cancel"), &json!({})).await.accepted();
        let signed = async || {
            let history = host.client.get(&path).await;
            Some(history).filter(|history| history.json()["end"]["signature"].is_object())
        };
        found("the end is signed", signed).await;
        let (_, plain) = bytes(&service, &host.access_token, &path, "identity").await;
        let mut expected = plain.len();
        assert_eq!(kept(&service).await, expected);
        for encoding in ["br", "gzip"] {
            let asked = (0..30).map(|_| bytes(&service, &host.access_token, &path, encoding));
            let answers = join_all(asked).await;
            let (_, first) = &answers[0];
            assert_eq!(unpacked(encoding, first), plain);
            for (headers, body) in &answers {
                assert_eq!(headers["content-encoding"], encoding);
                assert_eq!(headers["content-length"], first.len().to_string());
                assert_eq!(headers.get_all("vary").iter().count(), 1, "{headers:?}");
                assert_eq!(headers["content-type"], "application/json");
                assert!(body == first);
            }
            expected += first.len();
            assert_eq!(kept(&service).await, expected);
        }
        // Lines are another form, and other callers get the same bytes.
        let lines = service.anonymous().unjudged_request(Method::GET, &path).header("accept", "application/x-ndjson");
        let lines = lines.header("accept-encoding", "gzip").send().await.expect("an answer");
        assert_eq!(lines.headers()["content-type"], "application/x-ndjson");
        let lines = lines.bytes().await.expect("a body");
        assert_eq!(unpacked("gzip", &lines).split(|byte| *byte == b'\n').count(), 5);
        assert_eq!(kept(&service).await, expected + lines.len());
        let omar = service.player("omar").await;
        bytes(&service, &omar.access_token, &path, "br").await;
        assert_eq!(kept(&service).await, expected + lines.len());
    }

    async fn the_history_of_a_running_game_is_compressed_and_not_kept(database: TestDatabase) {
        let service = Service::told(database, Setup::default());
        let table = service.table("nineteen").players(2).started().await;
        let auditor = service.with_role("salma", "auditor").await;
        let path = table.path("history");
        let plain = auditor.unjudged(&path).header("accept-encoding", "identity").send().await.expect("an answer");
        let plain = plain.bytes().await.expect("a body");
        let packed = auditor.unjudged(&path).header("accept-encoding", "br").send().await.expect("an answer");
        assert_eq!((packed.status().as_u16(), &packed.headers()["content-encoding"]), (200, &"br".parse().expect("a value")));
        assert_eq!(unpacked("br", &packed.bytes().await.expect("a body")), plain);
        assert_eq!(kept(&service).await, 0);
    }
}
