//! The long form: a Patroni cluster on three machines, two nodes, 32 tables, and random faults.
//!
//! `ESTIMATION_TEST_SEED` repeats the faults of a run, `ESTIMATION_TEST_FAULTS` sets their number.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::task::block_in_place;

use super::machines::{Machines, Whole};
use super::tables::{BACK_WITHIN, Tables};
use crate::nodes::signals::Frozen;
use crate::prelude::*;

const TABLES: usize = 32;

/// The pause of a player: it keeps the log small enough to read whole after each fault.
const THINK: Duration = Duration::from_millis(200);

/// The time from a fault until writes resumed.
#[derive(Debug)]
struct Outage {
    first: Duration,
    all: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    PostgresKilled,
    PrimaryKilled,
    PrimaryFrozen,
    PrimaryCutOff,
    StandbyKilled,
    StandbyFrozen,
    StandbyCutOff,
    Switchover,
    EtcdLeaderKilled,
}

use Fault::{
    EtcdLeaderKilled, PostgresKilled, PrimaryCutOff, PrimaryFrozen, PrimaryKilled, StandbyCutOff,
    StandbyFrozen, StandbyKilled, Switchover,
};

impl Fault {
    const ALL: [Fault; 9] = [
        PostgresKilled,
        PrimaryKilled,
        PrimaryFrozen,
        PrimaryCutOff,
        StandbyKilled,
        StandbyFrozen,
        StandbyCutOff,
        Switchover,
        EtcdLeaderKilled,
    ];

    fn name(self) -> &'static str {
        match self {
            PostgresKilled => "PostgreSQL of the primary killed",
            PrimaryKilled => "PostgreSQL and Patroni of the primary killed",
            PrimaryFrozen => "primary's machine stopped (SIGSTOP), continued later",
            PrimaryCutOff => "primary's machine cut off from the network",
            StandbyKilled => "synchronous standby killed",
            StandbyFrozen => "synchronous standby's machine stopped",
            StandbyCutOff => "synchronous standby's machine cut off",
            Switchover => "planned switchover",
            EtcdLeaderKilled => "etcd's leader killed",
        }
    }

    fn moves_the_primary(self) -> bool {
        matches!(self, PrimaryKilled | PrimaryFrozen | PrimaryCutOff | Switchover)
    }
}

enum Damage {
    None,
    Killed(&'static str, usize),
    Frozen(Frozen),
    CutOff(usize),
}

fn strike(machines: &Machines, fault: Fault, whole: Whole, etcd_leader: usize) -> Damage {
    let Whole { primary, standby } = whole;
    let kill = |machine| {
        machines.kill(machine, "patroni");
        machines.kill(machine, "postgres");
        Damage::Killed("patroni", machine)
    };
    let cut_off = |machine| {
        machines.plug(machine, "down");
        Damage::CutOff(machine)
    };
    match fault {
        PostgresKilled => {
            machines.kill(primary, "postgres");
            Damage::None
        }
        PrimaryKilled => kill(primary),
        StandbyKilled => kill(standby),
        PrimaryFrozen => Damage::Frozen(machines.freeze(primary)),
        StandbyFrozen => Damage::Frozen(machines.freeze(standby)),
        PrimaryCutOff => cut_off(primary),
        StandbyCutOff => cut_off(standby),
        Switchover => {
            machines.switch_over_to(standby);
            Damage::None
        }
        EtcdLeaderKilled => {
            machines.kill(etcd_leader, "etcd");
            Damage::Killed("etcd", etcd_leader)
        }
    }
}

fn repair(machines: &Machines, damage: Damage) {
    match damage {
        Damage::None => {}
        Damage::Killed(service, machine) => machines.start_again(service, machine),
        Damage::Frozen(frozen) => drop(frozen),
        Damage::CutOff(machine) => machines.plug(machine, "up"),
    }
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().unwrap_or_else(|_| panic!("{name} is no number")))
}

