//! The second verifier, in Python. It implements the rule book and the record without any code of the
//! service.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};

use serde_json::Value;

/// The folder of the second verifier's package.
const VERIFIER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../verifier");

/// Findings of a verifier: game, event number, rule.
pub type Findings = BTreeSet<(Option<String>, Option<u64>, String)>;

pub fn findings(report: &Value) -> Findings {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let one = |found: &Value| (text(&found["game"]), found["seq"].as_u64(), text(&found["rule"]).unwrap());
    report["findings"].as_array().expect("findings").iter().map(one).collect()
}

/// The second verifier's Python with the verifier's modules. `ESTIMATION_TEST_PYTHON` names a Python with the package
/// `cryptography`.
fn python() -> Command {
    let python = std::env::var("ESTIMATION_TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let mut command = Command::new(python);
    command.env("PYTHONPATH", VERIFIER).env("PYTHONDONTWRITEBYTECODE", "1").stdout(Stdio::piped());
    command
}

/// Audits each text separately in one process of the second verifier.
pub fn audited_again(texts: impl IntoIterator<Item = String>, arguments: &[&str]) -> Vec<Findings> {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = python();
    command.args(["-m", "estimation_verify"]).args(arguments).arg("--separately");
    let mut count = 0;
    for text in texts {
        let file = folder.path().join(count.to_string());
        fs::write(&file, text).expect("a file");
        command.arg(file);
        count += 1;
    }
    let output = command.output().expect("python3");
    let reports: Vec<Value> = serde_json::Deserializer::from_slice(&output.stdout)
        .into_iter()
        .collect::<Result<_, _>>()
        .expect("reports");
    assert_eq!(reports.len(), count);
    assert_eq!(output.status.success(), reports.iter().all(|report| report["wrong"] == 0));
    reports.iter().map(findings).collect()
}

/// Makes calls of the second verifier, of the form that `tests/verifier/calls.py` describes, in one process. Returns the
/// answers.
pub fn called_again(calls: &[Value]) -> Vec<Value> {
    let input = tempfile::NamedTempFile::new().expect("a file");
    let lines: String = calls.iter().map(|call| format!("{call}\n")).collect();
    fs::write(input.path(), lines).expect("a file");
    let mut command = python();
    command.arg(format!("{VERIFIER}/calls.py")).stdin(input.reopen().expect("the file"));
    let output = command.output().expect("python3");
    assert!(output.status.success(), "{output:?}");
    let answers = serde_json::Deserializer::from_slice(&output.stdout).into_iter();
    let answers: Vec<Value> = answers.collect::<Result<_, _>>().expect("answers");
    assert_eq!(answers.len(), calls.len());
    answers
}

/// Asserts that the second verifier accepts histories, whose ends need not be signed.
pub fn pass_the_second_verifier(histories: impl IntoIterator<Item = String>) {
    for (number, found) in audited_again(histories, &["--unsigned"]).into_iter().enumerate() {
        assert!(found.is_empty(), "history {number}: {found:?}");
    }
}
