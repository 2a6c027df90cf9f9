//! Pacing: closed or open loop, with a warm-up and a limit.
//!
//! In a closed loop each table sends its next command when the previous one was answered. In an open loop
//! commands are scheduled at a fixed rate, whether the service keeps up or not, and latencies count from the
//! scheduled times. A service that stalls cannot hide it by delaying the clients that measure it.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::SetOnce;
use tokio::time::sleep_until;

/// The pacing of a run.
pub struct Pace {
    /// The time before commands count.
    pub warm_up: Duration,
    /// How long they count; none until all games are played.
    pub length: Option<Duration>,
    /// Commands per second; none for a closed loop.
    pub rate: Option<f64>,
    began: SetOnce<Instant>,
    /// The number of tables.
    pub tables: usize,
    /// The tables that are not ready to play.
    awaited: AtomicUsize,
    due: AtomicU64,
}

impl Pace {
    pub fn of(warm_up: Duration, length: Option<Duration>, rate: Option<f64>, tables: usize) -> Pace {
        let (began, awaited) = (SetOnce::new(), AtomicUsize::new(tables));
        Pace { warm_up, length, rate, began, tables, awaited, due: AtomicU64::new(0) }
    }

    /// The share of its first game that a table plays before the clock starts. In an open loop of a given length the
    /// tables start at different points of the game: tables that end their games at the same moment would all open
    /// their next ones then, and no table would be left to send what is scheduled.
    pub fn share_ahead(&self, table: usize) -> f64 {
        match (self.rate, self.length) {
            (Some(_), Some(_)) => table as f64 / self.tables as f64,
            _ => 0.0,
        }
    }

    /// Reports that one of the tables is ready to play, or never will be. The last one starts the clock, so that
    /// no command is scheduled while players register, sit down and deal. Returns whether this was the last one.
    pub fn arrive(&self) -> bool {
        self.awaited.fetch_sub(1, Ordering::AcqRel) == 1 && self.began.set(Instant::now()).is_ok()
    }

    /// Waits until all tables are ready. Returns the time at which the clock started.
    pub async fn started(&self) -> Instant {
        *self.began.wait().await
    }

    /// Whether the time is over. In an open loop, commands scheduled before the end are still sent, because a
    /// service that stalls at the end could hide it otherwise.
    pub fn is_over(&self) -> bool {
        let (Some(began), Some(length)) = (self.began.get(), self.length) else { return false };
        let now = match self.rate {
            Some(rate) => due(rate, self.due.load(Ordering::Relaxed)),
            None => began.elapsed(),
        };
        now >= self.warm_up + length
    }

    /// How long commands counted in a run that took `took` after its warm-up. In an open loop, until the last
    /// command was answered.
    pub fn counted(&self, took: Duration, last: Option<Instant>) -> Duration {
        let Some(length) = self.length else { return took };
        let last = last.filter(|_| self.rate.is_some()).zip(self.counts_from());
        last.map_or(length, |(last, from)| last.saturating_duration_since(from).max(length))
    }

    /// The time from which commands count.
    pub fn counts_from(&self) -> Option<Instant> {
        self.began.get().map(|began| *began + self.warm_up)
    }

    /// Whether a command sent at this time counts.
    pub fn counts(&self, at: Instant) -> bool {
        let Some(began) = self.began.get() else { return false };
        let since = at.saturating_duration_since(*began);
        since >= self.warm_up && self.length.is_none_or(|length| since < self.warm_up + length)
    }

    /// In an open loop, waits until the next command is scheduled. Returns the time from which its latency
    /// counts.
    pub async fn turn(&self) -> Instant {
        let (Some(rate), Some(began)) = (self.rate, self.began.get()) else { return Instant::now() };
        let number = self.due.fetch_add(1, Ordering::Relaxed);
        let due = *began + due(rate, number);
        sleep_until(due.into()).await;
        due
    }
}

/// The scheduled time of a command, relative to the start.
fn due(rate: f64, number: u64) -> Duration {
    Duration::from_secs_f64(number as f64 / rate)
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::*;

    #[test]
    fn commands_of_the_warm_up_and_after_the_end_do_not_count() {
        let pace = Pace::of(Duration::from_secs(2), Some(Duration::from_secs(3)), None, 1);
        let now = Instant::now();
        assert!(!pace.counts(now) && !pace.is_over());
        pace.arrive();
        let began = *pace.began.get().unwrap();
        let at = |seconds| pace.counts(began + Duration::from_secs(seconds));
        assert_eq!([0, 1, 2, 4, 5, 6].map(at), [false, false, true, true, false, false]);
    }

    #[test]
    fn tables_of_an_open_loop_start_at_different_points_of_the_game() {
        let shares = |rate, length| {
            let pace = Pace::of(Duration::ZERO, length, rate, 4);
            [0, 1, 2, 3].map(|table| pace.share_ahead(table))
        };
        assert_eq!(shares(Some(100.0), Some(Duration::from_secs(1))), [0.0, 0.25, 0.5, 0.75]);
        assert_eq!(shares(None, Some(Duration::from_secs(1))), [0.0; 4]);
        assert_eq!(shares(Some(100.0), None), [0.0; 4]);
    }

    #[tokio::test]
    async fn no_command_is_scheduled_before_the_last_table_is_ready() {
        let pace = Pace::of(Duration::ZERO, None, Some(1_000.0), 2);
        pace.arrive();
        let mut started = pin!(pace.started());
        assert!(started.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        let ready = Instant::now();
        pace.arrive();
        assert!(started.await >= ready);
        assert!(pace.turn().await >= ready, "the first command is late before it can be sent");
    }

    #[tokio::test]
    async fn in_an_open_loop_a_late_command_keeps_its_scheduled_time() {
        let pace = Pace::of(Duration::ZERO, None, Some(1_000.0), 1);
        pace.arrive();
        let began = *pace.began.get().unwrap();
        tokio::time::sleep(Duration::from_millis(30)).await;
        for number in 0..20 {
            assert_eq!(pace.turn().await, began + Duration::from_millis(number));
        }
    }

    #[tokio::test]
    async fn an_open_loop_ends_when_all_scheduled_commands_were_sent() {
        let pace = Pace::of(Duration::from_millis(10), Some(Duration::from_millis(20)), Some(1_000.0), 1);
        pace.arrive();
        tokio::time::sleep(Duration::from_millis(40)).await;
        let mut counted = 0;
        while !pace.is_over() {
            counted += u32::from(pace.counts(pace.turn().await));
        }
        assert_eq!(counted, 20);
        let from = pace.counts_from().unwrap();
        let counted = |last| pace.counted(Duration::from_secs(9), Some(from + Duration::from_secs(last)));
        assert_eq!([0, 7].map(counted), [Duration::from_millis(20), Duration::from_secs(7)]);
    }
}
