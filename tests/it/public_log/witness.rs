//! A witness for tests: it cosigns what continues the last checkpoint that it saw.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use estimation_service::public_log::Witness;
use estimation_test_support::log::Signatory;
use estimation_tlog::proof::verify_consistency;
use estimation_tlog::witness::AddCheckpoint;
use estimation_tlog::{Checkpoint, VerifierKey};

use crate::prelude::*;

pub struct TestWitness {
    signatory: Signatory,
    pub seen: Mutex<Option<Checkpoint>>,
    /// While set, the witness closes connections without an answer.
    pub silent: AtomicBool,
    /// While set, the witness leaves requests without an answer, and their connections open.
    pub hanging: AtomicBool,
    /// The number of hanging requests that the client has given up.
    pub given_up: AtomicUsize,
    /// The number of cosignatures.
    pub cosigned: AtomicUsize,
    address: String,
}

impl TestWitness {
    pub fn start(name: &str) -> Arc<TestWitness> {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let witness = Arc::new(TestWitness {
            signatory: Signatory::witness(name, name.len() as u8),
            seen: Mutex::new(None),
            silent: AtomicBool::new(false),
            hanging: AtomicBool::new(false),
            given_up: AtomicUsize::new(0),
            cosigned: AtomicUsize::new(0),
            address,
        });
        let serving = Arc::clone(&witness);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                if serving.silent.load(Ordering::Relaxed) {
                    continue;
                }
                let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
                let (mut line, mut length) = (String::new(), 0);
                while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                    if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                        length = value.trim().parse().expect("a length");
                    }
                    line.clear();
                }
                let mut body = vec![0; length];
                reader.read_exact(&mut body).expect("a body");
                if serving.hanging.load(Ordering::Relaxed) {
                    let serving = Arc::clone(&serving);
                    std::thread::spawn(move || {
                        let _closed = reader.read_to_end(&mut Vec::new());
                        serving.given_up.fetch_add(1, Ordering::Relaxed);
                    });
                    continue;
                }
                let (status, kind, body) = serving.answer(&String::from_utf8(body).expect("text"));
                let head = format!(
                    "HTTP/1.1 {status} -\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                    body.len()
                );
                let _ = stream.write_all((head + &body).as_bytes());
            }
        });
        witness
    }

    pub fn verifier(&self) -> VerifierKey {
        self.signatory.key.clone()
    }

    pub fn setting(&self) -> Witness {
        format!("{},{}", self.address, self.verifier()).parse().expect("a witness")
    }

    fn answer(&self, body: &str) -> (u16, &str, String) {
        let request: AddCheckpoint = body.parse().expect("a request");
        let text = request.checkpoint.text();
        let new: Checkpoint = text.parse().expect("a checkpoint");
        let mut seen = self.seen.lock().expect("the state");
        let size = seen.as_ref().map_or(0, |seen| seen.size);
        if request.old != size {
            return (409, "text/x.tlog.size", format!("{size}\n"));
        }
        let continues = seen.as_ref().is_none_or(|seen| {
            seen.size == 0
                || verify_consistency(seen.size, seen.root, new.size, new.root, &request.proof).is_ok()
        });
        if !continues {
            return (422, "text/plain", String::new());
        }
        let line = self.signatory.cosign(text, 1_790_000_000);
        *seen = Some(new);
        self.cosigned.fetch_add(1, Ordering::Relaxed);
        (200, "text/plain", line.to_string())
    }
}
