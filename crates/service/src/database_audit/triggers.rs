//! The triggers that refuse changes of the logs.

use super::DatabaseAudit;
use crate::games::failure::GameFailure;
use estimation_store::Connection;
use estimation_store::triggers::{TriggerFault, faults};

impl DatabaseAudit<'_> {
    pub(super) fn triggers(&mut self, conn: &mut Connection) -> Result<(), GameFailure> {
        for fault in faults(conn)? {
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
}
