//! A site: a database, the keys, and the nodes that share them.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::harness::node::Circumstances;
use crate::prelude::*;

/// The secret of the keys that nodes on PostgreSQL share.
pub const SECRET: &str = "a secret that all of these nodes share";

pub struct Site {
    pub database: Location,
    folder: TempDir,
    started: AtomicUsize,
}

pub enum Location {
    /// Created for this test and dropped with it.
    Test(TestDatabase),
    At(String),
}

impl From<TestDatabase> for Site {
    fn from(database: TestDatabase) -> Site {
        Site::on(database)
    }
}

impl Site {
    pub fn new(backend: Backend) -> Site {
        Site::on(TestDatabase::new(backend))
    }

    pub fn on(database: TestDatabase) -> Site {
        Site::with(Location::Test(database))
    }

    /// A site on an existing database.
    pub fn at(url: &str) -> Site {
        Site::with(Location::At(url.to_owned()))
    }

    fn with(database: Location) -> Site {
        Site { database, folder: TempDir::new().expect("a folder"), started: AtomicUsize::new(0) }
    }

    pub fn url(&self) -> &str {
        match &self.database {
            Location::Test(database) => database.url_text(),
            Location::At(url) => url,
        }
    }

    /// A connection past the nodes, to the test's own database.
    pub fn outsider(&self) -> Outsider {
        match &self.database {
            Location::Test(database) => database.outsider(),
            Location::At(url) => panic!("{url} is somebody else's"),
        }
    }

    /// Makes new PostgreSQL sessions read-only and ends the nodes' open ones, which keep the old default; or lets new
    /// sessions write again.
    pub fn set_read_only(&self, read_only: bool) {
        let mut outsider = self.outsider();
        outsider.run("SET default_transaction_read_only = off").expect("for this session");
        let value = if read_only { "on" } else { "off" };
        let sql = format!(
            "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = {value}', \
             current_database()); END $$"
        );
        outsider.run(&sql).expect("a new default");
        if read_only {
            let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() \
                       AND pid <> pg_backend_pid() AND application_name = 'estimation'";
            outsider.run(cut).expect("all cut");
        }
    }

    /// The key file of the first node.
    pub fn keys_file(&self) -> String {
        self.folder.path().join("node-0/keys.json").display().to_string()
    }

    pub fn backend(&self) -> Backend {
        if self.url().starts_with("sqlite") { Backend::Sqlite } else { Backend::Postgres }
    }

    pub fn node(&self) -> Node {
        self.node_with(&[])
    }

    pub fn node_with(&self, flags: &[&str]) -> Node {
        self.node_through(self.url(), flags)
    }

    pub fn node_with_open_files(&self, open_files: u32) -> Node {
        let circumstances = Circumstances { open_files: Some(open_files), ..Circumstances::default() };
        self.start(self.url(), &[], &circumstances)
    }

    pub fn node_through(&self, url: &str, flags: &[&str]) -> Node {
        self.start(url, flags, &Circumstances::default())
    }

    pub fn node_in(&self, url: &str, flags: &[&str], environment: &[(&str, &str)]) -> Node {
        let environment =
            environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        self.start(url, flags, &Circumstances { environment, ..Circumstances::default() })
    }

    fn start(&self, url: &str, flags: &[&str], circumstances: &Circumstances) -> Node {
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        let folder = self.folder.path().join(format!("node-{number}"));
        std::fs::create_dir(&folder).expect("a folder");
        let keys = self.folder.path().join("node-0/keys.json");
        let mut all = vec![
            "--log",
            "warn",
            "--limit-accounts",
            "off",
            "--rate-address",
            "off",
            "--rate-account",
            "off",
            "--second-step-for-roles",
            "off",
            "--database-url",
            url,
            "--data-dir",
        ];
        all.push(folder.to_str().expect("a path"));
        let log_state = folder.join("log-state");
        // As an operator does for a new node.
        let known = (0..number).rev().map(|other| self.folder.path().join(format!("node-{other}/log-state")));
        if let Some(known) = known.into_iter().find(|path| path.exists()) {
            std::fs::copy(known, &log_state).expect("a copy");
        }
        all.extend(["--log-state", log_state.to_str().expect("a path")]);
        match self.backend() {
            // Nodes that share a database keep the keys there.
            Backend::Postgres => all.extend(["--keys-secret", SECRET]),
            Backend::Sqlite if number > 0 => all.extend(["--keys-file", keys.to_str().expect("a path")]),
            Backend::Sqlite => {}
        }
        all.extend(flags);
        Node::start_in(&folder, &all, circumstances)
    }

    /// Starts as many nodes as this backend supports, up to three.
    pub fn nodes(&self) -> Vec<Node> {
        let count = if self.backend() == Backend::Sqlite { 1 } else { 3 };
        (0..count).map(|_| self.node()).collect()
    }
}
