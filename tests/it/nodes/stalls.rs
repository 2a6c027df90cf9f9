//! Silent peers: every call on a connection ends.

use diesel::connection::SimpleConnection;
use diesel::sql_types::Integer;
use diesel::{Connection as _, QueryableByName, RunQueryDsl};
use estimation_store::{Database, GameId, NodeMessage, PgConnection, Server, Settings, StoreError, accounts};

use super::cluster::Cluster;
use super::proxy::{Plan, Proxy};
use super::signals::Frozen;
use crate::prelude::*;
use crate::store::node_messages::exchange;
use crate::store::samples::account_id;

/// A little more than the limit of a call.
const LIMIT: Duration = Duration::from_secs(12);

/// The limit on this machine, which took so long for calls that were answered.
fn limit(usual: Duration) -> Duration {
    LIMIT + usual * 4
}

/// Runs a call that must fail in time because its peer is silent.
async fn fails_in_time<T>(
    what: &str,
    limit: Duration,
    call: impl Future<Output = Result<T, StoreError>>,
) -> StoreError {
    let begun = Instant::now();
    let error = call.await.err().unwrap_or_else(|| panic!("{what} was answered"));
    let took = begun.elapsed();
    assert!(took < limit, "{what} took {took:?}");
    println!("{what}: {took:?}: {error}");
    error
}

/// A connection that passes nothing on, although the network acknowledges everything.
#[ignore = "all: waits out deadlines of a node, a client or the database"]
#[tokio::test]
async fn frozen_connections() {
    let database = TestDatabase::new(Backend::Postgres);
    let proxy = Proxy::before(database.url_text());
    let begun = Instant::now();
    let store = Database::open(&proxy.url.parse().expect("a URL"), Settings::default()).expect("a database");
    store.ping().await.expect("an answer");
    store.head(GameId::default()).await.expect("an answer");
    store.write(Server, |_| Ok::<_, StoreError>(())).await.expect("a commit");
    let limit = limit(begun.elapsed());
    proxy.plan(Plan::Hang);
    let reading =
        fails_in_time("a read", limit, store.read(|conn| accounts::find(conn, &account_id("nobody"))));
    let asking = fails_in_time("a head", limit, store.head(GameId::default()));
    let writing = fails_in_time("a write", limit, store.write(Server, |_| Ok(())));
    let (reading, asking, writing) = tokio::join!(reading, asking, writing);
    for error in [reading, asking, writing] {
        assert!(matches!(error, StoreError::TimedOut { .. }), "{error:?}");
    }
    proxy.plan(Plan::Pass);
    store.ping().await.expect("a new connection");
    store.write(Server, |_| Ok::<_, StoreError>(())).await.expect("a new connection");
}

#[derive(QueryableByName)]
struct Listener {
    #[diesel(sql_type = Integer)]
    pid: i32,
}

/// Waits for a new process of the server that listens for messages.
async fn listener(cluster: &Cluster, known: &[u32]) -> u32 {
    let mut conn = PgConnection::establish(&cluster.socket_url()).expect("the socket");
    let query = "SELECT pid FROM pg_stat_activity WHERE application_name = 'estimation-listener'";
    found(format!("a listener other than {known:?}"), async || {
        let all: Vec<Listener> = diesel::sql_query(query).load(&mut conn).expect("processes");
        let mut pids = all.iter().map(|listener| u32::try_from(listener.pid).expect("a number"));
        pids.find(|pid| !known.contains(pid))
    })
    .await
}

/// The connection for messages may be idle for long. If it does not answer a ping, the node replaces it.
#[ignore = "all: waits out deadlines of a node, a client or the database"]
#[tokio::test]
async fn a_frozen_listener() {
    let cluster = Cluster::new();
    let url = format!("{}/postgres", cluster.url);
    let store = Database::open(&url.parse().expect("a URL"), Settings::default()).expect("a database");
    let (board, mut heard) = exchange(&store);
    let first = listener(&cluster, &[]).await;
    let frozen = Frozen::new(|| vec![first]);
    listener(&cluster, &[first]).await;
    let other = Database::open(&url.parse().expect("a URL"), Settings::default()).expect("a database");
    let (others_board, mut heard_by_other) = exchange(&other);
    let message = |seq| NodeMessage::Moved { game: GameId::default(), seq, accounts: Vec::new() };
    eventually("the other node hears", async || {
        board.post(message(1));
        heard_by_other.try_recv().is_ok()
    })
    .await;
    others_board.post(message(2));
    assert_eq!(heard.recv().await, Some(message(2)), "a node does not hear itself");
    drop(frozen);
}

/// All processes of the server are stopped: the kernel accepts bytes, and no process reads them.
#[ignore = "all: waits out deadlines of a node, a client or the database"]
#[tokio::test]
async fn a_frozen_server() {
    let cluster = Cluster::new();
    let url = format!("{}/postgres", cluster.url);
    let store = Database::open(&url.parse().expect("a URL"), Settings::default()).expect("a database");
    let begun = Instant::now();
    store.ping().await.expect("an answer");
    PgConnection::establish(&url).expect("a session");
    let limit = limit(begun.elapsed());
    let frozen = Frozen::new(|| cluster.processes());
    let error = fails_in_time("a read", limit, store.ping()).await;
    assert!(matches!(error, StoreError::TimedOut { .. }), "{error:?}");
    // Only the kernel accepts the connection.
    let begun = Instant::now();
    let told =
        PgConnection::establish(&format!("{url}?connect_timeout=2")).err().expect("no session").to_string();
    assert!(told.contains("no session within 2s") && begun.elapsed() < limit, "{told}");
    drop(frozen);
    store.ping().await.expect("a new connection");
    PgConnection::establish(&url).expect("a session").batch_execute("SELECT 1").expect("an answer");
}
