//! A node as a separate process, for benchmarks from outside.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use reqwest::{Client, Method};
use serde_json::{Map, Value};

/// A running node; killed when dropped.
pub struct Node {
    /// The process.
    pub process: Child,
    /// The listening address: `HOST:PORT`.
    pub address: String,
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Node {
    /// Starts the program with its data in a folder and without the limits that a benchmark would hit, and
    /// waits until it listens.
    #[allow(dead_code, reason = "each bench uses one of the two")]
    pub fn start(folder: &Path, flags: &[&str]) -> Node {
        let limits = ["--limit-accounts", "--limit-login-address", "--limit-refresh"];
        let rates = ["--rate-address", "--rate-account", "--rate-commands", "--max-connections-per-address"];
        let off = limits.into_iter().chain(rates).flat_map(|flag| [flag, "off"]);
        Node::start_limited(folder, &off.chain(flags.iter().copied()).collect::<Vec<_>>())
    }

    /// Starts the program with its data in a folder and its default limits, and waits until it listens.
    pub fn start_limited(folder: &Path, flags: &[&str]) -> Node {
        // Each database has a public log of its own, which PostgreSQL wants to have remembered outside of it.
        let database = flags.iter().skip_while(|flag| **flag != "--database-url").nth(1);
        let name = database.and_then(|url| url.rsplit('/').next()).unwrap_or("estimation");
        let mut process = Command::new(env!("CARGO_BIN_EXE_estimation"))
            .env_clear()
            .env("ESTIMATION_KEYS_SECRET", "a-secret-of-the-bench-that-nobody-else-uses")
            .args(["serve", "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0", "--log", "warn"])
            .args(["--bot-delay", "off"])
            .args(flags)
            .arg("--data-dir")
            .arg(folder)
            .arg("--log-state")
            .arg(folder.join(format!("log-state-{name}")))
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program");
        let mut lines = BufReader::new(process.stdout.take().expect("its output")).lines();
        let first = lines.next().expect("a line").expect("a line");
        let address = first.rsplit("http://").next().expect("an address").trim_end_matches('/').to_owned();
        // Keep reading, so that printing never blocks the node.
        std::thread::spawn(move || lines.for_each(drop));
        Node { process, address }
    }

    /// Sends a request, which must succeed.
    #[allow(dead_code, reason = "not each bench asks")]
    pub async fn ask(&self, http: &Client, method: Method, path: &str, token: &str, body: Value) -> Value {
        let url = format!("http://{}{path}", self.address);
        let request = http.request(method, &url).bearer_auth(token);
        let request = if body.is_null() { request } else { request.json(&body) };
        let answer = request.send().await.expect("an answer");
        let status = answer.status();
        let body: Value = answer.json().await.expect("JSON");
        assert!(status.is_success(), "{url}: {status} {body}");
        body
    }
}

#[allow(dead_code, reason = "not each bench has guests, or looks at memory")]
impl Node {
    /// The access token of a new guest.
    pub async fn guest(&self, http: &Client) -> String {
        let made = self.ask(http, Method::POST, "/v1/accounts/guest", "", Value::Object(Map::new())).await;
        made["session"]["access_token"].as_str().expect("a token").to_owned()
    }

    /// The resident memory in bytes.
    pub fn resident(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id())).expect("Linux");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a size");
        line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") * 1024
    }
}

/// The load driver of the profile `dist`.
#[allow(dead_code, reason = "not each bench drives")]
pub fn driver() -> Command {
    let path = Path::new(env!("CARGO_BIN_EXE_estimation")).with_file_name("../drive/dist/drive");
    let build = "cargo build --profile dist --manifest-path drive/Cargo.toml --target-dir target/drive";
    assert!(path.exists(), "build the driver first: {build}");
    Command::new(path)
}
