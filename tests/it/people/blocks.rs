//! Of two players of whom one blocks the other, neither meets or sees the other, in both directions and on different nodes.

use super::{Scene, befriend, block, for_two, friends, gone, people, put, table_of, unblock};
use crate::nodes::frames::Frames;
use crate::prelude::*;

const NOWHERE: &str = "019b7a00-0000-7000-8000-00000000dead";

/// What one player has, and another one looks for.
struct Belongings {
    /// A public table in the lobby.
    public: Table,
    /// A private table in the lobby, with its code.
    private: Table,
    code: String,
    /// A running public game with a third player.
    running: Table,
}

impl Belongings {
    async fn of(player: &Player, third: &Player) -> Belongings {
        let public = table_of(&[player], &for_two()).await;
        let wish = json!({"ruleset": "nineteen", "players": 2, "visibility": "private"});
        let private = table_of(&[player], &wish).await;
        let code = player.client.get(&private.game()).await.accepted()["join_code"]
            .as_str()
            .expect("a code")
            .to_owned();
        let running = table_of(&[player, third], &for_two()).await;
        running.start().await.accepted();
        Belongings { public, private, code, running }
    }
}

/// Every path by which `seeker` could see or meet `hidden` is answered as if `hidden` did not exist.
async fn is_hidden(seeker: &Player, hidden: &Player, has: &Belongings) {
    let client = &seeker.client;
    // The same answer as for a player, or a game, that nobody has.
    for path in ["", "/statistics", "/games"] {
        let missing = gone(&client.get(&format!("/v1/players/{NOWHERE}{path}")).await, "player");
        let answer = client.get(&format!("/v1/players/{}{path}", hidden.account)).await;
        assert_eq!(gone(&answer, "player"), missing, "{path}");
    }
    for table in [&has.public, &has.running] {
        for part in ["", "/events", "/scores", "/state?version=1", "/stream"] {
            let missing = gone(&client.get(&format!("/v1/games/{NOWHERE}{part}")).await, "game");
            let answer = client.get(&format!("{}{part}", table.game())).await;
            assert_eq!(gone(&answer, "game"), missing, "{part}");
        }
        for (part, body) in [
            ("seats", json!({})),
            ("commands", json!({"type": "estimate", "tricks": 0})),
            ("commands/check", json!({"type": "estimate", "tricks": 0})),
            ("reactions", json!({"reaction": "hello"})),
            ("rematch", json!({})),
            ("invitations", json!({"player": NOWHERE})),
        ] {
            let missing = gone(&client.send(&format!("/v1/games/{NOWHERE}/{part}"), &body).await, "game");
            let answer = client.send(&table.path(part), &body).await;
            assert_eq!(gone(&answer, "game"), missing, "{part}");
        }
        for part in ["start", "cancel", "hint"] {
            gone(&client.post(&table.path(part)).await, "game");
        }
        gone(&client.delete(&table.path("seats/0")).await, "game");
    }
    // By invitation code.
    let joined = client.send(&format!("/v1/join/{}", has.code), &json!({})).await;
    let missing = client.send("/v1/join/AAAAAAAA", &json!({})).await;
    assert_eq!(gone(&joined, "invitation"), gone(&missing, "invitation"));
    let wish = json!({"join_code": has.code});
    gone(&client.send(&has.private.path("seats"), &wish).await, "game");
    // Lists and search.
    for list in ["/v1/games?limit=100", "/v1/games?status=playing&limit=100"] {
        let body = client.get(list).await.body.clone();
        assert!(!body.contains(&hidden.account) && !body.contains(&has.running.id), "{list}: {body}");
    }
    let name = client.get(&format!("/v1/people?name={}", hidden.name)).await.accepted();
    assert_eq!(name["items"], json!([]));
    let recent = client.get("/v1/me/recent-players").await;
    assert!(!recent.body.contains(&hidden.account), "{recent}");
    let board = client.get("/v1/leaderboards/nineteen").await;
    assert!(!board.body.contains(&hidden.account), "{board}");
    let ranks = board.accepted()["items"].as_array().expect("players").clone();
    assert!(ranks.iter().any(|item| item["player"].is_null() && item["rank"].is_u64()), "{board}");
    // Friendship and invitations.
    let missing = put(seeker, &format!("/v1/me/friends/{NOWHERE}")).await;
    assert_eq!(gone(&put(seeker, &friends(hidden)).await, "player"), gone(&missing, "player"));
    let own = table_of(&[seeker], &for_two()).await;
    let invite = async |id: &str| client.send(&own.path("invitations"), &json!({"player": id})).await;
    assert_eq!(gone(&invite(&hidden.account).await, "player"), gone(&invite(NOWHERE).await, "player"));
    own.players[0].client.post(&own.path("cancel")).await.accepted();
    let listed = people(seeker).await;
    assert_eq!(
        (&listed["friends"], &listed["received"], &listed["sent"]),
        (&json!([]), &json!([]), &json!([]))
    );
    assert_eq!(client.get("/v1/me/invitations").await.accepted()["items"], json!([]));
}

