//! Settings: from a file, the environment and flags, the last of these first; and printed without secrets.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// What `estimation config` says, and whether it was content.
fn config(file: Option<&Path>, variables: &[(&str, &str)], flags: &[&str]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_estimation"));
    command.env_clear().envs(variables.iter().copied()).arg("config").args(flags);
    if let Some(file) = file {
        command.arg("--config").arg(file);
    }
    let output = command.output().expect("the program");
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).expect("a text"))
}

fn line<'a>(text: &'a str, name: &str) -> &'a str {
    text.lines()
        .find(|line| line.starts_with(&format!("{name} = ")))
        .unwrap_or_else(|| panic!("{name}: {text}"))
}

fn file(text: &str) -> (TempDir, std::path::PathBuf) {
    let folder = TempDir::new().expect("a temporary folder");
    let path = folder.path().join("estimation.toml");
    std::fs::write(&path, text).expect("a file");
    (folder, path)
}

#[test]
fn a_flag_goes_before_the_environment_and_that_before_the_file() {
    let (_folder, path) = file(
        "listen = \"127.0.0.1:1\"\nheartbeat = 7\nworkers = 3\nlog = \"warn\"\ntrusted-proxy = [\"10.0.0.0/8\", \"::1\"]\n",
    );
    let variables = [("ESTIMATION_LISTEN", "127.0.0.1:2"), ("ESTIMATION_WORKERS", "4")];
    let (well, text) = config(Some(&path), &variables, &["--workers", "5"]);
    assert!(well, "{text}");
    assert_eq!(line(&text, "workers"), "workers = 5 # command line");
    assert_eq!(line(&text, "listen"), "listen = \"127.0.0.1:2\" # environment");
    assert_eq!(line(&text, "heartbeat"), "heartbeat = 7 # file");
    assert_eq!(line(&text, "log"), "log = \"warn\" # file");
    assert_eq!(line(&text, "trusted-proxy"), "trusted-proxy = [\"10.0.0.0/8\", \"::1\"] # file");
    assert_eq!(line(&text, "unread-timeout"), "unread-timeout = 30 # default");
}

#[test]
fn the_environment_may_name_the_file_and_what_is_printed_is_such_a_file() {
    let (_folder, path) =
        file("heartbeat = 9\ndatabase-url = \"sqlite:///tmp/x.db\"\ncors-origin = \"https://a.example\"\n");
    let (well, text) = config(None, &[("ESTIMATION_CONFIG", path.to_str().expect("a path"))], &[]);
    assert!(well, "{text}");
    assert_eq!(line(&text, "heartbeat"), "heartbeat = 9 # file");
    let (_again, printed) = file(&text);
    let (well, again) = config(Some(&printed), &[], &[]);
    assert!(well, "{again}");
    let values = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.map(|line| line.split(" # ").next().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(values(&again), values(&text));
}

#[test]
fn no_secret_is_printed_wherever_it_comes_from() {
    let secret = "walnut-lantern-thimble-sparrow-umbrella";
    let url = format!("postgres://app:{secret}@db.example/estimation");
    let text = format!("database-url = \"{url}\"\nkeys-secret = \"{secret}\"\n");
    let (_folder, path) = file(&text);
    for (file, variables, flags) in [
        (Some(path.as_path()), vec![], vec![]),
        (None, vec![("ESTIMATION_DATABASE_URL", url.as_str()), ("ESTIMATION_KEYS_SECRET", secret)], vec![]),
        (None, vec![], vec!["--database-url", &url, "--keys", secret]),
    ] {
        let (well, text) = config(file, &variables, &flags);
        assert!(well && !text.contains(secret), "{text}");
        assert!(line(&text, "database-url").contains("db.example/estimation"), "{text}");
        assert!(text.contains("and not shown"), "{text}");
    }
}

#[test]
fn another_source_of_keys_that_is_given_closer_by_replaces_that_of_the_file() {
    let (_folder, path) = file("keys-file = \"/nowhere/keys.json\"\n");
    let secret = "s".repeat(40);
    let (well, text) = config(Some(&path), &[("ESTIMATION_KEYS_SECRET", &secret)], &[]);
    assert!(well && !text.contains("/nowhere"), "{text}");
    let (well, text) = config(Some(&path), &[], &[]);
    assert!(well && line(&text, "keys-file").contains("/nowhere"), "{text}");
}

#[test]
fn mistakes_in_the_file_are_told() {
    for (text, complaint) in [
        ("lisen = \"127.0.0.1:1\"", "lisen"),
        ("workers = \"many\"", "many"),
        ("workers = ", "estimation.toml"),
        ("[workers]\nnumber = 3", "workers"),
    ] {
        let (_folder, path) = file(text);
        let (well, said) = config(Some(&path), &[], &[]);
        assert!(!well && said.contains(complaint), "{text}: {said}");
    }
    let (well, said) = config(Some(Path::new("/nowhere/estimation.toml")), &[], &[]);
    assert!(!well && said.contains("/nowhere/estimation.toml"), "{said}");
}
