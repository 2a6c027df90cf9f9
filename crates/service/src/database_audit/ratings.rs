//! Ratings, computed again from the games in the order in which they were counted.

use std::collections::HashMap;

use super::existing_accounts::ExistingAccounts;
use super::{DatabaseAudit, PAGE};
use crate::games::failure::GameFailure;
use crate::players::rating::{Rating, rated};
use estimation_engine::outcome::PersonOutcome;
use estimation_engine::player::AccountId;
use estimation_engine::ruleset::RulesetId;
use estimation_store::Connection;
use estimation_store::ratings::{self, RatingRow};

/// How far a stored rating may be from the computed one, in millionths of a point. The exponential functions of two
/// platforms may differ in their last bit, and each game rounds.
const TOLERANCE: u64 = 100;

#[derive(Clone, Copy)]
struct Computed {
    rating: Rating,
    games: i64,
}

/// What is wrong with a stored rating.
#[derive(Clone, Copy)]
enum RatingFault {
    /// The account played no rated game.
    NoGame,
    /// The log makes another rating.
    Differs,
}

/// The computed ratings.
#[derive(Default)]
pub(super) struct Ratings {
    computed: HashMap<(AccountId, RulesetId), Computed>,
    /// The number of counted games whose logs cannot be used.
    unknown: u64,
}

impl Ratings {
    /// Counts a game without an outcome: its log cannot be read, or breaks the rules.
    pub(super) fn unknown_game(&mut self) {
        self.unknown += 1;
    }

    /// Counts a rated game. `absent` are the players whose accounts were deleted by then: each was rated as a new
    /// player.
    pub(super) fn count(&mut self, ruleset: RulesetId, people: &[PersonOutcome], absent: &[&PersonOutcome]) {
        let is_absent = |person: &PersonOutcome| absent.iter().any(|absent| absent.seat == person.seat);
        let new = Computed { rating: Rating::NEW, games: 0 };
        let known = |person: &PersonOutcome| {
            let computed = self.computed.get(&(person.account.clone(), ruleset));
            computed.copied().filter(|_| !is_absent(person)).unwrap_or(new)
        };
        let before: Vec<Computed> = people.iter().map(known).collect();
        let strengths: Vec<(Rating, u8)> =
            before.iter().zip(people).map(|(computed, person)| (computed.rating, person.rank)).collect();
        for ((person, before), rating) in people.iter().zip(before).zip(rated(&strengths)) {
            if !is_absent(person) {
                let computed = Computed { rating, games: before.games + 1 };
                self.computed.insert((person.account.clone(), ruleset), computed);
            }
        }
    }
}

impl DatabaseAudit<'_> {
    /// Compares the stored ratings with the computed ones.
    pub(super) fn ratings(
        &mut self,
        conn: &mut Connection,
        ratings: Ratings,
        accounts: &mut ExistingAccounts,
    ) -> Result<(), GameFailure> {
        let Ratings { mut computed, unknown } = ratings;
        if unknown > 0 {
            let games = if unknown == 1 { "1 game".to_owned() } else { format!("{unknown} games") };
            self.notes.push(format!("ratings were not checked: {games} that counted cannot be read"));
            return Ok(());
        }
        let mut last = (String::new(), String::new());
        loop {
            let page = ratings::after(conn, (&last.0, &last.1), PAGE)?;
            let Some(row) = page.last() else { break };
            last = (row.account_id.to_string(), row.ruleset.clone());
            for row in page {
                let ruleset = row.ruleset.parse().ok();
                let known = ruleset.and_then(|ruleset| computed.remove(&(row.account_id.clone(), ruleset)));
                match known {
                    None => self.rating_fault(&row, RatingFault::NoGame),
                    Some(known)
                        if known.games != row.games || row.ordinal != row.mean - 3 * row.deviation =>
                    {
                        self.rating_fault(&row, RatingFault::Differs);
                    }
                    Some(known) if is_near(known.rating, &row) => {}
                    Some(_) => self.rating_fault(&row, RatingFault::Differs),
                }
            }
        }
        for (account, ruleset) in computed.into_keys() {
            if accounts.exist(conn, &account)? {
                self.find(
                    None,
                    format!("account {account} has no rating in {ruleset}, and played rated games"),
                );
            }
        }
        Ok(())
    }

    fn rating_fault(&mut self, row: &RatingRow, fault: RatingFault) {
        let RatingRow { account_id, ruleset, .. } = row;
        let detail = match fault {
            RatingFault::NoGame => {
                format!("account {account_id} has a rating in {ruleset}, and no rated game")
            }
            RatingFault::Differs => {
                format!("the rating of account {account_id} in {ruleset} does not follow from the log")
            }
        };
        self.find(None, detail);
    }
}

fn is_near(rating: Rating, row: &RatingRow) -> bool {
    rating.mean.abs_diff(row.mean) <= TOLERANCE && rating.deviation.abs_diff(row.deviation) <= TOLERANCE
}
