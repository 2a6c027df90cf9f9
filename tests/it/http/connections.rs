//! Connections over real sockets: the service closes a connection whose head or body is late, keeps the
//! others, and limits how many are open.

use estimation::http::{ConnectionLimits, ServerSettings, Timeouts};

use super::raw::{GET, PATIENCE, Raw};
use crate::prelude::*;

const GUEST: &str = "POST /v1/accounts/guest HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\
                     Content-Length: 2\r\n\r\n{}";

fn told(settings: ServerSettings) -> Service {
    Service::told(TestDatabase::new(Backend::Sqlite), Setup { settings, ..Setup::default() })
}

fn hurried() -> Service {
    let timeouts = Timeouts { head: Duration::from_secs(1), ..Timeouts::default() };
    told(ServerSettings { timeouts, ..Setup::default().settings })
}

fn limited(total: usize, per_address: usize) -> Service {
    let connections = ConnectionLimits { total, per_address };
    told(ServerSettings { connections, ..Setup::default().settings })
}

#[track_caller]
fn last_problem(answer: &str, status: u16) -> Value {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {answer:?}"));
    assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
    for header in ["connection: close", "content-type: application/problem+json", "date: ", "x-request-id: "]
    {
        assert!(head.lines().any(|line| line.starts_with(header)), "no {header} in {answer}");
    }
    let problem: Value = serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"));
    assert_eq!(problem["status"], status);
    problem
}

#[test]
fn a_head_that_begins_after_an_answer_has_a_deadline() {
    let service = hurried();
    for begun in ["G", "GET /healthz HTTP/1.1\r\nHost:"] {
        let mut raw = Raw::to(&service);
        raw.is_answered();
        raw.say(begun);
        assert_eq!(last_problem(&raw.end(), 408)["code"], "request-timeout");
    }
}

#[test]
fn a_first_head_has_a_deadline() {
    let service = hurried();
    let mut silent = Raw::to(&service);
    let mut begun = Raw::to(&service);
    begun.say("GET /healthz HTTP/1.1\r\nHost:");
    assert_eq!(silent.end(), "", "who said nothing is told nothing");
    assert_eq!(last_problem(&begun.end(), 408)["code"], "request-timeout");
}

#[test]
fn a_trickled_head_has_a_deadline() {
    let service = hurried();
    let mut raw = Raw::to(&service);
    raw.is_answered();
    raw.say("GET /healthz HTTP/1.1\r\nX-Slow: ");
    raw.trickle_until_cut_off();
}

#[test]
fn half_a_pipelined_head_has_a_deadline() {
    let head = Duration::from_secs(1);
    let timeouts = Timeouts { head, keep_alive: Duration::from_secs(2), ..Timeouts::default() };
    let service = told(ServerSettings { timeouts, ..Setup::default().settings });
    let half = "GET /healthz HTTP/1.1\r\nHo";
    let mut raw = Raw::to(&service);
    raw.say(&format!("{GET}{half}"));
    raw.answer();
    assert_eq!(last_problem(&raw.end(), 408)["code"], "request-timeout");
    // Bytes after the body do not start a new deadline until more of them arrive.
    for more in ["", "s"] {
        let mut raw = Raw::to(&service);
        raw.say(&format!("{GUEST}{half}"));
        assert!(raw.answer().starts_with("HTTP/1.1 201"));
        raw.say(more);
        raw.end();
    }
}

#[test]
fn a_late_body_closes_the_connection_after_its_408() {
    let service = hurried();
    let head = "POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
    let mut waiting: Vec<Raw> =
        ["Transfer-Encoding: chunked\r\n\r\n5\r\n{\"use", "Content-Length: 50\r\n\r\n{\"use"]
            .into_iter()
            .map(|body| {
                let mut raw = Raw::to(&service);
                raw.say(&format!("{head}{body}"));
                raw
            })
            .collect();
    for raw in &mut waiting {
        raw.wait_for(Duration::from_secs(15) + PATIENCE);
        assert_eq!(last_problem(&raw.answer(), 408)["code"], "request-timeout");
        raw.wait_for(PATIENCE);
        assert_eq!(raw.end(), "");
    }
}

