//! Counted games and results: each ended game is counted once, and each player who still has an account has the result
//! that follows from the log.

use std::collections::{HashMap, HashSet};

use super::existing_accounts::ExistingAccounts;
use super::game::{Over, ended_meanwhile};
use super::ratings::Ratings;
use super::{DatabaseAudit, MOST};
use crate::endings::count::{kind, result, seats_of_bits};
use crate::games::failure::GameFailure;
use estimation_engine::outcome::{Outcome, PersonOutcome};
use estimation_engine::player::AccountId;
use estimation_store::Connection;
use estimation_store::results::{self, CountedGame, ResultRow};

impl DatabaseAudit<'_> {
    /// Compares counted games, results and ratings with the logs, in one snapshot of the database.
    pub(super) fn counted_games(&mut self, conn: &mut Connection) -> Result<(), GameFailure> {
        for (number, game) in results::unsettled(conn, MOST)? {
            let detail = format!("the game with the number {number} is not counted");
            self.find(game.parse().ok(), detail);
        }
        for (game, account) in results::uncounted_results(conn, MOST)? {
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
                None => ratings.unknown_game(),
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
    ) -> Result<(), GameFailure> {
        let expected = kind(over.outcome.as_deref());
        if counted.kind != expected {
            let detail =
                format!("the game is counted as {:?}, and its log makes it {expected:?}", counted.kind);
            self.find(Some(counted.game.0), detail);
        }
        let mut stored: HashMap<AccountId, ResultRow> = results::of_game(conn, counted.game)?
            .into_iter()
            .map(|row| (row.account_id.clone(), row))
            .collect();
        let Some(outcome) = &over.outcome else {
            if !stored.is_empty() {
                self.find(Some(counted.game.0), "there are results, and the game counts for no player");
            }
            return Ok(());
        };
        let mut existing = HashSet::new();
        for person in &outcome.people {
            if accounts.exist(conn, &person.account)? {
                existing.insert(person.account.clone());
                let number = counted.number.unsigned_abs();
                let expected = result(number, counted.game, over.ruleset, over.ended_at, person);
                self.result(&expected, stored.remove(&person.account).as_ref());
            }
        }
        for account in stored.keys() {
            let detail = format!("account {account} has a result, and did not play or was deleted");
            self.find(Some(counted.game.0), detail);
        }
        if outcome.rated {
            let absent = self.absent(counted, outcome, &existing);
            ratings.count(over.ruleset, &outcome.people, &absent);
        }
        Ok(())
    }

    fn result(&mut self, expected: &ResultRow, stored: Option<&ResultRow>) {
        let game = Some(expected.game_id.0);
        match stored {
            Some(stored) if stored == expected => {}
            Some(_) => {
                let detail = format!("the result of account {} is not that of the log", expected.account_id);
                self.find(game, detail);
            }
            None => self.find(game, format!("account {} has no result", expected.account_id)),
        }
    }

    /// The players whose accounts were deleted when the game was counted.
    fn absent<'o>(
        &mut self,
        counted: &CountedGame,
        outcome: &'o Outcome,
        existing: &HashSet<AccountId>,
    ) -> Vec<&'o PersonOutcome> {
        let seats = seats_of_bits(counted.absent);
        let absent: Vec<_> = outcome.people.iter().filter(|person| seats.contains(person.seat)).collect();
        for person in &absent {
            if existing.contains(&person.account) {
                let detail = format!("account {} counted as deleted, and exists", person.account);
                self.find(Some(counted.game.0), detail);
            }
        }
        absent
    }
}
