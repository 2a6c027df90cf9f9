//! Five faults of a primary and its synchronous standby, while tables play.

use diesel::Connection as _;
use estimation_store::PgConnection;
use tokio::task::block_in_place;

use super::pair::Pair;
use super::tables::{Moment, Tables};
use crate::nodes::audit::audit;
use crate::nodes::signals::Frozen;
use crate::prelude::*;

const TABLES: usize = 4;

struct Scene {
    // Dropped first: nodes end before their servers.
    tables: Tables,
    pair: Pair,
}

impl Scene {
    async fn open() -> Scene {
        let pair = block_in_place(Pair::new);
        Scene { tables: Tables::open(&pair.url(), TABLES, Duration::ZERO).await, pair }
    }

    /// Stops the standby and waits until a commit hangs. Returns a moment at which the standby was down.
    async fn standby_stops(&self) -> Moment {
        block_in_place(|| self.pair.standby.crash());
        let moment = self.tables.moment();
        self.a_commit_waits().await;
        moment
    }

    async fn a_commit_waits(&self) {
        let waits = async || block_in_place(|| !self.pair.waiting().is_empty());
        eventually("a commit waits for the standby", waits).await;
    }

    /// Destroys the primary. The stopped standby becomes the primary with the data it has.
    async fn stopped_standby_takes_over(&mut self) {
        block_in_place(|| {
            self.pair.primary.crash();
            self.pair.standby.again();
            self.pair.promote();
        });
        let promoted = Instant::now();
        self.tables.are_in_the_log_of(&self.pair.primary.socket_url());
        self.play_goes_on(promoted).await;
    }

    /// Writes resume after a moment, and the new primary has everything acknowledged. How soon is measured by `random`, on a
    /// machine that does nothing else.
    async fn play_goes_on(&mut self, since: Instant) {
        let took = self.tables.all_write_after(since).await;
        let events = self.check();
        println!("all tables write again after {took:?}; {events} acknowledged events are in the log");
    }

    /// Compares the primary's log with what was acknowledged, and checks for gaps, forks and broken chains.
    fn check(&self) -> usize {
        let url = self.pair.primary.socket_url();
        let events = self.tables.are_in_the_log_of(&url);
        self.tables.drive.were_told_the_truth();
        block_in_place(|| {
            let mut outsider = Outsider::Postgres(PgConnection::establish(&url).expect("the socket"));
            outsider
                .run("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                .expect("one state of the database");
            audit(&mut outsider);
        });
        events
    }

    /// The old primary follows the new one, and play continues with a synchronous standby.
    async fn old_primary_rejoins(&mut self) {
        block_in_place(|| self.pair.rejoin());
        self.play_goes_on(Instant::now()).await;
        self.tables.reach(&self.pair.standby.socket_url()).await;
    }
}

/// While the standby is down nothing is acknowledged, not even to a retry.
#[ignore = "all: runs, kills and freezes programs for many seconds"]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_standby_is_stopped_for_a_while() {
    let mut scene = Scene::open().await;
    let moment = scene.standby_stops().await;
    scene.tables.all_are_refused(&moment, 2).await;
    block_in_place(|| scene.pair.standby.again());
    scene.play_goes_on(Instant::now()).await;
    scene.tables.reach(&scene.pair.standby.socket_url()).await;
}

/// The sessions that wait for the standby are terminated: PostgreSQL has committed, and the standby has not.
#[ignore = "all: runs, kills and freezes programs for many seconds"]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_committing_backend_is_terminated() {
    let mut scene = Scene::open().await;
    let moment = scene.standby_stops().await;
    let pair = &scene.pair;
    scene.tables.all_are_answered(&moment, 2, || pair.terminate_waiting()).await;
    scene.stopped_standby_takes_over().await;
}

/// The primary restarts and recovers commits that the standby lacks.
#[ignore = "all: runs, kills and freezes programs for many seconds"]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_primary_restarts_while_a_commit_waits() {
    let mut scene = Scene::open().await;
    scene.standby_stops().await;
    block_in_place(|| {
        scene.pair.primary.crash();
        scene.pair.primary.again();
    });
    // The retry has the same key or the same version. Both answers say the outcome is unknown, or one
    // confirms it.
    let restarted = scene.tables.moment();
    scene.a_commit_waits().await;
    scene.tables.all_are_answered(&restarted, 2, || ()).await;
    scene.stopped_standby_takes_over().await;
}

#[ignore = "all: runs, kills and freezes programs for many seconds"]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_standby_of_a_crashed_primary_is_promoted() {
    let mut scene = Scene::open().await;
    block_in_place(|| {
        scene.pair.primary.crash();
        scene.pair.promote();
    });
    scene.play_goes_on(Instant::now()).await;
    scene.old_primary_rejoins().await;
}

/// The primary is frozen, not gone: its connections stay open, and its port accepts new ones.
#[ignore = "all: runs, kills and freezes programs for many seconds"]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_standby_of_a_frozen_primary_is_promoted() {
    let mut scene = Scene::open().await;
    let frozen = Frozen::new(|| scene.pair.primary.processes());
    block_in_place(|| scene.pair.promote());
    scene.play_goes_on(Instant::now()).await;
    frozen.kill();
    scene.old_primary_rejoins().await;
}
