//! Sixteen players spam requests, invitations, reports and reactions: rows are bounded, and honest tables keep their speed.
//! The speed is compared with `ESTIMATION_TEST_LONG=1`, for a minute.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{Scene, for_two, friends, put, table_of};
use crate::patience::is_long;
use crate::prelude::*;

const SPAMMERS: usize = 16;

/// 1,200 requests a minute, as many as the default limit of an account lets through.
const PAUSE: Duration = Duration::from_millis(50);

/// The least number of moves that an honest table makes.
const MOVES: usize = 10;

/// How long moves of an honest table take, for a time and at least [`MOVES`]. A game that is over is followed by another one.
async fn moves(players: [&Player; 2], lasting: Duration) -> Vec<Duration> {
    let mut table = begin(players).await;
    let (begun, mut times) = (Instant::now(), Vec::new());
    while begun.elapsed() < lasting || times.len() < MOVES {
        let view = table.view().await;
        let Some(seat) = table.actor(&view).filter(|_| view["status"] == "playing") else {
            table = begin(players).await;
            continue;
        };
        let legal = table.seat(seat).view().await.accepted()["legal"][0].clone();
        let asked = Instant::now();
        table.seat(seat).command(&legal).await.accepted();
        times.push(asked.elapsed());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    times
}

async fn begin(players: [&Player; 2]) -> Table {
    let table = table_of(&players, &for_two()).await;
    table.start().await.accepted();
    table
}

fn p95(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() * 95 / 100]
}

async fn spam(own: &Player, others: &[Player], table: &Table, enough: &AtomicBool) {
    let mut number = 0;
    while !enough.load(Ordering::Relaxed) {
        let other = &others[number % others.len()];
        number += 1;
        let pause = || tokio::time::sleep(PAUSE);
        put(own, &friends(other)).await;
        pause().await;
        own.client.send(&table.path("invitations"), &json!({"player": other.account})).await;
        pause().await;
        own.client.send(&table.path("reactions"), &json!({"reaction": "hello"})).await;
        pause().await;
        let report =
            json!({"player": other.account, "game": null, "about": "player_name", "text": "x".repeat(500)});
        own.client.send("/v1/reports", &report).await;
        pause().await;
    }
}

on_both! {
    #[ignore = "all: drives load"]
    async fn spam_is_bounded_and_honest_tables_go_on(database: TestDatabase) {
        let long = is_long();
        let lasting = Duration::from_secs(if long { 60 } else { 2 });
        let scene = Scene::with(database, &["--limit-people", "120/1h", "--limit-reports", "10/1h"]);
        let mut spammers = Vec::new();
        for number in 0..SPAMMERS {
            spammers.push(scene.player("sami", number).await);
        }
        let mut tables = Vec::new();
        for pair in spammers.chunks(2) {
            tables.push(table_of(&[&pair[0], &pair[1]], &for_two()).await);
        }
        let (noor, omar) = (scene.player("noor", 0).await, scene.player("omar", 1).await);
        let quiet = moves([&noor, &omar], lasting / 2).await;
        let (begun, enough) = (Instant::now(), AtomicBool::new(false));
        let spamming = join_all(spammers.iter().enumerate().map(|(number, own)| spam(own, &spammers, &tables[number / 2], &enough)));
        let (_, busy) = tokio::join!(spamming, async {
            let busy = moves([&noor, &omar], lasting).await;
            enough.store(true, Ordering::Relaxed);
            busy
        });
        let spammed = begun.elapsed();
        let mut outsider = scene.site.outsider();
        let mut count = |table: &str| outsider.count(table);
        // A request a pair, at most 50 of each; an invitation a friend and table; ten reports an hour; a reaction in three
        // seconds.
        let people = SPAMMERS as i64;
        let reactions = people * (1 + i64::try_from(spammed.as_secs()).expect("seconds") / 3);
        let (relations, invitations) = (count("relations"), count("invitations"));
        let (reports, said) = (count("reports"), count("reactions"));
        println!("relations {relations}, invitations {invitations}, reports {reports}, reactions {said}");
        assert!(relations <= people * (people - 1), "{relations}");
        assert!(invitations <= people / 2 * 20, "{invitations}");
        assert!(reports <= people * 10 && reports > 0, "{reports}");
        assert!(said <= reactions, "{said} of {reactions}");
        if long {
            let (quiet, busy) = (p95(quiet), p95(busy));
            println!("p95 {quiet:?} alone, {busy:?} beside spam");
            assert!(busy < quiet * 3, "{busy:?} is more than three times {quiet:?}");
        }
    }
}
