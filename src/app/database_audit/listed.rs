//! The transparency log.

use super::{DatabaseAudit, PAGE};
use crate::app::failure::Failure;
use crate::app::transparency_log::published;
use crate::store::{Connection, ended_games};
use estimation_record::verify::{Finding, Piece, Rule};

impl DatabaseAudit<'_> {
    pub(super) fn listed_games(&mut self, conn: &mut Connection) -> Result<(), Failure> {
        let mut after = 0;
        loop {
            let page = ended_games::after(conn, after, PAGE)?;
            let Some((last, _)) = page.last() else { return Ok(()) };
            after = *last;
            for (position, row) in page {
                match row.map_err(Failure::from).and_then(published) {
                    Ok(line) => self.audit.piece(Piece::Listed(line)),
                    Err(failure) => {
                        let detail = format!("the entry cannot be read: {failure}");
                        self.audit.find(Finding::new(None, Some(position), Rule::List, detail));
                    }
                }
            }
        }
    }
}
