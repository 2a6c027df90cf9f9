//! The names of bots. A bot's name follows from its game and its place: every node finds the same one, and drawing seats
//! does not change it.

use crate::base::locale::Language;
use estimation_engine::seat::Place;
use estimation_store::GameId;

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

    use super::*;
    use crate::base::clock::{Clock, SystemClock};
    use crate::base::entropy::SystemEntropy;
    use crate::base::ids::new_id;

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
