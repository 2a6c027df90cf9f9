//! The command line: closed pipes, completions, manual pages.

use std::fs::File;
use std::process::{Command, Output, Stdio};

use crate::harness::node::estimation;
use crate::prelude::*;

fn unread(mut command: Command) -> (Option<i32>, String) {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let output = command.stdout(writer).stderr(Stdio::piped()).output().expect("it runs");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn onto_a_full_disk(mut command: Command) -> Output {
    let full = File::options().write(true).open("/dev/full").expect("/dev/full");
    command.stdout(full).output().expect("it runs")
}

#[test]
fn a_closed_pipe_is_no_panic() {
    let folder = TempDir::new().expect("a temporary folder");
    let data = folder.path().to_str().expect("a path");
    let rounds = folder.path().join("rounds.json");
    let round = r#"[{"round":1,"folded":true}]"#;
    fs::write(&rounds, round).expect("writing");
    let rounds = rounds.to_str().expect("a path");
    let backup = folder.path().join("backup.db");
    let history = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tampered/plain.ndjson");
    let history = history.to_str().expect("a path");
    let commands: [&[&str]; 12] = [
        &["openapi"],
        &["config"],
        &["--help"],
        &["--version"],
        &["score", "--ruleset", "squares", rounds],
        &["score", "--ruleset", "squares", "--format", "json", rounds],
        &["migrate", "--data-dir", data],
        &["games", "refused", "--data-dir", data],
        &["backup", "--data-dir", data, backup.to_str().expect("a path")],
        &["audit", "--unsigned", history],
        &["completions", "bash"],
        &["man"],
    ];
    for arguments in commands {
        let (code, said) = unread(estimation(arguments));
        assert!(!said.contains("panicked") && said.is_empty(), "{arguments:?}: {said}");
        assert!(matches!(code, Some(0 | 141)), "{arguments:?}: {code:?}");
    }
    let output = onto_a_full_disk(estimation(&["openapi"]));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.starts_with("estimation: "), "{said}");
    assert!(!said.contains("panicked"), "{said}");
}

#[test]
fn a_closed_standard_error_is_no_panic() {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let complain = |ruleset: &str| {
        let mut command = estimation(&["score", "--ruleset", ruleset, "/nowhere"]);
        let writer = writer.try_clone().expect("a pipe");
        command.stdout(Stdio::null()).stderr(writer).status().expect("it runs").code()
    };
    assert_eq!((complain("plain"), complain("whist")), (Some(1), Some(2)));
}

#[test]
fn every_shell_gets_completions_of_every_subcommand() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = estimation(&["completions", shell]).output().expect("it runs");
        let script = String::from_utf8(output.stdout).expect("text");
        assert!(output.status.success());
        for word in ["serve", "score", "audit", "data-dir", "ruleset"] {
            assert!(script.contains(word), "{shell} does not complete {word}");
        }
    }
    let output = estimation(&["completions", "sh"]).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("bash") && said.contains("zsh"), "{said}");
}

#[test]
fn bash_reads_its_completions() {
    let folder = TempDir::new().expect("a temporary folder");
    let script = folder.path().join("estimation.bash");
    fs::write(&script, estimation(&["completions", "bash"]).output().expect("it runs").stdout)
        .expect("writing");
    let ask = format!(
        "set -e; . {}; COMP_WORDS=(estimation sc); COMP_CWORD=1; _estimation estimation sc estimation; \
         echo \"${{COMPREPLY[@]}}\"",
        script.display()
    );
    let output = Command::new("bash").args(["--norc", "-c", &ask]).output().expect("bash");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(said.trim(), "score", "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn there_is_a_manual_page_for_every_subcommand() {
    let output = estimation(&["man"]).output().expect("it runs");
    let page = String::from_utf8(output.stdout).expect("text");
    assert!(page.contains(".TH estimation 1") && page.contains("ESTIMATION_DATA_DIR"), "{page}");
    let folder = TempDir::new().expect("a temporary folder");
    let pages = folder.path().join("man1");
    let output = estimation(&["man", pages.to_str().expect("a path")]).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for name in
        ["estimation", "estimation-serve", "estimation-score", "estimation-keys-rotate", "estimation-man"]
    {
        let page = fs::read_to_string(pages.join(format!("{name}.1")))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(page.contains(".SH SYNOPSIS"), "{name}");
    }
    let secret = "a-secret-of-more-than-32-characters-in-all";
    let output = estimation(&["man"]).env("ESTIMATION_KEYS_SECRET", secret).output().expect("it runs");
    assert!(!String::from_utf8_lossy(&output.stdout).contains(secret));
}

/// The release has no symbols; the profiling profile keeps them.
#[test]
fn the_release_is_stripped() {
    let manifest =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).expect("the manifest");
    let manifest: toml::Table = manifest.parse().expect("TOML");
    let profile = &manifest["profile"];
    assert_eq!(profile["release"]["strip"].as_str(), Some("symbols"));
    assert_eq!(profile["dist"]["inherits"].as_str(), Some("release"));
    assert_eq!(profile["dist"].get("strip"), None);
    assert_eq!(profile["profiling"]["inherits"].as_str(), Some("dist"));
    assert_eq!(profile["profiling"]["strip"].as_str(), Some("none"));
    assert_eq!(profile["profiling"]["debug"].as_str(), Some("line-tables-only"));
}
