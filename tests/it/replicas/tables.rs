//! Tables that play continuously while their database has faults, and their acknowledged events.

use std::sync::atomic::Ordering;

use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Text};
use estimation_store::PgConnection;
use tokio::task::{JoinHandle, block_in_place};

use crate::nodes::driver::{CommandAnswer, Drive, Driver, Pace};
use crate::nodes::kills::{Outcome, check};
use crate::nodes::ledger::Answers;
use crate::prelude::*;

/// The time after a fault within which all tables must write again.
pub const BACK_WITHIN: Duration = Duration::from_secs(30);

/// The timeout of a client. Nodes promise an answer within 10 seconds.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(15);

pub struct Tables {
    pub drive: Arc<Drive>,
    nodes: Vec<Node>,
    driving: Vec<JoinHandle<Vec<CommandAnswer>>>,
    _site: Site,
}

pub struct Moment {
    at: Instant,
    answers: BTreeMap<usize, Answers>,
}

impl Tables {
    /// Starts two nodes on the servers of a URL, and begins to play.
    pub async fn open(url: &str, count: usize, think: Duration) -> Tables {
        let site = Site::at(url);
        // Packing would remove games from the table of events.
        let node = || site.node_with(&["--pack-after", "off", "--synchronous-standbys", "on"]);
        let nodes = block_in_place(|| vec![node(), node()]);
        let urls = nodes.iter().map(|node| node.url.clone()).collect();
        let drive = Drive::at_pace(urls, Pace { timeout: CLIENT_TIMEOUT, think });
        let mut driving = Vec::new();
        for number in 0..count {
            driving.push(tokio::spawn(Driver::seat(&drive, number).await.run()));
        }
        let mut tables = Tables { drive, nodes, driving, _site: site };
        tables.all_write_after(Instant::now()).await;
        tables
    }

    /// Panics if a driver has panicked because of a wrong answer.
    async fn still_play(&mut self) {
        if let Some(ended) = self.driving.iter().position(JoinHandle::is_finished) {
            self.driving.swap_remove(ended).await.expect("a driver that goes on");
            panic!("a driver ended before its time");
        }
    }

    pub fn moment(&self) -> Moment {
        Moment { at: Instant::now(), answers: self.drive.ledger.tables() }
    }

    /// The tables with an acknowledged write that was sent after a moment.
    pub fn acknowledged_after(&self, at: Instant) -> Vec<usize> {
        let tables = self.drive.ledger.tables();
        let after = |answers: &Answers| answers.acknowledged.is_some_and(|sent| sent > at);
        tables.iter().filter(|(_, answers)| after(answers)).map(|(table, _)| *table).collect()
    }

    fn refused_since(&self, moment: &Moment, times: usize) -> Vec<usize> {
        let tables = self.drive.ledger.tables();
        let before = |table| moment.answers.get(table).map_or(0, |answers| answers.refused);
        let refused = tables.iter().filter(|(table, answers)| answers.refused >= before(*table) + times);
        refused.map(|(table, _)| *table).collect()
    }

    /// Waits until all tables have been refused several times since a moment. Panics if a write sent after it
    /// is acknowledged.
    pub async fn all_are_refused(&mut self, moment: &Moment, times: usize) {
        eventually("all tables are refused", async || {
            self.still_play().await;
            let acknowledged = self.acknowledged_after(moment.at);
            assert!(
                acknowledged.is_empty(),
                "acknowledged to tables {acknowledged:?} after {:?}, while no standby confirms",
                moment.at.elapsed()
            );
            self.refused_since(moment, times).len() == self.driving.len()
        })
        .await;
    }

    /// Waits until each table has had an acknowledgement since a moment, or enough other answers. Runs
    /// `between` between checks.
    pub async fn all_are_answered(&mut self, moment: &Moment, times: usize, mut between: impl FnMut()) {
        eventually("all tables are answered", async || {
            self.still_play().await;
            block_in_place(&mut between);
            let mut answered = self.acknowledged_after(moment.at);
            answered.extend(self.refused_since(moment, times));
            answered.sort_unstable();
            answered.dedup();
            answered.len() == self.driving.len()
        })
        .await;
    }

