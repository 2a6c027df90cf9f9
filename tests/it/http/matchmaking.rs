//! Matchmaking: each account gets one seat at a full table, which starts by itself.

use diesel::prelude::*;
use diesel::sql_types::{Nullable, Text};
use estimation_service::auth::caller::Caller;
use estimation_service::base::failure::Failure;
use estimation_service::matchmaking::Wish;

use crate::prelude::*;

pub const QUEUE: &str = "/v1/matchmaking";

pub async fn sought(player: &Player) -> Value {
    player.client.get(QUEUE).await.accepted()
}

async fn comes_to(player: &Player, status: &str) -> Value {
    let is_there = |waiting: &Value| waiting["status"] == status;
    found(format!("{} comes to {status}", player.name), async || Some(sought(player).await).filter(is_there))
        .await
}

async fn view(player: &Player, waiting: &Value) -> Value {
    let game = waiting["game"].as_str().expect("a game");
    player.client.get(&format!("/v1/games/{game}")).await.accepted()
}

pub fn wish(ruleset: &str) -> Wish {
    let ruleset = ruleset.to_owned();
    Wish {
        ruleset,
        options: BTreeMap::new(),
        players: None,
        fill_with_bots_after: None,
        seed_commitment: None,
    }
}

#[derive(QueryableByName)]
struct Sitting {
    #[diesel(sql_type = Text)]
    game_id: String,
    #[diesel(sql_type = Text)]
    status: String,
    #[diesel(sql_type = Nullable<Text>)]
    account_id: Option<String>,
}

/// The accounts at each table that is not abandoned, by game, with the game's status.
fn tables(outsider: &mut Outsider) -> BTreeMap<String, (String, Vec<Option<String>>)> {
    let query = "SELECT p.game_id, g.status, p.account_id FROM game_players p JOIN games g ON g.id = p.game_id \
                 WHERE g.status <> 'abandoned' ORDER BY p.game_id, p.place";
    let sitting: Vec<Sitting> = match outsider {
        Outsider::Sqlite(conn) => diesel::sql_query(query).load(conn).expect(query),
        Outsider::Postgres(conn) => diesel::sql_query(query).load(conn).expect(query),
    };
    let mut tables = BTreeMap::<String, (String, Vec<Option<String>>)>::new();
    for Sitting { game_id, status, account_id } in sitting {
        tables.entry(game_id).or_insert_with(|| (status, Vec::new())).1.push(account_id);
    }
    tables
}

/// Every account has one seat; every table is full and has started.
pub fn all_seated_once(outsider: &mut Outsider, players: &[Player]) {
    let tables = tables(outsider);
    let mut seated: Vec<&String> = tables.values().flat_map(|(_, people)| people).flatten().collect();
    seated.sort_unstable();
    let mut expected: Vec<&String> = players.iter().map(|player| &player.account).collect();
    expected.sort_unstable();
    assert_eq!(seated, expected, "everybody has a seat, and only one");
    for (id, (status, people)) in &tables {
        assert_eq!((status.as_str(), people.len()), ("playing", 4), "table {id}");
    }
    assert_eq!(outsider.count("matchmaking WHERE terms IS NOT NULL"), 0, "nobody waits any more");
}

pub async fn crowd(service: &Service, many: usize) -> Vec<Player> {
    let mut players = Vec::new();
    for number in 0..many {
        players.push(service.player(&format!("player{number:02}")).await);
    }
    players
}

async fn settled(outsider: &mut Outsider) {
    let started = |outsider: &mut Outsider| tables(outsider).values().all(|(status, _)| status == "playing");
    eventually("all tables start", async || started(outsider)).await;
}

/// Queues a player on a node and, like a client, retries when the node asks it to.
async fn seek(node: Arc<App>, player: Caller, wish: Wish) -> Result<(), Failure> {
    loop {
        match node.matchmaking.seek_table(&player, wish.clone(), None).await {
            Ok(_) => return Ok(()),
            Err(Failure::GameBusy) => {}
            Err(failure) => return Err(failure),
        }
    }
}

