//! Rate limits: by address, by account and for commands. Each answer reports them, and they never block a
//! legal move.

use estimation::http::{RateSettings, ServerSettings};
use estimation_service::auth::throttle::{Limits, Rate};

use crate::prelude::*;

fn rate(text: &str) -> Option<Rate> {
    Some(text.parse().expect("a rate"))
}

fn limited(database: TestDatabase, rates: RateSettings) -> Service {
    let proxy = "127.0.0.1/32".parse().expect("a network");
    let settings = ServerSettings { rates, trusted_proxies: vec![proxy], ..Setup::default().settings };
    Service::told(database, Setup { settings, ..Setup::default() })
}

/// The remaining quota under a limit, and the seconds until it is full again.
fn left(answer: &Answer, name: &str) -> (u64, u64) {
    let said = answer.header("ratelimit").unwrap_or_else(|| panic!("{answer}\nhas no RateLimit"));
    let item = said.split(", ").find(|item| item.starts_with(&format!("\"{name}\";")));
    let item = item.unwrap_or_else(|| panic!("{said} has no {name}"));
    let parameter = |key: &str| {
        let value = item.split(';').find_map(|part| part.strip_prefix(&format!("{key}=")));
        value.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("{item} has no {key}"))
    };
    (parameter("r"), parameter("t"))
}

#[tokio::test]
async fn requests_are_limited_per_address() {
    let rates = RateSettings { address: rate("3/1h"), ..RateSettings::NONE };
    let service = limited(TestDatabase::new(Backend::Sqlite), rates);
    let nobody = service.anonymous();
    let ask = |from: &'static str| nobody.get("/v1/rulesets").header("x-forwarded-for", from);
    for remaining in [2, 1, 0] {
        let answer = ask("198.51.100.1").await;
        answer.accepted();
        assert_eq!(answer.header("ratelimit-policy"), Some("\"address\";q=3;w=3600"));
        let (r, t) = left(&answer, "address");
        assert_eq!(r, remaining, "{answer}");
        assert_eq!(t, (3 - remaining) * 1200);
    }
    let refused = ask("198.51.100.1").await;
    assert_eq!(refused.refused(429, "too-many-requests")["policy"], "address");
    let wait: u64 = refused.header("retry-after").expect("Retry-After").parse().expect("seconds");
    assert_eq!(wait, 1200);
    assert_eq!(left(&refused, "address").0, 0);
    // Other addresses and health checks are unaffected, and an IPv6 network counts as one address.
    ask("198.51.100.2").await.accepted();
    nobody.get("/healthz").header("x-forwarded-for", "198.51.100.1").await.accepted();
    for from in ["2001:db8::1", "2001:db8::2", "2001:db8::3"] {
        ask(from).await.accepted();
    }
    ask("2001:db8::4").await.refused(429, "too-many-requests");
    ask("2001:db8:0:1::4").await.accepted();
    // Requests for unknown paths count too.
    for _ in 0..3 {
        nobody.get("/nothing").header("x-forwarded-for", "198.51.100.3").await.refused(404, "not-found");
    }
    nobody.get("/nothing").header("x-forwarded-for", "198.51.100.3").await.refused(429, "too-many-requests");
}

#[tokio::test]
async fn requests_are_limited_per_account() {
    let rates = RateSettings { account: rate("4/1h"), ..RateSettings::NONE };
    let service = limited(TestDatabase::new(Backend::Sqlite), rates);
    let (noor, omar) = (service.player("noor").await, service.player("omar").await);
    for (from, remaining) in
        [("198.51.100.1", 3), ("198.51.100.2", 2), ("198.51.100.1", 1), ("198.51.100.3", 0)]
    {
        let answer = noor.client.get("/v1/me").header("x-forwarded-for", from).await;
        answer.accepted();
        assert_eq!(left(&answer, "account").0, remaining);
    }
    let refused = noor.client.get("/v1/me").await;
    assert_eq!(refused.refused(429, "too-many-requests")["policy"], "account");
    omar.client.get("/v1/me").await.accepted();
    // A forged token belongs to no account and is not counted against one.
    service.anonymous().with_token("forged").get("/v1/me").await.refused(401, "token-invalid");
}