/// Faults in random order; each kind comes once before any repeats.
fn drawn(mut dice: Random, count: usize) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut left = Vec::new();
    while faults.len() < count {
        if left.is_empty() {
            left.extend(Fault::ALL);
        }
        faults.push(left.swap_remove(dice.below(left.len())));
    }
    faults
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long: takes half an hour, and root; .ci/replicas.sh runs it"]
async fn faults_at_random() {
    let begun = Instant::now();
    let seed = setting("ESTIMATION_TEST_SEED").unwrap_or(u64::from(std::process::id()));
    let count = setting("ESTIMATION_TEST_FAULTS").map_or(50, |count| count as usize);
    println!("ESTIMATION_TEST_SEED={seed} ESTIMATION_TEST_FAULTS={count}");
    let machines = block_in_place(Machines::start);
    let mut whole = machines.whole().await;
    let mut tables = Tables::open(&machines.url(), TABLES, THINK).await;
    println!("{TABLES} tables play after {:?}", begun.elapsed());

    let mut times: BTreeMap<Fault, Vec<Outage>> = BTreeMap::new();
    for (fault, number) in drawn(Random(seed), count).into_iter().zip(1..) {
        let etcd_leader = machines.etcd_leader().await;
        println!("{number}. {} at {} s", fault.name(), begun.elapsed().as_secs());
        let struck = Instant::now();
        let damage = block_in_place(|| strike(&machines, fault, whole, etcd_leader));
        // Acknowledgements of the old primary in the meantime do not count.
        let mut from = Instant::now();
        let mut primary = whole.primary;
        if fault.moves_the_primary() {
            primary = machines.primary_other_than(whole.primary).await;
            from = Instant::now();
            println!("   another primary after {:.1} s", (from - struck).as_secs_f64());
        }
        tables.write_after(from, 1).await;
        let first = struck.elapsed();
        tables.all_write_after(from).await;
        let all = struck.elapsed();
        if fault.moves_the_primary() {
            machines.has_standby(primary).await;
            println!("   its synchronous standby is listed after {:.1} s", struck.elapsed().as_secs_f64());
        }
        times.entry(fault).or_default().push(Outage { first, all });
        if fault != PostgresKilled {
            tables.are_in_the_log_of(&machines.server(primary));
        }
        block_in_place(|| repair(&machines, damage));
        let before = std::mem::replace(&mut whole, machines.whole().await);
        tables.all_write_soon_after(Instant::now()).await;
        let events = tables.are_in_the_log_of(&machines.server(whole.primary));
        tables.reach(&machines.server(whole.standby)).await;
        println!(
            "   writes back after {:.1} s, at all tables after {:.1} s, whole after {:.1} s, primary {} -> {}, {events} events in the log",
            first.as_secs_f64(),
            all.as_secs_f64(),
            struck.elapsed().as_secs_f64(),
            before.primary,
            whole.primary
        );
    }

    let drive = Arc::clone(&tables.drive);
    tables.finish(&machines.server(whole.primary)).await;
    let counted = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
    println!(
        "{count} faults with seed {seed} in {:.0} s: {} commands, {} doubtful requests, {} replayed answers, {} streams \
         taken up again, {} stale reads, slowest answer {:.1} s",
        begun.elapsed().as_secs_f64(),
        counted(&drive.commands),
        counted(&drive.doubtful),
        counted(&drive.replayed),
        counted(&drive.resumed),
        counted(&drive.stale),
        drive.ledger.slowest().as_secs_f64()
    );
    print_table(&times);
    drive.were_told_the_truth();
    let is_late = |outage: &Outage| outage.all >= BACK_WITHIN;
    let late: Vec<_> = times.iter().filter(|(_, outages)| outages.iter().any(is_late)).collect();
    assert!(late.is_empty(), "writes were back too late: {late:?}");
}

fn print_table(times: &BTreeMap<Fault, Vec<Outage>>) {
    println!(
        "| fault | count | writes back: median | max | at all tables: median | max |\n|---|---|---|---|---|---|"
    );
    for (fault, outages) in times {
        let (first_median, first_max) = median_and_max(outages.iter().map(|outage| outage.first));
        let (all_median, all_max) = median_and_max(outages.iter().map(|outage| outage.all));
        println!(
            "| {} | {} | {first_median:.1} s | {first_max:.1} s | {all_median:.1} s | {all_max:.1} s |",
            fault.name(),
            outages.len()
        );
    }
}

fn median_and_max(times: impl Iterator<Item = Duration>) -> (f64, f64) {
    let mut seconds: Vec<f64> = times.map(|time| time.as_secs_f64()).collect();
    seconds.sort_unstable_by(f64::total_cmp);
    (seconds[seconds.len() / 2], seconds[seconds.len() - 1])
}
