//! Results, ratings and leaderboards. Each finished game counts once, whichever node counts it.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};

use crate::harness::table::Table;
use crate::prelude::*;

async fn finished(service: &Service, players: u8, seed: u64) -> Table {
    let table = service.table("nineteen").players(players).started().await;
    table.play_out(&mut Random(seed)).await;
    table
}

async fn counted(of: &Player, games: u64) -> Value {
    found(format!("{games} games of {} are counted", of.name), async || {
        let shown = of.client.get(&format!("/v1/players/{}/statistics", of.account)).await.accepted();
        (shown["rulesets"][0]["games"] == games).then_some(shown)
    })
    .await
}

#[derive(QueryableByName, Clone, Debug, PartialEq)]
struct Stored {
    #[diesel(sql_type = Text)]
    account_id: String,
    #[diesel(sql_type = BigInt)]
    mean: i64,
    #[diesel(sql_type = BigInt)]
    deviation: i64,
    #[diesel(sql_type = BigInt)]
    ordinal: i64,
    #[diesel(sql_type = BigInt)]
    games: i64,
}

fn stored(outsider: &mut Outsider) -> Vec<Stored> {
    let query = "SELECT account_id, mean, deviation, ordinal, games FROM ratings ORDER BY account_id";
    match outsider {
        Outsider::Sqlite(conn) => diesel::sql_query(query).load(conn).expect(query),
        Outsider::Postgres(conn) => diesel::sql_query(query).load(conn).expect(query),
    }
}

/// A second implementation of the method: Weng and Lin, Bradley-Terry with full pairs, one player per team.
pub(crate) fn weng_lin(before: &[(f64, f64)], ranks: &[u64]) -> Vec<(f64, f64)> {
    let beta = 25.0 / 6.0_f64;
    let pairs = |i: usize| (0..before.len()).filter(move |&q| q != i);
    let one = |i: usize| {
        let (mean, deviation) = before[i];
        let (mut omega, mut delta) = (0.0, 0.0);
        for q in pairs(i) {
            let (other, uncertainty) = before[q];
            let c = (deviation.powi(2) + uncertainty.powi(2) + 2.0 * beta.powi(2)).sqrt();
            let p = 1.0 / (1.0 + ((other - mean) / c).exp());
            let score = if ranks[i] < ranks[q] {
                1.0
            } else if ranks[i] == ranks[q] {
                0.5
            } else {
                0.0
            };
            omega += deviation.powi(2) / c * (score - p);
            delta += deviation / c * (deviation / c).powi(2) * p * (1.0 - p);
        }
        (mean + omega, deviation * (1.0_f64 - delta).max(1e-6).sqrt())
    };
    (0..before.len()).map(one).collect()
}

async fn ranks(table: &Table) -> Vec<u64> {
    let view = table.view().await;
    let seat = |player: &Player| {
        let seats = view["seats"].as_array().expect("seats");
        seats.iter().position(|seat| seat["player"]["id"] == player.account).expect("a seat")
    };
    table
        .players
        .iter()
        .map(|player| view["scores"]["ranks"][seat(player)].as_u64().expect("a rank"))
        .collect()
}

