//! An attacker between a node and PostgreSQL who denies TLS and records what the node sends next.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::cluster::Cluster;
use crate::certificates::Authority;
use crate::prelude::*;

const PATIENCE: Duration = Duration::from_secs(30);

/// The SSLRequest message: a length of 8 and the code 80877103.
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f];

/// Forwards connections until it turns hostile: then it cuts them, answers N to new ones, and records their
/// bytes.
struct Eavesdropper {
    port: u16,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    turned: AtomicBool,
    passed: Mutex<Vec<TcpStream>>,
    heard: Mutex<Vec<Vec<u8>>>,
}

impl Eavesdropper {
    fn before(port: u16) -> Eavesdropper {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let own = listener.local_addr().expect("an address").port();
        let shared = Arc::new(Shared::default());
        let all = Arc::clone(&shared);
        thread::spawn(move || {
            for client in listener.incoming() {
                let (client, shared) = (client.expect("a client"), Arc::clone(&all));
                thread::spawn(move || {
                    if shared.turned.load(Ordering::SeqCst) {
                        shared.deny(client)
                    } else {
                        shared.pass(client, port)
                    }
                });
            }
        });
        Eavesdropper { port: own, shared }
    }

    fn turn(&self) {
        self.shared.turned.store(true, Ordering::SeqCst);
        for stream in self.shared.passed.lock().expect("streams").drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn turn_back(&self) {
        self.shared.turned.store(false, Ordering::SeqCst);
    }

    /// The bytes received so far from each connection that closed or sent more than it may.
    fn heard(&self) -> Vec<Vec<u8>> {
        self.shared.heard.lock().expect("what was heard").clone()
    }
}

impl Shared {
    /// Answers N to the first message and listens until more comes or the client closes.
    fn deny(&self, mut client: TcpStream) {
        client.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let mut told = vec![0; 1024];
        if client.read_exact(&mut told[..8]).is_err() || client.write_all(b"N").is_err() {
            return;
        }
        let more = client.read(&mut told[8..]).unwrap_or(0);
        told.truncate(8 + more);
        self.heard.lock().expect("what was heard").push(told);
    }

    fn pass(&self, client: TcpStream, port: u16) {
        let Ok(server) = TcpStream::connect(("127.0.0.1", port)) else { return };
        let mut passed = self.passed.lock().expect("streams");
        passed.extend([client.try_clone().expect("a clone"), server.try_clone().expect("a clone")]);
        drop(passed);
        let back = (server.try_clone().expect("a clone"), client.try_clone().expect("a clone"));
        thread::spawn(move || carry(back));
        carry((client, server));
    }
}

fn carry((mut from, mut to): (TcpStream, TcpStream)) {
    let _ = std::io::copy(&mut from, &mut to);
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}

/// All connections of a node, including the one for notices, which reconnects by itself.
#[ignore = "all: runs, kills and freezes programs for many seconds"]
#[tokio::test]
async fn a_server_without_tls_receives_no_data() {
    let authority = Authority::new();
    let cluster = Cluster::with_tls(authority.issue(&["127.0.0.1", "db.example"], "a server").folder());
    let root = authority.file();
    let checked = format!("sslmode=verify-full&sslrootcert={root}");
    let system = [("SSL_CERT_FILE", root.as_str())];
    for (host, options) in [
        ("127.0.0.1", "sslmode=require"),
        ("127.0.0.1", &format!("sslmode=verify-ca&sslrootcert={root}")),
        ("127.0.0.1", &checked),
        ("127.0.0.1", "sslrootcert=system"),
        // The default for a server that is named as another machine.
        ("db.example", "hostaddr=127.0.0.1"),
        ("db.example", &format!("hostaddr=127.0.0.1&sslrootcert={root}")),
    ] {
        let between = Eavesdropper::before(cluster.port());
        let url = format!("postgres://postgres:hunter2@{host}:{}/postgres?{options}", between.port);
        let site = Site::at(&url);
        let node = site.node_in(&url, &[], &system);
        between.turn();
        let begun = Instant::now();
        // The connection for notices logs when it is cut and when TLS is denied.
        while between.heard().is_empty()
            || node.complaints().matches("the exchange of notices with other nodes is interrupted").count()
                < 2
        {
            let heard = between.heard();
            assert!(heard.iter().all(|told| *told == SSL_REQUEST), "{host} {options}: {heard:?}");
            assert!(begun.elapsed() < PATIENCE, "{host} {options}: {}", node.complaints());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let heard = between.heard();
        assert!(heard.iter().all(|told| *told == SSL_REQUEST), "{host} {options}: {heard:?}");
        between.turn_back();
        tokio::time::timeout(PATIENCE, node.is_ready_again()).await.expect("a ready node");
    }
}
