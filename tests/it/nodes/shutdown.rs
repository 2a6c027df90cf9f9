//! Graceful shutdown: requests in flight finish, waiting clients are sent elsewhere, and the node ends soon.

use tokio::time::sleep;

use super::frames::{Frame, Frames};
use super::proxy::{Plan, Proxy};
use crate::http::raw::{GET, Raw};
use crate::prelude::*;

/// The wait of the poll that is open at shutdown.
const POLL: Duration = Duration::from_secs(55);

/// How long a node that stops answers that it is not ready.
const NOTICE: Duration = Duration::from_secs(1);

/// As many as the node hashes passwords side by side.
const REGISTRATIONS: usize = 2;

/// Sends a request that the node has read when this returns: it answers the one that comes before it in the same write.
fn begun(node: &Node, request: &str) -> Raw {
    let mut raw = Raw::at(node.url.trim_start_matches("http://"));
    raw.wait_for(PATIENCE);
    raw.say(&format!("{GET}{request}"));
    assert!(raw.answer().starts_with("HTTP/1.1 200"));
    raw
}

const RECONNECT: &str = "reconnect";

fn is_reconnect(frame: &Frame) -> bool {
    matches!(frame, Frame::Named { name, .. } if name == RECONNECT)
}

async fn a_stopping_node(backend: Backend) {
    let site = Site::new(backend);
    let mut node = site.node();
    let table = Table::of_two(&Client::anonymous(&node.url)).await;
    table.play(&mut Random(3), 5).await;
    let player = &table.players[0];
    let (version, head) = (table.version().await, table.head().await);

    let mut streams = Vec::new();
    for _ in 0..3 {
        streams.push(Frames::of(&player.client, &table.stream(), Some(&head)).await);
        streams.push(Frames::of(&player.client, "/v1/me/stream", None).await);
    }
    let path = format!("{}?after={version}&wait={}", table.path("events"), POLL.as_secs());
    let token = &player.access_token;
    let mut poll =
        begun(&node, &format!("GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n"));
    // Registration is slow, because password hashing is.
    let registrations: Vec<_> = (0..REGISTRATIONS)
        .map(|number| {
            let wish =
                json!({"username": format!("late-{number}"), "password": "plum-kettle-orbit"}).to_string();
            let head = "POST /v1/accounts HTTP/1.1\r\nHost: x\r\nContent-Type: application/json";
            begun(&node, &format!("{head}\r\nContent-Length: {}\r\n\r\n{wish}", wish.len()))
        })
        .collect();

    let told = Instant::now();
    node.terminate();
    // Readiness fails before the node stops answering.
    let watcher = Client::anonymous(&node.url);
    let (mut unready, mut asked) = (0, Instant::now());
    let mut asked_before = asked;
    while let Ok(answer) = watcher.request(reqwest::Method::GET, "/readyz").sent().await {
        match answer.status {
            200 => assert_eq!(unready, 0, "ready again"),
            503 => unready += 1,
            status => panic!("{status}"),
        }
        sleep(Duration::from_millis(5)).await;
        (asked_before, asked) = (asked, Instant::now());
    }
    // A busy machine may leave no time for a question while the node answers that it stops.
    assert!(unready > 0 || asked_before.elapsed() > NOTICE, "nobody was told");

    for mut stream in streams {
        let mut last = stream.soon(PATIENCE).await;
        while !is_reconnect(&last) {
            assert!(matches!(&last, Frame::Named { name, .. } if name == "your_turn"), "{last:?}");
            last = stream.soon(PATIENCE).await;
        }
        assert_eq!(stream.next().await.expect("a proper end"), None);
    }
    let page = poll.answer();
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("\"items\":[]"), "{page}");
    for mut registration in registrations {
        let answer = registration.answer();
        assert!(answer.starts_with("HTTP/1.1 201"), "what was in flight is answered: {answer}");
    }
    let status = node.ended_within(PATIENCE).expect("it ends");
    let took = told.elapsed();
    assert!(status.success(), "{status}\n{}", node.complaints());
    assert!(took < POLL, "the poll was waited for: {took:?}");
    println!("{backend:?}: stopped within {took:?}");
}

#[tokio::test]
async fn a_node_on_sqlite_stops() {
    a_stopping_node(Backend::Sqlite).await;
}

#[tokio::test]
async fn a_node_on_postgres_stops() {
    a_stopping_node(Backend::Postgres).await;
}

#[tokio::test]
#[ignore = "all: runs, kills and freezes programs for many seconds"]
async fn moves_in_flight_are_finished() {
    let site = Site::new(Backend::Sqlite);
    let mut node = site.node();
    let nobody = Client::anonymous(&node.url);
    let mut playing = Vec::new();
    for seed in 0..8 {
        let table = Table::of_two(&nobody).await;
        playing.push(tokio::spawn(async move {
            let mut dice = Random(seed);
            let mut version = table.version().await;
            loop {
                let Ok(view) =
                    table.players[0].client.request(reqwest::Method::GET, &table.game()).sent().await
                else {
                    return (table, version);
                };
                // A fast machine may have finished the first games.
                let Some(actor) = table.actor(&view.accepted()) else { return (table, version) };
                let client = &table.players[actor].client;
                let Ok(view) = client.request(reqwest::Method::GET, &table.game()).sent().await else {
                    return (table, version);
                };
                let command = dice.command(view.json()["legal"].as_array().expect("commands"));
                match client.send(&table.path("commands"), &command).sent().await {
                    Ok(answer) if answer.is_success() => {
                        version = answer.json()["version"].as_u64().expect("a version");
                    }
                    Ok(answer) => panic!("{answer:?}"),
                    // The connection was refused: the move cannot have begun.
                    Err(error) => {
                        assert!(error.is_connect() || error.is_request(), "{error:?}");
                        return (table, version);
                    }
                }
            }
        }));
    }
    sleep(Duration::from_millis(500)).await;
    node.terminate();
    let mut reached = Vec::new();
    for player in playing {
        reached.push(player.await.expect("no panic"));
    }
    assert!(node.ended_within(PATIENCE).expect("it ends").success());
    node.restart();
    let mut in_flight = 0;
    for (table, version) in reached {
        let now = table.version().await;
        assert!(now == version, "version {version} was reached, and now it is {now}");
        in_flight += usize::from(table.turn().await.is_some());
    }
    assert!(in_flight > 0, "every game was over before the node was told to stop");
}

/// A database that does not answer cannot delay shutdown without limit.
#[tokio::test]
#[ignore = "all: waits out deadlines of a node, a client or the database"]
async fn a_node_whose_database_hangs_ends() {
    let site = Site::new(Backend::Postgres);
    let proxy = Proxy::before(site.url());
    let mut node = site.node_through(&proxy.url, &[]);
    let table = Table::of_two(&Client::anonymous(&node.url)).await;
    let (actor, view) = table.turn().await.expect("a game under way");
    let _stream = Frames::of(&table.players[0].client, &table.stream(), None).await;
    proxy.plan(Plan::Hang);
    let command = view["legal"][0].clone();
    let client = table.players[actor].client.apart();
    let path = table.path("commands");
    let hanging = tokio::spawn(async move { client.send(&path, &command).sent().await });
    sleep(Duration::from_millis(300)).await;
    let told = Instant::now();
    node.terminate();
    // The database hangs until the node has ended.
    let status = node.ended_within(PATIENCE).expect("it ends");
    println!("a database that hangs: ended with {status} after {:?}", told.elapsed());
    let _ = hanging.await;
    proxy.plan(Plan::Pass);
    // The game continues, with or without the move.
    node.restart();
    table.play(&mut Random(1), 3).await;
}
