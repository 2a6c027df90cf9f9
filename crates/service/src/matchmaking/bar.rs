//! The bar from matchmaking: an account that misses openings of client seeds keeps others from playing.
//!
//! It follows from the missed openings that statistics count, so every node knows it, also after a restart.

use std::sync::Arc;

use super::Matchmaking;
use crate::base::failure::{Failure, milliseconds};
use estimation_engine::break_off::BreakOffKind;
use estimation_engine::player::AccountId;
use estimation_store::break_offs;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;

/// A missed opening bars an account if it missed another one within this time before.
const WITHIN: i64 = HOUR;

/// The first bar. Each further one doubles, up to the longest.
const FIRST: i64 = 2 * MINUTE;
const LONGEST: i64 = HOUR;

/// For how long a bar makes later ones longer.
const MEMORY: i64 = 24 * HOUR;

/// When the last bar of an account ends that missed openings at these times, oldest first; none without a bar.
fn last_bar_ends(missed: &[i64]) -> Option<i64> {
    let mut barring: Vec<i64> = Vec::new();
    let mut ends = None;
    for pair in missed.windows(2) {
        let &[before, at] = pair else { continue };
        if at - before > WITHIN {
            continue;
        }
        let former = barring.iter().filter(|&&former| at - former < MEMORY).count();
        let length =
            u32::try_from(former).ok().and_then(|former| FIRST.checked_mul(1_i64.checked_shl(former)?));
        let length = length.filter(|length| (FIRST..=LONGEST).contains(length)).unwrap_or(LONGEST);
        ends = ends.max(Some(at + length));
        barring.push(at);
    }
    ends
}

impl Matchmaking {
    /// Until when an account is barred, in milliseconds since 1970 in UTC; none if it is not.
    pub(super) async fn barred_until(
        self: &Arc<Matchmaking>,
        account: &AccountId,
    ) -> Result<Option<i64>, Failure> {
        let (account, now) = (account.clone(), milliseconds(self.clock.now()));
        // A bar of this moment depends on bars of the memory before it began, and these on misses before them.
        let since = now - LONGEST - MEMORY - WITHIN;
        let kind = BreakOffKind::OpeningMissed.as_str();
        let read = self.database.read(move |conn| break_offs::times_after(conn, &account, kind, since));
        Ok(last_bar_ends(&read.await?).filter(|&until| until > now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The minutes of the last bar after missed openings at these minutes.
    fn bar(missed: &[i64]) -> Option<i64> {
        let missed: Vec<i64> = missed.iter().map(|at| at * MINUTE).collect();
        last_bar_ends(&missed).map(|ends| (ends - missed.last().unwrap()) / MINUTE)
    }

    #[test]
    fn the_second_missed_opening_within_an_hour_bars() {
        assert_eq!((bar(&[]), bar(&[0]), bar(&[0, 61]), bar(&[0, 60])), (None, None, None, Some(2)));
        assert_eq!(bar(&[0, 61, 122, 183]), None);
        assert_eq!(bar(&[0, 61, 62]), Some(2));
    }

    #[test]
    fn bars_double_up_to_an_hour() {
        let mut missed = vec![0];
        for expected in [2, 4, 8, 16, 32, 60, 60] {
            missed.push(missed.last().unwrap() + 60);
            assert_eq!(bar(&missed), Some(expected));
        }
        missed.extend(std::iter::repeat_n(*missed.last().unwrap(), 100));
        assert_eq!(bar(&missed), Some(60));
    }

    #[test]
    fn a_bar_is_forgotten_after_a_day() {
        assert_eq!(bar(&[0, 1, 1439, 1440]), Some(4));
        assert_eq!(bar(&[0, 1, 1440, 1441]), Some(2));
    }
}
