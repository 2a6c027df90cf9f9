//! Refuses a log whose head no node has bound.

use super::Games;
use crate::auth::keys::BindingCheck;
use crate::auth::keys::head::{check_adopted, check_head, forged};
use crate::base::failure::Failure;
use estimation_store::event_reads::Head;
use estimation_store::{Binding, GameId, adopted_heads};

impl Games {
    /// Refuses a log whose head no node has bound. An unknown key reloads the keys first.
    ///
    /// # Errors
    /// [`Failure::UnsoundLog`].
    pub(crate) async fn require_bound_head(
        &self,
        game: GameId,
        head: Head,
        binding: Option<Binding>,
    ) -> Result<(), Failure> {
        let check = |binding: &Option<Binding>| {
            check_head(game, head, binding.as_ref(), &self.keys.ring().record_keys())
        };
        let mut found = check(&binding);
        if found == BindingCheck::UnknownKey {
            self.keys.reload_for_unknown_key().await?;
            found = check(&binding);
        }
        if found == BindingCheck::UnknownKey {
            let adopted = self.database.read(move |conn| adopted_heads::find(conn, game, head.seq)).await?;
            let keys = self.keys.ring().record_keys();
            if adopted.is_some_and(|it| check_adopted(game, head, &it, &keys) == BindingCheck::Sound) {
                return Ok(());
            }
        }
        let finding = match found {
            BindingCheck::Sound => return Ok(()),
            BindingCheck::Forged => forged(head),
            BindingCheck::UnknownKey => {
                format!("event {} is bound under a key that this node does not have", head.seq)
            }
        };
        Err(Failure::UnsoundLog { game, finding })
    }
}
