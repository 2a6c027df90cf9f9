//! Refresh: tokens rotate, a lost answer can be repeated for a minute, and reuse ends the session.

use serde_json::{Value, json};

use super::service::{PASSWORD, Service};
use crate::databases::on_both;
use crate::harness::client::{Answer, Client};

async fn refresh(nobody: &Client, token: &str) -> Answer {
    nobody.send("/v1/sessions/refresh", &json!({"refresh_token": token})).await
}

fn token(session: &Value) -> String {
    session["refresh_token"].as_str().expect("a token").to_owned()
}

on_both! {
    async fn a_token_is_exchanged_for_the_next(database: TestDatabase) {
        let service = Service::start(database);
        let (noor, nobody) = (service.player("noor").await, service.anonymous());
        let mut tokens = vec![noor.refresh_token.clone()];
        for _ in 0..5 {
            service.wait(24 * 60 * 60);
            let session = refresh(&nobody, &tokens[tokens.len() - 1]).await.accepted();
            assert!(!tokens.contains(&token(&session)), "a token was given twice");
            tokens.push(token(&session));
            let access = session["access_token"].as_str().expect("a token");
            let me = nobody.with_token(access).get("/v1/me").await.accepted();
            assert_eq!(me["id"], noor.account);
        }
    }

    async fn a_lost_answer_is_given_again_for_a_minute(database: TestDatabase) {
        let service = Service::start(database);
        let (noor, nobody) = (service.player("noor").await, service.anonymous());
        let first = refresh(&nobody, &noor.refresh_token).await.accepted();
        for _ in 0..3 {
            service.wait(20);
            let again = refresh(&nobody, &noor.refresh_token).await.accepted();
            assert_eq!(token(&again), token(&first));
            assert_eq!(again["session_id"], first["session_id"]);
        }
        // The successor is valid, and the repeat did not extend the minute.
        service.wait(1);
        refresh(&nobody, &noor.refresh_token).await.refused(401, "refresh-token-reused");
    }

    async fn after_a_minute_a_reuse_ends_the_session(database: TestDatabase) {
        let service = Service::start(database);
        let (noor, nobody) = (service.player("noor").await, service.anonymous());
        let next = refresh(&nobody, &noor.refresh_token).await.accepted();
        service.wait(61);
        refresh(&nobody, &noor.refresh_token).await.refused(401, "refresh-token-reused");
        refresh(&nobody, &token(&next)).await.refused(401, "refresh-token-invalid");
        refresh(&nobody, &noor.refresh_token).await.refused(401, "refresh-token-invalid");
    }

    async fn once_its_successor_was_used_a_reuse_ends_the_session(database: TestDatabase) {
        let service = Service::start(database);
        let (noor, nobody) = (service.player("noor").await, service.anonymous());
        let second = refresh(&nobody, &noor.refresh_token).await.accepted();
        let third = refresh(&nobody, &token(&second)).await.accepted();
        // Within the minute, but after the successor was used.
        refresh(&nobody, &noor.refresh_token).await.refused(401, "refresh-token-reused");
        refresh(&nobody, &token(&third)).await.refused(401, "refresh-token-invalid");
    }

    async fn another_session_of_the_account_lives_on(database: TestDatabase) {
        let service = Service::start(database);
        let (noor, nobody) = (service.player("noor").await, service.anonymous());
        let login = json!({"username": "noor", "password": PASSWORD, "device": "Noor's phone"});
        let phone = nobody.send("/v1/sessions", &login).await.accepted();
        refresh(&nobody, &noor.refresh_token).await.accepted();
        service.wait(61);
        refresh(&nobody, &noor.refresh_token).await.refused(401, "refresh-token-reused");
        refresh(&nobody, &token(&phone)).await.accepted();
    }

    async fn a_token_lasts_thirty_days(database: TestDatabase) {
        let service = Service::start(database);
        let (noor, omar) = (service.player("noor").await, service.player("omar").await);
        let nobody = service.anonymous();
        service.wait(30 * 24 * 60 * 60 - 1);
        refresh(&nobody, &noor.refresh_token).await.accepted();
        service.wait(1);
        refresh(&nobody, &omar.refresh_token).await.refused(401, "refresh-token-invalid");
    }

    async fn an_unknown_token_is_invalid(database: TestDatabase) {
        let service = Service::start(database);
        let noor = service.player("noor").await;
        let nobody = service.anonymous();
        let foreign = format!("rt_{}", "A".repeat(43));
        let spoiled = format!("{}A", &noor.refresh_token[..noor.refresh_token.len() - 1]);
        for wrong in ["", "rt_", foreign.as_str(), noor.access_token.as_str(), &noor.refresh_token[3..], &spoiled, "\u{0}"] {
            if wrong != noor.refresh_token {
                refresh(&nobody, wrong).await.refused(401, "refresh-token-invalid");
            }
        }
        refresh(&nobody, &noor.refresh_token).await.accepted();
    }

    /// Eight refreshes at once, as when an app wakes up. Some answers are lost; any received token works.
    async fn concurrent_refreshes_leave_one_valid_family(database: TestDatabase) {
        let service = Service::start(database);
        let (noor, nobody) = (service.player("noor").await, service.anonymous());
        let mut current = noor.refresh_token.clone();
        for _ in 0..3 {
            let racers: Vec<_> = (0..8)
                .map(|_| {
                    let (nobody, current) = (nobody.clone(), current.clone());
                    tokio::spawn(async move { refresh(&nobody, &current).await.accepted() })
                })
                .collect();
            let mut successors = Vec::new();
            for racer in racers {
                successors.push(token(&racer.await.expect("an answer")));
            }
            successors.dedup();
            assert_eq!(successors.len(), 1, "two families live");
            current = successors.remove(0);
            service.wait(30);
        }
        refresh(&nobody, &current).await.accepted();
    }
    /// Eight refreshes at once, repeatedly, on two nodes. Most answers are lost.
    async fn lost_answers_do_not_end_the_session(database: TestDatabase) {
        let service = Service::start(database);
        let (noor, nobody) = (service.player("noor").await, service.anonymous());
        let other = service.another_node();
        let mut current = noor.refresh_token.clone();
        let mut chance = 1_u64;
        for round in 0..12 {
            let racers: Vec<_> = (0..8)
                .map(|racer| {
                    let (nobody, other, current) = (nobody.clone(), other.clone(), current.clone());
                    tokio::spawn(async move {
                        if racer % 2 == 0 {
                            token(&refresh(&nobody, &current).await.accepted())
                        } else {
                            other.sessions.refresh(&current, None).await.expect("a session").refresh_token
                        }
                    })
                })
                .collect();
            let mut arrived = Vec::new();
            for racer in racers {
                let answer = racer.await.expect("an answer");
                chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                // Sometimes all eight answers are lost, and the client retries with its old token.
                if round % 3 != 1 && (chance >> 33) % 8 < 3 {
                    arrived.push(answer);
                }
            }
            arrived.dedup();
            assert!(arrived.len() <= 1, "two families live");
            if let Some(next) = arrived.pop() {
                current = next;
                service.wait(40);
            }
            service.wait(15);
        }
        let session = refresh(&nobody, &current).await.accepted();
        let client = nobody.with_token(session["access_token"].as_str().expect("a token"));
        let sessions = client.get("/v1/sessions").await.accepted();
        assert_eq!(sessions["items"].as_array().map(Vec::len), Some(1), "{sessions}");
        other.shutdown().await;
    }
}
