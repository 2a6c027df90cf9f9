//! Streams and polls of a game: ordered, without gaps, and never open without bound.

use std::io::Write;
use std::net::TcpStream;

use tokio::time::{sleep, timeout};

use super::frames::{Frame, Frames, id_of, streamed};
use crate::prelude::*;

fn event(frame: Frame) -> (u64, Value) {
    match frame {
        Frame::Event { id, data } => {
            assert_eq!(data["seq"], id);
            (id, data)
        }
        other => panic!("{other:?}"),
    }
}

/// The id of a logged event's frame.
fn id(event: &Value) -> String {
    id_of(event["seq"].as_u64().expect("a number"), event["hash"].as_str().expect("a hash"))
}

on_both! {
    /// A resumed stream continues with the next event, and agrees with the log.
    async fn a_stream_resumes_without_a_hole(site: Site) {
        let node = site.node();
        let table = Table::of_two(&Client::anonymous(&node.url)).await;
        let mut dice = Random(11);
        let client = table.players[0].client.clone();
        let (mut heard, mut last): (Vec<Value>, u64) = (Vec::new(), 0);
        loop {
            table.play(&mut dice, 25).await;
            let after = heard.last().map(id);
            let mut stream = match Frames::open(&client, &table.stream(), after.as_deref()).await.expect("an answer") {
                Ok(stream) => stream,
                Err(answer) => {
                    assert_eq!(answer.status, 204, "{answer:?}");
                    break;
                }
            };
            let version = table.play(&mut dice, 25).await;
            while last < version {
                let (seq, data) = event(stream.soon(PATIENCE).await);
                assert_eq!(seq, last + 1, "a hole or a repeat");
                heard.push(data);
                last = seq;
            }
        }
        // Events may have been hidden then and revealed since. The hashes must agree.
        let log: Vec<Value> = table.seat(0).log().await.into_iter().map(streamed).collect();
        let hashes = |events: &[Value]| events.iter().map(|event| event["hash"].clone()).collect::<Vec<_>>();
        assert_eq!(hashes(&heard), hashes(&log));
        assert!(log.len() > 300);

        let mut stream = Frames::of(&client, &table.stream(), None).await;
        for logged in &log {
            assert_eq!(event(stream.soon(PATIENCE).await).1, *logged);
        }
        assert_eq!(stream.soon(PATIENCE).await, Frame::Named { name: "end".to_owned(), data: json!({}) });
        assert_eq!(stream.next().await.expect("a proper end"), None);
        let over = Frames::open(&client, &table.stream(), log.last().map(id).as_deref()).await.expect("an answer");
        assert_eq!(over.err().expect("no stream").status, 204);
    }

    /// A number alone does not say which event the client has.
    async fn a_stream_resumes_after_an_id_or_from_the_beginning(site: Site) {
        let node = site.node();
        let table = Table::of_two(&Client::anonymous(&node.url)).await;
        let client = &table.players[0].client;
        for wrong in ["2", "", "-", "2-", "2-0123456789ABCDEF", "2-0123", "9007199254740992-0123456789abcdef"] {
            let refused = Frames::open(client, &table.stream(), Some(wrong)).await.expect("an answer").err();
            let problem = refused.expect("no stream").refused(400, "malformed-header");
            assert_eq!(problem["header"], "Last-Event-ID", "{wrong}");
        }
        let mut stream = Frames::of(client, &table.stream(), Some("0")).await;
        assert_eq!(event(stream.soon(PATIENCE).await).0, 1);
    }

    async fn an_open_stream_ends_with_its_game(site: Site) {
        let node = site.node();
        let table = Table::open(&Client::anonymous(&node.url), &json!({"ruleset": "nineteen", "players": 2}), 2).await;
        let mut stream = Frames::of(&table.players[1].client, &table.stream(), Some(&table.head().await)).await;
        table.players[0].client.send(&table.path("cancel"), &json!({})).await.accepted();
        assert_eq!(event(stream.soon(PATIENCE).await).1["event"]["type"], "game_abandoned");
        assert_eq!(stream.soon(PATIENCE).await, Frame::Named { name: "end".to_owned(), data: json!({}) });
        assert_eq!(stream.next().await.expect("a proper end"), None);
    }

    /// A poll is answered when something happens, and with no events after its wait.
    async fn a_poll_waits(site: Site) {
        let node = site.node();
        let table = Table::of_two(&Client::anonymous(&node.url)).await;
        let client = table.players[0].client.clone();
        let version = table.version().await;
        let poll = |after: u64, wait: u64| {
            let path = format!("{}?after={after}&wait={wait}", table.path("events"));
            client.apart().request(Method::GET, &path)
        };

        let begun = Instant::now();
        let page = poll(version, 1).await.accepted();
        assert_eq!((&page["items"], &page["next_cursor"]), (&json!([]), &Value::Null));
        assert!(begun.elapsed() >= Duration::from_secs(1));

        let begun = Instant::now();
        let waiting = poll(version, 50);
        let playing = async {
            sleep(Duration::from_millis(300)).await;
            table.play(&mut Random(1), 1).await
        };
        let (page, reached) = tokio::join!(waiting, playing);
        let seqs: Vec<u64> =
            page.accepted()["items"].as_array().expect("events").iter().map(|e| e["seq"].as_u64().expect("a number")).collect();
        assert_eq!(seqs, (version + 1..=reached).collect::<Vec<_>>());
        assert!(begun.elapsed() < PATIENCE);

        // The poll does not wait for events that exist already.
        let begun = Instant::now();
        assert!(!poll(version, 50).await.accepted()["items"].as_array().expect("events").is_empty());
        assert!(begun.elapsed() < PATIENCE);
        poll(version, 56).await.refused(400, "malformed-query");
    }

    /// An account may have 16 streams and polls on a node. Closing one allows another.
    async fn an_account_has_only_so_many_streams(site: Site) {
        // The node notices a closed connection at its next write.
        let node = site.node_with(&["--heartbeat", "1"]);
        let table = Table::of_two(&Client::anonymous(&node.url)).await;
        let client = &table.players[0].client;
        let mut streams = Vec::new();
        for n in 0..16 {
            let path = if n % 2 == 0 { table.stream() } else { "/v1/me/stream".to_owned() };
            streams.push(Frames::of(client, &path, None).await);
        }
        let poll = format!("{}?after=99&wait=1", table.path("events"));
        for path in [table.stream(), "/v1/me/stream".to_owned(), poll] {
            let refused = client.get(&path).await;
            assert!(refused.header("retry-after").is_some(), "{refused:?}");
            refused.refused(429, "too-many-streams");
        }
        // Other accounts are unaffected, and moves are still accepted.
        let _other = Frames::of(&table.players[1].client, &table.stream(), None).await;
        table.play(&mut Random(1), 2).await;
        streams.pop();
        let again = async || Frames::open(client, &table.stream(), None).await.expect("an answer").ok();
        found("a closed stream makes room", again).await;
    }

    async fn an_idle_stream_sends_heartbeats(site: Site) {
        let node = site.node_with(&["--heartbeat", "1"]);
        let table = Table::of_two(&Client::anonymous(&node.url)).await;
        let client = &table.players[0].client;
        let head = table.head().await;
        for path in [table.stream(), "/v1/me/stream".to_owned()] {
            // Measured before the request. A later start would make the first heartbeat look early.
            let begun = Instant::now();
            let mut stream = Frames::of(client, &path, Some(&head)).await;
            let mut comments = Vec::new();
            while comments.len() < 3 {
                let frame = timeout(PATIENCE, stream.next()).await.expect("a sign of life").expect("no break");
                if frame.expect("no end") == Frame::Comment {
                    comments.push(begun.elapsed());
                }
            }
            assert!(comments[0] >= Duration::from_millis(500) && comments[2] >= Duration::from_millis(2500));
        }
    }
}