on_both! {
    async fn leaving_is_possible_before_the_start(service: Service) {
        let players = crowd(&service, 4).await;
        let wish = json!({"ruleset": "nineteen", "players": 2});
        let first = players[0].client.send(QUEUE, &wish).await.accepted();
        players[0].client.delete(QUEUE).await.accepted();
        assert_eq!(sought(&players[0]).await["status"], "idle");
        assert_eq!(view(&players[0], &first).await["status"], "abandoned", "nobody was left there");
        players[0].client.delete(QUEUE).await.accepted();

        let second = players[0].client.send(QUEUE, &wish).await.accepted();
        assert_ne!(second["game"], first["game"]);
        players[1].client.send(QUEUE, &wish).await.accepted();
        let refused = players[0].client.delete(QUEUE).await.refused(409, "game-not-in-lobby");
        assert_eq!(refused["game_status"], "playing");
        let game = view(&players[0], &second).await;
        assert_eq!((&game["status"], &game["you"]["seat"].is_u64()), (&json!("playing"), &true), "nothing was forfeited");

        // The player who opened the table leaves; the other one stays.
        let wish = json!({"ruleset": "plain"});
        players[2].client.send(QUEUE, &wish).await.accepted();
        let stays = players[3].client.send(QUEUE, &wish).await.accepted();
        players[2].client.delete(QUEUE).await.accepted();
        let waiting = sought(&players[3]).await;
        assert_eq!((&waiting["game"], &waiting["taken"]), (&stays["game"], &json!(1)));
        let back = players[2].client.send(QUEUE, &wish).await.accepted();
        assert_eq!((&back["game"], &back["taken"]), (&stays["game"], &json!(2)));
        // A deleted account leaves the queue.
        let export = players[2].client.get("/v1/me/export").await.accepted();
        assert_eq!(export["matchmaking"]["game"], stays["game"]);
        let farewell = json!({"password": PASSWORD}).to_string();
        players[2].client.request(Method::DELETE, "/v1/me").raw(farewell).await.accepted();
        assert_eq!(sought(&players[3]).await["taken"], 1);
        assert_eq!(service.database().outsider().count("matchmaking"), 3);
    }

    async fn players_with_and_without_bots_fill_a_table_together(service: Service) {
        let players = crowd(&service, 5).await;
        let (people, bots) = (json!({"ruleset": "squares"}), json!({"ruleset": "squares", "fill_with_bots_after": 3600}));
        for player in &players[..2] {
            player.client.send(QUEUE, &people).await.accepted();
        }
        let accepts = players[2].client.send(QUEUE, &bots).await.accepted();
        // Somebody who waits for another game makes no difference.
        let other = json!({"ruleset": "squares", "options": {"minimum_bid": 5}, "fill_with_bots_after": 3600});
        let other = players[4].client.send(QUEUE, &other).await.accepted();
        service.app().matchmaking.advance_matchmade_tables().await.expect("the job");
        assert_eq!(sought(&players[2]).await, accepts, "two and one are not four");
        assert_eq!(sought(&players[0]).await["taken"], 2);

        players[3].client.send(QUEUE, &bots).await.accepted();
        let mut games = Vec::new();
        for player in &players[..4] {
            let seated = comes_to(player, "seated").await;
            assert_eq!(seated["deadline"], Value::Null);
            games.push(seated["game"].clone());
        }
        assert!(games.iter().all(|game| *game == games[0]), "{games:?}");
        let game = found("the game starts", async || {
            Some(view(&players[0], &json!({"game": games[0]})).await).filter(|game| game["status"] == "playing")
        })
        .await;
        let seats = game["seats"].as_array().expect("seats");
        assert!(seats.iter().all(|seat| seat["player"]["kind"] == "human"), "{seats:?}");
        assert_eq!(sought(&players[4]).await, other);
        assert_eq!(service.database().outsider().count("matchmaking WHERE left_game_id IS NOT NULL"), 0);
    }

    async fn a_crowd_is_seated_on_two_nodes(service: Service) {
        let players = crowd(&service, 24).await;
        let node = service.another_node();
        let seated = players.iter().enumerate().map(|(number, player)| {
            let node = Arc::clone(&node);
            async move {
                if number % 2 == 0 {
                    let answer = player.client.send(QUEUE, &json!({"ruleset": "plain"})).await;
                    assert_eq!(answer.status, 200, "{answer}");
                } else {
                    seek(node, player.caller(), wish("plain")).await.expect("a seat");
                }
            }
        });
        join_all(seated).await;
        let mut outsider = service.database().outsider();
        settled(&mut outsider).await;
        all_seated_once(&mut outsider, &players);
    }

    /// Four players queue at the same moment, each on another node with an empty queue, and join one table.
    async fn simultaneous_players_share_a_table(service: Service) {
        let players = crowd(&service, 4).await;
        let nodes = [0; 4].map(|_| service.another_node());
        let mut outsider = service.database().outsider();
        for (round, ruleset) in ["plain", "squares", "kabooot", "double-risk"].into_iter().enumerate() {
            let start = Arc::new(tokio::sync::Barrier::new(4));
            let seated = players.iter().zip(&nodes).map(|(player, node)| {
                let (node, player, start) = (Arc::clone(node), player.caller(), Arc::clone(&start));
                async move {
                    start.wait().await;
                    seek(node, player, wish(ruleset)).await.expect("a seat");
                }
            });
            join_all(seated).await;
            settled(&mut outsider).await;
            let tables = tables(&mut outsider);
            assert_eq!(tables.len(), round + 1, "{tables:?}");
            assert!(tables.values().all(|(_, people)| people.len() == 4), "{tables:?}");
        }
    }

    async fn an_account_is_seated_once(service: Service) {
        let (noor, node) = (service.player("noor").await, service.another_node());
        let asked = (0..12).map(|number| {
            let (noor, node) = (noor.clone(), Arc::clone(&node));
            async move {
                if number % 2 == 0 {
                    let answer = noor.client.send(QUEUE, &json!({"ruleset": "plain"})).await;
                    if answer.status != 200 {
                        answer.refused(409, "already-waiting");
                    }
                    answer.status == 200
                } else {
                    match seek(node, noor.caller(), wish("plain")).await {
                        Ok(()) => true,
                        Err(Failure::AlreadyWaiting { .. }) => false,
                        Err(failure) => panic!("{failure}"),
                    }
                }
            }
        });
        let seated = join_all(asked).await.into_iter().filter(|&seated| seated).count();
        assert_eq!(seated, 1);
        let tables = tables(&mut service.database().outsider());
        assert_eq!(tables.len(), 1, "{tables:?}");
        assert_eq!(sought(&noor).await["taken"], 1);
    }

    /// Nodes and clients abort matchmaking at random moments. Players without a seat queue again, some leave
    /// and come back, and in the end all are seated.
    async fn a_crowd_is_seated_despite_interruptions(service: Service) {
        let players = crowd(&service, 16).await;
        let nodes = [service.another_node(), service.another_node()];
        for attempt in 0..4_u64 {
            let mut idle = Vec::new();
            for player in &players {
                if sought(player).await["status"] == "idle" {
                    idle.push(player);
                }
            }
            let seeking = idle.iter().enumerate().map(|(number, player)| {
                let node = Arc::clone(&nodes[number % 2]);
                let task = tokio::spawn(seek(node, player.caller(), wish("plain")));
                async move {
                    tokio::time::sleep(Duration::from_micros(500 + 900 * number as u64 + 700 * attempt)).await;
                    task.abort();
                    let _ = task.await;
                }
            });
            join_all(seeking).await;
            for leaving in players.iter().skip(attempt as usize).step_by(5) {
                match nodes[0].matchmaking.stop_seeking(&leaving.caller()).await {
                    Ok(()) | Err(Failure::Rejected(_)) => {}
                    Err(failure) => panic!("{failure}"),
                }
            }
        }
        // The request of a client that is gone may still be written now.
        for player in &players {
            eventually(format!("{} is seated", player.name), async || {
                if sought(player).await["status"] != "idle" {
                    return true;
                }
                let answer = player.client.send(QUEUE, &json!({"ruleset": "plain"})).await;
                assert!(answer.status < 300 || answer.json()["code"] == "already-waiting", "{answer}");
                false
            })
            .await;
        }
        let mut outsider = service.database().outsider();
        settled(&mut outsider).await;
        all_seated_once(&mut outsider, &players);
    }
}