on_both! {
    async fn counting_a_game_is_atomic(service: Service) {
        let table = finished(&service, 2, 5).await;
        let (noor, omar) = (&table.players[0], &table.players[1]);
        counted(noor, 1).await;
        let mut outsider = service.database().outsider();
        let before = stored(&mut outsider);
        // The stored result of Omar makes counting the game again fail.
        outsider
            .run(&format!(
                "DELETE FROM results WHERE account_id = '{}'; DELETE FROM ratings; DELETE FROM counted_games",
                noor.account
            ))
            .expect("a stumbling block");
        let node = service.another_node();
        for _ in 0..3 {
            assert_eq!(node.endings.count().await.expect("it is passed over"), 0);
        }
        assert_eq!(outsider.count("passed_over_games WHERE counted_behind IS NULL"), 1);
        assert_eq!(outsider.count("counted_games"), 0);
        assert_eq!(outsider.count("results"), 1);
        assert_eq!(stored(&mut outsider), []);
        outsider.run(&format!("DELETE FROM results WHERE account_id = '{}'", omar.account)).expect("out of the way");
        counted(omar, 1).await;
        assert_eq!(stored(&mut outsider), before);
    }

    async fn a_leaderboard_has_pages_and_ranks(service: Service) {
        let mut outsider = service.database().outsider();
        // Ordinals in points, and games: two are equal, two have too few games, one plays another ruleset.
        let strengths = [(7, 10), (9, 31), (7, 12), (30, 9), (-2, 10), (12, 10), (3, 500), (8, 1), (7, 11)];
        let mut accounts = Vec::new();
        for (index, (ordinal, games)) in strengths.into_iter().enumerate() {
            // Account ids begin with the time and order equal ratings.
            service.wait(1);
            let player = service.player(&format!("player{index}")).await;
            let mean = ordinal + 6;
            outsider
                .run(&format!(
                    "INSERT INTO ratings (account_id, ruleset, mean, deviation, ordinal, games) \
                     VALUES ('{}', 'squares', {mean}000000, 2000000, {ordinal}000000, {games})",
                    player.account
                ))
                .expect("a rating");
            accounts.push(player);
        }
        let client = &accounts[0].client;
        for limit in [1, 2, 3, 100] {
            let (mut shown, mut cursor) = (Vec::new(), String::new());
            loop {
                let path = format!("/v1/leaderboards/squares?limit={limit}{cursor}");
                let page = client.get(&path).await.accepted();
                shown.extend(page["items"].as_array().expect("players").iter().cloned());
                match page["next_cursor"].as_str() {
                    Some(next) => cursor = format!("&cursor={next}"),
                    None => break,
                }
            }
            let seen: Vec<(u64, f64, String)> = shown
                .iter()
                .map(|line| {
                    let name = line["player"]["name"].as_str().expect("a name").to_owned();
                    (line["rank"].as_u64().expect("a rank"), line["rating"]["ordinal"].as_f64().expect("points"), name)
                })
                .collect();
            let expected = [(1, 12, 5), (2, 9, 1), (3, 7, 0), (3, 7, 2), (3, 7, 8), (6, 3, 6), (7, -2, 4)];
            let expected: Vec<(u64, f64, String)> = expected
                .into_iter()
                .map(|(rank, ordinal, player)| (rank, f64::from(ordinal), format!("player{player}")))
                .collect();
            assert_eq!(seen, expected, "{limit} a page");
        }
        let first = client.get("/v1/leaderboards/squares?limit=1").await.accepted();
        let rating = json!({"ordinal": 12.0, "mean": 18.0, "deviation": 2.0, "games": 10});
        assert_eq!(first["items"][0]["rating"], rating);
        let empty = client.get("/v1/leaderboards/plain").await.accepted();
        assert_eq!(empty, json!({"items": [], "next_cursor": null}));
        client.get("/v1/leaderboards/whist").await.refused(404, "not-found");
        let cursor = client.get("/v1/leaderboards/squares?limit=1").await.accepted()["next_cursor"].clone();
        let cursor = cursor.as_str().expect("another page");
        client.get(&format!("/v1/leaderboards/plain?cursor={cursor}")).await.refused(400, "malformed-query");
        client.get(&format!("/v1/leaderboards/squares?cursor={cursor}")).await.accepted();
        for query in ["limit=0", "cursor=1", "cursor=1.1.x.y", "page=2"] {
            client.get(&format!("/v1/leaderboards/squares?{query}")).await.refused(400, "malformed-query");
        }
    }
}

