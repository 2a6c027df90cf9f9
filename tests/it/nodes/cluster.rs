//! A PostgreSQL of a test's own, which can lose its power.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// A running cluster; removed when dropped.
pub struct Cluster {
    /// The URL of its server, without a database.
    pub url: String,
    folder: PathBuf,
}

impl Cluster {
    /// Makes a cluster that keeps what it has acknowledged, power cuts or not.
    pub fn durable() -> Cluster {
        Cluster::start(&[("ESTIMATION_TEST_FSYNC", "on")])
    }

    /// Makes a cluster that refuses connections without TLS, with the certificate and the key in a folder.
    pub fn with_tls(certificate: &Path) -> Cluster {
        Cluster::start(&[("ESTIMATION_TEST_TLS", certificate.to_str().expect("a path"))])
    }

    fn start(environment: &[(&str, &str)]) -> Cluster {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name =
            format!("estimation-nodes-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let mut cluster = Cluster { url: String::new(), folder: std::env::temp_dir().join(name) };
        cluster.url = cluster.script("start", environment).trim().to_owned();
        cluster
    }

    /// Ends the server as a power cut would.
    pub fn crash(&self) {
        self.script("crash", &[]);
    }

    /// Starts the server again.
    pub fn again(&self) {
        self.script("again", &[]);
    }

    fn script(&self, action: &str, environment: &[(&str, &str)]) -> String {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/postgres.sh");
        let done = Command::new(script)
            .arg(action)
            .arg(&self.folder)
            .envs(environment.iter().copied())
            .output()
            .expect("the script");
        assert!(done.status.success(), "{action}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).expect("UTF-8")
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.script("stop", &[]);
    }
}