/// Gives two players enough rated games for the leaderboard.
fn rate(scene: &Scene, players: [&Player; 2]) {
    for (player, ordinal) in players.iter().zip([30, 20]) {
        let sql =
            format!("INSERT INTO ratings VALUES ('{}', 'nineteen', 10, 1, {ordinal}, 10)", player.account);
        scene.site.outsider().run(&sql).expect("a rating");
    }
}

/// Two players queue for the same game. They are seated with others, never with each other.
async fn are_matched_apart(scene: &Scene, one: &Player, other: &Player) {
    let wish = json!({"ruleset": "plain"});
    let game = async |player: &Player| {
        player.client.get("/v1/matchmaking").await.accepted()["game"].as_str().expect("a game").to_owned()
    };
    for player in [one, other] {
        player.client.send("/v1/matchmaking", &wish).await.accepted();
    }
    assert_ne!(game(one).await, game(other).await);
    // Six more fill both tables. A table that waits is never merged with the other.
    let mut more = Vec::new();
    for number in 0..6 {
        let player = scene.player("lina", number % 2).await;
        player.client.send("/v1/matchmaking", &wish).await.accepted();
        more.push(player);
    }
    for player in [one, other] {
        let status = async || player.client.get("/v1/matchmaking").await.accepted()["status"] == "seated";
        eventually("the table is full", status).await;
    }
    assert_ne!(game(one).await, game(other).await);
    for player in [one, other] {
        let view = player.client.get(&format!("/v1/games/{}", game(player).await)).await;
        assert_ne!(view.body.contains(&one.account), view.body.contains(&other.account), "{view}");
    }
}

on_both! {
    async fn a_block_and_a_seat_at_the_same_time(scene: Scene) {
        let (noor, omar) = (scene.player("noor", 0).await, scene.player("omar", 1).await);
        for _ in 0..12 {
            let table = table_of(&[&noor], &for_two()).await;
            let join = omar.client.send(&table.path("seats"), &json!({})).sent();
            let path = format!("/v1/me/blocks/{}", omar.account);
            let blocking = put(&noor, &path).sent();
            let (joined, blocked) = tokio::join!(join, blocking);
            blocked.expect("an answer").accepted();
            let joined = joined.expect("an answer").is_success();
            let alone = async || {
                let view = noor.client.get(&table.game()).await.accepted();
                Some(view["seats"][1]["player"].is_null()).filter(|alone| *alone)
            };
            found(format!("omar is gone, joined: {joined}"), alone).await;
            noor.client.post(&table.path("cancel")).await.accepted();
            unblock(&noor, &omar).await;
        }
    }
}

