//! SIGHUP: a node reads its settings again, says which changed, and goes on.

use std::sync::atomic::Ordering;

use crate::prelude::*;
use crate::public_log::witness::TestWitness;

struct Configured {
    node: Node,
    file: PathBuf,
    _folder: TempDir,
}

impl Configured {
    fn start(settings: &str) -> Configured {
        let folder = TempDir::new().expect("a folder");
        let file = folder.path().join("estimation.toml");
        fs::write(&file, settings).expect("a file");
        let data = folder.path().join("data");
        let flags = ["--config", &file.to_string_lossy(), "--data-dir", &data.to_string_lossy()];
        let node = Node::start(folder.path(), &[&flags[..], &["--metrics-listen", "127.0.0.1:0"]].concat());
        Configured { node, file, _folder: folder }
    }

    /// Gives the node other settings. Returns the line that it logs about them.
    async fn reload(&self, settings: &str) -> String {
        fs::write(&self.file, settings).expect("a file");
        let before = self.told().len();
        self.node.signal("HUP");
        eventually("a line about the settings", async || self.told().len() > before).await;
        self.told().last().expect("a line").clone()
    }

    fn told(&self) -> Vec<String> {
        let complaints = self.node.complaints();
        complaints
            .lines()
            .filter(|line| line.contains("the settings were read again"))
            .map(str::to_owned)
            .collect()
    }

    fn nobody(&self) -> Client {
        Client::anonymous(&self.node.url)
    }
}

#[tokio::test]
async fn limits_change() {
    let configured = Configured::start("tables-per-host = 1\n");
    let noor = configured.nobody().register("noor").await.client;
    let wish = json!({"ruleset": "squares"});
    noor.send("/v1/games", &wish).await.accepted();
    noor.send("/v1/games", &wish).await.refused(409, "too-many-tables");
    let told =
        configured.reload("tables-per-host = 2\nlimit-login = \"1/1h\"\nrate-commands = \"7/1m\"\n").await;
    assert!(told.contains("limit-login, rate-commands, tables-per-host"), "{told}");
    noor.send("/v1/games", &wish).await.accepted();
    noor.send("/v1/games", &wish).await.refused(409, "too-many-tables");
    let wrong = json!({"username": "noor", "password": "not-the-password-of-noor"});
    let answer = configured.nobody().send("/v1/sessions", &wrong).await;
    assert!(
        answer.header("ratelimit-policy").is_some_and(|policy| policy.contains("\"login\";q=1;w=3600")),
        "{answer:?}"
    );
    let again =
        configured.reload("tables-per-host = 2\nlimit-login = \"1/1h\"\nrate-commands = \"7/1m\"\n").await;
    assert!(again.contains("settings=\"none\""), "{again}");
}

#[tokio::test]
async fn trusted_proxies_and_rates_change() {
    let configured = Configured::start("rate-unauthenticated = \"2/1h\"\n");
    let from = async |address: &str| {
        let asked = configured.nobody().get("/v1/me").header("x-forwarded-for", address);
        asked.await.status
    };
    assert_eq!(
        [from("198.51.100.1").await, from("198.51.100.2").await, from("198.51.100.3").await],
        [401, 401, 429]
    );
    configured.reload("rate-unauthenticated = \"2/1h\"\ntrusted-proxy = [\"127.0.0.1\", \"::1\"]\n").await;
    assert_eq!(
        [from("198.51.100.1").await, from("198.51.100.2").await, from("198.51.100.3").await],
        [401, 401, 401]
    );
    configured.reload("rate-unauthenticated = \"off\"\n").await;
    for _ in 0..4 {
        assert_eq!(from("198.51.100.1").await, 401);
    }
}

#[tokio::test]
async fn the_log_filter_changes() {
    let configured = Configured::start("log = \"warn\"\n");
    assert!(!configured.node.complaints().contains(" DEBUG "));
    let told = configured.reload("log = \"estimation=debug,warn\"\n").await;
    assert!(told.contains("\"log\""), "{told}");
    eventually("a line at debug", async || {
        configured.nobody().guest().await;
        configured.node.complaints().contains(" DEBUG ")
    })
    .await;
}

#[tokio::test]
async fn witnesses_change() {
    let (first, second) = (TestWitness::start("first.example/w"), TestWitness::start("second.example/ww"));
    let configured = Configured::start(&format!("witness = \"{}\"\n", first.setting()));
    let cosigned = |witness: &TestWitness| witness.cosigned.load(Ordering::Relaxed);
    eventually("the first witness cosigns", async || cosigned(&first) > 0).await;
    assert_eq!(cosigned(&second), 0);
    let told =
        configured.reload(&format!("witness = [\"{}\", \"{}\"]\n", first.setting(), second.setting())).await;
    assert!(told.contains("\"witness\""), "{told}");
    eventually("the second witness cosigns", async || cosigned(&second) > 0).await;
}

/// A value that is not valid, a file that cannot be read, and settings that need a restart: the node keeps what it has,
/// says so, and prints no secret.
#[tokio::test]
async fn bad_settings_change_nothing() {
    let secret = "walnut-lantern-thimble-sparrow-umbrella";
    let configured = Configured::start("tables-per-host = 1\n");
    let noor = configured.nobody().register("noor").await.client;
    for (settings, told) in [
        ("tables-per-host = 5\nlimit-login = \"often\"\n".to_owned(), "--limit-login: a rate is"),
        (format!("tables-per-host = 5\nkeys-secret = {secret}\n"), "line 2"),
        ("tables-per-host = 5\ntable-per-host = 6\n".to_owned(), "unknown setting"),
        ("tables-per-host = 5\nopening-seconds = 500\n".to_owned(), "--opening-seconds"),
    ] {
        let line = configured.reload(&settings).await;
        assert!(line.contains("all stay as they were") && line.contains(told), "{line}");
    }
    fs::remove_file(&configured.file).expect("gone");
    configured.node.signal("HUP");
    eventually("a line about the file", async || configured.node.complaints().contains("No such file")).await;
    let wish = json!({"ruleset": "squares"});
    noor.send("/v1/games", &wish).await.accepted();
    noor.send("/v1/games", &wish).await.refused(409, "too-many-tables");
    let told =
        configured.reload(&format!("tables-per-host = 2\nkeys-secret = \"{secret}\"\nworkers = 3\n")).await;
    assert!(told.contains("\"tables-per-host\""), "{told}");
    noor.send("/v1/games", &wish).await.accepted();
    let complaints = configured.node.complaints();
    assert!(complaints.contains("keys-secret, workers"), "{complaints}");
    assert!(!complaints.contains(secret), "{complaints}");
}
