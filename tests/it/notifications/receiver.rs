//! A server with TLS that keeps what it receives, and answers as it is told.

use std::sync::Mutex;
use std::time::SystemTime;

use crate::harness::tls_server::{Incoming, TlsServer};
use crate::prelude::*;

#[derive(Clone, Debug)]
pub struct Received {
    /// Milliseconds since 1970.
    pub at: i64,
    pub path: String,
    /// By their names in lower case.
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
    /// What was answered.
    pub status: u16,
}

impl Received {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }

    pub fn id(&self) -> &str {
        &self.headers["webhook-id"]
    }
}

#[derive(Default)]
struct State {
    received: Vec<Received>,
    /// The statuses of the next answers; then it answers 204.
    next: Vec<u16>,
}

pub struct Receiver {
    server: TlsServer,
    state: Arc<Mutex<State>>,
}

impl Receiver {
    pub fn start() -> Receiver {
        let state = Arc::new(Mutex::new(State::default()));
        let keeping = Arc::clone(&state);
        let server = TlsServer::start(move |Incoming { path, headers, body }| {
            let at = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970");
            let mut state = keeping.lock().expect("the state");
            let status = state.next.pop().unwrap_or(204);
            state.received.push(Received { at: at.as_millis() as i64, path, headers, body, status });
            (status, String::new())
        });
        Receiver { server, state }
    }

    /// The file with the certificate of who vouches for the receiver.
    pub fn authority(&self) -> String {
        self.server.authority()
    }

    pub fn url(&self, path: &str) -> String {
        self.server.url(path)
    }

    /// Sets the statuses of the next answers.
    pub fn answer(&self, statuses: &[u16]) {
        self.state.lock().expect("the state").next = statuses.iter().rev().copied().collect();
    }

    pub fn received(&self) -> Vec<Received> {
        self.state.lock().expect("the state").received.clone()
    }

    /// The first that is meant, when it is there.
    pub async fn first(&self, what: &str, is_meant: impl Fn(&Received) -> bool) -> Received {
        found(what, async || self.received().into_iter().find(|one| is_meant(one))).await
    }

    /// The first webhook about a turn of a player.
    pub async fn turn_of(&self, account: &str) -> Received {
        self.first("a webhook about the turn", |one| {
            let body = one.json();
            body["type"] == "your_turn" && body["data"]["account"] == account
        })
        .await
    }
}
