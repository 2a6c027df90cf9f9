//! The time that a bot takes, and its name.

use std::time::Duration;

use jiff::SignedDuration;

use crate::base::failure::milliseconds;
use crate::base::locale::Language;
use estimation_engine::game::Game;
use estimation_engine::seat::Place;
use estimation_record::turn_clock::{Deadline, TimedAction, TurnClock};
use estimation_store::{GameId, Hash};

/// How long after a bot's turn is due another node plays it, if the node that made it due does not. Longer than several
/// turns of bots, because a bot that moves after a bot does not write the game's row.
const TAKEOVER: SignedDuration = SignedDuration::from_secs(5);

/// The range of the time that a bot's turn takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BotDelay {
    min: Duration,
    max: Duration,
}

/// The next timed action of a game, and when nodes look for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NextTimedAction {
    pub(crate) deadline: Deadline,
    /// The time for the game's row, in milliseconds.
    pub(crate) wake_at: i64,
}

impl BotDelay {
    /// The default range.
    pub const DEFAULT: BotDelay =
        BotDelay { min: Duration::from_millis(600), max: Duration::from_millis(1_600) };

    /// The shortest possible time: more than the strongest bot searches.
    pub const LEAST: Duration = Duration::from_millis(300);

    /// The longest possible time.
    pub const MAX: Duration = Duration::from_secs(10);

    /// A range; `None` if it is empty or exceeds the limits.
    pub fn between(min: Duration, max: Duration) -> Option<BotDelay> {
        let fits = BotDelay::LEAST <= min && min <= max && max <= BotDelay::MAX;
        fits.then_some(BotDelay { min, max })
    }

    /// How long to wait for a turn that is due in so long: even for a late one more than the strongest bot searches, and no
    /// longer than the range allows, whatever the clocks of other nodes say.
    pub(crate) fn wait(self, left: Duration) -> Duration {
        left.clamp(BotDelay::LEAST, self.max)
    }

    /// The time of the turn that begins with this head of a log.
    fn after(self, head: &Hash) -> SignedDuration {
        let [.., a, b, c, d] = *head;
        let width = (self.max - self.min).as_millis() as u64 + 1;
        let drawn = u64::from(u32::from_be_bytes([a, b, c, d])) % width;
        SignedDuration::from_millis((self.min.as_millis() as u64 + drawn) as i64)
    }
}

/// The next timed action of a game with this head; none once it is over. Without a delay, bots act at once.
pub(crate) fn schedule(
    delay: Option<BotDelay>,
    turn_clock: TurnClock,
    game: &Game,
    head: &Hash,
) -> Option<NextTimedAction> {
    let due = turn_clock.due(game)?;
    let (at, wakes) = match (due.duty, delay) {
        (TimedAction::Bot(_), Some(delay)) => {
            let at = due.at.plus(delay.after(head));
            (at, at.plus(TAKEOVER))
        }
        _ => (due.at, due.at),
    };
    Some(NextTimedAction { deadline: Deadline { at, ..due }, wake_at: milliseconds(wakes.timestamp()) })
}

/// The number of names in each language. It is a prime number, so that every step through the list meets all of them.
pub const BOT_NAMES: u64 = 41;

/// The name of a bot, in every language. Bots at one table have different names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BotName(usize);

impl BotName {
    pub(crate) fn at(game: GameId, place: Place) -> BotName {
        // The random half of the id.
        let (_, number) = game.0.as_u64_pair();
        let (first, step) = (number % BOT_NAMES, 1 + number / BOT_NAMES % (BOT_NAMES - 1));
        BotName(((first + place.index() as u64 * step) % BOT_NAMES) as usize)
    }

    pub fn in_language(self, language: Language) -> &'static str {
        language.bot_names().get(self.0).map(String::as_str).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use sha2::{Digest, Sha256};

    use super::*;
    use crate::base::clock::{Clock, SystemClock};
    use crate::base::entropy::SystemEntropy;
    use crate::base::ids::new_id;

    #[test]
    fn times_are_spread_over_the_range() {
        let delay = BotDelay::DEFAULT;
        let heads = (0..10_000_u32).map(|number| Hash::from(Sha256::digest(number.to_be_bytes())));
        let mut times: Vec<i128> = heads.map(|head| delay.after(&head).as_millis()).collect();
        times.sort_unstable();
        assert!(times[0] >= 600 && times[9_999] <= 1_600, "{} to {}", times[0], times[9_999]);
        for (part, expected) in [(2_500, 850), (5_000, 1_100), (7_500, 1_350)] {
            assert!((times[part] - expected).abs() < 40, "{} at {part}", times[part]);
        }
    }

    #[test]
    fn a_range_keeps_within_the_limits() {
        let range = |min, max| BotDelay::between(Duration::from_millis(min), Duration::from_millis(max));
        assert_eq!(range(600, 1_600), Some(BotDelay::DEFAULT));
        assert!(range(300, 300).is_some() && range(300, 10_000).is_some());
        for (min, max) in [(299, 600), (700, 600), (300, 10_001), (0, 0)] {
            assert_eq!(range(min, max), None, "{min} {max}");
        }
    }

    #[test]
    fn bots_at_a_table_have_different_names() {
        let mut names = HashSet::new();
        for _ in 0..2_000 {
            let game = GameId(new_id(SystemClock.now(), &SystemEntropy));
            let table =
                (0..5).map(|place| BotName::at(game, Place::new(place)).in_language(Language::Arabic));
            let table: HashSet<_> = table.collect();
            assert_eq!(table.len(), 5, "{game}");
            names.extend(table);
        }
        assert_eq!(names.len() as u64, BOT_NAMES);
    }
}
