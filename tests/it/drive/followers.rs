//! Players who follow the streams of their games: whole games without a view after the first one.

use super::{drive, report, service_on};
use crate::prelude::*;

fn followed(backend: Backend, flags: &[&[&str]]) -> Vec<Value> {
    let (data, database) = (TempDir::new().unwrap(), TestDatabase::new(backend));
    let node = service_on(data.path(), &database, &[]);
    let played = |flags: &&[&str]| {
        let all = [&["--follow", "--verify"], *flags].concat();
        let report = report(&drive(&node.url, &all).output().unwrap());
        // A move is one request: no view is asked for.
        assert!(report["commands"].as_u64() > Some(0), "{report:#}");
        assert_eq!(report["requests"], report["commands"], "{report:#}");
        assert_eq!(report["looks"], 0, "{report:#}");
        report
    };
    flags.iter().map(played).collect()
}

/// Games of every ruleset, as many at a time as there are, so that all requests after the first moves are moves.
fn games_of_every_ruleset(backend: Backend) {
    let micro = |ruleset| format!(r#"{{"ruleset":"{ruleset}","options":{{"length":"micro"}}}}"#);
    let micro = ["squares", "kabooot", "plain", "double-risk"].map(micro);
    let micro = micro.each_ref().map(|table| ["--games", "2", "--table", table]);
    let nineteen = ["--table", r#"{"ruleset":"nineteen","players":3}"#];
    let flags: Vec<&[&str]> = micro.iter().map(|flags| &flags[..]).chain([&nineteen[..]]).collect();
    for (report, players) in followed(backend, &flags).into_iter().zip([4, 4, 4, 4, 3]) {
        let number = |name: &str| report[name].as_u64().unwrap();
        // Each player's stream brings all events after the start of its game.
        let events = number("verified_events");
        let at_the_start = events - number("stream_frames") / players;
        assert_eq!(number("stream_frames") % players, 0, "{report:#}");
        assert!(at_the_start <= 10 * number("games"), "{report:#}");
        assert!(report["turn_latency_ms"]["p50"].as_f64() > Some(0.0), "{report:#}");
    }
}

#[ignore = "all: drives load for many seconds"]
#[test]
fn games_of_every_ruleset_on_sqlite() {
    games_of_every_ruleset(Backend::Sqlite);
}

#[ignore = "all: drives load for many seconds"]
#[test]
fn games_of_every_ruleset_on_postgres() {
    games_of_every_ruleset(Backend::Postgres);
}

#[ignore = "all: drives load for many seconds"]
#[test]
fn a_person_plays_with_three_bots() {
    let bots = ["--table", r#"{"ruleset":"nineteen","players":4}"#, "--bots", "3"];
    let reports = followed(Backend::Sqlite, &[&bots]);
    let report = &reports[0];
    // 100 cards, and one estimate in each of 19 rounds.
    assert_eq!(report["commands"], 119, "{report:#}");
}
