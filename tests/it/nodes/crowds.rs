//! Crowds of late connections at a small open-file limit: the service still serves new clients and can open
//! the database.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};

use socket2::{Domain, Socket, Type};

use crate::prelude::*;

const GET: &str = "GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n";

/// The unfinished requests of the crowd, by turns.
const SAID: [&str; 4] = [
    "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nG",
    "GET /healthz HTTP/1.1\r\nHost:",
    "POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
    "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /healthz HTTP/1.1\r\nHo",
];

/// Connections from a local address, each with an unfinished request.
fn crowd(url: &str, from: &str, size: usize) -> Vec<TcpStream> {
    rlimit::increase_nofile_limit(rlimit::INFINITY).expect("a limit");
    let to: SocketAddr = url.trim_start_matches("http://").parse().expect("an address");
    let from: SocketAddr = format!("{from}:0").parse().expect("an address");
    let connections = (0..size).map(|number| {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
        socket.bind(&from.into()).expect("an address of this machine");
        socket.connect(&to.into()).expect("a connection");
        let mut stream = TcpStream::from(socket);
        // The service may have closed a surplus connection.
        let _ = stream.write_all(SAID[number % SAID.len()].as_bytes());
        stream
    });
    connections.collect()
}

fn ended(crowd: Vec<TcpStream>) {
    let started = Instant::now();
    for mut connection in crowd {
        let left = PATIENCE.saturating_sub(started.elapsed()).max(Duration::from_millis(1));
        connection.set_read_timeout(Some(left)).expect("a timeout");
        if let Err(error) = connection.read_to_end(&mut Vec::new()) {
            assert!(error.kind() != ErrorKind::WouldBlock, "open still after {:?}", started.elapsed());
        }
    }
}

/// Waits out a database that a busy machine makes slow. A connection that the service refuses is a failure.
async fn is_answered(client: &Client, path: &str) {
    let answer = found(format!("an answer of {path}"), async || {
        let answer = client.get(path).await;
        let reason = if answer.status == 503 { answer.json() } else { Value::Null };
        let is_slow = reason["code"] == "unavailable" || reason["reason"] == "database-silent";
        (!is_slow).then_some(answer)
    });
    answer.await.accepted();
}

on_both! {
    #[ignore = "all: runs, kills and freezes programs for many seconds"]
    async fn a_crowd_from_one_address_blocks_no_other_client(site: Site) {
        let node = site.node_with_open_files(512);
        let crowd = crowd(&node.url, "127.0.0.2", 1_000);
        // New players make the service open files it has not opened yet.
        let table = Table::of_two(&Client::anonymous(&node.url)).await;
        table.play(&mut Random(3), 5).await;
        let ended = tokio::task::spawn_blocking(move || ended(crowd));
        while !ended.is_finished() {
            let client = table.players[0].client.apart();
            is_answered(&client, "/readyz").await;
            is_answered(&client, "/v1/me").await;
        }
        ended.await.expect("the crowd has gone");
        assert!(!node.complaints().contains("open files"), "{}", node.complaints());
        assert!(node.complaints().contains("too many connections"), "{}", node.complaints());
    }
}

/// When all connections are taken, existing ones continue, and new ones follow once the crowd is late.
#[ignore = "all: runs, kills and freezes programs for many seconds"]
#[tokio::test]
async fn a_crowd_from_many_addresses_leaves_room_for_the_database() {
    for backend in [Backend::Sqlite, Backend::Postgres] {
        let site = Site::new(backend);
        let node = site.node_with_open_files(200);
        let host = node.url.trim_start_matches("http://").to_owned();
        let mut early = TcpStream::connect(&host).expect("a connection");
        early.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let mut ask = || {
            early.write_all(GET.as_bytes()).expect("a write");
            let mut heard = String::new();
            while !heard.ends_with('}') {
                let mut byte = [0];
                early.read_exact(&mut byte).expect("more of an answer");
                heard.push(byte[0].into());
            }
            // A busy machine makes the database slow.
            let is_silent = heard.starts_with("HTTP/1.1 503") && heard.contains("\"database-silent\"");
            assert!(heard.starts_with("HTTP/1.1 200") || is_silent, "{heard}");
        };
        ask();
        let crowds: Vec<_> = (2..8).map(|n| crowd(&node.url, &format!("127.0.0.{n}"), 20)).collect();
        let waiting = std::thread::spawn(move || crowds.into_iter().for_each(ended));
        while !waiting.is_finished() {
            ask();
        }
        waiting.join().expect("the crowds have gone");
        Table::of_two(&Client::anonymous(&node.url)).await;
        assert!(!node.complaints().contains("open files"), "{}", node.complaints());
    }
}
