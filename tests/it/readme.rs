//! The README's first game: bash runs its lines against the real server and prints what the README shows.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::documents::{Fence, fences, root};
use crate::harness::node::announced;
use crate::prelude::*;

const SECTION: &str = "## A first game";

const URL: &str = "URL=http://127.0.0.1:8080";

/// Printed between the outputs of two fences.
const MARK: &str = "---- next ----";

#[test]
fn the_first_game_prints_what_the_readme_shows() {
    prints_what_it_shows(&first_game());
}

/// Runs the code of a document against a new server, and compares the output with the document.
pub fn prints_what_it_shows(fences: &[Fence]) {
    let server = Server::start();
    let script = script(fences, &server.url);
    let programs = Path::new(env!("CARGO_BIN_EXE_estimation")).parent().expect("a folder").display();
    let path = std::env::var("PATH").unwrap_or_default();
    let run = Command::new("bash")
        .args(["-c", &script])
        .current_dir(server.folder.path())
        .env("HOME", server.folder.path())
        .env("PATH", format!("{programs}:{path}"))
        .env("NO_PROXY", "*")
        .output()
        .expect("bash");
    let (printed, complaints) = (text(&run.stdout), text(&run.stderr));
    assert!(run.status.success(), "{}\n{printed}\n{complaints}", run.status);
    assert_eq!(complaints, "");

    let outputs: Vec<&str> = printed.split(&format!("{MARK}\n")).collect();
    let shown = shown(fences);
    assert_eq!(outputs.len(), shown.len(), "{printed}");
    for ((code, shown), output) in shown.iter().zip(outputs) {
        let lines: Vec<&str> = output.lines().collect();
        let same =
            lines.len() == shown.len() && shown.iter().zip(&lines).all(|(shown, line)| fits(shown, line));
        assert!(same, "\n{}\nshows\n{}\nand prints\n{output}", code.lines.join("\n"), shown.join("\n"));
    }
}

fn first_game() -> Vec<Fence> {
    let readme = fs::read_to_string(root().join("README.md")).expect("the README");
    let section = readme.split_once(&format!("\n{SECTION}\n")).expect(SECTION).1;
    let section = section.split("\n## ").next().unwrap_or(section);
    let fences = fences(section);
    assert!(fences.iter().all(|fence| matches!(fence.info.as_str(), "sh" | "text")), "an unknown fence");
    assert!(fences.len() > 10, "{} fences", fences.len());
    fences
}

/// All code with the server's address, and a mark between two fences.
fn script(fences: &[Fence], url: &str) -> String {
    let code = fences.iter().filter(|fence| fence.info == "sh").map(|fence| fence.lines.join("\n"));
    let code = code.collect::<Vec<_>>().join(&format!("\necho '{MARK}'\n"));
    assert_eq!(
        code.lines().filter(|&line| line == URL).count(),
        1,
        "{URL} stands once, in a line of its own"
    );
    assert_eq!(code.matches("://").count(), 1, "every request goes to URL");
    format!("set -euo pipefail\n{}", code.replace(URL, &format!("URL={url}")))
}

/// Each fence of code with the expected lines of output, which may be empty.
fn shown(fences: &[Fence]) -> Vec<(&Fence, &[String])> {
    let mut shown: Vec<(&Fence, &[String])> = Vec::new();
    for fence in fences {
        match (fence.info.as_str(), shown.last_mut()) {
            ("sh", _) => shown.push((fence, &[])),
            (_, Some((_, lines))) => *lines = &fence.lines,
            (_, None) => panic!("an output before any code"),
        }
    }
    shown
}

fn fits(shown: &str, line: &str) -> bool {
    let mut pieces = shown.split('…');
    let Some(mut rest) = pieces.next().and_then(|first| line.strip_prefix(first)) else { return false };
    let mut last = None;
    for piece in pieces {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
        last = Some(piece);
    }
    // The last piece may occur earlier in the line too.
    rest.is_empty() || last.is_some_and(|last| rest.ends_with(last))
}

/// The program with its own database; stopped with this value.
pub struct Server {
    pub url: String,
    process: Child,
    /// Kept open, because the server keeps printing.
    _printed: BufReader<ChildStdout>,
    folder: TempDir,
}

impl Server {
    pub fn start() -> Server {
        let folder = TempDir::new().expect("a temporary folder");
        let mut process = Command::new(Path::new(env!("CARGO_BIN_EXE_estimation")))
            .args(["--listen", "127.0.0.1:0", "--log", "warn", "--data-dir"])
            .arg(folder.path())
            .env_clear()
            .env("ESTIMATION_BOT_DELAY", "off")
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program");
        let mut printed = BufReader::new(process.stdout.take().expect("its output"));
        let mut line = String::new();
        printed.read_line(&mut line).expect("a line");
        let Some(url) = announced(&line) else {
            let _ = process.kill();
            panic!("the server says {line:?}");
        };
        Server { url, process, _printed: printed, folder }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_shown_line_matches_lines_with_omissions() {
    for (shown, line) in [
        ("a", "a"),
        ("…", ""),
        ("a…", "a and more"),
        ("{…}", "{\"x\":{}}"),
        ("{\"a\":…,\"b\":2}", "{\"a\":1,\"b\":2}"),
    ] {
        assert!(fits(shown, line), "{shown} {line}");
    }
    for (shown, line) in [("a", "ab"), ("a", ""), ("…b", "a"), ("a…b", "b a"), ("a…b", "a b c")] {
        assert!(!fits(shown, line), "{shown} {line}");
    }
}
