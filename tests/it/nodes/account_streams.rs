//! One stream for all games of an account, on whichever node they are played.

use super::frames::{Frame, Frames};
use crate::harness::node::free_port;
use crate::prelude::*;
use crate::web;

async fn told(stream: &mut Frames) -> (String, Value) {
    match stream.soon(PATIENCE).await {
        Frame::Named { name, data } => (name, data),
        other => panic!("{other:?}"),
    }
}

async fn is_told(stream: &mut Frames, what: &str, game: &str, status: &str) -> u64 {
    let (name, matter) = told(stream).await;
    assert_eq!((name.as_str(), &matter["game"], &matter["status"]), (what, &json!(game), &json!(status)));
    matter["version"].as_u64().expect("a version")
}

async fn an_account_hears_of_all_its_games(backend: Backend, nodes: usize) {
    let site = Site::new(backend);
    let nodes: Vec<Node> = (0..nodes).map(|_| site.node()).collect();
    let (here, there) = (&nodes[0], &nodes[nodes.len() - 1]);
    let nobody = Client::anonymous(&here.url);
    let noor = nobody.register("noor").await;
    let omar: Player = nobody.register("omar").await.at(&there.url);
    let mut stream = Frames::of(&noor.client, "/v1/me/stream", None).await;
    assert!(stream.is_silent(Duration::from_millis(300)).await);

    // Omar opens a table on one node, and Noor joins through the other.
    let players = vec![omar.clone(), noor.at(&there.url)];
    let table = Table::of(players, &json!({"ruleset": "nineteen", "players": 2})).await;
    is_told(&mut stream, "invited", &table.id, "lobby").await;
    table.start().await.accepted();
    is_told(&mut stream, "started", &table.id, "playing").await;

    let mut dice = Random(2);
    let mut turns = 0;
    while let Some((actor, view)) = table.turn().await {
        if actor == 1 {
            let version = is_told(&mut stream, "your_turn", &table.id, "playing").await;
            assert_eq!(view["version"], version);
            turns += 1;
        }
        if turns == 12 {
            break;
        }
        let command = dice.command(view["legal"].as_array().expect("commands"));
        table.seat(actor).command(&command).await.accepted();
    }
    // A new stream reports at once where it is the player's turn.
    let mut again = Frames::of(&noor.client, "/v1/me/stream", None).await;
    is_told(&mut again, "your_turn", &table.id, "playing").await;

    // Two players join and the game starts immediately: the stream reports both.
    let players = vec![omar.clone(), noor.at(&there.url)];
    let second = Table::of(players, &json!({"ruleset": "nineteen", "players": 2})).await;
    second.start().await.accepted();
    let (name, matter) = told(&mut stream).await;
    assert_eq!((name.as_str(), &matter["game"]), ("invited", &json!(second.id)));
    is_told(&mut stream, "started", &second.id, "playing").await;

    // Plays to the end while the stream is not read. The last event of a game is its end.
    table.play(&mut dice, usize::MAX).await;
    loop {
        let (name, matter) = told(&mut stream).await;
        if name == "finished" {
            assert_eq!((&matter["game"], &matter["status"]), (&json!(table.id), &json!("finished")));
            break;
        }
        assert_eq!(name, "your_turn", "{matter}");
    }
    assert!(
        stream.is_silent(Duration::from_millis(1_500)).await
            || second.actor(&second.seat(1).view().await.accepted()) == Some(1)
    );
}

super::races::races!(an_account_hears_of_all_its_games);

struct Work {
    states: u64,
    reads: u64,
    at: Instant,
}

impl Work {
    async fn scrape(metrics: &str) -> Work {
        let client = web::client().build().expect("a client");
        let scraped = client.get(format!("http://{metrics}/metrics")).send().await.expect("an answer");
        let text = scraped.text().await.expect("a body");
        let sum = |name: &str| {
            let lines = text.lines().filter(|line| line.starts_with(name));
            let number = |line: &str| line.rsplit(' ').next().and_then(|number| number.parse::<u64>().ok());
            lines.map(|line| number(line).expect("a number")).sum()
        };
        let states = sum("estimation_state_cache_");
        Work { states, reads: sum("estimation_reader_wait_seconds_count"), at: Instant::now() }
    }

    /// The number of states that the node loads and of reads per second, during this many heartbeats.
    async fn during(heartbeats: usize, streams: &mut [Frames], metrics: &str) -> (u64, f64) {
        let before = Work::scrape(metrics).await;
        for stream in streams {
            for _ in 0..heartbeats {
                assert_eq!(stream.next().await.expect("no break"), Some(Frame::Comment));
            }
        }
        let after = Work::scrape(metrics).await;
        let seconds = after.at.duration_since(before.at).as_secs_f64();
        (after.states - before.states, (after.reads - before.reads) as f64 / seconds)
    }
}

/// Idle streams of an account with many tables cause as many reads as the stream of an account without
/// tables, and load no game.
async fn an_idle_stream_looks_at_no_game(backend: Backend) {
    const TABLES: usize = 20;
    let site = Site::new(backend);
    let metrics = format!("127.0.0.1:{}", free_port());
    let node = site.node_with(&["--heartbeat", "1", "--metrics-listen", &metrics]);
    let (noor, omar) =
        (Client::anonymous(&node.url).guest().await, Client::anonymous(&node.url).guest().await);
    for _ in 0..TABLES {
        noor.client.send("/v1/games", &json!({"ruleset": "squares"})).await.accepted();
    }
    let mut without_tables = [Frames::of(&omar.client, "/v1/me/stream", None).await];
    Work::during(1, &mut without_tables, &metrics).await;
    let (_, usual) = Work::during(4, &mut without_tables, &metrics).await;
    let mut streams = Vec::new();
    for _ in 0..4 {
        streams.push(Frames::of(&noor.client, "/v1/me/stream", None).await);
    }
    Work::during(1, &mut streams, &metrics).await;
    let (states, reads) = Work::during(4, &mut streams, &metrics).await;
    println!(
        "Reads a second: {usual:.1} without tables, {reads:.1} with {TABLES}; {states} states were looked up"
    );
    assert!(reads <= usual + 6.0, "{reads} reads a second, {usual} for an account without tables");
    assert_eq!(states, 0, "games looked at while nothing happened");
}

#[tokio::test]
async fn idle_on_sqlite() {
    an_idle_stream_looks_at_no_game(Backend::Sqlite).await;
}

#[tokio::test]
async fn idle_on_postgres() {
    an_idle_stream_looks_at_no_game(Backend::Postgres).await;
}

/// Streams that begin while a player joins on another node: no join is missed.
#[tokio::test]
async fn every_join_reaches_the_stream() {
    let site = Site::new(Backend::Postgres);
    // A stream reads again at each heartbeat. This test excludes that.
    let patient = ["--heartbeat", "3600"];
    let nodes = [site.node_with(&patient), site.node_with(&patient)];
    let omar = Client::anonymous(&nodes[1].url).register("omar").await;
    for round in 0..6_u64 {
        let noor = Client::anonymous(&nodes[0].url).register("noor").await;
        let mut stream = Frames::of(&noor.client, "/v1/me/stream", None).await;
        // Each round, the stream and the log reader are at another point.
        tokio::time::sleep(Duration::from_millis(170 * round)).await;
        let players = vec![omar.clone(), noor.at(&nodes[1].url)];
        let table = Table::of(players, &json!({"ruleset": "nineteen", "players": 2})).await;
        is_told(&mut stream, "invited", &table.id, "lobby").await;
    }
}
