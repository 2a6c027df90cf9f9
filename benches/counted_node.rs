//! A node under callgrind, which counts the instructions of a worker between two moments.
//!
//! Callgrind counts each thread. A request with a wrong method has it dump the counts of the worker: it enters [`DUMPS`]. So a
//! figure has about one such request in it.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

use serde_json::{Value, json};

use super::{ask, head, total};

/// The function that a worker enters for a request with a wrong method, and for no other.
const DUMPS: &str = "*paths*not_allowed*";

/// A node under callgrind.
pub struct Node {
    process: Child,
    /// The node ends with its input.
    input: ChildStdin,
    address: String,
    folder: PathBuf,
    dumps: usize,
}

impl Node {
    /// Starts a node with its database in a folder, and waits until it listens.
    pub fn start(folder: &Path) -> Node {
        let program = std::env::current_exe().expect("this program");
        let mut process = Command::new("valgrind")
            .args(["--tool=callgrind", "--quiet", "--separate-threads=yes"])
            .arg(format!("--dump-before={DUMPS}"))
            .arg(format!("--callgrind-out-file={}", folder.join("counts").display()))
            .args([program.as_path(), Path::new("serve"), folder])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("valgrind");
        let input = process.stdin.take().expect("its input");
        let mut address = String::new();
        let mut output = BufReader::new(process.stdout.take().expect("its output"));
        output.read_line(&mut address).expect("an address");
        Node { process, input, address: address.trim().to_owned(), folder: folder.to_owned(), dumps: 0 }
    }

    /// Its address, as `127.0.0.1:8080`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The instructions of the worker since the last call.
    fn count(&mut self) -> u64 {
        let (status, _) = self.send("PATCH", "/v1/rulesets", "", &Body::sized(Vec::new()));
        assert_eq!(status, 405);
        self.dumps += 1;
        let prefix = format!("counts.{}-", self.dumps);
        let mut counts = None;
        for file in fs::read_dir(&self.folder).expect("the folder") {
            let file = file.expect("a file");
            if !file.file_name().into_string().expect("a name").starts_with(&prefix) {
                continue;
            }
            counts = Some(total(&file.path()));
            fs::remove_file(file.path()).expect("a file less");
        }
        counts.expect("callgrind dumped nothing")
    }

    /// Does something with the node. Returns the instructions of the worker meanwhile.
    pub fn counted<T>(&mut self, act: impl FnOnce(&mut Node) -> T) -> (u64, T) {
        self.count();
        let done = act(self);
        (self.count(), done)
    }

    /// The access token of a new account.
    pub fn guest(&mut self) -> String {
        let wish = json!({"display_name": "Player"}).to_string().into_bytes();
        let (_, made) = self.send("POST", "/v1/accounts/guest", "", &Body::sized(wish));
        let made: Value = serde_json::from_slice(&made).expect("JSON");
        made["session"]["access_token"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned()
    }

    /// The status and the body of an answer.
    pub fn send(&mut self, method: &str, path: &str, token: &str, body: &Body) -> (u16, Vec<u8>) {
        let mut connection = TcpStream::connect(&self.address).expect("a connection");
        connection.set_nodelay(true).expect("a setting");
        ask(&mut connection, &format!("{method} {path}"), token, &body.framing, &body.bytes);
        let mut connection = BufReader::new(connection);
        let (status, length) = head(&mut connection);
        let mut answer = vec![0; length.unwrap_or_default()];
        connection.read_exact(&mut answer).expect("a body");
        (status, answer)
    }

    /// Ends the node.
    pub fn stop(mut self) {
        drop(self.input);
        assert!(self.process.wait().expect("its end").success(), "the node failed");
    }
}

/// A body as it is sent, and the header that announces it.
pub struct Body {
    pub framing: String,
    pub bytes: Vec<u8>,
}

impl Body {
    pub fn sized(bytes: Vec<u8>) -> Body {
        Body { framing: format!("content-length: {}", bytes.len()), bytes }
    }

    pub fn chunked(bytes: &[u8], size: usize) -> Body {
        let chunk = |chunk: &[u8]| [format!("{:x}\r\n", chunk.len()).as_bytes(), chunk, b"\r\n"].concat();
        let bytes = bytes.chunks(size).flat_map(chunk).chain(*b"0\r\n\r\n").collect();
        Body { framing: "transfer-encoding: chunked".to_owned(), bytes }
    }
}