#[test]
fn an_unread_body_closes_the_connection() {
    let service = hurried();
    for body in ["Transfer-Encoding: chunked\r\n\r\n5\r\nhe", "Content-Length: 5\r\n\r\nhe"] {
        let mut raw = Raw::to(&service);
        raw.say(&format!("GET /healthz HTTP/1.1\r\nHost: x\r\n{body}"));
        let answer = raw.answer();
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("connection: close"), "{answer}");
        raw.end();
    }
}

/// The HTTP client of the JDK offers HTTP/2 with its first request on a connection.
#[test]
fn a_request_to_upgrade_is_answered_and_closes_the_connection() {
    let service = hurried();
    for _ in 0..2 {
        let mut raw = Raw::to(&service);
        raw.say(
            "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\
             HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n",
        );
        let answer = raw.answer();
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("connection: close"), "{answer}");
        assert!(!answer.contains("upgrade"), "{answer}");
        raw.end();
    }
}

#[tokio::test]
async fn a_chunked_body_that_is_read_keeps_the_connection() {
    let service = hurried();
    let mut raw = Raw::to(&service);
    for _ in 0..2 {
        raw.say(
            "POST /v1/accounts/guest HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\
             Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        );
        let answer = raw.answer();
        assert!(answer.starts_with("HTTP/1.1 201") && !answer.contains("connection: close"), "{answer}");
    }
}

#[tokio::test]
async fn idle_and_streaming_connections_outlive_late_ones() {
    let service = hurried();
    let table = service.table("nineteen").players(2).open().await;
    let omar = service.player("omar").await;
    let token = &table.players[0].access_token;
    let mut idle = Raw::to(&service);
    idle.is_answered();
    let ask = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n");
    let mut stream = Raw::to(&service);
    stream.say(&ask(&table.path("stream")));
    stream.hear("id: 1-");
    let mut poll = Raw::to(&service);
    poll.say(&ask(&format!("{}?after=100&wait=4", table.path("events"))));
    for _ in 0..2 {
        let mut late = Raw::to(&service);
        late.say("G");
        last_problem(&late.end(), 408);
    }
    idle.is_answered();
    table.seen_by(&omar).sit_down(&json!({})).await.accepted();
    stream.hear("player_joined");
    assert!(poll.answer().starts_with("HTTP/1.1 200"));
}

#[test]
fn an_idle_connection_ends_after_the_keep_alive_time() {
    let timeouts = Timeouts { keep_alive: Duration::from_secs(1), ..Timeouts::default() };
    let service = told(ServerSettings { timeouts, ..Setup::default().settings });
    let mut raw = Raw::to(&service);
    raw.is_answered();
    assert_eq!(raw.end(), "");
}

#[test]
fn bytes_that_are_not_http_are_refused_with_a_problem() {
    let service = hurried();
    for text in [
        "hello\r\n\r\n",
        "GET / HTTP/3.0\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
    ] {
        for before in ["", GET] {
            let mut raw = Raw::to(&service);
            if !before.is_empty() {
                raw.say(before);
                raw.answer();
            }
            raw.say(text);
            assert_eq!(last_problem(&raw.end(), 400)["code"], "malformed-request", "{text}");
        }
    }
    let mut raw = Raw::to(&service);
    raw.say(&format!("GET /healthz HTTP/1.1\r\nHost: x\r\n{}\r\n", "X-Much: y\r\n".repeat(97)));
    assert_eq!(last_problem(&raw.end(), 431)["code"], "head-too-large");
    // The service's own refusals with the same status are unchanged.
    let mut raw = Raw::to(&service);
    raw.say("GET /v1/rulesets HTTP/1.1\r\nHost: x\r\nIdempotency-Key: k\r\n\r\n");
    let answer = raw.answer();
    assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("\"not-supported\""), "{answer}");
}

#[tokio::test]
async fn requests_pipelined_behind_a_stream_are_cut_off() {
    let service = hurried();
    let token = service.player("noor").await.access_token;
    let mut raw = Raw::to(&service);
    raw.say(&format!("GET /v1/me/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n"));
    raw.hear("200 OK");
    raw.flood(GET);
    // A few pipelined requests may wait.
    let mut raw = Raw::to(&service);
    raw.say(&GET.repeat(10));
    for _ in 0..10 {
        assert!(raw.answer().starts_with("HTTP/1.1 200"));
    }
}

