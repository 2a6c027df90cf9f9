//! What tables say of each other: triggers that are missing, rows that contradict others or have no game, logs that lost
//! their end, and gaps in the numbers of signed ends.

use std::collections::HashSet;

use uuid::Uuid;

use super::{DatabaseAudit, MAX, PAGE};
use crate::base::failure::Failure;
use estimation_store::triggers::{self, TriggerFault};
use estimation_store::{
    Connection, GameId, StoreError, contradictions, ended_games, event_reads, foreign_rows, games, migrations,
};

impl DatabaseAudit<'_> {
    /// The triggers that refuse changes of the logs.
    pub(super) fn triggers(&mut self, conn: &mut Connection) -> Result<(), Failure> {
        for fault in triggers::faults(conn)? {
            let detail = match fault {
                TriggerFault::Missing(name) => {
                    format!("the trigger {name} is missing: the table can be changed")
                }
                TriggerFault::Changed(name) => format!("the trigger {name} was changed or disabled"),
            };
            self.find(None, detail);
        }
        Ok(())
    }

    /// Rows that contradict each other: of accounts, matchmaking, answered requests, passed-over games, and migrations.
    pub(super) fn contradictions(&mut self, conn: &mut Connection) -> Result<(), Failure> {
        for detail in migrations::record_faults(conn)? {
            self.find(None, detail);
        }
        for wrong in contradictions::contradictions(conn, MAX)? {
            self.find(
                wrong.game.and_then(|game| uuid(&game)),
                format!("{}: {}", wrong.detail, wrong.subject),
            );
        }
        Ok(())
    }

    pub(super) fn foreign_rows(&mut self, conn: &mut Connection) -> Result<(), Failure> {
        for (table, game) in foreign_rows::without_game(conn, MAX)? {
            self.find(uuid(&game), format!("{table} has rows of a game that does not exist: {game}"));
        }
        let mut after = String::new();
        while let Some(game) = foreign_rows::next_in_log(conn, &after)? {
            let row = game.parse::<GameId>().ok().map(|id| games::job_dates(conn, id)).transpose()?;
            if row.flatten().is_none() {
                self.find(uuid(&game), format!("the game has events and no row: {game}"));
            }
            after = game;
        }
        conn.in_snapshot(|conn| self.lost_ends(conn))
    }

    /// Answered requests and accesses of auditors name events: a log that ends before one of them has lost its end.
    fn lost_ends(&mut self, conn: &mut Connection) -> Result<(), Failure> {
        let mut known = HashSet::new();
        for (who, game, seq) in foreign_rows::newest_named_events(conn)? {
            let Ok(id) = game.parse::<GameId>() else { continue };
            let end = match event_reads::head(conn, id) {
                Ok(head) => head.map_or(0, |head| head.seq),
                // The game itself is a finding.
                Err(StoreError::Corrupt { .. }) => continue,
                Err(error) => return Err(error.into()),
            };
            if u64::try_from(seq).is_ok_and(|seq| seq > end) && known.insert(id) {
                self.find(Some(id.0), format!("the log ends at event {end}, and {who} names event {seq}"));
            }
        }
        Ok(())
    }

    /// Reads the signed ends in the order of their numbers, which have no gaps. Each game compares its own with its log.
    pub(super) fn ended_games(&mut self, conn: &mut Connection) -> Result<(), Failure> {
        let mut last = 0;
        loop {
            let page = ended_games::after(conn, last, PAGE)?;
            if page.is_empty() {
                return Ok(());
            }
            for (number, row) in page {
                let due = last + 1;
                last = number;
                let (game, detail) = match row {
                    Ok(_) if number == due => continue,
                    Ok(ended) => {
                        let what = "the signed end of the game has the number";
                        (Some(ended.game.0), format!("{what} {number}, and {due} is missing"))
                    }
                    Err(error) => {
                        let what = "the signed end with the number";
                        (None, format!("{what} {number} cannot be read: {error}"))
                    }
                };
                self.find(game, detail);
            }
        }
    }
}

fn uuid(game: &str) -> Option<Uuid> {
    game.parse().ok()
}
