use std::process::{Command, Stdio};

use crate::prelude::*;

/// Processes that are stopped until this is dropped.
pub struct Frozen(Vec<u32>);

impl Frozen {
    /// Stops the listed processes. Repeats until the list has no new ones, because they may fork.
    pub fn new(list: impl Fn() -> Vec<u32>) -> Frozen {
        let mut frozen = Frozen(Vec::new());
        loop {
            let mut more = list();
            more.retain(|process| !frozen.0.contains(process));
            if more.is_empty() {
                return frozen;
            }
            signal(&more, "-STOP");
            frozen.0.extend(more);
        }
    }

    pub fn kill(mut self) {
        signal(&std::mem::take(&mut self.0), "-KILL");
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        signal(&self.0, "-CONT");
    }
}

pub fn signal(processes: &[u32], name: &str) {
    for process in processes {
        let sent = Command::new("kill").args([name, &process.to_string()]).stderr(Stdio::null()).status();
        let is_there = || PathBuf::from(format!("/proc/{process}")).exists();
        assert!(sent.expect("kill").success() || !is_there(), "{name} is not sent to {process}");
    }
}
