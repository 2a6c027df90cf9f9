//! Whole games of every ruleset over HTTP, with random legal moves. The second verifier checks the record,
//! the chain and the deals. Each client's answers are searched for secrets.
//!
//! With `ESTIMATION_TEST_LONG=1` the games have their full length.

use super::listening::Listening;
use super::playthrough::{Heard, Playthrough};
use super::record;
use super::secrets::{SMALL, Secrets, bits};
use crate::patience::is_long;
use crate::prelude::*;

async fn play(database: TestDatabase, ruleset: &str, options: Value, seed: u64) {
    let service = Service::start(database);
    let onlooker = service.player("watcher").await;
    let table = service.table(ruleset).options(options).started().await;
    let mut playthrough = Playthrough::begin(&table, &onlooker, seed).await;
    let everybody = table.players.iter().chain([&onlooker]).enumerate();
    let listening: Vec<Listening> = everybody
        .map(|(number, player)| Listening::to(&table, player, number, Arc::clone(&playthrough.known)))
        .collect();
    playthrough.play_out().await;
    let Playthrough { mut heard, commands, refusals, .. } = playthrough;
    assert!(commands > 100 && refusals > 5, "{commands} commands, {refusals} refusals");

    let log = table.seat(0).log().await;
    assert!(log.iter().filter(|event| event["event"]["type"] == "round_dealt").count() >= 5);
    same_for_all_players(&table, &log).await;
    totals_agree(&table, &log).await;
    hashes_were_the_same_all_along(&heard, &log);
    for stream in listening {
        let frames = stream.end().await;
        assert!(frames.len() >= log.len(), "a stream says all of it");
        heard.extend(frames);
    }
    nothing_slipped_out(&heard, &log);
}

/// Ten rounds with and without an auction on SQLite, and five with one on PostgreSQL.
async fn play_shortened(database: TestDatabase, ruleset: &str, seed: u64) {
    let length = match (is_long(), database.backend()) {
        (true, _) => "full",
        (false, Backend::Sqlite) => "mini",
        (false, Backend::Postgres) => "micro",
    };
    play(database, ruleset, json!({"length": length}), seed).await;
}

async fn same_for_all_players(table: &Table, log: &[Value]) {
    for player in &table.players {
        assert_eq!(table.seen_by(player).log().await, log, "{} reads another log", player.name);
    }
    assert!(
        log.iter().all(|event| !event["event"]["deal"]["salt"].is_null() || event["event"]["type"] != "round_dealt")
    );
    let revealed = &log.last().expect("an end")["event"]["result"]["server_seed"];
    assert_eq!(table.view().await["fairness"]["server_seed"], *revealed);
}

/// The second verifier's totals equal those of the view, the sheet and the standings.
async fn totals_agree(table: &Table, log: &[Value]) {
    let totals = record::totals(table, log).await;
    let (view, sheet) = (table.view().await, table.seat(0).scores().await.accepted());
    assert_eq!(view["scores"]["totals"], json!(totals));
    assert_eq!(sheet["totals"], json!(totals));
    assert_eq!(sheet["ranks"], view["scores"]["ranks"]);
    assert_eq!(sheet["rounds"].as_array().map(Vec::len), view["scores"]["rounds"].as_array().map(Vec::len));
    // In every round, the lines add up to the points, and points and penalties to the totals.
    let mut sums = vec![0; totals.len()];
    for penalty in sheet["penalties"].as_array().expect("penalties") {
        sums[penalty["seat"].as_u64().expect("a seat") as usize] +=
            penalty["points"].as_i64().expect("points");
    }
    for round in sheet["rounds"].as_array().expect("rounds") {
        for (seat, cell) in round["seats"].as_array().expect("seats").iter().enumerate() {
            let part = |field: &str| -> Vec<i64> {
                cell["lines"]
                    .as_array()
                    .expect("lines")
                    .iter()
                    .filter_map(|line| line[field].as_i64())
                    .collect()
            };
            let worth = part("points").iter().sum::<i64>() * part("factor").iter().product::<i64>();
            assert_eq!(cell["points"], worth, "round {}, seat {seat}", round["round"]);
            sums[seat] += worth;
        }
    }
    assert_eq!(sums, totals);
    let standings =
        log.last().expect("an end")["event"]["result"]["standings"].as_array().expect("standings").clone();
    for standing in standings {
        let seat = standing["seat"].as_u64().expect("a seat") as usize;
        assert_eq!(standing["total"], totals[seat]);
        assert_eq!(standing["rank"], view["scores"]["ranks"][seat]);
    }
}

/// Every hash that a client received equals the one in the final record.
fn hashes_were_the_same_all_along(heard: &[Heard], log: &[Value]) {
    let mut told = 0;
    let mut compare = |seq: &Value, hash: &Value| {
        let recorded = &log[seq.as_u64().expect("a number") as usize - 1];
        assert_eq!(recorded["hash"], *hash, "the hash of event {seq} has changed");
        told += 1;
    };
    for body in heard.iter().map(|heard| heard.answer.json()) {
        for head in [&body["head"], &body["game"]["head"]] {
            if head.is_object() {
                compare(&head["seq"], &head["hash"]);
            }
        }
        for events in [&body["events"], &body["items"]] {
            for event in events.as_array().into_iter().flatten() {
                compare(&event["seq"], &event["hash"]);
            }
        }
    }
    assert!(told > 300, "{told} hashes were told");
}

