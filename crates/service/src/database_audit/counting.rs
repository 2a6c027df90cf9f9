//! Counted games, results and ratings: each ended game is counted once, each player who still has an account has the
//! result that follows from the log, and the ratings are computed again from the games in the order in which they were
//! counted.

use std::collections::BTreeMap;

use super::comparison::{ExistingAccounts, Key, RATINGS, RESULTS};
use super::game::{Over, ended_meanwhile};
use super::{DatabaseAudit, MAX, PAGE};
use crate::base::failure::Failure;
use crate::endings::count::{kind, result, seats_of_bits};
use crate::players::rating::{Rating, rated};
use estimation_engine::outcome::PersonOutcome;
use estimation_engine::ruleset::RulesetId;
use estimation_store::Connection;
use estimation_store::ratings::{self, RatingRow};
use estimation_store::results::{self, CountedGame};

/// The ratings computed so far, by account and ruleset.
#[derive(Default)]
struct Ratings {
    computed: BTreeMap<Key, RatingRow>,
    /// The number of counted games whose logs cannot be read, or break the rules.
    unknown: u64,
}

impl DatabaseAudit<'_> {
    /// Compares counted games, results and ratings with the logs, in one snapshot of the database.
    pub(super) fn counted_games(&mut self, conn: &mut Connection) -> Result<(), Failure> {
        for (number, game) in results::unsettled(conn, MAX)? {
            self.find(game.parse().ok(), format!("the game with the number {number} is not counted"));
        }
        for (game, account) in results::uncounted_results(conn, MAX)? {
            let detail = format!("account {account} has a result of a game that was not counted");
            self.find(game.parse().ok(), detail);
        }
        let (mut accounts, mut ratings) = (ExistingAccounts::default(), Ratings::default());
        for counted in results::in_order_of_counting(conn)? {
            let over = match self.over.remove(&counted.game) {
                Some(over) => Some(over),
                None => ended_meanwhile(conn, counted.game, self.trust, &self.origins)?,
            };
            match over {
                Some(over) => self.counted_game(conn, &counted, &over, &mut accounts, &mut ratings)?,
                // The game itself is a finding.
                None => ratings.unknown += 1,
            }
        }
        self.ratings(conn, ratings, &mut accounts)
    }

    fn counted_game(
        &mut self,
        conn: &mut Connection,
        counted: &CountedGame,
        over: &Over,
        accounts: &mut ExistingAccounts,
        ratings: &mut Ratings,
    ) -> Result<(), Failure> {
        let game = Some(counted.game.0);
        let expected = kind(over.outcome.as_deref());
        if counted.kind != expected {
            let detail =
                format!("the game is counted as {:?}, and its log makes it {expected:?}", counted.kind);
            self.find(game, detail);
        }
        let stored = results::of_game(conn, counted.game)?;
        let Some(outcome) = &over.outcome else {
            if !stored.is_empty() {
                self.find(game, "there are results, and the game counts for no player");
            }
            return Ok(());
        };
        let mut expected = BTreeMap::new();
        for person in &outcome.people {
            if accounts.exist(conn, &person.account)? {
                let number = counted.number.unsigned_abs();
                let row = result(number, counted.game, over.ruleset, over.ended_at, person);
                expected.insert((person.account.clone(), Vec::new()), row);
            }
        }
        // The players whose accounts were deleted when the game was counted.
        let seats = seats_of_bits(counted.absent);
        let absent: Vec<_> = outcome.people.iter().filter(|person| seats.contains(person.seat)).collect();
        for PersonOutcome { account, .. } in &absent {
            if accounts.exist(conn, account)? {
                self.find(game, format!("account {account} counted as deleted, and exists"));
            }
        }
        let stored = stored.into_iter().map(|row| ((row.account_id.clone(), Vec::new()), row));
        for fault in RESULTS.faults(conn, expected, stored)? {
            self.find(game, fault);
        }
        if outcome.rated {
            ratings.count(over.ruleset, &outcome.people, &absent);
        }
        Ok(())
    }

    /// Compares the stored ratings with the computed ones.
    fn ratings(
        &mut self,
        conn: &mut Connection,
        Ratings { mut computed, unknown }: Ratings,
        accounts: &mut ExistingAccounts,
    ) -> Result<(), Failure> {
        if unknown > 0 {
            let games = if unknown == 1 { "1 game".to_owned() } else { format!("{unknown} games") };
            self.notes.push(format!("ratings were not checked: {games} that counted cannot be read"));
            return Ok(());
        }
        let (mut last, mut faults) = ((String::new(), String::new()), Vec::new());
        loop {
            let page = ratings::after(conn, (&last.0, &last.1), PAGE)?;
            let Some(row) = page.last() else { break };
            last = (row.account_id.to_string(), row.ruleset.clone());
            let page = page.into_iter().map(|row| ((row.account_id.clone(), vec![row.ruleset.clone()]), row));
            faults.extend(RATINGS.of_stored(&mut computed, page));
        }
        faults.extend(RATINGS.of_missing(conn, computed, accounts)?);
        faults.into_iter().for_each(|fault| self.find(None, fault));
        Ok(())
    }
}

impl Ratings {
    /// Counts a rated game. `absent` are the players whose accounts were deleted by then: each was rated as a new
    /// player.
    fn count(&mut self, ruleset: RulesetId, people: &[PersonOutcome], absent: &[&PersonOutcome]) {
        let ruleset = ruleset.as_str();
        let key = |person: &PersonOutcome| (person.account.clone(), vec![ruleset.to_owned()]);
        let is_absent = |person: &PersonOutcome| absent.iter().any(|absent| absent.seat == person.seat);
        let before = |person: &PersonOutcome| match self.computed.get(&key(person)) {
            Some(&RatingRow { mean, deviation, games, .. }) if !is_absent(person) => {
                (Rating { mean, deviation }, games)
            }
            _ => (Rating::NEW, 0),
        };
        let before: Vec<(Rating, i64)> = people.iter().map(before).collect();
        let strengths: Vec<(Rating, u8)> =
            before.iter().zip(people).map(|((rating, _), person)| (*rating, person.rank)).collect();
        for ((person, (_, games)), rating) in people.iter().zip(before).zip(rated(&strengths)) {
            if !is_absent(person) {
                let Rating { mean, deviation } = rating;
                let row = RatingRow {
                    account_id: person.account.clone(),
                    ruleset: ruleset.to_owned(),
                    mean,
                    deviation,
                    ordinal: rating.ordinal(),
                    games: games + 1,
                };
                self.computed.insert(key(person), row);
            }
        }
    }
}
