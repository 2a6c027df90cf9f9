//! Player profiles and lists of games, as other players see them.

use crate::prelude::*;

async fn pages(of: &Player, path: &str) -> Vec<Value> {
    let (mut ids, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = of.client.get(&format!("{path}{cursor}")).await.accepted();
        let items = page["items"].as_array().expect("games").clone();
        assert!(items.len() <= 2);
        ids.extend(items.iter().map(|game| game["id"].clone()));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return ids,
        }
    }
}

on_both! {
    async fn private_games_are_listed_to_their_players(service: Service) {
        let mut all = Vec::new();
        for (ruleset, visibility) in
            [("nineteen", "public"), ("plain", "private"), ("nineteen", "private"), ("squares", "public"), ("plain", "public")]
        {
            service.wait(1);
            all.push(service.table(ruleset).with("visibility", visibility).open().await.id);
        }
        service.wait(1);
        let shared = service.table("nineteen").players(2).with("visibility", "private").started().await;
        all.push(shared.id.clone());
        let (noor, omar, lina) =
            (service.player("noor").await, service.player("omar").await, service.player("lina").await);
        let path = format!("/v1/players/{}/games?limit=2", noor.account);
        let of = |games: &[usize]| games.iter().map(|&game| json!(all[game])).collect::<Vec<_>>();
        assert_eq!(pages(&noor, &path).await, of(&[5, 4, 3, 2, 1, 0]));
        assert_eq!(pages(&omar, &path).await, of(&[5, 4, 3, 0]));
        assert_eq!(pages(&lina, &path).await, of(&[4, 3, 0]));
        assert_eq!(pages(&lina, &format!("{path}&ruleset=plain")).await, of(&[4]));
        assert_eq!(pages(&omar, &format!("{path}&status=playing")).await, of(&[5]));
        assert_eq!(pages(&lina, &format!("{path}&status=playing")).await, of(&[]));
        assert_eq!(pages(&lina, &format!("/v1/players/{}/games?limit=2", omar.account)).await, of(&[]));
        for query in ["limit=0", "limit=101", "cursor=x", "mine=true"] {
            noor.client.get(&format!("/v1/players/{}/games?{query}", noor.account)).await.refused(400, "malformed-query");
        }
    }
}

on_sqlite_first! {
    async fn a_profile_has_public_data_only(service: Service) {
        let (noor, omar) = (service.player("noor").await, service.player("omar").await);
        noor.client.request(reqwest::Method::PATCH, "/v1/me").raw(r#"{"display_name":"Noor H."}"#).await.accepted();
        let shown = omar.client.get(&format!("/v1/players/{}", noor.account)).await.accepted();
        let expected = json!({
            "id": noor.account, "display_name": "Noor H.", "kind": "full", "since": "2026-01-01T12:00:00.000Z",
            "broken_off": {"tables_cancelled": 0, "openings_missed": 0, "games_left": 0},
        });
        assert_eq!(shown, expected, "no username, no role");
        let guest = service.anonymous().send("/v1/accounts/guest", &json!({"display_name": "Visitor"})).await.accepted();
        let id = guest["account"]["id"].as_str().expect("an id");
        let shown = omar.client.get(&format!("/v1/players/{id}")).await.accepted();
        assert_eq!((&shown["kind"], &shown["display_name"]), (&json!("guest"), &json!("Visitor")));

        let unknown = "019b7a00-0000-7000-8000-0000000000a1";
        for path in ["", "/games"] {
            let problem = omar.client.get(&format!("/v1/players/{unknown}{path}")).await.refused(404, "not-found");
            assert_eq!(problem["what"], "player");
            omar.client.get(&format!("/v1/players/noor{path}")).await.refused(400, "malformed-path");
        }
    }

    /// An erased player with games keeps a pseudonym. Without games, nothing remains.
    async fn an_erased_player_has_a_pseudonym(service: Service) {
        let table = service.table("nineteen").players(2).started().await;
        let (noor, omar) = (table.players[0].clone(), table.players[1].clone());
        let lina = service.player("lina").await;
        for gone in [&omar, &lina] {
            let farewell = json!({"password": PASSWORD}).to_string();
            gone.client.request(reqwest::Method::DELETE, "/v1/me").raw(farewell).await.accepted();
        }
        let shown = noor.client.get(&format!("/v1/players/{}", omar.account)).await.accepted();
        assert_eq!((&shown["kind"], &shown["since"]), (&json!("deleted"), &Value::Null));
        let seats = table.view().await["seats"].clone();
        let named = seats.as_array().expect("seats").iter().find(|seat| seat["player"]["id"] == omar.account);
        assert_eq!(shown["display_name"], named.expect("a seat")["player"]["name"]);
        let games = noor.client.get(&format!("/v1/players/{}/games", omar.account)).await.accepted();
        assert_eq!(games["items"][0]["id"], table.id);
        noor.client.get(&format!("/v1/players/{}", lina.account)).await.refused(404, "not-found");
    }
}