/// No client received a secret, and the search finds planted secrets.
fn nothing_slipped_out(heard: &[Heard], log: &[Value]) {
    let secrets = Secrets::of(log);
    let during: Vec<&Heard> = heard.iter().filter(|heard| heard.version < log.len() as u64).collect();
    let named: usize = during
        .iter()
        .map(|heard| secrets.look_through(heard).unwrap_or_else(|found| panic!("{found}")))
        .sum();
    assert!(named > 1_000, "only {named} cards were named at all");
    smuggling_is_found(&during, &secrets);
}

/// Plants secrets into clean answers, in every form.
fn smuggling_is_found(during: &[&Heard], secrets: &Secrets) {
    let smuggled = |heard: &Heard, change: &dyn Fn(&mut Value)| {
        let mut body = heard.answer.json();
        change(&mut body);
        let mut answer = heard.answer.clone();
        answer.body = body.to_string();
        let heard = Heard { listener: heard.listener, version: heard.version, answer };
        assert!(secrets.look_through(&heard).is_err(), "{}\nwas let through", heard.answer);
    };
    let (mut views, mut problems, mut deals) = (0, 0, 0);
    let mut answers_with_deals = 0;
    for (number, heard) in during.iter().enumerate() {
        let body = heard.answer.json();
        // Deals are rare: takes the first answers with one, and every 23rd answer.
        let deal = |event: &Value| event["event"]["type"] == "round_dealt";
        let has_deal = ["items", "events"]
            .iter()
            .any(|name| body[name].as_array().is_some_and(|all| all.iter().any(deal)));
        answers_with_deals += usize::from(has_deal);
        if number % 23 != 0 && !(has_deal && answers_with_deals <= 5) {
            continue;
        }
        let own = secrets.seat_of(heard.listener);
        let others = (0..4).filter(|&seat| Some(seat) != own);
        if body["round"]["hands"].is_array() && body["round"]["phase"] != "choosing_seats" {
            let version = body["version"].as_u64().expect("a version");
            for seat in others.filter(|&seat| {
                body["round"]["hands"][seat]["cards"].is_null()
                    && body["round"]["hands"][seat]["count"].as_u64() > Some(1)
            }) {
                let held = secrets.held_by(seat, version);
                smuggled(heard, &|body| body["round"]["hands"][seat]["cards"] = json!(held));
                if bits(&held) >= SMALL {
                    smuggled(heard, &|body| body["round"]["hands"][seat]["count"] = json!(bits(&held)));
                }
                smuggled(heard, &|body| body["host"]["name"] = json!(format!("holds {}", held[0])));
                smuggled(heard, &|body| body["fairness"]["commitment"] = json!(secrets.texts()[0]));
                views += 1;
            }
        } else if heard.answer.status >= 400 && heard.version > 20 {
            for seat in others {
                let unasked =
                    |card: &&String| heard.answer.sent.as_ref().is_none_or(|sent| sent["card"] != **card);
                let Some(card) = secrets.held_by(seat, heard.version).into_iter().find(|card| unasked(&card))
                else {
                    continue;
                };
                smuggled(heard, &|body| body["detail"] = json!(format!("Seat {seat} has the {card}.")));
                smuggled(heard, &|body| body[card.as_str()] = json!(1));
                problems += 1;
            }
        }
        let events = if body["items"].is_array() { "items" } else { "events" };
        for (index, event) in body[events].as_array().into_iter().flatten().enumerate() {
            if event["event"]["type"] == "round_dealt" {
                let (salt, seed) = (&secrets.texts()[0], secrets.texts().last().expect("a seed"));
                smuggled(heard, &|body| body[events][index]["event"]["deal"]["salt"] = json!(salt));
                smuggled(heard, &|body| body["next_cursor"] = json!(format!("seed-{}", seed.to_uppercase())));
                deals += 1;
            }
        }
    }
    assert!(views > 10 && problems > 2 && deals > 1, "{views} views, {problems} problems, {deals} deals");
}

on_sqlite_first! {
    #[ignore = "all: plays whole games; the default plays shorter ones"]
    async fn nineteen(database: TestDatabase) {
        play(database, "nineteen", json!({}), 1).await;
    }

    #[ignore = "all: plays whole games; the default plays shorter ones"]
    async fn nineteen_with_revokes(database: TestDatabase) {
        let options = json!({"jokers": 2, "revokes": "penalise", "concealed_tricks": true});
        play(database, "nineteen", options, 2).await;
    }

    #[ignore = "all: plays whole games; the default plays shorter ones"]
    async fn squares(database: TestDatabase) {
        play_shortened(database, "squares", 3).await;
    }

    #[ignore = "all: plays whole games; the default plays shorter ones"]
    async fn kabooot(database: TestDatabase) {
        play_shortened(database, "kabooot", 4).await;
    }

    #[ignore = "all: plays whole games; the default plays shorter ones"]
    async fn plain(database: TestDatabase) {
        play_shortened(database, "plain", 5).await;
    }

    #[ignore = "all: plays whole games; the default plays shorter ones"]
    async fn double_risk(database: TestDatabase) {
        play_shortened(database, "double-risk", 6).await;
    }
}
