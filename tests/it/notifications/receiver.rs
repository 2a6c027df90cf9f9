//! A server with TLS that keeps what it receives, and answers as it is told.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::SystemTime;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::Value;

use crate::certificates::Authority;
use crate::patience::found;

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
    authority: Authority,
    port: u16,
    state: Arc<Mutex<State>>,
}

impl Receiver {
    pub fn start() -> Receiver {
        let authority = Authority::new();
        let pair = authority.issue(&["localhost", "127.0.0.1"], "receiver");
        let chain = CertificateDer::pem_file_iter(pair.certificate()).expect("a file");
        let chain = chain.collect::<Result<Vec<_>, _>>().expect("certificates");
        let key = PrivateKeyDer::from_pem_file(pair.key()).expect("a key");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .expect("a certificate");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let (config, state) = (Arc::new(config), Arc::new(Mutex::new(State::default())));
        let receiver = Receiver { authority, port, state: Arc::clone(&state) };
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (config, state) = (Arc::clone(&config), Arc::clone(&state));
                thread::spawn(move || serve(stream, config, &state));
            }
        });
        receiver
    }

    /// The file with the certificate of who vouches for the receiver.
    pub fn authority(&self) -> String {
        self.authority.file()
    }

    pub fn url(&self, path: &str) -> String {
        format!("https://localhost:{}{path}", self.port)
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

fn serve(stream: TcpStream, config: Arc<ServerConfig>, state: &Mutex<State>) {
    let connection = ServerConnection::new(config).expect("a connection");
    let mut stream = BufReader::new(StreamOwned::new(connection, stream));
    while let Some((path, headers, body)) = request(&mut stream) {
        let at = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970");
        let status = {
            let mut state = state.lock().expect("the state");
            let status = state.next.pop().unwrap_or(204);
            let at = at.as_millis() as i64;
            state.received.push(Received { at, path, headers, body, status });
            status
        };
        let answer = format!(
            "HTTP/1.1 {status} Told\r\nlocation: https://localhost:1/elsewhere\r\ncontent-length: 0\r\n\r\n"
        );
        if stream.get_mut().write_all(answer.as_bytes()).and_then(|()| stream.get_mut().flush()).is_err() {
            return;
        }
    }
}

/// The path, the headers and the body of the next request; none at the end of the connection.
fn request(stream: &mut impl BufRead) -> Option<(String, BTreeMap<String, String>, Vec<u8>)> {
    let mut line = String::new();
    stream.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let length = headers.get("content-length").and_then(|value| value.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some((path, headers, body))
}
