//! The signed ends of games: their numbers have no gaps.

use super::{DatabaseAudit, PAGE};
use crate::games::failure::GameFailure;
use estimation_store::{Connection, ended_games};

impl DatabaseAudit<'_> {
    /// Reads the signed ends in the order of their numbers. Each game compares its own with its log.
    pub(super) fn ended_games(&mut self, conn: &mut Connection) -> Result<(), GameFailure> {
        let mut last = 0;
        loop {
            let page = ended_games::after(conn, last, PAGE)?;
            if page.is_empty() {
                return Ok(());
            }
            for (number, row) in page {
                let due = last + 1;
                last = number;
                match row {
                    Err(error) => {
                        self.find(
                            None,
                            format!("the signed end with the number {number} cannot be read: {error}"),
                        );
                    }
                    Ok(ended) if number != due => {
                        let detail = format!(
                            "the signed end of the game has the number {number}, and {due} is missing"
                        );
                        self.find(Some(ended.game.0), detail);
                    }
                    Ok(_) => {}
                }
            }
        }
    }
}
