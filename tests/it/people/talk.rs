//! Table talk: who hears what, how often, and where it is not.

use super::{Scene, block, for_two, put, table_of};
use crate::nodes::frames::{Frame, Frames};
use crate::prelude::*;

async fn react(player: &Player, table: &Table, reaction: &str) -> Answer {
    player.client.send(&table.path("reactions"), &json!({"reaction": reaction})).await
}

/// The next reaction of a stream.
async fn heard(stream: &mut Frames) -> Value {
    loop {
        if let Frame::Named { name, data } = stream.soon(PATIENCE).await {
            assert_eq!(name, "reaction");
            return data;
        }
    }
}

on_both! {
    async fn a_player_reacts_once_in_three_seconds_and_not_at_a_silent_table(scene: Scene) {
        let (noor, omar) = (scene.player("noor", 0).await, scene.player("omar", 1).await);
        let table = table_of(&[&noor, &omar], &for_two()).await;
        react(&noor, &table, "hello").await.accepted();
        let answer = react(&noor, &table, "hello").await;
        assert_eq!(answer.refused(429, "too-many-requests")["policy"], "reactions");
        let seconds: u64 = answer.header("retry-after").expect("a time").parse().expect("seconds");
        assert!((1..=3).contains(&seconds), "{seconds}");
        react(&omar, &table, "hello").await.accepted();
        react(&noor, &table, "insult").await.refused(422, "invalid-body");
        let silent = table_of(&[&noor], &json!({"ruleset": "plain", "talk": false})).await;
        assert_eq!(noor.client.get(&silent.game()).await.accepted()["talk"], false);
        react(&noor, &silent, "hello").await.refused(409, "table-silent");
        noor.client.post(&silent.path("cancel")).await.accepted();
        let again = noor.client.send(&silent.path("rematch"), &json!({})).await.accepted();
        assert_eq!(again["talk"], false, "a rematch is as silent");
        noor.client.post(&table.path("cancel")).await.accepted();
        react(&omar, &table, "good_game").await.refused(409, "game-not-playing");
    }
}

on_sqlite_first! {
    async fn a_reaction_reaches_players_and_spectators_but_not_those_who_mute(scene: Scene) {
        let (noor, omar) = (scene.player("noor", 0).await, scene.player("omar", 1).await);
        let (lina, ziad) = (scene.player("lina", 1).await, scene.player("ziad", 0).await);
        let table = table_of(&[&noor, &omar, &lina], &json!({"ruleset": "nineteen", "players": 3})).await;
        table.start().await.accepted();
        let head = table.head().await;
        let mut streams = Vec::new();
        for player in [&noor, &omar, &lina, &ziad] {
            streams.push(Frames::of(&player.client, &table.stream(), Some(&head)).await);
        }
        put(&lina, &format!("/v1/me/mutes/{}", noor.account)).await.accepted();
        react(&noor, &table, "well_played").await.accepted();
        for (stream, who) in streams.iter_mut().zip(["noor", "omar", "lina", "ziad"]) {
            if who != "lina" {
                let said = heard(stream).await;
                assert_eq!((&said["reaction"], &said["position"]), (&json!("well_played"), &json!({"seat": 0})), "{who}");
            }
        }
        // The next that lina hears is of omar.
        react(&omar, &table, "thanks").await.accepted();
        assert_eq!(heard(&mut streams[2]).await["reaction"], "thanks");
        // Blocks hold back words in a running game as well.
        block(&omar, &lina).await;
        react(&lina, &table, "laugh").await.accepted();
        assert_eq!(heard(&mut streams[0]).await["reaction"], "thanks");
        assert_eq!(heard(&mut streams[0]).await["reaction"], "laugh");
        assert_eq!(heard(&mut streams[1]).await["reaction"], "thanks");
        assert!(streams[1].is_silent(Duration::from_millis(300)).await);
        // Spectators do not talk, and the log has nothing of it.
        react(&ziad, &table, "hello").await.refused(403, "not-seated");
        let events = noor.client.get(&table.path("events?limit=100")).await;
        assert!(!events.body.contains("well_played"), "{events}");
        let kept = async || {
            let count = scene.site.outsider().count("reactions");
            Some(count).filter(|count| *count == 3)
        };
        found("three reactions are kept", kept).await;
    }
}
