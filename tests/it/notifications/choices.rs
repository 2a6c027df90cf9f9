//! What players choose about notices.

use super::receiver::Receiver;
use super::{about, node};
use crate::prelude::*;

fn choose(client: &Client, choices: &Value) -> Request {
    client.request(Method::PUT, "/v1/me/notifications").json(choices)
}

on_both! {
    async fn choices_are_checked_exported_and_deleted(site: Site) {
        let node = site.node();
        let player = Client::anonymous(&node.url).register("noor").await;
        for (field, value, code) in [
            ("from", "24:00", "wrong-format"), ("to", "7:00", "wrong-format"), ("time_zone", "Cairo/Africa", "not-a-choice"),
            ("to", "22:00", "contradiction"),
        ] {
            let mut hours = json!({"from": "22:00", "to": "07:00", "time_zone": "Africa/Cairo"});
            hours[field] = json!(value);
            let problem = choose(&player.client, &json!({"muted": [], "quiet_hours": hours})).await;
            assert_eq!(problem.status, 422, "{problem:?}");
            let error = &problem.json()["errors"][0];
            assert_eq!(error["field"], format!("/quiet_hours/{field}"), "{error}");
            if value.len() != 4 && value != "24:00" {
                assert_eq!(error["code"], code, "{error}");
            }
        }
        for missing in [json!({"muted": []}), json!({"quiet_hours": null}), json!({})] {
            choose(&player.client, &missing).await.refused(422, "invalid-body");
        }
        let hours = json!({"from": "22:00", "to": "07:00", "time_zone": "Africa/Cairo"});
        let chosen = json!({"muted": ["invited"], "quiet_hours": hours});
        choose(&player.client, &chosen).await.accepted();
        let export = player.client.get("/v1/me/export").await.accepted();
        assert_eq!(export["notification_choices"], chosen);
        assert_eq!((&export["notifications"], &export["push_subscriptions"]), (&json!([]), &json!([])));
        let password = json!({"password": crate::http::service::PASSWORD});
        let _ = player.client.request(Method::DELETE, "/v1/me").json(&password).await;
        let mut outsider = site.outsider();
        assert_eq!(outsider.count("notification_choices"), 0);
    }
}

on_sqlite_first! {
    async fn players_choose_kinds_and_hours(database: TestDatabase) {
        let (site, receiver) = (Site::on(database), Receiver::start());
        let node = node(&site, &receiver, &[]);
        let nobody = Client::anonymous(&node.url);
        let table = Table::open(&nobody, &json!({"ruleset": "nineteen", "players": 2}), 2).await;
        let [mute, night] = [&table.players[0], &table.players[1]];
        let before = mute.client.get("/v1/me/notifications").await.accepted();
        let nothing = json!({"muted": [], "quiet_hours": null, "push_key": null, "subscribed": false});
        assert_eq!(before, nothing);
        let muted = json!({"muted": ["game_started", "your_turn", "game_started"], "quiet_hours": null});
        let chosen = choose(&mute.client, &muted).await.accepted();
        assert_eq!(chosen["muted"], json!(["your_turn", "game_started"]));
        // All of the day but an hour that is half a day away.
        let in_hours = |hours: i64| (Timestamp::now() + SignedDuration::from_hours(hours)).strftime("%H:%M").to_string();
        let zone = json!({"from": in_hours(13), "to": in_hours(12), "time_zone": "Etc/UTC"});
        choose(&night.client, &json!({"muted": [], "quiet_hours": zone})).await.accepted();
        table.start().await.accepted();
        let (actor, _) = table.turn().await.expect("a turn");
        // A table of others is told of, so these would have been.
        let others = Table::of_two(&nobody).await;
        let (waiting, _) = others.turn().await.expect("a turn");
        receiver.turn_of(&others.players[waiting].account).await;
        let told: Vec<Value> = receiver.received().iter().map(|one| one.json()).collect();
        assert!(told.iter().all(|body| about(body).2 != table.id), "{actor} {told:?}");
    }
}