    /// Waits until this many tables have an acknowledged write that was sent after a moment. Returns the time
    /// since that moment.
    pub async fn write_after(&mut self, at: Instant, tables: usize) -> Duration {
        found("tables write", async || {
            self.still_play().await;
            (self.acknowledged_after(at).len() >= tables).then(|| at.elapsed())
        })
        .await
    }

    pub async fn all_write_after(&mut self, at: Instant) -> Duration {
        self.write_after(at, self.driving.len()).await
    }

    /// The same for all tables, with a time limit.
    pub async fn all_write_soon_after(&mut self, at: Instant) -> Duration {
        let took = self.all_write_after(at).await;
        assert!(took < BACK_WITHIN, "writes were back after {took:?}");
        took
    }

    /// Compares a server's log with all acknowledged events. Returns their number.
    pub fn are_in_the_log_of(&self, url: &str) -> usize {
        let acknowledged = self.drive.ledger.events();
        let missing = block_in_place(|| missing(&acknowledged, &log(url)));
        assert!(
            missing.is_empty(),
            "of {} acknowledged events {} are not in the log, such as {:?}",
            acknowledged.len(),
            missing.len(),
            missing.first()
        );
        acknowledged.len()
    }

    /// Waits until a standby has replayed everything acknowledged until now.
    pub async fn reach(&self, url: &str) {
        let acknowledged = self.drive.ledger.events();
        let what = format!("{url} has what was acknowledged");
        eventually(what, async || block_in_place(|| missing(&acknowledged, &log(url)).is_empty())).await;
    }
}

impl Tables {
    /// Finishes all games, and compares them with a server's log.
    pub async fn finish(mut self, url: &str) {
        self.drive.enough.store(true, Ordering::Relaxed);
        let mut games = Vec::new();
        for driver in std::mem::take(&mut self.driving) {
            games.extend(driver.await.expect("a driver that finished its games"));
        }
        self.are_in_the_log_of(url);
        let outsider = Outsider::Postgres(PgConnection::establish(url).expect("a server"));
        let mut outcome = Outcome { games, nodes: std::mem::take(&mut self.nodes) };
        check(outsider, &mut outcome).await;
        println!(
            "{} games are over, and all of them are in the log as they were played",
            outcome.games.len()
        );
    }
}

impl Drop for Tables {
    fn drop(&mut self) {
        if std::thread::panicking() {
            for (node, number) in self.nodes.iter().zip(1..) {
                let path = format!("{}/replicas-node-{number}.log", env!("CARGO_TARGET_TMPDIR"));
                let written = std::fs::write(&path, node.complaints());
                eprintln!("the log of {} is in {path}: {written:?}", node.url);
            }
        }
        self.driving.iter().for_each(JoinHandle::abort);
    }
}

fn log(url: &str) -> BTreeMap<(String, u64), String> {
    let mut conn = PgConnection::establish(url).expect("a server");
    let query = sql::<(Text, BigInt, Binary)>("SELECT game_id, seq, hash FROM game_events");
    let rows: Vec<(String, i64, Vec<u8>)> = query.load(&mut conn).expect("the log");
    let event =
        |(game, seq, hash)| ((game, u64::try_from(seq).expect("a number")), hex::encode::<Vec<u8>>(hash));
    rows.into_iter().map(event).collect()
}

/// Acknowledged events that the log lacks or has with another hash.
fn missing(
    acknowledged: &BTreeMap<(String, u64), String>,
    log: &BTreeMap<(String, u64), String>,
) -> Vec<(String, u64)> {
    let lost = acknowledged.iter().filter(|(event, hash)| log.get(*event) != Some(*hash));
    lost.map(|(event, _)| event.clone()).collect()
}
