//! Rows without a game, events without a row, and logs that lost their end.

use std::collections::HashSet;

use uuid::Uuid;

use super::{DatabaseAudit, MOST};
use crate::games::failure::GameFailure;
use estimation_store::{Connection, GameId, StoreError, event_reads, foreign_rows, games};

impl DatabaseAudit<'_> {
    pub(super) fn foreign_rows(&mut self, conn: &mut Connection) -> Result<(), GameFailure> {
        for (table, game) in foreign_rows::without_game(conn, MOST)? {
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
    fn lost_ends(&mut self, conn: &mut Connection) -> Result<(), GameFailure> {
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
}

fn uuid(game: &str) -> Option<Uuid> {
    game.parse().ok()
}
