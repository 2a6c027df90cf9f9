//! Limits on attempts: counted across nodes, reported with `Retry-After`, and no means to lock a player out.

use std::sync::atomic::{AtomicBool, Ordering};

use estimation::http::ServerSettings;
use estimation_service::auth::login::Login;
use estimation_service::auth::passwords::Cost;
use estimation_service::auth::throttle::Limits;
use estimation_service::base::failure::Failure;

use crate::prelude::*;

fn rate(text: &str) -> Option<estimation_service::auth::throttle::Rate> {
    Some(text.parse().expect("a rate"))
}

/// Clients say from which address they come.
fn proxied() -> Setup {
    let proxy = "127.0.0.1/32".parse().expect("a network");
    let settings = ServerSettings { trusted_proxies: vec![proxy], ..Setup::default().settings };
    Setup { settings, ..Setup::default() }
}

fn limited(database: crate::databases::TestDatabase, limits: Limits) -> Service {
    Service::told(database, Setup { limits, ..proxied() })
}

async fn log_in(client: &Client, password: &str, device_token: Option<&Value>, from: &str) -> Answer {
    let mut wish = json!({"username": "noor", "password": password});
    if let Some(token) = device_token {
        wish["device_token"] = token.clone();
    }
    client.send("/v1/sessions", &wish).header("x-forwarded-for", from).await
}

fn retry_after(answer: &Answer) -> u64 {
    answer.refused(429, "too-many-attempts");
    answer.header("retry-after").and_then(|text| text.parse().ok()).expect("Retry-After")
}

on_both! {
    async fn a_new_password_revokes_device_tokens(database: TestDatabase) {
        const OTHER: &str = "kettle-orbit-quince";
        let service = limited(database, Limits { login_per_account: rate("1/1h"), ..Limits::NONE });
        let noor = service.player("noor").await.client;
        let nobody = service.anonymous();
        let device = log_in(&nobody, PASSWORD, None, "198.51.100.1").await.accepted()["device_token"].clone();
        let change = json!({"current_password": PASSWORD, "new_password": OTHER}).to_string();
        noor.request(Method::PUT, "/v1/me/password").raw(change).await.accepted();
        log_in(&nobody, "not-the-password", None, "203.0.113.1").await.refused(401, "wrong-credentials");
        // A client with the old device token is counted like any other client.
        retry_after(&log_in(&nobody, OTHER, Some(&device), "198.51.100.1").await);
        service.wait(60 * 60);
        let device = log_in(&nobody, OTHER, Some(&device), "198.51.100.1").await.accepted()["device_token"].clone();
        log_in(&nobody, "not-the-password", None, "203.0.113.1").await.refused(401, "wrong-credentials");
        log_in(&nobody, OTHER, Some(&device), "198.51.100.1").await.accepted();
    }
}

