//! A connection cut around COMMIT: what is answered is what happened.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;

use estimation::store::accounts;
use estimation::store::{Database, DatabaseUrl, Settings, StoreError, events};

use super::samples::{Log, guest};
use crate::databases::{Backend, TestDatabase};

const PASS: u8 = 0;
const CUT_BEFORE: u8 = 1;
const CUT_AFTER: u8 = 2;

/// A proxy between the store and PostgreSQL that cuts one connection at its next COMMIT.
struct Proxy {
    url: DatabaseUrl,
    plan: Arc<AtomicU8>,
}

impl Proxy {
    fn before(database: &TestDatabase) -> Self {
        let url = database.url_text();
        let (scheme, rest) = url.split_once("://").expect("a URL");
        let (authority, name) = rest.split_once('/').expect("a database");
        let (user, server) = authority.rsplit_once('@').expect("a user");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let place = listener.local_addr().expect("an address");
        let plan = Arc::new(AtomicU8::new(PASS));
        let proxied = format!("{scheme}://{user}@{place}/{name}?sslmode=disable&gssencmode=disable");
        let (server, shared) = (server.to_owned(), Arc::clone(&plan));
        thread::spawn(move || {
            for client in listener.incoming() {
                let client = client.expect("a client");
                let server = TcpStream::connect(&server).expect("PostgreSQL");
                let plan = Arc::clone(&shared);
                thread::spawn(move || serve(client, server, &plan));
            }
        });
        Self { url: proxied.parse().expect("a URL"), plan }
    }

    fn next_commit(&self, plan: u8) {
        self.plan.store(plan, Ordering::SeqCst);
    }

    fn has_cut(&self) -> bool {
        self.plan.load(Ordering::SeqCst) == PASS
    }
}

fn serve(mut client: TcpStream, mut server: TcpStream, plan: &AtomicU8) {
    let (mut answers, mut to_client) =
        (server.try_clone().expect("a clone"), client.try_clone().expect("a clone"));
    let muted = Arc::new(AtomicU8::new(0));
    let mute = Arc::clone(&muted);
    let back = thread::spawn(move || {
        let mut buffer = [0; 65_536];
        while let Ok(n @ 1..) = answers.read(&mut buffer) {
            // The answer to the COMMIT came, and goes nowhere.
            if mute.load(Ordering::SeqCst) == 1 || to_client.write_all(&buffer[..n]).is_err() {
                break;
            }
        }
        let _ = to_client.shutdown(Shutdown::Both);
        let _ = answers.shutdown(Shutdown::Both);
    });
    let mut buffer = [0; 65_536];
    while let Ok(n @ 1..) = client.read(&mut buffer) {
        let is_commit = buffer[..n].windows(6).any(|window| window == b"COMMIT");
        match if is_commit { plan.swap(PASS, Ordering::SeqCst) } else { PASS } {
            CUT_BEFORE => break,
            CUT_AFTER => muted.store(1, Ordering::SeqCst),
            _ => {}
        }
        if server.write_all(&buffer[..n]).is_err() {
            break;
        }
        if muted.load(Ordering::SeqCst) == 1 {
            let _ = back.join();
            return;
        }
    }
    let _ = server.shutdown(Shutdown::Both);
    let _ = client.shutdown(Shutdown::Both);
    let _ = back.join();
}

fn opened() -> (TestDatabase, Proxy, Database) {
    let database = TestDatabase::new(Backend::Postgres);
    let proxy = Proxy::before(&database);
    let store = Database::open(&proxy.url, Settings::default()).expect("through the proxy");
    (database, proxy, store)
}

async fn version(store: &Database, game: &'static str) -> u64 {
    store.read(move |conn| events::head(conn, game)).await.expect("a look").map_or(0, |head| head.seq)
}

#[tokio::test]
async fn a_commit_that_took_place_is_acknowledged() {
    let (_database, proxy, store) = opened();
    let mut log = Log::new("g");
    store.append(log.next(&["1"])).await.expect("an event");
    proxy.next_commit(CUT_AFTER);
    let appended = store.append(log.next(&["2", "3"])).await.expect("it is in the log");
    assert_eq!((appended.last_seq, version(&store, "g").await), (3, 3));
    assert!(proxy.has_cut());

    proxy.next_commit(CUT_AFTER);
    store.write(|conn| accounts::insert(conn, &guest("a"))).await.expect("it is in the table");
    assert!(store.read(|conn| accounts::find(conn, "a")).await.expect("a look").is_some());
    assert!(proxy.has_cut());
    store.append(log.next(&["4"])).await.expect("life goes on");
    assert_eq!(store.statistics().connections, 3, "one more after each cut");
}

#[tokio::test]
async fn a_commit_that_did_not_take_place_is_an_error() {
    let (_database, proxy, store) = opened();
    let mut log = Log::new("g");
    store.append(log.next(&["1"])).await.expect("an event");
    proxy.next_commit(CUT_BEFORE);
    let lost = store.append(log.rival(&["2"])).await;
    assert!(matches!(lost, Err(StoreError::Unavailable { .. })), "{lost:?}");
    assert_eq!(version(&store, "g").await, 1);

    proxy.next_commit(CUT_BEFORE);
    let lost = store.write(|conn| accounts::insert(conn, &guest("a"))).await;
    assert!(matches!(lost, Err(StoreError::Unavailable { .. })), "{lost:?}");
    assert!(store.read(|conn| accounts::find(conn, "a")).await.expect("a look").is_none());
    store.append(log.next(&["2"])).await.expect("the same command again");
}

#[tokio::test]
async fn answers_agree_with_the_log() {
    let (_database, proxy, store) = opened();
    for round in 0..10_u64 {
        let units: Vec<_> = (0..20)
            .map(|n| {
                let unit = Log::new(&format!("r{round}-{n}")).next(&["1"]);
                let store = store.clone();
                tokio::spawn(async move { (unit.game.clone(), store.append(unit).await) })
            })
            .collect();
        proxy.next_commit(if round % 2 == 0 { CUT_AFTER } else { CUT_BEFORE });
        for unit in units {
            let (game, answer) = unit.await.expect("no panic");
            let head = store.read(move |conn| events::head(conn, &game)).await.expect("a look");
            assert_eq!(answer.is_ok(), head.is_some(), "{answer:?}");
        }
        assert!(proxy.has_cut());
    }
}
