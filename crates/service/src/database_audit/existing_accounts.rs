//! The accounts that exist. Deleted accounts have no results and no ratings.

use std::collections::HashMap;

use crate::games::failure::GameFailure;
use estimation_engine::player::AccountId;
use estimation_store::{Connection, accounts};

#[derive(Default)]
pub(super) struct ExistingAccounts(HashMap<AccountId, bool>);

impl ExistingAccounts {
    pub(super) fn exist(&mut self, conn: &mut Connection, account: &AccountId) -> Result<bool, GameFailure> {
        if let Some(known) = self.0.get(account) {
            return Ok(*known);
        }
        let exists = accounts::find(conn, account)?.is_some();
        self.0.insert(account.clone(), exists);
        Ok(exists)
    }
}
