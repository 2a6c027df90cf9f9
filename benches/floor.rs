//! The machine's limits for the operations the service is made of.
//!
//! `cargo bench --bench floor -- FOLDER` prints, as one line of JSON, the fsyncs per second of the disk under
//! FOLDER, the rows of the log per second that a bare SQLite loop commits in the writer's batches, and the
//! requests per second of an actix handler that stores nothing, with 64 clients in the same process.
#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a bench prints, and stops where it cannot go on"
)]

use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use actix_web::{App, HttpResponse, HttpServer, web};
use bytes::Bytes;
use diesel::connection::SimpleConnection;
use diesel::sql_types::{BigInt, Binary, Text};
use diesel::{Connection, RunQueryDsl, SqliteConnection};
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::client::conn::http1::handshake;
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::net::TcpStream;

const LENGTH: Duration = Duration::from_secs(4);

/// The number of clients, of games, and of rows per batch.
const CLIENTS: usize = 64;

/// About the size of a command and its response.
const COMMAND: &str = r#"{"type":"play","card":"9H"}"#;
const ANSWER: usize = 2_600;
const EVENT: usize = 210;

fn main() {
    let folder = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let folder = folder.map_or_else(std::env::temp_dir, Into::into);
    let result = json!({
        "fsyncs_per_second": fsyncs(&folder),
        "sqlite_rows_per_second": sqlite(&folder),
        "handler_requests_per_second": handler(),
    });
    println!("{result}");
}

fn fsyncs(folder: &Path) -> f64 {
    let mut file = tempfile::tempfile_in(folder).expect("a file");
    let began = Instant::now();
    let mut count = 0.0;
    while began.elapsed() < LENGTH / 4 {
        file.write_all(&[0; 4_096]).expect("room");
        file.sync_data().expect("a disk");
        count += 1.0;
    }
    count / began.elapsed().as_secs_f64()
}

/// One thread, one connection, the log's table and index, and as many rows per transaction as there are
/// clients: the writer's work without anything around it.
fn sqlite(folder: &Path) -> f64 {
    let folder = tempfile::tempdir_in(folder).expect("a folder");
    let path = folder.path().join("floor.db");
    let mut conn = SqliteConnection::establish(&path.display().to_string()).expect("SQLite");
    for pragma in ["journal_mode = WAL", "synchronous = FULL"] {
        conn.batch_execute(&format!("PRAGMA {pragma}")).expect("a pragma");
    }
    conn.batch_execute(
        "CREATE TABLE events (position INTEGER NOT NULL PRIMARY KEY, game TEXT NOT NULL, seq INTEGER NOT NULL, \
         hash BLOB NOT NULL, body TEXT NOT NULL) STRICT; CREATE UNIQUE INDEX by_game ON events (game, seq)",
    )
    .expect("a table");
    let games: Vec<String> = (0..CLIENTS).map(|game| format!("019b7a00-0000-7000-8000-{game:012}")).collect();
    let body = "x".repeat(EVENT);
    let (began, mut rows, mut seq) = (Instant::now(), 0.0, 0_i64);
    while began.elapsed() < LENGTH {
        seq += 1;
        conn.transaction(|conn| {
            for game in &games {
                diesel::sql_query("INSERT INTO events (game, seq, hash, body) VALUES (?, ?, ?, ?)")
                    .bind::<Text, _>(game)
                    .bind::<BigInt, _>(seq)
                    .bind::<Binary, _>(&[7_u8; 32][..])
                    .bind::<Text, _>(&body)
                    .execute(conn)?;
            }
            diesel::QueryResult::Ok(())
        })
        .expect("a commit");
        rows += games.len() as f64;
    }
    rows / began.elapsed().as_secs_f64()
}

fn handler() -> f64 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let answered = Arc::new(AtomicU64::new(0));
    std::thread::spawn(move || {
        actix_web::rt::System::new().block_on(async move {
            let body = Bytes::from(vec![b'x'; ANSWER]);
            HttpServer::new(move || {
                let body = body.clone();
                App::new().route(
                    "/v1/games/{id}/commands",
                    web::post().to(move |_: web::Json<serde_json::Value>| {
                        std::future::ready(
                            HttpResponse::Ok().content_type("application/json").body(body.clone()),
                        )
                    }),
                )
            })
            .workers(2)
            .listen(listener)
            .expect("a server")
            .run()
            .await
            .expect("a server");
        });
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let counted = Arc::clone(&answered);
    runtime.block_on(async move {
        let until = Instant::now() + LENGTH;
        let clients = (0..CLIENTS).map(|_| client(address, until, &counted));
        futures_util::future::join_all(clients).await;
    });
    answered.load(Ordering::Relaxed) as f64 / LENGTH.as_secs_f64()
}

async fn client(address: SocketAddr, until: Instant, answered: &AtomicU64) {
    let socket = TcpStream::connect(address).await.expect("a connection");
    socket.set_nodelay(true).expect("an option");
    let (mut sender, connection) = handshake(TokioIo::new(socket)).await.expect("a connection");
    tokio::spawn(connection);
    while Instant::now() < until {
        let request = Request::post("/v1/games/019b7a00-0000-7000-8000-000000000001/commands")
            .header("host", address.to_string())
            .header("content-type", "application/json")
            .body(Full::new(Bytes::from_static(COMMAND.as_bytes())))
            .expect("a request");
        let answer = sender.send_request(request).await.expect("an answer");
        assert_eq!(answer.status(), 200);
        answer.into_body().collect().await.expect("a body");
        answered.fetch_add(1, Ordering::Relaxed);
    }
}