on_sqlite_first! {
    async fn guessing_is_limited_and_a_known_device_may_sign_in(database: TestDatabase) {
        let limits = Limits { login_per_account: rate("3/3m"), ..Limits::NONE };
        let service = limited(database, limits);
        service.player("noor").await;
        let nobody = service.anonymous();
        let device = log_in(&nobody, PASSWORD, None, "198.51.100.1").await.accepted()["device_token"].clone();
        // A successful sign-in is not counted as a guess.
        for _ in 0..5 {
            log_in(&nobody, PASSWORD, None, "198.51.100.1").await.accepted();
        }
        for address in ["203.0.113.1", "203.0.113.2", "203.0.113.3"] {
            log_in(&nobody, "not-the-password", None, address).await.refused(401, "wrong-credentials");
        }
        let refused = log_in(&nobody, "not-the-password", None, "203.0.113.4").await;
        assert!((1..=60).contains(&retry_after(&refused)), "{refused}");
        // The right password is refused too, so that guessing is useless. A known device may still sign in.
        retry_after(&log_in(&nobody, PASSWORD, None, "203.0.113.5").await);
        retry_after(&log_in(&nobody, PASSWORD, Some(&json!("dt_forged")), "203.0.113.5").await);
        log_in(&nobody, PASSWORD, Some(&device), "198.51.100.1").await.accepted();
        for _ in 0..3 {
            log_in(&nobody, "not-the-password", Some(&device), "198.51.100.1").await.refused(401, "wrong-credentials");
        }
        retry_after(&log_in(&nobody, PASSWORD, Some(&device), "198.51.100.1").await);
        for _ in 0..3 {
            let wish = json!({"username": "nobody", "password": "not-the-password"});
            nobody.send("/v1/sessions", &wish).await.refused(401, "wrong-credentials");
        }
        let wish = json!({"username": "nobody", "password": "not-the-password"});
        nobody.send("/v1/sessions", &wish).await.refused(429, "too-many-attempts");
        service.wait(60);
        log_in(&nobody, PASSWORD, None, "203.0.113.5").await.accepted();
    }

    async fn a_device_token_is_known_for_half_a_year(database: TestDatabase) {
        const DAY: i64 = 24 * 60 * 60;
        let service = limited(database, Limits { login_per_account: rate("1/1h"), ..Limits::NONE });
        service.player("noor").await;
        let nobody = service.anonymous();
        let first = log_in(&nobody, PASSWORD, None, "198.51.100.1").await.accepted();
        service.wait(29 * DAY);
        let wish = json!({"refresh_token": first["refresh_token"]});
        let second = nobody.send("/v1/sessions/refresh", &wish).await.accepted();
        service.wait(151 * DAY + 1);
        log_in(&nobody, "not-the-password", None, "203.0.113.1").await.refused(401, "wrong-credentials");
        retry_after(&log_in(&nobody, PASSWORD, Some(&first["device_token"]), "198.51.100.1").await);
        log_in(&nobody, PASSWORD, Some(&second["device_token"]), "198.51.100.1").await.accepted();
    }

    async fn another_players_device_token_is_not_accepted(database: TestDatabase) {
        let service = limited(database, Limits { login_per_account: rate("1/1h"), ..Limits::NONE });
        service.player("noor").await;
        let wish = json!({"username": "omar", "password": PASSWORD});
        let omar = service.anonymous().send("/v1/accounts", &wish).await.accepted();
        let token = &omar["session"]["device_token"];
        let nobody = service.anonymous();
        log_in(&nobody, "not-the-password", Some(token), "203.0.113.1").await.refused(401, "wrong-credentials");
        retry_after(&log_in(&nobody, "not-the-password", Some(token), "203.0.113.1").await);
    }

    async fn attempts_are_counted_across_nodes(database: TestDatabase) {
        let service = limited(database, Limits { login_per_address: rate("4/1h"), ..Limits::NONE });
        service.player("noor").await;
        let other = service.another_node();
        let address = "203.0.113.1";
        let elsewhere = || other.sessions.log_in(Login {
            username: "noor", password: "not-the-password", device: None, device_token: None, address: address.parse().ok(),
        });
        for _ in 0..2 {
            log_in(&service.anonymous(), "not-the-password", None, address).await.refused(401, "wrong-credentials");
            assert!(matches!(elsewhere().await, Err(Failure::WrongCredentials)));
        }
        retry_after(&log_in(&service.anonymous(), PASSWORD, None, address).await);
        assert!(matches!(elsewhere().await, Err(Failure::TooManyAttempts { .. })));
        // A client cannot choose its address: entries before the proxy's own entry are ignored.
        let forged = format!("198.51.100.9, {address}");
        retry_after(&log_in(&service.anonymous(), PASSWORD, None, &forged).await);
        log_in(&service.anonymous(), PASSWORD, None, "198.51.100.9").await.accepted();
        other.shutdown().await;
    }

    async fn account_creation_is_limited(database: TestDatabase) {
        let service = limited(database, Limits { accounts_per_address: rate("2/1h"), ..Limits::NONE });
        let nobody = service.anonymous();
        let guest = || nobody.send("/v1/accounts/guest", &json!({})).header("x-forwarded-for", "2001:db8::1");
        guest().await.accepted();
        nobody.send("/v1/accounts", &json!({"username": "noor", "password": PASSWORD}))
            .header("x-forwarded-for", "2001:db8::2").await.accepted();
        assert!(retry_after(&guest().await) <= 30 * 60);
        nobody.send("/v1/accounts/guest", &json!({})).header("x-forwarded-for", "2001:db8:1::1").await.accepted();
        service.wait(30 * 60);
        guest().await.accepted();
    }

    async fn refreshes_are_limited(database: TestDatabase) {
        let limits = Limits { refresh_per_account: rate("2/1m"), refresh_per_address: rate("1/1m"), ..Limits::NONE };
        let service = limited(database, limits);
        let noor = service.player("noor").await;
        let nobody = service.anonymous();
        let refresh = |token: &str| nobody.send("/v1/sessions/refresh", &json!({"refresh_token": token}));
        let wrong = format!("rt_{}", "A".repeat(43));
        refresh(&wrong).await.refused(401, "refresh-token-invalid");
        retry_after(&refresh(&wrong).await);
        // Requests of other clients on the same address do not block a valid token.
        refresh(&noor.refresh_token).await.accepted();
        refresh(&noor.refresh_token).await.accepted();
        retry_after(&refresh(&noor.refresh_token).await);
        service.wait(30);
        refresh(&noor.refresh_token).await.accepted();
    }

    async fn successful_sign_ins_are_limited(database: TestDatabase) {
        let limits = Limits { login_per_account: rate("2/1h"), sessions_per_account: rate("4/1h"), ..Limits::NONE };
        let service = limited(database, limits);
        service.player("noor").await;
        let nobody = service.anonymous();
        let mut device = Value::Null;
        for _ in 0..4 {
            device = log_in(&nobody, PASSWORD, None, "198.51.100.1").await.accepted()["device_token"].clone();
        }
        let listed = service.player("noor").await.client.get("/v1/sessions").await.accepted();
        // The client then reaches the limit on attempts, after which no password is compared.
        for policy in ["session", "session", "login", "login"] {
            let refused = log_in(&nobody, PASSWORD, None, "198.51.100.1").await;
            assert_eq!(refused.refused(429, "too-many-attempts")["policy"], policy);
            assert!((1..=3600).contains(&retry_after(&refused)), "{refused}");
        }
        retry_after(&log_in(&nobody, PASSWORD, Some(&device), "198.51.100.1").await);
        assert_eq!(service.player("noor").await.client.get("/v1/sessions").await.accepted(), listed);
        service.wait(60 * 60);
        log_in(&nobody, PASSWORD, None, "198.51.100.1").await.accepted();
    }

    async fn a_hashing_flood_blocks_no_other_address(database: TestDatabase) {
        let service = Service::told(database, Setup { password_cost: Cost::default(), ..proxied() });
        service.player("noor").await;
        let stop = Arc::new(AtomicBool::new(false));
        let flood: Vec<_> = (0..64).map(|_| {
            let (nobody, stop) = (service.anonymous(), Arc::clone(&stop));
            tokio::spawn(async move {
                let mut turned_away = 0;
                while !stop.load(Ordering::Relaxed) {
                    let answer = log_in(&nobody, "not-the-password", None, "203.0.113.9").await;
                    if answer.status == 503 {
                        answer.refused(503, "unavailable");
                        assert!(answer.header("retry-after").is_some(), "{answer}");
                        turned_away += 1;
                    } else {
                        answer.refused(401, "wrong-credentials");
                    }
                }
                turned_away
            })
        }).collect();
        for _ in 0..3 {
            log_in(&service.anonymous(), PASSWORD, None, "198.51.100.1").await.accepted();
        }
        stop.store(true, Ordering::Relaxed);
        let mut turned_away = 0;
        for flooding in flood {
            turned_away += flooding.await.expect("its answers");
        }
        assert!(turned_away > 0, "nobody was turned away");
        log_in(&service.anonymous(), PASSWORD, None, "203.0.113.9").await.accepted();
    }

    async fn taking_a_name_counts_as_an_attempt(database: TestDatabase) {
        let limits = Limits { login_per_account: rate("3/30m"), accounts_per_address: rate("9/1h"), ..Limits::NONE };
        let service = limited(database, limits);
        service.player("noor").await;
        let made = service.anonymous().send("/v1/accounts/guest", &json!({})).await.accepted();
        let guest = service.anonymous().with_token(made["session"]["access_token"].as_str().expect("a token"));
        let take = |name: &str, from: &str| {
            let wish = json!({"username": name, "password": PASSWORD}).to_string();
            guest.request(Method::PUT, "/v1/me/credentials").raw(wish).header("x-forwarded-for", from)
        };
        // An invalid name or password reveals nothing and is not counted.
        take("x", "198.51.100.1").await.refused(422, "invalid-field");
        for _ in 0..3 {
            take("noor", "198.51.100.1").await.refused(409, "username-taken");
        }
        // From any address, whether or not the name is taken.
        retry_after(&take("noor", "198.51.100.2").await);
        assert_eq!(take("layla", "198.51.100.3").await.refused(429, "too-many-attempts")["policy"], "credentials");
        service.wait(10 * 60);
        take("layla", "198.51.100.1").await.accepted();
    }

    async fn names_are_not_looked_up_with_many_guests(database: TestDatabase) {
        let service = limited(database, Limits { accounts_per_address: rate("6/1h"), ..Limits::NONE });
        service.player("noor").await;
        let nobody = service.anonymous();
        let mut answers = Vec::new();
        for _ in 0..3 {
            let made = nobody.send("/v1/accounts/guest", &json!({})).header("x-forwarded-for", "198.51.100.1").await.accepted();
            let guest = nobody.with_token(made["session"]["access_token"].as_str().expect("a token"));
            let wish = json!({"username": "noor", "password": PASSWORD}).to_string();
            for _ in 0..2 {
                let take = guest.request(Method::PUT, "/v1/me/credentials").raw(wish.clone());
                answers.push(take.header("x-forwarded-for", "203.0.113.7").await);
            }
            for _ in 0..2 {
                let take = nobody.send("/v1/accounts", &json!({"username": "NOOR", "password": PASSWORD}));
                answers.push(take.header("x-forwarded-for", "203.0.113.7").await);
            }
        }
        // Creating an account and naming a guest share one limit.
        assert_eq!(answers.iter().map(|answer| answer.status).collect::<Vec<_>>(), [[409; 6], [429; 6]].concat());
    }

    async fn a_password_is_not_guessed_with_a_stolen_token(database: TestDatabase) {
        let service = limited(database, Limits { login_per_account: rate("2/1h"), ..Limits::NONE });
        let noor = service.player("noor").await.client;
        let farewell = |password: &str| noor.delete("/v1/me").raw(json!({"password": password}).to_string());
        farewell("not-the-password").await.refused(403, "wrong-password");
        farewell("not-the-password").await.refused(403, "wrong-password");
        retry_after(&farewell(PASSWORD).await);
    }

    async fn moderators_do_not_flood_a_mailbox(database: TestDatabase) {
        let service = limited(database, Limits { mails_per_address: rate("2/1h"), ..Limits::NONE });
        let (noor, layla) = (service.player("noor").await, service.player("layla").await);
        let moderators = [service.with_role("mona", "moderator").await, service.with_role("omar", "moderator").await];
        let give = async |number: usize, account: &str| {
            let give = json!({"act": "access_given", "reason": "A letter."});
            moderators[number].send(&format!("/v1/admin/accounts/{account}/acts"), &give).await
        };
        for number in [0, 1] {
            give(number, &noor.account).await.accepted();
        }
        retry_after(&give(0, &noor.account).await);
        give(0, &layla.account).await.accepted();
    }
}
