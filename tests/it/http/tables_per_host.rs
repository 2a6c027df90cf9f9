//! How many lobby tables a host may have, and how many of them the public lobby lists.

use crate::prelude::*;

const MAX: u32 = 3;

fn limited(database: TestDatabase) -> Service {
    Service::told(database, Setup { tables_per_host: Some(MAX), ..Setup::default() })
}

async fn open(player: &Player, ruleset: &str) -> String {
    let game = player.client.send("/v1/games", &json!({"ruleset": ruleset})).await.accepted();
    game["id"].as_str().expect("an id").to_owned()
}

async fn open_three(player: &Player) -> [String; MAX as usize] {
    [open(player, "squares").await, open(player, "squares").await, open(player, "nineteen").await]
}

fn path(game: &str, part: &str) -> String {
    format!("/v1/games/{game}/{part}")
}

async fn refuses_another(player: &Player) {
    let problem =
        player.client.send("/v1/games", &json!({"ruleset": "plain"})).await.refused(409, "too-many-tables");
    assert_eq!((&problem["limit"], &problem["host"]), (&json!(MAX), &json!(player.account)));
}

async fn listed(player: &Player, query: &str) -> Vec<Vec<String>> {
    let (mut pages, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = player.client.get(&format!("/v1/games?{query}{cursor}")).await.accepted();
        let ids =
            page["items"].as_array().expect("games").iter().map(|game| game["id"].as_str().expect("an id"));
        pages.push(ids.map(str::to_owned).collect());
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return pages,
        }
    }
}

on_both! {
    async fn a_host_at_the_limit_inherits_no_table(database: TestDatabase) {
        let service = limited(database);
        let (noor, omar, lina) =
            (service.player("noor").await, service.player("omar").await, service.player("lina").await);
        open_three(&omar).await;
        let table = open(&noor, "squares").await;
        for player in [&omar, &lina] {
            player.client.send(&path(&table, "seats"), &json!({})).await.accepted();
        }
        let hand_over = |seat: u8| {
            noor.client.request(Method::PUT, &path(&table, "host")).raw(json!({"seat": seat}).to_string())
        };
        let problem = hand_over(1).await.refused(409, "too-many-tables");
        assert_eq!((&problem["limit"], &problem["host"]), (&json!(MAX), &json!(omar.account)));
        noor.client.delete(&path(&table, "seats/0")).await.accepted();
        let seen = lina.client.get(&format!("/v1/games/{table}")).await.accepted();
        assert_eq!((&seen["host"]["id"], &seen["seats"][0]["player"]), (&json!(lina.account), &Value::Null));
        // Without such a player the table is cancelled.
        lina.client.delete(&path(&table, "seats/2")).await.accepted();
        let seen = omar.client.get(&format!("/v1/games/{table}")).await.accepted();
        assert_eq!(seen["status"], "abandoned");
        refuses_another(&omar).await;
    }

    /// The lobby lists a few tables of each host, the newest first, whatever the page size.
    async fn the_public_lobby_lists_a_few_tables_per_host(service: Service) {
        let (noor, omar) = (service.player("noor").await, service.player("omar").await);
        let old = open(&omar, "squares").await;
        let mut all = Vec::new();
        for ruleset in ["nineteen", "nineteen", "squares", "squares", "squares", "squares", "squares", "plain"] {
            // Tables opened in the same millisecond have no order.
            service.wait(1);
            all.push(open(&noor, ruleset).await);
        }
        all.reverse();
        let shown = [&all[..4], std::slice::from_ref(&old)].concat();
        assert_eq!(listed(&omar, "limit=20").await, std::slice::from_ref(&shown));
        for limit in 1..=4 {
            let pages = listed(&omar, &format!("limit={limit}")).await;
            assert!(pages.iter().all(|page| page.len() <= limit), "{pages:?}");
            assert_eq!(pages.concat(), shown, "in pages of {limit}");
        }
        // The filter by ruleset has the same limit.
        assert_eq!(listed(&omar, "ruleset=nineteen").await.concat(), all[6..8]);
        assert_eq!(listed(&omar, "ruleset=squares").await.concat(), [&all[1..5], &[old]].concat());
        // A cancelled table makes room for an older one. The host's own list has all tables.
        noor.client.post(&path(&all[0], "cancel")).await.accepted();
        assert_eq!(listed(&omar, "limit=4").await[0], all[1..5]);
        assert_eq!(listed(&noor, "mine=true").await.concat(), all);
    }
}

on_sqlite_first! {
    /// A table that is cancelled or starts no longer counts. A matchmade table does not count.
    async fn lobby_tables_per_host_are_limited(database: TestDatabase) {
        let service = limited(database);
        let noor = service.player("noor").await;
        let wish = json!({"ruleset": "squares"});
        let keyed = || noor.client.send("/v1/games", &wish).header("idempotency-key", "first");
        let first = keyed().await.accepted();
        open(&noor, "squares").await;
        let small = noor.client.send("/v1/games", &json!({"ruleset": "nineteen", "players": 2})).await.accepted();
        refuses_another(&noor).await;
        assert_eq!(keyed().await.accepted()["id"], first["id"], "what was done before is answered again");

        noor.client.send("/v1/matchmaking", &json!({"ruleset": "plain"})).await.accepted();
        let small = small["id"].as_str().expect("an id");
        noor.client.request(Method::PUT, &path(small, "seats/1/bot")).raw(r#"{"level":"easy"}"#).await.accepted();
        noor.client.post(&path(small, "start")).await.accepted();
        let another = open(&noor, "plain").await;
        refuses_another(&noor).await;
        noor.client.post(&path(&another, "cancel")).await.accepted();
        let again = noor.client.send(&path(&another, "rematch"), &json!({})).await.accepted();
        assert_eq!(again["status"], "lobby");
        refuses_another(&noor).await;
        let full = noor.client.send(&path(small, "rematch"), &json!({})).await;
        assert_eq!(full.json()["code"], "game-not-over");
    }
}