#[test]
fn an_address_has_no_more_connections_than_its_share() {
    let service = limited(100, 2);
    let mut first = Raw::to(&service);
    first.is_answered();
    let mut second = Raw::to(&service);
    second.is_answered();
    let refused = Raw::to(&service).end();
    let problem = last_problem(&refused, 503);
    assert_eq!(problem["code"], "too-many-connections");
    assert!(refused.contains("retry-after: 1\r\n"), "{refused}");
    drop(first);
    let mut again = Raw::until_accepted(&service);
    for raw in [&mut again, &mut second] {
        raw.is_answered();
    }
}

/// A connection on which a request was answered, from one of many addresses of this machine.
fn idle_from(last: u8, service: &Service) -> Raw {
    let mut raw = Raw::from([127, 0, 3, last], service);
    raw.say(GET);
    assert!(raw.answer().starts_with("HTTP/1.1 200"), "127.0.3.{last} was refused");
    raw
}

#[test]
fn idle_connections_of_five_addresses_leave_room_for_a_sixth() {
    for workers in [1, 3] {
        let connections = ConnectionLimits { total: 20, per_address: 5 };
        let service = told(ServerSettings { connections, workers, ..Setup::default().settings });
        let mut first: Vec<Raw> = (0..3).map(|_| idle_from(5, &service)).collect();
        let mut held: Vec<Vec<Raw>> =
            (1..=4).map(|address| (0..4).map(|_| idle_from(address, &service)).collect()).collect();
        // One more is free; then each probe closes the oldest connection of an address with most.
        for probe in 0..10 {
            idle_from(6, &service);
            assert!(
                first.iter_mut().all(|raw| {
                    raw.say(GET);
                    raw.answer().starts_with("HTTP/1.1 200")
                }),
                "{probe}"
            );
        }
        let newest = held.iter_mut().filter_map(|held| held.last_mut());
        newest.for_each(Raw::is_answered);
    }
}

#[test]
fn the_oldest_idle_connections_of_the_address_with_most_are_closed() {
    let service = limited(6, 5);
    let mut few = [idle_from(1, &service), idle_from(1, &service)];
    let [mut oldest, mut begun, mut third, mut fourth] = [(); 4].map(|()| idle_from(2, &service));
    let mut new = idle_from(3, &service);
    assert_eq!(oldest.end(), "");
    begun.say("GET /healthz HTTP/1.1\r\nHo");
    third.is_answered();
    // On two connections a part of a head or a request has arrived, so `fourth` is the oldest.
    let mut newer = idle_from(3, &service);
    assert_eq!(fourth.end(), "");
    for raw in few.iter_mut().chain([&mut third, &mut new, &mut newer]) {
        raw.is_answered();
    }
    begun.say("st: x\r\n\r\n");
    assert!(begun.answer().starts_with("HTTP/1.1 200"));
}

#[test]
fn begun_heads_leave_room_and_are_told_why() {
    let service = limited(4, 4);
    // The service has read these heads when it answers the request that comes before them in the same write.
    let begin = |_| {
        let mut raw = Raw::from([127, 0, 3, 1], &service);
        raw.say(&format!("{GET}GET /healthz HTTP/1.1\r\nX: "));
        assert!(raw.answer().starts_with("HTTP/1.1 200"));
        raw
    };
    let mut begun: Vec<Raw> = (0..4).map(begin).collect();
    idle_from(2, &service);
    let started = Instant::now();
    let refused = loop {
        match begun.iter_mut().find(|raw| raw.has_heard()) {
            Some(raw) => break raw.end(),
            None => assert!(started.elapsed() < PATIENCE, "no connection is closed"),
        }
    };
    assert_eq!(last_problem(&refused, 503)["code"], "too-many-connections");
}

