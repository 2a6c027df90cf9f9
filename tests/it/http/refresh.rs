//! Refresh: tokens rotate, a lost answer can be repeated until its tokens are used, and reuse ends the session.

use estimation_service::base::failure::Failure;

use crate::prelude::*;

async fn refresh(nobody: &Client, token: &str) -> Answer {
    nobody.send("/v1/sessions/refresh", &json!({"refresh_token": token})).await
}

async fn use_access(nobody: &Client, session: &Value) -> Answer {
    nobody.with_token(session["access_token"].as_str().expect("a token")).get("/v1/me").await
}

fn token(session: &Value) -> String {
    session["refresh_token"].as_str().expect("a token").to_owned()
}

on_both! {
    async fn a_token_exchanged_on_its_last_day_is_kept_for_the_retry(service: Service) {
        let (noor, nobody) = (service.player("noor").await, service.anonymous());
        service.wait(30 * 24 * 60 * 60 - 1);
        let lost = refresh(&nobody, &noor.refresh_token).await.accepted();
        service.wait(120);
        assert_eq!(token(&refresh(&nobody, &noor.refresh_token).await.accepted()), token(&lost));
    }

    async fn six_parallel_refreshes_keep_the_session(service: Service) {
        let (noor, nobody) = (service.player("noor").await, service.anonymous());
        let other = service.another_node();
        let racers: Vec<_> = (0..6)
            .map(|racer| {
                let (nobody, other, old) = (nobody.clone(), other.clone(), noor.refresh_token.clone());
                tokio::spawn(async move {
                    if racer % 2 == 0 {
                        let session = refresh(&nobody, &old).await.accepted();
                        use_access(&nobody, &session).await.accepted();
                        token(&session)
                    } else {
                        let session = other.sessions.refresh(&old, None).await.expect("a session");
                        other.sessions.authenticate(&session.access_token).await.expect("a caller");
                        session.refresh_token
                    }
                })
            })
            .collect();
        let mut successors = Vec::new();
        for racer in racers {
            successors.push(racer.await.expect("an answer"));
        }
        successors.dedup();
        assert_eq!(successors.len(), 1, "two families live");
        // The minute lasts, although the access tokens were used.
        service.wait(59);
        refresh(&nobody, &noor.refresh_token).await.accepted();
        refresh(&nobody, &successors[0]).await.accepted();
        other.shutdown().await;
    }

    /// The owner exchanges the token and plays, on one node. A thief presents it later, on another.
    async fn a_thief_who_comes_after_the_owner_ends_the_session(service: Service) {
        let (noor, nobody) = (service.player("noor").await, service.anonymous());
        let other = service.another_node();
        let owners = refresh(&nobody, &noor.refresh_token).await.accepted();
        use_access(&nobody, &owners).await.accepted();
        eventually("the first use is written", async || {
            service.database().outsider().count("sessions WHERE used_generation = 1") == 1
        })
        .await;
        service.wait(61);
        let refused = other.sessions.refresh(&noor.refresh_token, None).await;
        assert!(matches!(refused, Err(Failure::RefreshTokenReused)));
        eventually("the owner's token ends", async || use_access(&nobody, &owners).await.status == 401).await;
        refresh(&nobody, &token(&owners)).await.refused(401, "refresh-token-invalid");
        other.shutdown().await;
    }

    /// Eight refreshes at once, as when an app wakes up. Some answers are lost; any received token works.
    async fn concurrent_refreshes_leave_one_valid_family(service: Service) {
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
}

on_sqlite_first! {
    async fn a_token_is_exchanged_for_the_next(service: Service) {
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

    /// The client never uses the access tokens that it gets.
    async fn a_lost_answer_is_given_again_until_it_arrives(service: Service) {
        let (noor, nobody) = (service.player("noor").await, service.anonymous());
        let first = refresh(&nobody, &noor.refresh_token).await.accepted();
        for wait in [20, 40, 1, 600, 59, 2, 24 * 60 * 60] {
            service.wait(wait);
            let again = refresh(&nobody, &noor.refresh_token).await.accepted();
            assert_eq!(token(&again), token(&first));
            assert_eq!(again["session_id"], first["session_id"]);
        }
        // The successor expires thirty days after the first exchange.
        let again = refresh(&nobody, &noor.refresh_token).await.accepted();
        assert_eq!(again["refresh_expires_in"], 29 * 24 * 60 * 60 - 722);
        refresh(&nobody, &token(&first)).await.accepted();
        refresh(&nobody, &noor.refresh_token).await.refused(401, "refresh-token-reused");
    }

    /// The system suspends the app in the middle of a refresh. When it wakes up, all its parts refresh at once, and some
    /// use their answer before others have theirs. A guest has no other way to sign in.
    async fn a_suspended_phone_keeps_its_session(service: Service) {
        let nobody = service.anonymous();
        let guest = nobody.send("/v1/accounts/guest", &json!({})).await.accepted();
        let old = token(&guest["session"]);
        refresh(&nobody, &old).await.accepted();
        service.wait(29 * 24 * 60 * 60);
        let woken = refresh(&nobody, &old).await.accepted();
        use_access(&nobody, &woken).await.accepted();
        let racers: Vec<_> = (0..6)
            .map(|_| {
                let (nobody, old) = (nobody.clone(), old.clone());
                tokio::spawn(async move {
                    let session = refresh(&nobody, &old).await.accepted();
                    use_access(&nobody, &session).await.accepted();
                    token(&session)
                })
            })
            .collect();
        for racer in racers {
            assert_eq!(racer.await.expect("an answer"), token(&woken));
        }
        let next = refresh(&nobody, &token(&woken)).await.accepted();
        assert_eq!(use_access(&nobody, &next).await.accepted()["id"], guest["account"]["id"]);
    }

    /// A thief exchanges the token first and plays. The owner's refresh ends the session for both.
    async fn a_thief_who_was_first_is_noticed(service: Service) {
        let (noor, nobody) = (service.player("noor").await, service.anonymous());
        let stolen = refresh(&nobody, &noor.refresh_token).await.accepted();
        use_access(&nobody, &stolen).await.accepted();
        service.wait(61);
        refresh(&nobody, &noor.refresh_token).await.refused(401, "refresh-token-reused");
        use_access(&nobody, &stolen).await.refused(401, "session-ended");
        refresh(&nobody, &token(&stolen)).await.refused(401, "refresh-token-invalid");
        refresh(&nobody, &noor.refresh_token).await.refused(401, "refresh-token-invalid");
    }

    /// A thief exchanges the token first and does nothing else. The owner's retry gets the same tokens, and from their use
    /// on the old token is worthless.
    async fn a_thief_who_waits_gains_nothing(service: Service) {
        let (noor, nobody) = (service.player("noor").await, service.anonymous());
        let stolen = refresh(&nobody, &noor.refresh_token).await.accepted();
        service.wait(600);
        let owners = refresh(&nobody, &noor.refresh_token).await.accepted();
        assert_eq!(token(&owners), token(&stolen));
        let next = refresh(&nobody, &token(&owners)).await.accepted();
        use_access(&nobody, &next).await.accepted();
        service.wait(61);
        refresh(&nobody, &token(&stolen)).await.refused(401, "refresh-token-reused");
        refresh(&nobody, &token(&next)).await.refused(401, "refresh-token-invalid");
    }

    async fn after_a_minute_a_reuse_ends_the_session(service: Service) {
        let (noor, nobody) = (service.player("noor").await, service.anonymous());
        let next = refresh(&nobody, &noor.refresh_token).await.accepted();
        use_access(&nobody, &next).await.accepted();
        for wait in [20, 40] {
            service.wait(wait);
            assert_eq!(token(&refresh(&nobody, &noor.refresh_token).await.accepted()), token(&next));
        }
        // The repeats did not extend the minute.
        service.wait(1);
        refresh(&nobody, &noor.refresh_token).await.refused(401, "refresh-token-reused");
        refresh(&nobody, &token(&next)).await.refused(401, "refresh-token-invalid");
        refresh(&nobody, &noor.refresh_token).await.refused(401, "refresh-token-invalid");
    }

    /// The use of an access token counts for its own generation, also if the role changed meanwhile.
    async fn an_older_access_token_does_not_use_up_a_refresh(service: Service) {
        let (noor, nobody) = (service.player("noor").await, service.anonymous());
        let second = refresh(&nobody, &noor.refresh_token).await.accepted();
        use_access(&nobody, &second).await.accepted();
        let third = refresh(&nobody, &token(&second)).await.accepted();
        service.wait(120);
        use_access(&nobody, &second).await.accepted();
        let again = refresh(&nobody, &token(&second)).await.accepted();
        assert_eq!(token(&again), token(&third));
        let app = service.another_node();
        app.roles.grant_to("noor", "auditor".parse().expect("a role")).await.expect("a grant");
        app.shutdown().await;
        eventually("the old role ends", async || use_access(&nobody, &again).await.status == 401).await;
        service.wait(61);
        refresh(&nobody, &token(&second)).await.refused(401, "refresh-token-reused");
    }

    /// A node that stops writes what it has noted.
    async fn a_first_use_survives_the_node(service: Service) {
        let (noor, nobody) = (service.player("noor").await, service.anonymous());
        let node = service.another_node();
        let next = node.sessions.refresh(&noor.refresh_token, None).await.expect("a session");
        node.sessions.authenticate(&next.access_token).await.expect("a caller");
        node.shutdown().await;
        service.wait(61);
        refresh(&nobody, &noor.refresh_token).await.refused(401, "refresh-token-reused");
    }

    async fn once_its_successor_was_used_a_reuse_ends_the_session(service: Service) {
        let (noor, nobody) = (service.player("noor").await, service.anonymous());
        let second = refresh(&nobody, &noor.refresh_token).await.accepted();
        let third = refresh(&nobody, &token(&second)).await.accepted();
        // Within the minute, but after the successor was used.
        refresh(&nobody, &noor.refresh_token).await.refused(401, "refresh-token-reused");
        refresh(&nobody, &token(&third)).await.refused(401, "refresh-token-invalid");
    }

    async fn another_session_of_the_account_lives_on(service: Service) {
        let (noor, nobody) = (service.player("noor").await, service.anonymous());
        let login = json!({"username": "noor", "password": PASSWORD, "device": "Noor's phone"});
        let phone = nobody.send("/v1/sessions", &login).await.accepted();
        let next = refresh(&nobody, &noor.refresh_token).await.accepted();
        use_access(&nobody, &next).await.accepted();
        service.wait(61);
        refresh(&nobody, &noor.refresh_token).await.refused(401, "refresh-token-reused");
        refresh(&nobody, &token(&phone)).await.accepted();
    }

    async fn a_token_lasts_thirty_days(service: Service) {
        let (noor, omar) = (service.player("noor").await, service.player("omar").await);
        let nobody = service.anonymous();
        service.wait(30 * 24 * 60 * 60 - 1);
        refresh(&nobody, &noor.refresh_token).await.accepted();
        service.wait(1);
        refresh(&nobody, &omar.refresh_token).await.refused(401, "refresh-token-invalid");
    }

    async fn an_unknown_token_is_invalid(service: Service) {
        let noor = service.player("noor").await;
        let nobody = service.anonymous();
        let foreign = format!("rt_{}", "A".repeat(43));
        let spoiled = format!("{}A", &noor.refresh_token[..noor.refresh_token.len() - 1]);
        for wrong in ["", "rt_", foreign.as_str(), &noor.refresh_token[3..], &spoiled, "\u{0}"] {
            if wrong != noor.refresh_token {
                refresh(&nobody, wrong).await.refused(401, "refresh-token-invalid");
            }
        }
        // An access token is none.
        refresh(&nobody, &noor.access_token).await.refused(401, "refresh-token-invalid");
        refresh(&nobody, &noor.refresh_token).await.accepted();
    }

    /// Eight refreshes at once, repeatedly, on two nodes. Most answers are lost.
    async fn lost_answers_do_not_end_the_session(service: Service) {
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