/// However long it is and whatever is wrong with it.
#[tokio::test]
async fn an_invalid_body_counts_as_one_request() {
    let rates = RateSettings {
        address: rate("10/1h"),
        account: rate("10/1h"),
        commands: rate("2/1h"),
        unauthenticated: None,
        hints: None,
    };
    let service = limited(TestDatabase::new(Backend::Sqlite), rates);
    let nobody = service.anonymous();
    let score = |size: usize| {
        let body = format!("{:size$}", format!("{{\"calls\":[{}1]}}", "1,".repeat((size - 13) / 2)));
        nobody.post("/v1/rulesets/squares/score").raw(body).header("x-forwarded-for", "198.51.100.1")
    };
    for (size, remaining) in [(200, 9), (8_192, 8)] {
        let answer = score(size).await;
        answer.refused(422, "invalid-body");
        assert_eq!(left(&answer, "address").0, remaining, "{answer}");
    }
    let (noor, omar) = (service.player("noor").await.client, service.player("omar").await.client);
    let unknown = |size: usize| format!("{{\"a\":{}1}}", " ".repeat(size - 7));
    let answer = noor.post("/v1/games").raw(unknown(4_096)).header("x-forwarded-for", "198.51.100.3").await;
    answer.refused(422, "invalid-body");
    assert_eq!(left(&answer, "account").0, 9);
    // Unreadable commands count against the account, as refused commands.
    let path = format!("/v1/games/{}/commands", uuid::Uuid::nil());
    let command = || omar.post(&path).raw(unknown(1_024)).header("x-forwarded-for", "198.51.100.6");
    for remaining in [1, 0] {
        let answer = command().await;
        answer.refused(422, "invalid-body");
        assert_eq!(left(&answer, "commands").0, remaining);
    }
    assert_eq!(command().await.refused(429, "too-many-requests")["policy"], "commands");
    assert_eq!(left(&omar.get("/v1/me").await, "account").0, 9);
}

#[tokio::test]
async fn quota_is_refilled() {
    // One more every five seconds of the service's clock.
    let rates = RateSettings { address: rate("2/10s"), ..RateSettings::NONE };
    let service = limited(TestDatabase::new(Backend::Sqlite), rates);
    let ask = || service.anonymous().get("/v1/rulesets/plain").header("x-forwarded-for", "198.51.100.1");
    for wait in [0, 10, 5] {
        service.wait(wait);
        let quota = if wait == 5 { 1 } else { 2 };
        for _ in 0..quota {
            ask().await.accepted();
        }
        let refused = ask().await;
        refused.refused(429, "too-many-requests");
        assert_eq!(refused.header("retry-after"), Some("5"));
    }
    service.wait(4);
    assert_eq!(ask().await.status, 429);
}

