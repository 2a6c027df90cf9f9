//! A PostgreSQL cluster for one test, which can lose power.

use std::ffi::OsStr;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use diesel::connection::SimpleConnection;
use diesel::{Connection as _, RunQueryDsl};
use estimation_store::PgConnection;

use super::namespace::Namespace;
use crate::certificates::Authority;
use crate::prelude::*;

pub struct Cluster {
    pub url: String,
    folder: PathBuf,
    prefix: Vec<String>,
}

impl Cluster {
    /// Creates a cluster that keeps acknowledged commits across power cuts.
    pub fn durable() -> Cluster {
        Cluster::start(&[("ESTIMATION_TEST_FSYNC", "on")])
    }

    /// Creates a cluster that refuses connections without TLS, with certificate and key from a folder.
    pub fn with_tls(certificate: &Path) -> Cluster {
        Cluster::start(&[("ESTIMATION_TEST_TLS", certificate.to_str().expect("a path"))])
    }

    pub fn standby(&self) -> Cluster {
        let mut standby = Cluster::named();
        standby.url = standby.run_script("follow", Some(self.folder.as_os_str()), &[]).trim().to_owned();
        standby
    }

    /// Makes commits of this primary wait for the standbys named in `synchronous_standby_names`.
    pub fn wait_for_standbys(&self, names: &str) {
        self.run_script("synchronous", Some(names.as_ref()), &[]);
    }

    /// Makes an old primary, running or stopped, a standby of another cluster. Its unreplicated data is lost.
    pub fn rejoin(&self, primary: &Cluster) {
        self.run_script("rejoin", Some(primary.folder.as_os_str()), &[]);
    }

    pub fn promote(&self) {
        self.script("promote", &[]);
    }

    pub fn new() -> Cluster {
        Cluster::start(&[])
    }

    /// Creates a cluster in a network namespace, for clients outside of it.
    pub fn inside(namespace: &Namespace) -> Cluster {
        let mut cluster = Cluster::named();
        cluster.prefix = namespace.prefix().map(str::to_owned).to_vec();
        let url = cluster.script("start", &[("ESTIMATION_TEST_LISTEN", &namespace.address)]);
        cluster.url = url.trim().replace("127.0.0.1", &namespace.address);
        cluster.admit(&format!("host all all {}/30 trust", namespace.address));
        cluster
    }

    fn start(environment: &[(&str, &str)]) -> Cluster {
        let mut cluster = Cluster::named();
        cluster.url = cluster.script("start", environment).trim().to_owned();
        cluster
    }

    fn named() -> Cluster {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name =
            format!("estimation-nodes-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        Cluster { url: String::new(), folder: std::env::temp_dir().join(name), prefix: Vec::new() }
    }

    /// Sets the rules of `pg_hba.conf`. The cluster's own socket is always allowed.
    pub fn admit(&self, rules: &str) {
        let text = format!("local all all trust\n{rules}\n");
        std::fs::write(self.folder.join("data/pg_hba.conf"), text).expect("pg_hba.conf");
        self.reload();
    }

    pub fn trust(&self, authority: &Authority) {
        let path = self.folder.join("data/clients.crt");
        std::fs::copy(authority.file(), &path).expect("a file");
        self.run(&format!("ALTER SYSTEM SET ssl_ca_file = '{}'", path.display()));
        self.reload();
    }

    pub fn reload(&self) {
        let before = self.loaded_at();
        self.run("SELECT pg_reload_conf()");
        while self.loaded_at() == before {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }

    fn loaded_at(&self) -> String {
        let mut conn = PgConnection::establish(&self.socket_url()).expect("the socket");
        diesel::dsl::sql::<diesel::sql_types::Text>("SELECT pg_conf_load_time()::text")
            .get_result(&mut conn)
            .expect("a time")
    }

    pub fn run(&self, sql: &str) {
        let mut conn = PgConnection::establish(&self.socket_url()).expect("the socket");
        conn.batch_execute(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    }

    /// The number of the server's connection processes that match a condition.
    pub fn processes_where(&self, condition: &str) -> i64 {
        self.count(&format!("pg_stat_activity WHERE {condition}"))
    }

    /// The number of rows of a table, or of those that match a condition.
    pub fn count(&self, from: &str) -> i64 {
        let mut conn = PgConnection::establish(&self.socket_url()).expect("the socket");
        diesel::dsl::sql::<diesel::sql_types::BigInt>(&format!("SELECT count(*) FROM {from}"))
            .get_result(&mut conn)
            .expect("a count")
    }

    pub fn socket_url(&self) -> String {
        let folder = self.folder.to_str().expect("a path").replace('/', "%2F");
        format!("postgres://postgres@{folder}:{}/postgres", self.port())
    }

    pub fn port(&self) -> u16 {
        let (_, port) = self.url.rsplit_once(':').expect("a port");
        port.parse().expect("a port")
    }

    pub fn processes(&self) -> Vec<u32> {
        let file = std::fs::read_to_string(self.folder.join("data/postmaster.pid")).expect("a process");
        let first = file.lines().next().expect("a number").to_owned();
        let children = Command::new("ps").args(["-o", "pid=", "--ppid", &first]).output().expect("ps");
        let children = String::from_utf8(children.stdout).expect("numbers");
        std::iter::once(first.as_str())
            .chain(children.lines())
            .map(|process| process.trim().parse().expect("a number"))
            .collect()
    }

    pub fn crash(&self) {
        self.script("crash", &[]);
    }

    pub fn again(&self) {
        self.script("again", &[]);
    }

    fn script(&self, action: &str, environment: &[(&str, &str)]) -> String {
        self.run_script(action, None, environment)
    }

    fn run_script(&self, action: &str, other: Option<&OsStr>, environment: &[(&str, &str)]) -> String {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/postgres.sh");
        let words: Vec<&OsStr> = self.prefix.iter().map(OsStr::new).chain([script.as_os_str()]).collect();
        let done = Command::new(words[0])
            .args(&words[1..])
            .arg(action)
            .arg(&self.folder)
            .args(other)
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
