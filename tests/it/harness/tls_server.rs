//! A server with TLS that answers requests as a test says.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::certificates::Authority;

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Incoming {
    pub path: String,
    /// By their names in lower case.
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

/// The status and the body of an answer.
pub type Outgoing = (u16, String);

pub struct TlsServer {
    authority: Authority,
    port: u16,
}

impl TlsServer {
    pub fn start(answer: impl Fn(Incoming) -> Outgoing + Send + Sync + 'static) -> TlsServer {
        let authority = Authority::new();
        let pair = authority.issue(&["localhost", "127.0.0.1"], "server of a test");
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
        let (config, answer) = (Arc::new(config), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (config, answer) = (Arc::clone(&config), Arc::clone(&answer));
                thread::spawn(move || serve(stream, config, &*answer));
            }
        });
        TlsServer { authority, port }
    }

    /// The file with the certificate of who vouches for the server.
    pub fn authority(&self) -> String {
        self.authority.file()
    }

    pub fn url(&self, path: &str) -> String {
        format!("https://localhost:{}{path}", self.port)
    }
}

fn serve(stream: TcpStream, config: Arc<ServerConfig>, answer: &dyn Fn(Incoming) -> Outgoing) {
    let connection = ServerConnection::new(config).expect("a connection");
    let mut stream = BufReader::new(StreamOwned::new(connection, stream));
    while let Some(incoming) = request(&mut stream) {
        let (status, body) = answer(incoming);
        let answer = format!(
            "HTTP/1.1 {status} Told\r\nlocation: https://localhost:1/elsewhere\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        if stream.get_mut().write_all(answer.as_bytes()).and_then(|()| stream.get_mut().flush()).is_err() {
            return;
        }
    }
}

/// The next request; none at the end of the connection.
fn request(stream: &mut impl BufRead) -> Option<Incoming> {
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
    Some(Incoming { path, headers, body })
}
