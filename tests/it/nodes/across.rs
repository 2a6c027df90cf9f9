//! Commands on one node reach streams on the other node by a notice.
//!
//! The test prints the delays. With `ESTIMATION_TEST_LONG=1`, on an idle machine, there are 64 games, and the
//! 99th percentile has a bound.

use std::collections::HashMap;

use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::frames::{Frame, Frames};
use crate::harness::node::free_port;
use crate::patience::is_long;
use crate::prelude::*;

/// By event number: when the command was sent and when it was answered.
type CommandAnswer = HashMap<u64, (Instant, Instant)>;

/// By event number: when a stream received the event.
type Heard = HashMap<u64, Instant>;

struct Scale {
    games: u64,
    moves: usize,
    pause: Duration,
}

#[ignore = "all: waits out deadlines of a node, a client or the database"]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_gets_commands_of_the_other_node() {
    let long = is_long();
    let scale = if long {
        Scale { games: 64, moves: 100, pause: Duration::from_millis(400) }
    } else {
        Scale { games: 8, moves: 40, pause: Duration::from_millis(50) }
    };
    let site = Site::new(Backend::Postgres);
    let here = site.node();
    let metrics = format!("127.0.0.1:{}", free_port());
    let there = site.node_with(&["--metrics-listen", &metrics]);
    let nobody = Client::anonymous(&here.url);
    let mut playing = Vec::new();
    for seed in 0..scale.games {
        let table = Table::of_two(&nobody).await;
        let version = table.version().await;
        let frames =
            Frames::of(&table.players[0].client.at(&there.url), &table.stream(), Some(&table.head().await))
                .await;
        playing.push((table, version, frames, seed));
    }
    let before = notices_heard(&metrics).await;
    let begun = Instant::now();
    let tasks: Vec<(JoinHandle<CommandAnswer>, JoinHandle<Heard>)> = playing
        .into_iter()
        .map(|(table, version, frames, seed)| {
            let (moves, pause) = (scale.moves, scale.pause);
            let last = tokio::sync::watch::channel(u64::MAX);
            let played = tokio::spawn(async move {
                let (played, reached) = play(&table, Random(seed), moves, pause).await;
                last.0.send_replace(reached);
                played
            });
            (played, tokio::spawn(hear(frames, version, last.1)))
        })
        .collect();
    let (mut from_asked, mut from_answered, mut commands) = (Vec::new(), Vec::new(), BTreeSet::new());
    for (played, heard) in tasks {
        let played = played.await.expect("a game");
        let heard = timeout(PATIENCE, heard).await.expect("all is heard").expect("a stream");
        for (seq, (asked, answered)) in played {
            let heard = heard[&seq];
            commands.insert(asked);
            from_asked.push(heard - asked);
            from_answered.push(heard.saturating_duration_since(answered));
        }
    }
    let rate = from_asked.len() as f64 / begun.elapsed().as_secs_f64();
    println!("{} games, {rate:.0} moves a second: a move is heard on the other node", scale.games);
    let p99 = print("after it was asked for", &mut from_asked);
    print("after it was answered", &mut from_answered);
    // The periodic read of the log may be faster for some, but there is a notice for each command.
    let commands = commands.len() as u64;
    eventually(format!("{commands} notices are heard"), async || {
        notices_heard(&metrics).await >= before + commands
    })
    .await;
    // A longer delay means that the periodic read delivered the event, not the notice.
    assert!(!long || p99 < Duration::from_millis(900), "{p99:?}");
}

async fn notices_heard(metrics: &str) -> u64 {
    let answer = crate::web::client()
        .build()
        .expect("a client")
        .get(format!("http://{metrics}/metrics"))
        .send()
        .await
        .expect("an answer");
    let text = answer.text().await.expect("the metrics");
    let sample = text.lines().find_map(|line| line.strip_prefix("estimation_notices_heard_total "));
    sample.expect("the metric").parse().expect("a number")
}

/// Plays some moves at a human pace and returns their times.
async fn play(table: &Table, mut dice: Random, moves: usize, pause: Duration) -> (CommandAnswer, u64) {
    let mut played = CommandAnswer::new();
    let mut reached = table.version().await;
    sleep(pause.mul_f64(dice.below(100) as f64 / 100.0)).await;
    for _ in 0..moves {
        let Some((actor, view)) = table.turn().await else { break };
        let command = dice.command(view["legal"].as_array().expect("commands"));
        let asked = Instant::now();
        let done = table.seat(actor).command(&command).await.accepted();
        let answered = Instant::now();
        for event in done["events"].as_array().expect("events") {
            played.insert(event["seq"].as_u64().expect("a number"), (asked, answered));
        }
        reached = done["version"].as_u64().expect("a version");
        sleep(pause.mul_f64(0.5 + dice.below(100) as f64 / 100.0)).await;
    }
    (played, reached)
}

/// Listens until the last event, whose number may be set later.
async fn hear(mut frames: Frames, mut version: u64, mut last: tokio::sync::watch::Receiver<u64>) -> Heard {
    let mut heard = Heard::new();
    while version < *last.borrow_and_update() {
        let frame = tokio::select! {
            frame = frames.next() => frame.expect("no break").expect("no end"),
            _ = last.changed() => continue,
        };
        if let Frame::Event { id, data } = frame {
            assert_eq!((id, &data["seq"]), (version + 1, &Value::from(id)), "a hole or a repeat");
            version = id;
            heard.insert(id, Instant::now());
        }
    }
    heard
}

fn print(since: &str, times: &mut [Duration]) -> Duration {
    times.sort();
    let percentile = |share: usize| times[(times.len() - 1) * share / 100];
    println!("  {since}: p50 {:?}, p99 {:?}, most {:?}", percentile(50), percentile(99), percentile(100));
    percentile(99)
}
