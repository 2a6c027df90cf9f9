//! Streams are plain for every client, and no length in them tells of a hand.

use reqwest::Response;

use crate::prelude::*;

async fn opened(player: &Player, path: &str, accepted: &str) -> Response {
    let request = player.client.unjudged(path).header("accept-encoding", accepted);
    request.send().await.expect("a stream")
}

#[tokio::test]
async fn a_stream_is_plain_whatever_a_client_accepts() {
    let service = Service::start(TestDatabase::new(Backend::Sqlite));
    let table = service.table("plain").open().await;
    for accepted in ["gzip", "gzip, deflate, br, zstd", "br", "gzip;q=1, identity;q=0", "identity", "zebra"] {
        for (path, first) in [(table.stream().as_str(), "id: 1-"), ("/v1/me/stream", "")] {
            let mut stream = opened(&table.players[0], path, accepted).await;
            let headers = stream.headers();
            assert_eq!(headers.get("content-encoding"), None, "{accepted}: {path}");
            assert_eq!(headers["content-type"], "text/event-stream");
            assert_eq!(headers["cache-control"], "no-store");
            if !first.is_empty() {
                let frame = stream.chunk().await.expect("a frame").expect("a frame");
                assert!(frame.starts_with(first.as_bytes()), "{accepted}: {frame:?}");
            }
        }
    }
}

/// The length of a list with as many of the longest items as there are cards.
fn longest(item: &str, cards: u64) -> u64 {
    (item.len() as u64 + 1) * cards + 1
}

/// Two players read the same bytes, except their own cards and moves, which are padded to one length.
fn alike(one: &str, other: &str) {
    let frames = |text: &str| -> Vec<String> {
        let frames = text.split("\n\n").filter(|frame| frame.starts_with("id: "));
        frames.map(str::to_owned).collect()
    };
    let (one, other) = (frames(one), frames(other));
    assert_eq!(one.len(), other.len());
    let mut same = 0;
    for (one, other) in one.iter().zip(&other) {
        if one.contains("\"legal\":") || other.contains("\"legal\":") {
            continue;
        }
        match one.contains("\"round_dealt\"") {
            true => assert_eq!(one.len(), other.len(), "{one}\n{other}"),
            false => assert_eq!(one, other),
        }
        same += 1;
    }
    assert!(same > 20, "only {same} frames without moves");
}

async fn a_game(database: TestDatabase, ruleset: &str, options: Value, seed: u64) {
    let service = Service::start(database);
    let table = service.table(ruleset).options(options).started().await;
    let mut listening = Vec::new();
    for player in &table.players[..2] {
        listening.push(tokio::spawn(opened(player, &table.stream(), "gzip").await.text()));
    }
    table.play_out(&mut Random(seed)).await;
    let mut texts = Vec::new();
    for reading in listening {
        texts.push(reading.await.expect("no panic").expect("the stream ends"));
    }
    let (text, other) = (&texts[0], &texts[1]);
    assert!(text.ends_with("event: end\ndata: {}\n\n"), "{text}");
    alike(text, other);

    let view = table.view().await;
    let (mut seqs, mut deals, mut plays, mut own) = (Vec::new(), 0, 0, 0);
    for frame in text.split("\n\n") {
        let Some((id, json)) = frame.strip_prefix("id: ").and_then(|frame| frame.split_once("\ndata: "))
        else {
            continue;
        };
        seqs.push(id.split_once('-').expect("a tag").0.parse::<u64>().expect("a number"));
        let data: Value = serde_json::from_str(json).expect("JSON");
        let event = &data["event"];
        if let Some((_, rest)) = json.split_once("\"cards\":[").filter(|_| event["type"] == "round_dealt") {
            let (cards, _) = rest.split_once('}').expect("the end of the hand");
            own = event["deal"]["hand_size"].as_u64().expect("a size");
            assert_eq!(cards.len() as u64, longest("\"10S\"", own) - 1, "{cards:?}");
            deals += 1;
        }
        own -= u64::from(event["type"] == "card_played" && event["seat"] == view["you"]["seat"]);
        if let Some((_, legal)) =
            json.split_once("\"legal\":").filter(|(_, legal)| legal.contains("\"play\""))
        {
            let legal = legal.strip_suffix("}}").expect("the last member");
            assert_eq!(legal.len() as u64, longest("{\"type\":\"play\",\"card\":\"10S\"}", own), "{legal:?}");
            plays += 1;
        }
        // What a frame says, it says once.
        let kind = event["type"].as_str().expect("a type");
        assert_eq!((data.get("seq"), data["turn"].get("version")), (None, None), "{json}");
        if matches!(kind, "card_played" | "trick_taken" | "estimate_made" | "play_began") {
            assert!(data.get("hash").is_none() && data["turn"].get("seats").is_none(), "{json}");
            assert!(data["turn"]["round"].get("hands").is_none(), "{json}");
        }
    }
    assert_eq!(seqs, (1..=view["version"].as_u64().expect("a number")).collect::<Vec<_>>());
    assert!(deals > 0 && plays >= 13, "{deals} deals, {plays} plays");
}

on_sqlite_first! {
    async fn no_length_in_the_stream_of_a_game_tells_of_a_hand(database: TestDatabase) {
        a_game(database, "plain", json!({"length": "micro"}), 1).await;
    }

    async fn no_length_in_the_stream_of_a_game_with_trumps_tells_of_a_hand(database: TestDatabase) {
        a_game(database, "nineteen", json!({}), 2).await;
    }
}
