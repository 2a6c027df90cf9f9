//! Settings from flags, the environment and the file, in this order of precedence; and printed without
//! secrets.

use std::process::Command;

use crate::documents::root;
use crate::harness::node::estimation;
use crate::prelude::*;

fn config(file: Option<&Path>, variables: &[(&str, &str)], flags: &[&str]) -> (bool, String) {
    let mut command = estimation(&["config"]);
    command.envs(variables.iter().copied()).args(flags);
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
fn flags_override_the_environment_which_overrides_the_file() {
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
fn the_printed_settings_are_a_valid_file() {
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
fn a_key_source_with_precedence_replaces_that_of_the_file() {
    let (_folder, path) = file("keys-file = \"/nowhere/keys.json\"\n");
    let secret = "s".repeat(40);
    let (well, text) = config(Some(&path), &[("ESTIMATION_KEYS_SECRET", &secret)], &[]);
    assert!(well && !text.contains("/nowhere"), "{text}");
    let (well, text) = config(Some(&path), &[], &[]);
    assert!(well && line(&text, "keys-file").contains("/nowhere"), "{text}");
}

#[test]
fn a_wrong_value_is_reported_with_its_flag_and_an_example() {
    for (flag, value, example) in [
        ("--listen", "8080", "127.0.0.1:8080"),
        ("--listen", "localhost", "127.0.0.1:8080"),
        ("--metrics-listen", ":9090", "127.0.0.1:8080"),
        ("--log", "foo=bar=", "estimation=debug,warn"),
        ("--log", "=", "estimation=debug,warn"),
        ("--log", "verbose", "estimation=debug,warn"),
        ("--log", "inof,warn", "estimation=debug,warn"),
        ("--max-connections-per-address", "0", "off"),
        ("--workers", "0", "1..=512"),
        ("--bot-delay", "100ms..600ms", "600ms..1600ms, or off"),
        ("--bot-delay", "1s", "600ms..1600ms, or off"),
    ] {
        let (well, said) = config(None, &[], &[&format!("{flag}={value}")]);
        assert!(!well && said.contains(flag) && said.contains(value) && said.contains(example), "{said}");
    }
    let variables = [("ESTIMATION_LISTEN", "8080")];
    let (well, said) = config(None, &variables, &[]);
    assert!(!well && said.contains("--listen") && said.contains("127.0.0.1:8080"), "{said}");
    for value in ["info", "WARN", "off", "3", "estimation=debug,warn"] {
        let (well, said) = config(None, &[], &["--log", value]);
        assert!(well, "{said}");
    }
}

fn refused_start(flags: &[&str], variables: &[(&str, &str)]) -> String {
    let folder = TempDir::new().expect("a temporary folder");
    let output = Command::new("/bin/sh")
        .args(["-c", "ulimit -n 256 && exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_estimation"), "serve"])
        .args(flags)
        .env_clear()
        .envs(variables.iter().copied())
        .arg("--data-dir")
        .arg(folder.path())
        .output()
        .expect("the program");
    assert!(!output.status.success());
    String::from_utf8(output.stderr).expect("a text")
}

#[test]
fn a_service_that_cannot_start_says_why_and_nothing_else() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let taken = taken.local_addr().expect("an address").to_string();
    for (flags, why) in [
        (vec!["--listen", &taken], "cannot listen on"),
        (vec!["--database-url", "mysql://localhost/x"], "unknown database URL scheme"),
        (vec!["--database-url", "sqlite:///nowhere/x.db"], "the database is unavailable"),
        (vec!["--database-url", "postgres://db.example/x?passfile=/x"], "unknown option `passfile`"),
        (vec!["--otlp-endpoint", "nowhere"], "cannot send traces"),
        (
            vec!["--max-connections", "200"],
            "--max-connections 200 needs an open-file limit of 360, and it is 256",
        ),
    ] {
        let said = refused_start(&flags, &[]);
        assert!(said.contains(why), "{said}");
        assert!(said.starts_with("estimation: ") && said.lines().count() == 1, "{said}");
    }
}

#[test]
fn a_node_does_not_start_with_a_variable_of_libpq() {
    let flags = ["--database-url", "postgres://ann:hunter2@db.example/x"];
    let said = refused_start(&flags, &[("PGSSLMODE", "verify-full")]);
    let sentence =
        "the environment variable PGSSLMODE is not read: unset it, and use an option of the database URL";
    assert_eq!(said, format!("estimation: {sentence}\n"));
}

#[test]
fn mistakes_in_the_file_are_reported() {
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

#[test]
fn secrets_of_webhooks_are_not_shown() {
    let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let url = ["--webhook-url", "https://gateway.example.org/"];
    let (well, said) = config(None, &[], &[&url[..], &["--webhook-secret", secret]].concat());
    assert!(well && said.contains("webhook-secret is set") && !said.contains(secret), "{said}");
    let folder = tempfile::TempDir::new().expect("a folder");
    let serve = |secret: &[&str]| {
        let data =
            ["serve", "--listen", "127.0.0.1:0", "--data-dir", folder.path().to_str().expect("a path")];
        let output = run(&[&data, &url[..], secret].concat());
        assert!(!output.status.success());
        String::from_utf8(output.stderr).expect("a text")
    };
    let said = serve(&["--webhook-secret", "whsec_cut-off"]);
    assert!(said.contains("webhook-secret") && !said.contains("cut-off"), "{said}");
    assert!(serve(&[]).contains("webhook-url needs a webhook-secret"));
}

#[test]
fn credentials_of_a_mail_server_are_not_shown() {
    let url = "smtps://cards:sesame@mail.example.org";
    let (well, said) = config(None, &[], &["--smtp-url", url]);
    assert!(well && said.contains("smtp-url is set") && !said.contains("sesame"), "{said}");
    let folder = tempfile::TempDir::new().expect("a folder");
    let serve = |flags: &[&str]| {
        let data =
            ["serve", "--listen", "127.0.0.1:0", "--data-dir", folder.path().to_str().expect("a path")];
        let output = run(&[&data, flags].concat());
        assert!(!output.status.success());
        String::from_utf8(output.stderr).expect("a text")
    };
    let said = serve(&["--smtp-url", "smtp://cards:sesame@mail.example.org"]);
    assert!(said.contains("smtp-url") && !said.contains("sesame"), "{said}");
    assert!(serve(&["--smtp-url", url]).contains("needs a mail-from"));
    let from = ["--smtp-url", url, "--mail-from", "Estimation <cards@example.org>"];
    assert!(serve(&from).contains("needs a public-url"));
}

fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    text.split_once(open)?.1.split_once(close).map(|(inside, _)| inside)
}

#[test]
fn the_settings_table_has_every_flag_of_serve() {
    let page = std::fs::read_to_string(root().join("docs/operations.md")).expect("the page");
    let rows = page.lines().skip_while(|line| !line.starts_with("| flag | default |")).skip(2);
    let mut table = BTreeMap::new();
    for row in rows.take_while(|line| line.starts_with('|')) {
        let cells: Vec<String> =
            row.split('|').map(|cell| cell.trim().replace('`', "")).filter(|cell| !cell.is_empty()).collect();
        let default = if row.contains("| |") { String::new() } else { cells[1].clone() };
        table.insert(cells[0].clone(), default);
    }
    let output = run(&["serve", "--help"]);
    let help = String::from_utf8(output.stdout).expect("a text");
    let flags: Vec<&str> = help.split("\n      --").skip(1).collect();
    assert!(flags.len() > 20, "{} flags", flags.len());
    for flag in flags {
        let name = format!("--{}", flag.split([' ', '\n']).next().expect("a name"));
        if name == "--config" {
            continue;
        }
        let variable = between(flag, "[env: ", "]").expect("a variable").trim_end_matches('=');
        let shown = table.remove(&name).unwrap_or_else(|| panic!("the table has no {name}"));
        // The page says how a variable follows from its flag.
        let key = name.trim_start_matches('-').replace('-', "_").to_uppercase();
        assert_eq!(variable, format!("ESTIMATION_{key}"));
        if let Some(default) = between(flag, "[default: ", "]") {
            assert_eq!(shown, default, "{name}");
        }
    }
    assert!(table.is_empty(), "serve has no {:?}", table.keys());
}
