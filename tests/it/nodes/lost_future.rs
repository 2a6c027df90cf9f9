//! Clients that know events which the log lacks, after a restore from a backup or a failover to a server that
//! lagged.

use super::frames::{Frame, Frames, id_of};
use super::site::Location;
use crate::prelude::*;

struct Known {
    version: u64,
    hash: String,
    etag: String,
}

impl Known {
    async fn of(table: &Table, player: usize) -> Known {
        let answer = table.players[player].client.get(&table.game()).await;
        let etag = answer.header("etag").expect("a tag").to_owned();
        let view = answer.accepted();
        let version = view["version"].as_u64().expect("a version");
        Known { version, hash: view["head"]["hash"].as_str().expect("a hash").to_owned(), etag }
    }

    fn id(&self) -> String {
        id_of(self.version, &self.hash)
    }
}

async fn resumed(table: &Table, player: usize, id: &str) -> Frames {
    Frames::of(&table.players[player].client, &table.stream(), Some(id)).await
}

async fn next_event(stream: &mut Frames) -> u64 {
    match stream.soon(PATIENCE).await {
        Frame::Event { id, .. } => id,
        other => panic!("{other:?}"),
    }
}

/// The stream reports another log and its end.
async fn is_reset(stream: &mut Frames, table: &Table) {
    let known = Known::of(table, 0).await;
    let head = json!({"seq": known.version, "hash": known.hash});
    let data = json!({"version": known.version, "head": head});
    assert_eq!(stream.soon(PATIENCE).await, Frame::Reset { id: known.id(), data });
}

async fn poll(table: &Table, query: &str) -> crate::harness::client::Answer {
    table.players[0].client.get(&format!("{}?{query}", table.path("events"))).await
}

async fn play(table: &Table, first: bool) {
    let (actor, view) = table.turn().await.expect("a turn");
    let legal = view["legal"].as_array().expect("commands");
    let command = if first { legal.first() } else { legal.last() };
    table.seat(actor).command(command.expect("a command")).await.accepted();
}

on_both! {
    /// After a restore, a client's later events are told apart from those of the restored log.
    async fn a_restored_backup(site: Site) {
        let node = site.node();
        let began = Table::of_two(&Client::anonymous(&node.url)).await;
        let shared = Known::of(&began, 0).await;
        drop(node);
        let Location::Test(original) = &site.database else { panic!("a test's own database") };
        let backup = original.copied();

        let node = site.node();
        let table = began.at(&node.url);
        let mut stream = resumed(&table, 0, &shared.id()).await;
        play(&table, true).await;
        assert_eq!(next_event(&mut stream).await, shared.version + 1);
        let first = Known::of(&table, 0).await;
        play(&table, true).await;
        let last = Known::of(&table, 0).await;
        assert!(last.version > first.version);
        drop((stream, node));

        let node = site.node_through(backup.url_text(), &[]);
        let table = began.at(&node.url);
        let mut streams = vec![
            resumed(&table, 0, &last.id()).await,
            resumed(&table, 0, &first.id()).await,
        ];
        for stream in &mut streams {
            is_reset(stream, &table).await;
        }
        poll(&table, &format!("after={}&hash={}&wait=5", last.version, last.hash)).await.refused(409, "log-replaced");
        // A common event is no reason for a reset.
        streams.push(resumed(&table, 0, &shared.id()).await);
        poll(&table, &format!("after={}&hash={}", shared.version, shared.hash)).await.accepted();
        play(&table, false).await;
        for stream in &mut streams {
            assert_eq!(next_event(stream).await, shared.version + 1);
        }

        // The log has another event with that number.
        let other = Known::of(&table, 0).await;
        assert_eq!((other.version, other.hash == first.hash), (first.version, false));
        is_reset(&mut resumed(&table, 0, &first.id()).await, &table).await;
        let (version, hash) = (first.version, &first.hash[..16]);
        let problem = poll(&table, &format!("after={version}&hash={hash}")).await.refused(409, "log-replaced");
        assert_eq!(problem["current_version"], other.version);
        poll(&table, &format!("after={version}&hash={}", &other.hash[..16])).await.accepted();
        let (actor, view) = table.turn().await.expect("a turn");
        let client = &table.players[actor].client;
        let command = |etag: &str| client.send(&table.path("commands"), &view["legal"][0]).header("if-match", etag).sent();
        let problem = command(&first.etag).await.expect("an answer").refused(412, "stale-version");
        assert_eq!((&problem["current_version"], &problem["events"]), (&json!(version), &json!([])));
        let seen = table.players[0].client.request(reqwest::Method::GET, &table.game()).header("if-none-match", &first.etag);
        assert_eq!(seen.sent().await.expect("an answer").status, 200);
        // The end of a log that has moved on since is another event too.
        command(&Known::of(&table, actor).await.etag).await.expect("an answer").accepted();
        is_reset(&mut resumed(&table, 0, &first.id()).await, &table).await;
    }

    /// A log loses events under open streams: they notice at the next periodic read.
    async fn open_streams_notice_lost_events(site: Site) {
        let node = site.node();
        let table = Table::of_two(&Client::anonymous(&node.url)).await;
        let before = Known::of(&table, 0).await;
        let mut stream = resumed(&table, 0, &before.id()).await;
        let (actor, _) = table.turn().await.expect("a turn");
        let mut account = Frames::of(&table.players[actor].client, "/v1/me/stream", None).await;
        assert_eq!(is_your_turn(&mut account).await, before.version);
        play(&table, true).await;
        assert_eq!(next_event(&mut stream).await, before.version + 1);
        cut(&mut site.outsider(), &table.id, before.version);
        is_reset(&mut stream, &table).await;
        assert_eq!(is_your_turn(&mut account).await, before.version);
    }
}

async fn is_your_turn(stream: &mut Frames) -> Value {
    match stream.soon(PATIENCE).await {
        Frame::Named { name, data } if name == "your_turn" => data["version"].clone(),
        other => panic!("{other:?}"),
    }
}

fn cut(outsider: &mut Outsider, game: &str, version: u64) {
    let trigger = match outsider {
        Outsider::Sqlite(_) => "DROP TRIGGER game_events_refuse_delete",
        Outsider::Postgres(_) => "ALTER TABLE game_events DISABLE TRIGGER ALL",
    };
    outsider.run(trigger).expect(trigger);
    for table in ["game_events", "game_snapshots"] {
        let delete = format!("DELETE FROM {table} WHERE game_id = '{game}' AND seq > {version}");
        outsider.run(&delete).expect("a deletion");
    }
}