on_sqlite_first! {
    #[ignore = "all: plays whole games; the default plays shorter ones"]
    async fn statistics_are_those_of_the_games(service: Service) {
        let table = finished(&service, 3, 11).await;
        let log = table.seat(0).log().await;
        let scored: Vec<&Value> =
            log.iter().map(|entry| &entry["event"]["score"]).filter(|score| score.is_object()).collect();
        assert_eq!(scored.len(), 19);
        let standings = log.last().expect("an end")["event"]["result"]["standings"].clone();
        for (seat, player) in table.players.iter().enumerate() {
            let made = scored.iter().filter(|round| round["calls"][seat]["tricks"] == round["tricks"][seat]);
            let shown = counted(player, 1).await;
            assert_eq!(shown["player"], json!({"id": player.account, "name": player.name}));
            let figures = &shown["rulesets"][0];
            let wins = u64::from(standings[seat]["rank"] == 1);
            let expected = json!({
                "ruleset": "nineteen", "games": 1, "wins": wins, "forfeits": 0, "rounds": 19,
                "rounds_made": made.count(), "average_points": standings[seat]["total"].as_f64(),
            });
            for (field, value) in expected.as_object().expect("fields") {
                assert_eq!(figures[field], *value, "{field} of {}", player.name);
            }
            assert_eq!(figures["rating"]["games"], 1);
        }
        // A second game adds up; an abandoned game does not.
        let second = service.table("nineteen").players(3).started().await;
        second.play_out(&mut Random(12)).await;
        let noor = &table.players[0];
        let cancelled = service.table("plain").open().await;
        noor.client.post(&cancelled.path("cancel")).await.accepted();
        let shown = counted(noor, 2).await;
        let totals = [&table, &second].map(async |table| table.view().await["scores"]["totals"][0].as_f64().expect("a total"));
        let [first, second] = totals;
        let average = (first.await + second.await) / 2.0;
        assert_eq!(shown["rulesets"][0]["average_points"], average);
        assert_eq!(shown["rulesets"][0]["rounds"], 38);
        assert_eq!(shown["rulesets"].as_array().map(Vec::len), Some(1));
        let nobody = service.player("sami").await;
        let none = noor.client.get(&format!("/v1/players/{}/statistics", nobody.account)).await.accepted();
        assert_eq!(none["rulesets"], json!([]));
    }

    /// Ratings follow the published method, game by game in the order of the ends in the public log. They
    /// do not depend on how many jobs count at once or how often they are aborted.
    #[ignore = "all: plays whole games; the default plays shorter ones"]
    async fn every_game_is_counted_once(service: Service) {
        let mut games = Vec::new();
        for (seed, players) in [(1, 2), (2, 3), (3, 2), (4, 2)] {
            games.push(finished(&service, players, seed).await);
            let off = service.table("plain").open().await;
            off.players[0].client.post(&off.path("cancel")).await.accepted();
        }
        let (noor, omar) = (games[0].players[0].clone(), games[0].players[1].clone());
        counted(&noor, 4).await;
        // The abandoned game may be signed and counted after the finished ones.
        let mut outsider = service.database().outsider();
        eventually("every game is counted", async || outsider.count("counted_games") == 8).await;
        let auditor = service.with_role("lina", "auditor").await;
        let ended: Vec<Value> = found("eight ends", async || {
            let page = auditor.get("/v1/audit/games?limit=100").await.accepted();
            let items = page["items"].as_array().expect("entries").iter();
            let ends = items.filter(|item| item["entry"].as_str().is_some_and(|entry| entry.contains("\"type\":\"end\"")));
            let games: Vec<Value> = ends.map(|item| item["game"].clone()).collect();
            (games.len() == 8).then_some(games)
        }).await;

        let mut expected = std::collections::BTreeMap::<String, (f64, f64, i64)>::new();
        for game in ended {
            let Some(table) = games.iter().find(|table| game == *table.id) else { continue };
            let known = |player: &Player| {
                expected.get(&player.account).map_or((25.0, 25.0 / 3.0), |&(mean, deviation, _)| (mean, deviation))
            };
            let before: Vec<(f64, f64)> = table.players.iter().map(known).collect();
            let after = weng_lin(&before, &ranks(table).await);
            for (player, (mean, deviation)) in table.players.iter().zip(after) {
                let games = expected.get(&player.account).map_or(0, |&(_, _, games)| games) + 1;
                expected.insert(player.account.clone(), (mean, deviation, games));
            }
        }
        let first = stored(&mut outsider);
        assert_eq!(first.len(), 3);
        for row in &first {
            let (mean, deviation, games) = expected[&row.account_id];
            assert!((row.mean as f64 / 1e6 - mean).abs() < 1e-5, "{row:?} {mean}");
            assert!((row.deviation as f64 / 1e6 - deviation).abs() < 1e-5, "{row:?} {deviation}");
            assert_eq!((row.games, row.ordinal), (games, row.mean - 3 * row.deviation));
        }

        // Counts everything again, with many jobs at once on two nodes. Half of the jobs are aborted.
        let other = service.another_node();
        for round in 0..4 {
            outsider.run("DELETE FROM counted_games; DELETE FROM results; DELETE FROM ratings").expect("a clean slate");
            let jobs = (0..12).map(|job| {
                let node = if job % 3 == 0 { service.another_node() } else { other.clone() };
                let task = tokio::spawn(async move { node.endings.count().await });
                async move {
                    if job % 2 == 1 {
                        tokio::time::sleep(Duration::from_micros(700 * job + 300 * round)).await;
                        task.abort();
                    }
                    task.await.map_or(0, |done| done.expect("counting"))
                }
            });
            join_all(jobs).await;
            other.endings.count().await.expect("counting");
            while outsider.count("counted_games") < 8 {
                tokio::time::sleep(Duration::from_millis(20)).await;
                other.endings.count().await.expect("counting");
            }
            assert_eq!(stored(&mut outsider), first, "in round {round}");
            assert_eq!(outsider.count("results"), 9);
            assert_eq!(outsider.count("counted_games WHERE kind = 'rated'"), 4);
            assert_eq!(outsider.count("counted_games WHERE kind = 'no_result'"), 4);
        }
        let shown = counted(&omar, 4).await;
        assert_eq!(shown["rulesets"][0]["rating"]["games"], 4);
    }

    /// Players who give up rank behind all who stay, whatever the bot in their seat scores. They share that
    /// rank, and the others move up. A bot's results belong to no account.
    #[ignore = "all: plays whole games; the default plays shorter ones"]
    async fn players_who_give_up_rank_last(service: Service) {
        let table = service.table("nineteen").players(4).started().await;
        let mut dice = Random(21);
        for (round, gone) in [(3, 1), (5, 2)] {
            table.play_until(&mut dice, |view| view["round"]["number"] == round).await;
            table.players[gone].client.delete(&table.path(&format!("seats/{gone}"))).await.accepted();
        }
        table.play_out(&mut dice).await;
        let view = table.view().await;
        let totals: Vec<i64> =
            (0..4).map(|seat| view["scores"]["totals"][seat].as_i64().expect("a total")).collect();
        let won = |seat: usize| u64::from(totals[seat] <= totals[3 - seat]);
        for (seat, player) in table.players.iter().enumerate() {
            let shown = counted(player, 1).await;
            let figures = &shown["rulesets"][0];
            let gone = seat == 1 || seat == 2;
            let expected = match gone {
                true => json!([0, 1, 0, 0, null]),
                false => json!([won(seat), 0, 19, figures["rounds_made"], totals[seat] as f64]),
            };
            let told = json!([
                figures["wins"], figures["forfeits"], figures["rounds"], figures["rounds_made"], figures["average_points"]
            ]);
            assert_eq!(told, expected, "{}", player.name);
        }
        let ranks: Vec<u64> = match totals[0].cmp(&totals[3]) {
            std::cmp::Ordering::Less => vec![1, 3, 3, 2],
            std::cmp::Ordering::Equal => vec![1, 3, 3, 1],
            std::cmp::Ordering::Greater => vec![2, 3, 3, 1],
        };
        let expected = weng_lin(&[(25.0, 25.0 / 3.0); 4], &ranks);
        let stored = stored(&mut service.database().outsider());
        for (player, (mean, deviation)) in table.players.iter().zip(expected) {
            let row = stored.iter().find(|row| row.account_id == player.account).expect("a rating");
            assert!((row.mean as f64 / 1e6 - mean).abs() < 1e-5, "{}: {row:?} {mean}", player.name);
            assert!((row.deviation as f64 / 1e6 - deviation).abs() < 1e-5, "{}: {row:?} {deviation}", player.name);
        }
        let export = table.players[1].client.get("/v1/me/export").await.accepted();
        assert_eq!((&export["results"][0]["forfeited"], &export["results"][0]["rank"]), (&json!(true), &json!(3)));
    }

    /// A game with a bot from the start counts only for the statistics. A game with a stand-in counts for the
    /// ratings too.
    #[ignore = "all: plays whole games; the default plays shorter ones"]
    async fn a_game_with_a_bot_from_the_start_is_unrated(service: Service) {
        let with_bot = service.table("nineteen").players(2).open().await;
        let (noor, seat) = (&with_bot.players[0], with_bot.path("seats/1/bot"));
        noor.client.request(reqwest::Method::PUT, &seat).raw(r#"{"level":"easy"}"#).await.accepted();
        with_bot.start().await.accepted();
        with_bot.play_out(&mut Random(31)).await;
        let shown = counted(noor, 1).await;
        assert_eq!((&shown["rulesets"][0]["rounds"], &shown["rulesets"][0]["rating"]), (&json!(19), &Value::Null));

        // Omar is away from the third round to the end.
        let table = service.table("nineteen").players(2).with("turn_seconds", 10).started().await;
        let mut dice = Random(32);
        let omar = &table.players[1];
        table.play_until(&mut dice, |view| view["round"]["number"] == 3).await;
        let mut late = 0;
        loop {
            let view = table.play_until(&mut dice, |view| view["round"]["to_act"]["seat"] == 1).await;
            if view["seats"][1]["stand_in"] == true {
                break;
            }
            assert!(late < 5, "no bot ever stands in");
            late += 1;
            service.wait(11);
            eventually("the clock plays", async || table.view().await["version"] != view["version"]).await;
        }
        table.play_out(&mut dice).await;
        let shown = counted(omar, 1).await;
        let figures = &shown["rulesets"][0];
        assert_eq!((&figures["forfeits"], &figures["rounds"], &figures["rating"]["games"]), (&json!(0), &json!(19), &json!(1)));
        let view = table.view().await;
        let ranks: Vec<u64> = (0..2).map(|seat| view["scores"]["ranks"][seat].as_u64().expect("a rank")).collect();
        assert_eq!(figures["wins"], u64::from(ranks[1] == 1));
        let expected = weng_lin(&[(25.0, 25.0 / 3.0); 2], &ranks)[1].0;
        let mean = figures["rating"]["mean"].as_f64().expect("a mean");
        assert!((mean - expected).abs() < 1e-3, "{mean} {expected}");
    }

    #[ignore = "all: plays whole games; the default plays shorter ones"]
    async fn erasing_an_account_deletes_its_statistics(service: Service) {
        let table = finished(&service, 2, 6).await;
        let (noor, omar) = (&table.players[0], &table.players[1]);
        let shown = counted(omar, 1).await;
        let export = omar.client.get("/v1/me/export").await.accepted();
        assert_eq!(export["results"][0]["game"], table.id);
        assert_eq!(export["results"][0]["rounds_made"], shown["rulesets"][0]["rounds_made"]);
        assert_eq!(export["ratings"], json!([{"ruleset": "nineteen", "rating": shown["rulesets"][0]["rating"]}]));
        let log = table.seat(0).log().await;

        // A finished game that is not yet counted when the account is deleted counts only for the others.
        let second = finished(&service, 2, 7).await;
        let farewell = json!({"password": PASSWORD}).to_string();
        omar.client.request(reqwest::Method::DELETE, "/v1/me").raw(farewell).await.accepted();
        let shown = counted(noor, 2).await;
        assert_eq!(shown["rulesets"][0]["rating"]["games"], 2);
        let mut outsider = service.database().outsider();
        for of in ["results", "ratings"] {
            assert_eq!(outsider.count(&format!("{of} WHERE account_id = '{}'", omar.account)), 0, "{of}");
        }
        let none = noor.client.get(&format!("/v1/players/{}/statistics", omar.account)).await.accepted();
        assert_eq!(none["rulesets"], json!([]));
        assert_eq!(table.seat(0).log().await, log, "the record is as it was");
        assert_eq!(second.view().await["status"], "finished");
    }
}
