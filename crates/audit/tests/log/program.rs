//! Runs the program.

use std::ffi::OsStr;
use std::process::Command;
use std::time::SystemTime;

/// The exit status and the output.
#[derive(Debug)]
pub struct Ran {
    pub status: i32,
    pub output: String,
}

pub fn run<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_estimation-audit"));
    let done = command.args(arguments).output().unwrap();
    let output = [done.stdout, done.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
    Ran { status: done.status.code().unwrap(), output }
}

impl Ran {
    /// Demands an exit status and a part of the output.
    #[track_caller]
    pub fn expect(self, status: i32, part: &str) {
        assert!(
            self.status == status && self.output.contains(part),
            "expected {status}, {part:?}: {self:#?}"
        );
    }
}

/// The seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs()
}