on_sqlite_first! {
    async fn four_queued_players_share_a_table(service: Service) {
        let players = crowd(&service, 6).await;
        for player in &players {
            assert_eq!(sought(player).await["status"], "idle");
        }
        let mut first = Value::Null;
        for (number, player) in players[..3].iter().enumerate() {
            service.wait(1);
            let waiting = player.client.send(QUEUE, &json!({"ruleset": "squares"})).await.accepted();
            if number == 0 {
                first = waiting.clone();
            }
            let expected = json!({
                "status": "waiting", "game": first["game"], "ruleset": first["ruleset"], "players": 4,
                "taken": number + 1, "since": service.now().strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string(),
                "deadline": null,
            });
            assert_eq!(waiting, expected);
            assert_eq!(sought(player).await, waiting);
        }
        // A player with other wishes joins another table.
        let other = json!({"ruleset": "squares", "options": {"minimum_bid": 5}});
        let other = players[4].client.send(QUEUE, &other).await.accepted();
        assert_ne!(first["game"], other["game"]);

        // Explicit default values match omitted ones.
        let same = json!({"ruleset": "squares", "players": 4, "options": {"minimum_bid": 4}});
        let last = players[3].client.send(QUEUE, &same).await.accepted();
        assert_eq!((&last["game"], &last["status"], &last["taken"]), (&first["game"], &json!("seated"), &json!(4)));
        let game = view(&players[0], &first).await;
        assert_eq!((&game["status"], &game["visibility"], &game["turn_seconds"]), (&json!("playing"), &json!("public"), &json!(60)));
        for player in &players[..4] {
            assert_eq!(sought(player).await["status"], "seated");
        }
        assert_eq!(sought(&players[4]).await["status"], "waiting");
        let again = players[0].client.send(QUEUE, &json!({"ruleset": "squares"})).await.accepted();
        assert_eq!((&again["status"], &again["taken"]), (&json!("waiting"), &json!(1)));
        assert_ne!(again["game"], first["game"]);

        // A player who accepts bots waits at another table than one who does not, unless they fill it.
        let agreed = json!({"ruleset": "squares", "fill_with_bots_after": 3600});
        let agreed = players[5].client.send(QUEUE, &agreed).await.accepted();
        assert!([&first["game"], &other["game"], &again["game"]].iter().all(|&game| *game != agreed["game"]));
        for player in [&players[0], &players[4], &players[5]] {
            assert_eq!(sought(player).await["status"], "waiting");
        }
    }

    async fn an_invalid_wish_is_refused(service: Service) {
        let noor = service.player("noor").await;
        for (wish, code) in [
            (json!({"ruleset": "whist"}), "unknown-ruleset"),
            (json!({"ruleset": "plain", "options": {"jokers": 1}}), "unknown-option"),
            (json!({"ruleset": "plain", "players": 3}), "players-out-of-range"),
            (json!({"ruleset": "plain", "fill_with_bots_after": 86_401}), "invalid-field"),
            (json!({"ruleset": "plain", "visibility": "private"}), "invalid-body"),
        ] {
            noor.client.send(QUEUE, &wish).await.refused(422, code);
        }
        assert_eq!(sought(&noor).await["status"], "idle");
        assert!(tables(&mut service.database().outsider()).is_empty());
    }

    async fn players_cannot_change_a_matchmade_table(service: Service) {
        let players = crowd(&service, 3).await;
        let wish = json!({"ruleset": "nineteen", "players": 4});
        let waiting = players[0].client.send(QUEUE, &wish).await.accepted();
        players[1].client.send(QUEUE, &wish).await.accepted();
        let table = format!("/v1/games/{}", waiting["game"].as_str().expect("a game"));
        let host = &players[0].client;
        let put = |path: &str, body: Value| host.request(Method::PUT, &format!("{table}{path}")).raw(body.to_string());
        host.post(&format!("{table}/start")).await.refused(409, "strangers-table");
        host.post(&format!("{table}/cancel")).await.refused(409, "strangers-table");
        host.delete(&format!("{table}/seats/1")).await.refused(409, "strangers-table");
        put("/seats/2/bot", json!({"level": "easy"})).await.refused(409, "strangers-table");
        put("/host", json!({"seat": 1})).await.refused(409, "strangers-table");
        players[2].client.send(&format!("{table}/seats"), &json!({})).await.refused(409, "strangers-table");
        let lobby = players[2].client.get("/v1/games").await.accepted();
        assert_eq!(lobby["items"], json!([]), "nobody can sit down there by themselves");
        // Players may still change their own seed and leave their own seat.
        let seed = json!({"commitment": "ab".repeat(32)});
        players[1].client.send(&format!("{table}/seed-commitment"), &seed).await.accepted();
        host.delete(&format!("{table}/seats/0")).await.accepted();
        assert_eq!(sought(&players[0]).await["status"], "idle");
        assert_eq!(sought(&players[1]).await["taken"], 1);
    }

    async fn a_repeat_is_answered_like_the_first(service: Service) {
        let players = crowd(&service, 2).await;
        let wish = json!({"ruleset": "nineteen", "players": 2, "fill_with_bots_after": 600});
        let ask = |player: &Player, wish: &Value, key: &str| player.client.send(QUEUE, wish).header("idempotency-key", key);
        for player in &players {
            let first = ask(player, &wish, "key").await;
            assert_eq!(first.header("idempotency-replayed"), None);
            service.wait(5);
            let again = ask(player, &wish, "key").await;
            assert_eq!(again.header("idempotency-replayed"), Some("true"));
            assert_eq!(again.accepted(), first.accepted());
        }
        ask(&players[0], &json!({"ruleset": "plain"}), "key").await.refused(422, "idempotency-key-reused");
        let third = service.player("third").await;
        let waiting = third.client.send(QUEUE, &wish).await.accepted();
        for wish in [&wish, &json!({"ruleset": "plain"})] {
            let problem = third.client.send(QUEUE, wish).await.refused(409, "already-waiting");
            assert_eq!(problem["game"], waiting["game"]);
        }
        // A repeat after leaving returns the first answer and seats no player.
        ask(&players[0], &json!({"ruleset": "plain"}), "other").await.accepted();
        players[0].client.delete(QUEUE).await.accepted();
        let again = ask(&players[0], &json!({"ruleset": "plain"}), "other").await;
        assert_eq!(again.accepted()["taken"], 1);
        assert_eq!(sought(&players[0]).await["status"], "idle");
    }

    async fn bots_come_when_all_agree(service: Service) {
        let players = crowd(&service, 4).await;
        let wish = |seconds: u32| json!({"ruleset": "squares", "fill_with_bots_after": seconds});
        let patient = players[3].client.send(QUEUE, &json!({"ruleset": "squares"})).await.accepted();
        assert_eq!(patient["deadline"], Value::Null);
        players[0].client.send(QUEUE, &wish(60)).await.accepted();
        service.wait(10);
        let second = players[1].client.send(QUEUE, &wish(120)).await.accepted();
        // A third player would fill the table with the patient one.
        assert_eq!(second["taken"], 2);
        for player in &players[..2] {
            assert_eq!(sought(player).await["deadline"], "2026-01-01T12:02:10.000Z");
        }
        service.wait(119);
        // Gives the job time to run.
        tokio::time::sleep(Duration::from_millis(2_500)).await;
        assert_eq!(sought(&players[0]).await["taken"], 2);
        let service = service.restart();
        let players = crowd(&service, 4).await;
        assert_eq!(sought(&players[1]).await["status"], "waiting", "who waits waits on");
        service.wait(1);
        let seated = comes_to(&players[0], "seated").await;
        assert_eq!(seated["game"], second["game"]);
        let game = found("the table starts", async || {
            Some(view(&players[0], &seated).await).filter(|game| game["status"] == "playing")
        })
        .await;
        let kinds: Vec<&Value> = game["seats"].as_array().expect("seats").iter().map(|seat| &seat["player"]["kind"]).collect();
        assert_eq!(kinds, ["human", "human", "bot", "bot"]);
        assert_eq!(game["seats"][3]["player"]["level"], "steady");
        assert_eq!(sought(&players[3]).await["status"], "waiting", "who has not agreed gets none");

        // Without a waiting time the bots join at once.
        players[3].client.delete(QUEUE).await.accepted();
        let alone = players[3].client.send(QUEUE, &json!({"ruleset": "nineteen", "players": 3, "fill_with_bots_after": 0}));
        let alone = alone.await.accepted();
        assert_eq!(view(&players[3], &alone).await["status"], "playing");
    }
}