#[tokio::test]
#[ignore = "all: waits out deadlines of a node, a client or the database"]
async fn the_heartbeat_is_fifteen_seconds() {
    let site = Site::new(Backend::Sqlite);
    let node = site.node();
    let table = Table::of_two(&Client::anonymous(&node.url)).await;
    let head = table.head().await;
    let begun = Instant::now();
    let mut stream = Frames::of(&table.players[0].client, &table.stream(), Some(&head)).await;
    assert!(matches!(stream.next().await.expect("no break"), Some(Frame::Turn(_))));
    let frame = timeout(PATIENCE, stream.next()).await.expect("a sign of life");
    assert_eq!(frame.expect("no break"), Some(Frame::Comment));
    let took = begun.elapsed();
    assert!(took >= Duration::from_secs(15), "{took:?}");
}

/// The node disconnects clients that stop reading, and its memory stays small.
#[tokio::test]
#[ignore = "all: waits out deadlines of a node, a client or the database"]
async fn clients_that_stop_reading_are_disconnected() {
    const SLEEPERS: usize = 15;
    let site = Site::new(Backend::Sqlite);
    let node = site.node_with(&["--unread-timeout", "3", "--heartbeat", "1"]);
    let table = Table::of_two(&Client::anonymous(&node.url)).await;
    // A whole log, streamed repeatedly to clients that never read it.
    table.play(&mut Random(5), usize::MAX).await;
    let log = table.seat(0).log().await;
    let size: usize = log.iter().map(|event| event.to_string().len()).sum();
    let before = node.resident();
    let token = bearer(&table);
    let mut sleepers = Vec::new();
    for _ in 0..SLEEPERS {
        let mut socket = small_socket(&node.url);
        // Modern socket buffers hold many streams' worth of requests, so the client requests the log
        // repeatedly on one connection.
        for _ in 0..200 {
            let head =
                format!("GET {} HTTP/1.1\r\nHost: node\r\nAuthorization: {token}\r\n\r\n", table.stream());
            if socket.write_all(head.as_bytes()).is_err() {
                break;
            }
        }
        sleepers.push(socket);
    }
    let begun = Instant::now();
    let mut most = node.resident();
    eventually("all readers that do not read are cut off", async || {
        most = most.max(node.resident());
        sleepers.iter().all(is_cut)
    })
    .await;
    let grown = most.saturating_sub(before);
    println!(
        "{SLEEPERS} readers that do not read {} KiB 200 times: cut off after {:?}, {} KiB more",
        size / 1024,
        begun.elapsed(),
        grown / 1024
    );
    assert!(grown < 64 * 1024 * 1024, "{grown} bytes more");
    for _ in 0..2 {
        Frames::of(&table.players[0].client, &table.stream(), None).await;
    }
}

fn bearer(table: &Table) -> String {
    table.players[0].client.bearer().expect("a token")
}

fn small_socket(url: &str) -> TcpStream {
    use socket2::{Domain, Socket, Type};
    let address: std::net::SocketAddr = url.trim_start_matches("http://").parse().expect("an address");
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    socket.set_recv_buffer_size(4_096).expect("a small buffer");
    socket.connect(&address.into()).expect("a connection");
    socket.into()
}

/// Whether the server has closed the connection. Reads no data.
fn is_cut(socket: &TcpStream) -> bool {
    let mut socket = socket;
    socket.take_error().expect("its state").is_some() || {
        socket.set_nonblocking(true).expect("a mode");
        let cut = match socket.write(b"\r\n") {
            Ok(_) => false,
            Err(error) => error.kind() != std::io::ErrorKind::WouldBlock,
        };
        socket.set_nonblocking(false).expect("a mode");
        cut
    }
}