on_sqlite_first! {
    #[ignore = "all: tries every case; the default tries some"]
    async fn blocked_players_cannot_meet_or_see_each_other(scene: Scene) {
        let (noor, omar) = (scene.player("noor", 0).await, scene.player("omar", 1).await);
        let (lina, ziad) = (scene.player("lina", 0).await, scene.player("ziad", 1).await);
        let settings = json!({"shows_presence": true, "found_by_name": true, "takes_requests": true}).to_string();
        for player in [&noor, &omar] {
            player.client.request(Method::PUT, "/v1/me/people/settings").raw(settings.clone()).await.accepted();
        }
        rate(&scene, [&noor, &omar]);
        // They have played, and are friends with an invitation.
        let finished = table_of(&[&noor, &omar], &json!({"ruleset": "nineteen", "players": 2, "options": {"order": "1-10-1"}})).await;
        finished.start().await.accepted();
        finished.play_out(&mut Random(7)).await;
        befriend(&noor, &omar).await;
        let (hers, his) = (Belongings::of(&noor, &lina).await, Belongings::of(&omar, &ziad).await);
        let invite = json!({"player": omar.account});
        noor.client.send(&hers.public.path("invitations"), &invite).await.accepted();
        let recent = noor.client.get("/v1/me/recent-players").await.accepted();
        assert_eq!(recent["items"][0]["id"], omar.account.as_str());
        // Before the block, each sees the other.
        for (seeker, hidden, has) in [(&noor, &omar, &his), (&omar, &noor, &hers)] {
            seeker.client.get(&format!("/v1/players/{}", hidden.account)).await.accepted();
            seeker.client.get(&has.running.game()).await.accepted();
        }
        for (blocker, blocked) in [(&noor, &omar), (&omar, &noor)] {
            block(blocker, blocked).await;
            is_hidden(&noor, &omar, &his).await;
            is_hidden(&omar, &noor, &hers).await;
            // Public histories stay public, and their own finished game is there.
            noor.client.get(&finished.game()).await.accepted();
            Client::anonymous(noor.client.base()).get(&finished.path("history")).await.accepted();
            are_matched_apart(&scene, blocker, blocked).await;
            unblock(blocker, blocked).await;
            noor.client.get(&format!("/v1/players/{}", omar.account)).await.accepted();
        }
        // A rematch of the finished game is there for the first who asks.
        block(&omar, &noor).await;
        noor.client.send(&finished.path("rematch"), &json!({})).await.accepted();
        gone(&omar.client.send(&finished.path("rematch"), &json!({})).await, "game");
        let mut stream = Frames::of(&omar.client, "/v1/me/stream", None).await;
        table_of(&[&omar], &for_two()).await;
        let first = format!("{:?}", stream.soon(crate::patience::PATIENCE).await);
        assert!(!first.contains(&finished.id), "{first}");
    }

    async fn a_running_game_goes_on_and_a_watcher_is_shut_out(scene: Scene) {
        let (noor, omar) = (scene.player("noor", 0).await, scene.player("omar", 1).await);
        let lina = scene.player("lina", 1).await;
        let table = table_of(&[&noor, &omar], &for_two()).await;
        table.start().await.accepted();
        let mut watched = Frames::of(&lina.client, &table.stream(), Some(&table.head().await)).await;
        block(&noor, &omar).await;
        block(&noor, &lina).await;
        // Both players see their game and move.
        for player in [&noor, &omar] {
            player.client.get(&table.game()).await.accepted();
        }
        let shut_out = async {
            loop {
                match watched.next().await {
                    Ok(Some(_)) => {}
                    Ok(None) | Err(_) => return,
                }
            }
        };
        let moving = async {
            loop {
                table.any_move().await;
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            }
        };
        tokio::select! {
            ended = tokio::time::timeout(crate::patience::PATIENCE, shut_out) => ended.expect("the stream ends"),
            () = moving => {}
        }
        gone(&lina.client.get(&table.game()).await, "game");
    }

    async fn who_blocks_leaves_the_lobby_or_as_host_removes_the_other(scene: Scene) {
        let (noor, omar) = (scene.player("noor", 0).await, scene.player("omar", 1).await);
        let (hers, his) = (table_of(&[&noor, &omar], &for_two()).await, table_of(&[&omar, &noor], &for_two()).await);
        block(&noor, &omar).await;
        let seats = async |player: &Player, table: &Table| {
            let view = player.client.get(&table.game()).await.accepted();
            view["seats"].as_array().expect("seats").iter().filter(|seat| !seat["player"].is_null()).count()
        };
        assert_eq!((seats(&noor, &hers).await, seats(&omar, &his).await), (1, 1));
        gone(&omar.client.get(&hers.game()).await, "game");
        gone(&noor.client.get(&his.game()).await, "game");
    }

    async fn a_player_blocks_two_hundred(scene: Scene) {
        let noor = scene.player("noor", 0).await;
        let mut rows = String::new();
        for number in 0..200 {
            let id = format!("019b7a00-0000-7000-8000-{number:012}");
            rows += &format!(
                "INSERT INTO accounts VALUES ('{id}', NULL, NULL, 'x', NULL, 0, 'full', 'player', 10, 10); \
                 INSERT INTO relations VALUES ('{}', 'block', '{id}', 10); ",
                noor.account
            );
        }
        scene.site.outsider().run(&rows).expect("rows");
        assert_eq!(scene.site.outsider().count("relations"), 200);
        let omar = scene.player("omar", 1).await;
        let answer = put(&noor, &format!("/v1/me/blocks/{}", omar.account)).await;
        let problem = answer.refused(409, "too-many-people");
        assert_eq!((&problem["limit"], &problem["what"]), (&json!(200), &json!("blocked players")));
        // Blocking nobody, oneself, or somebody again says nothing.
        for id in [NOWHERE, &noor.account, "019b7a00-0000-7000-8000-000000000007"] {
            put(&noor, &format!("/v1/me/blocks/{id}")).await.accepted();
        }
        assert_eq!(people(&noor).await["blocked"].as_array().map(Vec::len), Some(200));
    }
}
