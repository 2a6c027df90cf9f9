//! Floods of refused requests: each kind has its limit, and valid requests still pass.

use estimation::http::{RateSettings, ServerSettings};
use estimation_service::games::{Play, Unlimited};
use estimation_service::vocabulary::Command;

use crate::harness::client::STALE;
use crate::prelude::*;

const FLOOD: usize = 120;

/// Limits of 100 and of 50 an hour, behind a proxy on this machine.
fn limited(database: TestDatabase) -> Service {
    let a_flood_less = |times: &str| Some(format!("{times}/1h").parse().expect("a rate"));
    let rates = RateSettings {
        address: a_flood_less("100"),
        unauthenticated: a_flood_less("100"),
        account: a_flood_less("50"),
        commands: a_flood_less("50"),
        hints: None,
    };
    let trusted_proxies = vec!["127.0.0.1/32".parse().expect("a network")];
    let settings = ServerSettings { rates, trusted_proxies, ..Setup::default().settings };
    Service::told(database, Setup { settings, ..Setup::default() })
}

/// How many requests of a flood are answered with each of two statuses. No other status is allowed.
async fn flood(statuses: [u16; 2], request: impl Fn() -> Request) -> [usize; 2] {
    let mut counted = [0, 0];
    for _ in 0..FLOOD {
        let answer = request().await;
        let kind = statuses.iter().position(|status| *status == answer.status);
        counted[kind.unwrap_or_else(|| panic!("{answer}"))] += 1;
    }
    counted
}

fn commands<'a>(client: &'a Client, table: &Table) -> impl Fn(&Value) -> Request + 'a {
    let path = table.path("commands");
    move |command| client.send(&path, command)
}

on_sqlite_first! {
    async fn failed_authentications_are_limited_and_a_valid_token_passes(database: TestDatabase) {
        let service = limited(database);
        let table = service.table("nineteen").players(2).started().await;
        let forger = service.anonymous().with_token("garbage");
        let post = commands(&forger, &table);
        let from = |request: Request| request.header("x-forwarded-for", "198.51.100.7");
        assert_eq!(flood([401, 429], || from(post(&json!({"type": "pass"})))).await, [100, 20]);
        let refused = from(post(&json!({"type": "pass"}))).await;
        assert_eq!(refused.refused(429, "too-many-requests")["policy"], "unauthenticated");
        assert!(refused.header("retry-after").is_some(), "{refused}");
        from(service.anonymous().get("/v1/me")).await.refused(429, "too-many-requests");
        // A valid token from the same address still works, and so does another address.
        from(table.seat(1).view()).await.accepted();
        from(table.seat(1).estimate(0)).await.accepted();
        post(&json!({"type": "pass"})).await.refused(401, "token-invalid");
    }

    async fn illegal_commands_are_limited_and_a_legal_one_passes(database: TestDatabase) {
        let service = limited(database);
        let table = service.table("nineteen").players(2).started().await;
        assert_eq!(flood([409, 429], || table.seat(1).command(&json!({"type": "pass"}))).await, [50, 70]);
        let refused = table.seat(1).estimate(9).await;
        assert_eq!(refused.refused(429, "too-many-requests")["policy"], "commands");
        assert!(refused.header("retry-after").is_some(), "{refused}");
        table.seat(1).estimate(0).await.accepted();
    }

    async fn stale_commands_are_limited_and_a_current_one_passes(database: TestDatabase) {
        let service = limited(database);
        let table = service.table("nineteen").players(2).started().await;
        let stale = || table.seat(1).estimate(0).header("if-match", STALE);
        assert_eq!(flood([412, 429], stale).await, [50, 70]);
        let present = table.seat(1).view().await.etag();
        table.seat(1).estimate(0).header("if-match", &present).await.accepted();
    }

    async fn a_legal_command_passes_where_another_node_has_played_on(database: TestDatabase) {
        let service = limited(database);
        let table = service.table("nineteen").players(2).started().await;
        let waiting = table.seat(0);
        assert_eq!(flood([409, 429], || waiting.estimate(0)).await, [50, 70]);
        // The state in this node's cache is out of date; in it, another player must act.
        let other = service.another_node();
        let caller = other.sessions.authenticate(&table.seat(1).player.access_token).await.expect("a caller");
        let play = Play {
            caller: &caller,
            game: table.id.parse().expect("an id"),
            expected: None,
            command: &Command::Estimate { tricks: 0, trump: None },
            key: None,
            refusals: &Unlimited,
        };
        other.games.play(&play, true).await.expect("a legal command");
        waiting.estimate(1).await.refused(429, "too-many-requests");
        waiting.estimate(0).await.accepted();
        other.shutdown().await;
    }

    async fn unreadable_commands_are_limited(database: TestDatabase) {
        let service = limited(database);
        let table = service.table("nineteen").players(2).started().await;
        let client = &table.seat(1).player.client;
        let post = |path: String, body: &'static str| client.post(&path).raw(body);
        let nowhere = format!("/v1/games/{}/commands", uuid::Uuid::nil());
        let odd = [
            (table.path("commands"), "{", 400), (table.path("commands"), "{}", 422),
            (nowhere, "{\"type\":\"pass\"}", 404), ("/v1/games/x/commands".to_owned(), "{\"type\":\"pass\"}", 400),
        ];
        let mut counted = [0, 0];
        for (path, body, status) in odd.iter().cycle().take(FLOOD) {
            let answer = post(path.clone(), body).await;
            assert!(answer.status == *status || answer.status == 429, "{answer}");
            counted[usize::from(answer.status == 429)] += 1;
        }
        assert_eq!(counted, [50, 70]);
        table.seat(1).estimate(0).await.accepted();
    }
}