on_sqlite_first! {
    async fn legal_moves_are_never_limited(database: TestDatabase) {
        let rates = RateSettings { commands: rate("2/1h"), address: rate("40/1h"), ..RateSettings::NONE };
        let service = limited(database, rates);
        let table = service.table("nineteen").players(2).started().await;
        // It is the turn of seat 1. Other seats use up their commands.
        let idle = table.seat(0);
        for remaining in [1, 0] {
            let refused = idle.estimate(0).await;
            refused.refused(409, "not-your-turn");
            assert_eq!(left(&refused, "commands").0, remaining);
            assert_eq!(refused.header("ratelimit-policy"), Some("\"commands\";q=2;w=3600"));
        }
        let refused = idle.estimate(0).await;
        assert_eq!(refused.refused(429, "too-many-requests")["policy"], "commands");
        assert!(refused.header("retry-after").is_some());
        // Commands to an unknown game are limited too.
        let nowhere = format!("/v1/games/{}/commands", uuid::Uuid::nil());
        idle.player.client.send(&nowhere, &json!({"type": "pass"})).await.refused(429, "too-many-requests");
        // On their turn players may act with an empty bucket. Mistakes still count.
        table.seat(1).estimate(0).await.accepted();
        idle.estimate(1).await.refused(429, "too-many-requests");
        let answer = idle.estimate(0).await;
        answer.accepted();
        assert_eq!(answer.header("ratelimit"), None, "a legal command takes nothing");
        // This continues for several turns, although the limit is two commands an hour.
        for _ in 0..8 {
            let view = table.view().await;
            let seat = view["round"]["to_act"]["seat"].as_u64().expect("a seat") as usize;
            let view = table.seat(seat).view().await.accepted();
            table.seat(seat).command(&view["legal"][0]).await.accepted();
        }
    }

    async fn limits_on_attempts_are_reported(database: TestDatabase) {
        let limits = Limits { login_per_account: rate("2/10m"), refresh_per_address: rate("1/1m"), ..Limits::NONE };
        let service = Service::told(database, Setup { limits, ..Setup::default() });
        service.player("noor").await;
        let nobody = service.anonymous();
        let log_in = |password: &str| nobody.send("/v1/sessions", &json!({"username": "noor", "password": password}));
        let policy = Some("\"login\";q=2;w=600");
        let answer = log_in(PASSWORD).await;
        answer.accepted();
        assert_eq!(answer.header("ratelimit-policy"), policy);
        log_in("not-the-password").await.refused(401, "wrong-credentials");
        log_in("not-the-password").await.refused(401, "wrong-credentials");
        let refused = log_in("not-the-password").await;
        assert_eq!(refused.refused(429, "too-many-attempts")["policy"], "login");
        assert_eq!(refused.header("ratelimit-policy"), policy);
        let (remaining, reset) = left(&refused, "login");
        assert_eq!(remaining, 0);
        assert_eq!(Some(reset.to_string().as_str()), refused.header("retry-after"));
        let wish = json!({"refresh_token": format!("rt_{}", "A".repeat(43))});
        nobody.send("/v1/sessions/refresh", &wish).await.refused(401, "refresh-token-invalid");
        let refused = nobody.send("/v1/sessions/refresh", &wish).await;
        assert_eq!(refused.refused(429, "too-many-attempts")["policy"], "refresh-address");
        assert_eq!(refused.header("ratelimit-policy"), Some("\"refresh-address\";q=1;w=60"));
        assert_eq!(left(&refused, "refresh-address").0, 0);
        assert_eq!(nobody.get("/v1/rulesets").await.header("ratelimit-policy"), None);
    }
    /// Every 429 with a `policy` has this limit in both headers.
    async fn the_exceeded_limit_is_named(database: TestDatabase) {
        let limits = Limits {
            login_per_account: rate("2/1h"), login_per_address: rate("1/1h"), accounts_per_address: rate("3/1h"), ..Limits::NONE
        };
        let service = Service::told(database, Setup { limits, ..Setup::default() });
        let noor = service.player("noor").await.client;
        let nobody = service.anonymous();
        let log_in = |name: &str| nobody.send("/v1/sessions", &json!({"username": name, "password": "not-the-password"}));
        let mut exceeded = Vec::new();
        log_in("noor").await.refused(401, "wrong-credentials");
        exceeded.push((log_in("omar").await, "login-address"));
        let farewell = || noor.delete("/v1/me").raw(json!({"password": "not-the-password"}).to_string());
        for _ in 0..2 {
            farewell().await.refused(403, "wrong-password");
        }
        exceeded.push((farewell().await, "confirmation"));
        for _ in 0..2 {
            nobody.send("/v1/accounts/guest", &json!({})).await.accepted();
        }
        exceeded.push((nobody.send("/v1/accounts/guest", &json!({})).await, "account-address"));
        for (answer, name) in exceeded {
            assert_eq!(answer.refused(429, "too-many-attempts")["policy"], name);
            assert_eq!(left(&answer, name).0, 0);
            let policies = answer.header("ratelimit-policy").expect("RateLimit-Policy");
            assert!(policies.contains(&format!("\"{name}\";q=")), "{policies} has no {name}");
        }
    }
}
