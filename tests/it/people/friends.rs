//! Friends, presence and invitations.

use super::{Scene, befriend, for_two, friends, people, put, table_of};
use crate::nodes::frames::{Frame, Frames};
use crate::prelude::*;

async fn choose(player: &Player, shows_presence: bool, found_by_name: bool, takes_requests: bool) {
    let settings = json!({"shows_presence": shows_presence, "found_by_name": found_by_name, "takes_requests": takes_requests});
    player.client.request(Method::PUT, "/v1/me/people/settings").json(&settings).await.accepted();
}

on_both! {
    async fn a_friend_is_invited_and_joins_a_private_table(scene: Scene) {
        let (noor, omar) = (scene.player("noor", 0).await, scene.player("omar", 1).await);
        befriend(&noor, &omar).await;
        let mut stream = Frames::of(&omar.client, "/v1/me/stream", None).await;
        let wish = json!({"ruleset": "nineteen", "players": 2, "visibility": "private"});
        let table = table_of(&[&noor], &wish).await;
        let invite = json!({"player": omar.account});
        let sent = noor.client.send(&table.path("invitations"), &invite).await.accepted();
        let Frame::Named { name, data } = stream.soon(PATIENCE).await else { panic!("no news") };
        assert_eq!((name.as_str(), &data["game"]), ("invited", &json!(table.id)));
        // The invitation stays the same.
        assert_eq!(noor.client.send(&table.path("invitations"), &invite).await.accepted(), sent);
        let listed = omar.client.get("/v1/me/invitations").await.accepted();
        let invitation = &listed["items"][0];
        assert_eq!((&invitation["id"], &invitation["from"]["name"]), (&sent["id"], &json!("noor")));
        let code = invitation["join_code"].as_str().expect("a code");
        omar.client.send(&format!("/v1/join/{code}"), &json!({})).await.accepted();
        table.start().await.accepted();
        assert_eq!(omar.client.get("/v1/me/invitations").await.accepted()["items"], json!([]));
        let late = noor.client.send(&table.path("invitations"), &invite).await;
        late.refused(409, "game-not-in-lobby");
    }

    async fn people_are_exported_and_deleted_with_the_account(scene: Scene) {
        let (noor, omar) = (scene.player("noor", 0).await, scene.player("omar", 1).await);
        befriend(&noor, &omar).await;
        put(&noor, &format!("/v1/me/mutes/{}", omar.account)).await.accepted();
        let table = table_of(&[&noor], &for_two()).await;
        noor.client.send(&table.path("invitations"), &json!({"player": omar.account})).await.accepted();
        noor.client.send(&table.path("reactions"), &json!({"reaction": "hello"})).await.accepted();
        let report = json!({"player": omar.account, "game": null, "about": "player_name", "text": "a name"});
        noor.client.send("/v1/reports", &report).await.accepted();
        let export = async || Some(noor.client.get("/v1/me/export").await.accepted())
            .filter(|export| export["reactions"][0].is_object());
        let export = found("the reaction is written", export).await;
        assert_eq!(export["relations"].as_array().map(Vec::len), Some(2));
        assert_eq!(export["invitations"][0]["to"], omar.account.as_str());
        assert_eq!(export["reactions"][0]["reaction"], "hello");
        assert_eq!(export["reports"][0]["player"], omar.account.as_str());
        let farewell = json!({"password": "plum-kettle-orbit"});
        noor.client.request(Method::DELETE, "/v1/me").json(&farewell).await.accepted();
        assert_eq!(people(&omar).await["friends"], json!([]));
        let mut outsider = scene.site.outsider();
        for table in ["relations", "invitations", "reactions"] {
            assert_eq!(outsider.count(table), 0, "{table}");
        }
        assert_eq!(outsider.count("reports WHERE reporter_id IS NULL"), 1);
    }
}

on_sqlite_first! {
    async fn two_become_friends_and_stop_being_it(scene: Scene) {
        let (noor, omar) = (scene.player("noor", 0).await, scene.player("omar", 1).await);
        put(&noor, &friends(&omar)).await.accepted();
        assert_eq!(people(&noor).await["sent"][0]["player"]["id"], omar.account.as_str());
        assert_eq!(people(&omar).await["received"][0]["player"]["name"], "noor");
        // Withdrawn, declined, accepted.
        noor.client.delete(&friends(&omar)).await.accepted();
        assert_eq!(people(&omar).await["received"], json!([]));
        put(&noor, &friends(&omar)).await.accepted();
        omar.client.delete(&friends(&noor)).await.accepted();
        assert_eq!(people(&noor).await["sent"], json!([]));
        befriend(&noor, &omar).await;
        for (one, other) in [(&noor, &omar), (&omar, &noor)] {
            let friend = people(one).await["friends"][0].clone();
            assert_eq!(friend["player"]["id"], other.account.as_str());
            assert_eq!(friend["online"], Value::Null, "nobody shows presence without having chosen so");
        }
        assert_eq!(put(&noor, &friends(&omar)).await.accepted()["status"], "friends");
        choose(&omar, true, false, true).await;
        let online = async || Some(people(&noor).await["friends"][0]["online"].clone()).filter(|online| *online == true);
        found("noor sees that omar is online", online).await;
        assert_eq!(people(&omar).await["friends"][0]["online"], Value::Null);
        omar.client.delete(&friends(&noor)).await.accepted();
        assert_eq!(people(&noor).await["friends"], json!([]));
    }

    async fn friend_codes_and_names_find_those_who_want_it(scene: Scene) {
        let (noor, omar) = (scene.player("noor", 0).await, scene.player("omar", 1).await);
        let find = async |query: &str| noor.client.get(&format!("/v1/people?{query}")).await.accepted()["items"].clone();
        assert_eq!(find("name=omar").await, json!([]));
        choose(&omar, false, true, false).await;
        assert_eq!(find("name=omar").await[0]["id"], omar.account.as_str());
        assert_eq!(find("name=Omar").await, json!([]), "the exact name");
        let code = omar.client.post("/v1/me/friend-code").await.accepted()["friend_code"].as_str().expect("a code").to_owned();
        assert_eq!(find(&format!("code={}", code.to_lowercase())).await[0]["name"], "omar");
        // Omar takes requests of those alone who have the code.
        put(&noor, &friends(&omar)).await.refused(404, "not-found");
        put(&noor, &format!("{}?code={code}", friends(&omar))).await.accepted();
        let other = omar.client.post("/v1/me/friend-code").await.accepted()["friend_code"].as_str().expect("a code").to_owned();
        assert_ne!(code, other);
        assert_eq!(find(&format!("code={code}")).await, json!([]));
        omar.client.delete("/v1/me/friend-code").await.accepted();
        assert_eq!(find(&format!("code={other}")).await, json!([]));
        assert_eq!(people(&omar).await["friend_code"], Value::Null);
    }
}
