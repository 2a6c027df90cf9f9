//! A node: the program as a process, which can be terminated or killed.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::client::Client;
use crate::patience::{PATIENCE, eventually};

#[derive(Clone, Default)]
pub struct Circumstances {
    /// The environment variables of the process; there are no others.
    pub environment: Vec<(String, String)>,
    /// The open-file limit, if it differs from this process's.
    pub open_files: Option<u32>,
}

/// The program with these arguments and an empty environment.
pub fn estimation(arguments: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.env_clear().args(arguments);
    command
}

pub fn run(arguments: &[&str]) -> Output {
    estimation(arguments).output().expect("the program")
}

pub struct Node {
    pub url: String,
    process: Child,
    flags: Vec<String>,
    circumstances: Circumstances,
    complaints: PathBuf,
}

impl Node {
    /// Starts the program with these flags on its own port. Standard error goes to a file.
    pub fn start(folder: &Path, flags: &[&str]) -> Node {
        Node::start_in(folder, flags, &Circumstances::default())
    }

    pub fn start_in(folder: &Path, flags: &[&str], circumstances: &Circumstances) -> Node {
        let mut flags: Vec<String> = flags.iter().map(|&flag| flag.to_owned()).collect();
        flags.extend(["--listen".to_owned(), format!("127.0.0.1:{}", free_port())]);
        let complaints = folder.join(format!("node-{}.log", flags.last().expect("an address")));
        let (process, url) = spawn(&flags, circumstances, &complaints);
        Node { url, process, flags, circumstances: circumstances.clone(), complaints }
    }

    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Kills the process, as a power cut would.
    pub fn kill(&mut self) {
        self.process.kill().expect("SIGKILL");
        self.process.wait().expect("its end");
    }

    pub fn terminate(&self) {
        self.signal("TERM");
    }

    pub fn signal(&self, name: &str) {
        let done = Command::new("kill").args([&format!("-{name}"), &self.id().to_string()]).status();
        assert!(done.expect("kill").success());
    }

    pub fn ended_within(&mut self, limit: Duration) -> Option<ExitStatus> {
        let started = Instant::now();
        loop {
            if let Some(status) = self.process.try_wait().expect("its state") {
                return Some(status);
            }
            if started.elapsed() > limit {
                return None;
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    pub async fn is_ready_again(&self) {
        eventually("a ready node", async || Client::anonymous(&self.url).get("/readyz").await.status == 200)
            .await;
    }

    pub fn restart(&mut self) {
        let _ = self.process.wait();
        (self.process, self.url) = spawn(&self.flags, &self.circumstances, &self.complaints);
    }

    pub fn resident(&self) -> u64 {
        resident(self.id())
    }

    pub fn complaints(&self) -> String {
        fs::read_to_string(&self.complaints).unwrap_or_default()
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        if thread::panicking() {
            let text = self.complaints();
            let tail: Vec<&str> = text.lines().rev().take(30).collect();
            eprintln!("{} complained:", self.url);
            tail.into_iter().rev().for_each(|line| eprintln!("  {line}"));
        }
    }
}

/// The program of this build, or another one to measure.
fn program() -> String {
    std::env::var("ESTIMATION_TEST_PROGRAM").unwrap_or_else(|_| env!("CARGO_BIN_EXE_estimation").to_owned())
}

/// Starts the program and reads its address. Retries while another process has the port.
fn spawn(flags: &[String], circumstances: &Circumstances, complaints: &Path) -> (Child, String) {
    let started = Instant::now();
    loop {
        let file = File::options().append(true).create(true).open(complaints).expect("a file");
        let mut command = match circumstances.open_files {
            None => Command::new(program()),
            Some(open_files) => {
                let mut shell = Command::new("/bin/sh");
                let limited = format!("ulimit -n {open_files} && exec \"$0\" \"$@\"");
                shell.args(["-c", &limited, &program()]);
                shell
            }
        };
        let mut process = command
            .env_clear()
            .env("ESTIMATION_BOT_DELAY", "off")
            .envs(circumstances.environment.iter().map(|(name, value)| (name, value)))
            .arg("serve")
            .args(flags)
            .stdout(Stdio::piped())
            .stderr(file)
            .spawn()
            .expect("the program");
        let mut printed = BufReader::new(process.stdout.take().expect("its output"));
        let mut line = String::new();
        printed.read_line(&mut line).expect("a line");
        if let Some(url) = announced(&line) {
            // Keeps reading, so that the program never blocks on its output.
            thread::spawn(move || printed.lines().for_each(drop));
            return (process, url);
        }
        let _ = process.kill();
        let _ = process.wait();
        let text = fs::read_to_string(complaints).unwrap_or_default();
        assert!(started.elapsed() < PATIENCE, "the node does not listen: {line}{text}");
        thread::sleep(Duration::from_millis(200));
    }
}

/// The server's URL without a slash, from the first line that the program prints.
pub fn announced(line: &str) -> Option<String> {
    let (_, address) = line.split_once(" http://")?;
    Some(format!("http://{}", address.trim().trim_end_matches('/')))
}

/// A port below the ephemeral range: no process gets it while a node is down, and no client can connect to
/// itself.
pub fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    loop {
        let step = NEXT.fetch_add(1, Ordering::Relaxed);
        let port = 10_000 + (std::process::id() as u16).wrapping_mul(61).wrapping_add(step) % 10_000;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

pub fn resident(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a size");
    let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
    kibibytes * 1024
}