#[tokio::test]
async fn streams_and_requests_in_flight_are_not_closed_for_a_new_connection() {
    let service = limited(4, 4);
    let table = service.table("nineteen").players(2).open().await;
    let token = &table.players[0].access_token;
    let omar = service.player("omar").await;
    let ask = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n");
    // The clients of the table hold connections, which are idle and closed first.
    let mut stream = Raw::from([127, 0, 3, 1], &service);
    stream.say(&ask(&table.path("stream")));
    stream.hear("id: 1-");
    // The service has read these requests when it answers the one that comes before them in the same write.
    let begun = |request: &str| {
        let mut raw = Raw::from([127, 0, 3, 1], &service);
        raw.say(&format!("{GET}{request}"));
        assert!(raw.answer().starts_with("HTTP/1.1 200"));
        raw
    };
    let mut poll = begun(&ask(&format!("{}?after=100&wait=4", table.path("events"))));
    let mut slow = begun(GUEST.strip_suffix("{}").expect("a body"));
    let mut last = idle_from(2, &service);
    for _ in 0..3 {
        idle_from(3, &service);
    }
    assert_eq!(last.end(), "");
    slow.say("{}");
    assert!(slow.answer().starts_with("HTTP/1.1 201"));
    drop(slow);
    let mut omars = Raw::from([127, 0, 3, 4], &service);
    omars.say(&format!(
        "POST {} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Content-Length: 2\r\n\r\n{{}}",
        table.path("seats"),
        omar.access_token
    ));
    omars.hear("HTTP/1.1 20");
    stream.hear("player_joined");
    assert!(poll.answer().starts_with("HTTP/1.1 200"));
}

#[test]
fn an_address_has_no_more_than_its_share_even_if_it_is_idle() {
    let service = limited(4, 3);
    let mut held: Vec<Raw> = (0..3).map(|_| idle_from(1, &service)).collect();
    let refused = Raw::from([127, 0, 3, 1], &service).end();
    assert_eq!(last_problem(&refused, 503)["code"], "too-many-connections");
    held.iter_mut().for_each(Raw::is_answered);
}

#[tokio::test]
async fn a_stream_ends_if_the_body_of_its_request_does_not() {
    let timeouts = Timeouts { body: Duration::from_secs(1), ..Timeouts::default() };
    let service = told(ServerSettings { timeouts, ..Setup::default().settings });
    let table = service.table("nineteen").players(2).open().await;
    let token = &table.players[0].access_token;
    for path in ["/v1/me/stream", &table.path("stream")] {
        let head = format!("GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n");
        for body in ["Content-Length: 50\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n5\r\nhe"] {
            let mut raw = Raw::to(&service);
            raw.say(&format!("{head}{body}"));
            raw.hear("200 OK");
            raw.end();
        }
    }
    // A body that ends changes nothing, and a client without one has no deadline.
    let omar = service.player("omar").await;
    let head =
        format!("GET {} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n", table.path("stream"));
    let mut open: Vec<Raw> =
        ["\r\n", "Content-Length: 2\r\n\r\n{}", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"]
            .into_iter()
            .map(|body| {
                let mut raw = Raw::to(&service);
                raw.say(&format!("{head}{body}"));
                raw.hear("id: 1-");
                raw
            })
            .collect();
    let mut late = Raw::to(&service);
    late.say(&format!("{head}Content-Length: 2\r\n\r\n{{"));
    late.end();
    table.seen_by(&omar).sit_down(&json!({})).await.accepted();
    for raw in &mut open {
        raw.hear("player_joined");
    }
}

#[test]
fn trusted_proxies_are_exempt_from_the_address_limit() {
    let proxy = "127.0.0.1/32".parse().expect("a network");
    let connections = ConnectionLimits { total: 4, per_address: 1 };
    let settings = ServerSettings { connections, trusted_proxies: vec![proxy], ..Setup::default().settings };
    let service = told(settings);
    let mut held: Vec<Raw> = (0..4).map(|_| Raw::to(&service)).collect();
    held.iter_mut().for_each(Raw::is_answered);
    assert_eq!(last_problem(&Raw::to(&service).end(), 503)["code"], "too-many-connections");
    drop(held);
    Raw::until_accepted(&service);
}

#[tokio::test]
async fn a_body_is_read_however_the_head_is_split() {
    let service = hurried();
    let mut raw = Raw::to(&service);
    for byte in GUEST.chars() {
        raw.say(&byte.to_string());
    }
    assert!(raw.answer().starts_with("HTTP/1.1 201"));
}
