mod followers;
mod load;
mod options;
mod pairs;
mod refereed;
mod soak;
mod tokens;

use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

use crate::documents::root;
use crate::prelude::*;

/// All players of a drive share one address.
const LIMITS: &str = "--limit-accounts off --limit-login-address off --limit-refresh off --rate-address off \
    --rate-account off";

fn service(data: &Path) -> Node {
    let mut flags = vec!["--log", "warn", "--data-dir", data.to_str().unwrap()];
    flags.extend(LIMITS.split_whitespace());
    Node::start(data, &flags)
}

/// A service on a database, with more flags.
fn service_on(data: &Path, database: &TestDatabase, more: &[&str]) -> Node {
    let log_state = data.join("log-state");
    let mut flags = vec!["--log", "warn", "--data-dir", data.to_str().unwrap()];
    flags.extend(["--database-url", database.url_text()]);
    if database.backend() == Backend::Postgres {
        flags.extend(["--keys-secret", "a secret of the drives that nobody else uses"]);
        flags.extend(["--log-state", log_state.to_str().unwrap()]);
    }
    flags.extend(LIMITS.split_whitespace());
    flags.extend(more);
    Node::start(data, &flags)
}

/// The driver; `ESTIMATION_TEST_DRIVER` names another one. It is a workspace of its own, which the first test here builds.
static DRIVER: LazyLock<PathBuf> = LazyLock::new(|| {
    if let Some(driver) = std::env::var_os("ESTIMATION_TEST_DRIVER") {
        return driver.into();
    }
    let profile = Path::new(env!("CARGO_BIN_EXE_estimation")).parent().expect("a folder");
    let target = profile.with_file_name("drive");
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--quiet", "--locked", "--manifest-path"]).arg(root().join("drive/Cargo.toml"));
    assert!(
        build.arg("--target-dir").arg(&target).status().expect("cargo").success(),
        "the driver is not built"
    );
    target.join("debug/drive")
});

fn drive(url: &str, flags: &[&str]) -> Command {
    let mut command = Command::new(&*DRIVER);
    command.env_clear().args(["--url", url]).args(flags);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn report(output: &Output) -> Value {
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{}\n{err}\n{out}", output.status);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["finished"], report["games"]);
    report
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[ignore = "all: builds the driver"]
#[test]
fn a_table_that_cannot_be_opened_ends_with_a_failure() {
    let data = TempDir::new().unwrap();
    let node = service(data.path());
    let output =
        drive(&node.url, &["--table", r#"{"ruleset":"nineteen","options":{"jokers":7}}"#]).output().unwrap();
    assert!(!output.status.success());
    let told = text(&output.stderr);
    assert!(told.contains("POST /v1/games") && told.contains("invalid-option"), "{told}");
}

#[ignore = "all: builds the driver"]
#[test]
fn an_unreachable_service_ends_the_drive() {
    let output = drive("http://127.0.0.1:9", &["--patience", "0"]).output().unwrap();
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains("POST /v1/accounts"), "{}", text(&output.stderr));
}
