//! The binding of a log's head, by which a node knows that nodes wrote the whole log. Without it a game is not played on,
//! signed or rated.

use super::Games;
use crate::auth::keys::{BindingCheck, Bound, RecordKeys};
use crate::base::failure::Failure;
use crate::games::failure::GameFailure;
use estimation_store::adopted_heads::AdoptedHead;
use estimation_store::event_reads::{self, Head, StoredEvent};
use estimation_store::{Binding, Connection, GameId, StoreError, adopted_heads};
use jiff::Timestamp;

/// Binds the last event of an append.
///
/// # Errors
/// [`Failure::Defect`] if every record key is retired.
pub(super) fn bind_head(
    game: GameId,
    events: &mut [StoredEvent],
    keys: &RecordKeys,
    now: Timestamp,
) -> Result<(), GameFailure> {
    let Some(last) = events.last_mut() else { return Ok(()) };
    last.binding = Some(binding(game, Head { seq: last.seq, hash: last.hash }, keys, now)?);
    Ok(())
}

/// The binding of a head under the key that signs now.
///
/// # Errors
/// [`Failure::Defect`] if every record key is retired.
pub(super) fn binding(
    game: GameId,
    head: Head,
    keys: &RecordKeys,
    now: Timestamp,
) -> Result<Binding, Failure> {
    let bound = keys.bind(Bound::Head, &statement(game, head), now);
    bound.ok_or_else(|| Failure::Defect("every record key is retired".to_owned()))
}

/// What the binding of a head is worth. A missing one is as good as a forged one.
pub(crate) fn check_head(
    game: GameId,
    head: Head,
    binding: Option<&Binding>,
    keys: &RecordKeys,
) -> BindingCheck {
    let check = |binding| keys.check(Bound::Head, &statement(game, head), binding);
    binding.map_or(BindingCheck::Forged, check)
}

/// Whether the game was adopted after the record keys were lost.
pub(crate) fn is_adopted(conn: &mut Connection, game: GameId, keys: &RecordKeys) -> Result<bool, StoreError> {
    let Some(AdoptedHead { seq, binding, .. }) = adopted_heads::of_game(conn, game)?.pop() else {
        return Ok(false);
    };
    let event = event_reads::after(conn, game, seq.saturating_sub(1), 1)?.pop();
    Ok(event.filter(|event| event.seq == seq).is_some_and(|StoredEvent { hash, .. }| {
        check_head(game, Head { seq, hash }, Some(&binding), keys) == BindingCheck::Sound
    }))
}

/// The finding about a head without the binding of a node.
pub(super) fn forged(head: Head) -> String {
    format!("event {} is not bound as the last one that a node wrote", head.seq)
}

/// The bytes that a binding covers. 55 bytes are hashed as one block; no version has more than 7.
fn statement(game: GameId, Head { seq, hash }: Head) -> [u8; 55] {
    let mut bytes = [0; 55];
    bytes[..16].copy_from_slice(game.0.as_bytes());
    bytes[16..23].copy_from_slice(&seq.to_be_bytes()[1..]);
    bytes[23..].copy_from_slice(&hash);
    bytes
}

impl Games {
    /// Refuses a log whose head no node has bound. An unknown key reloads the keys first.
    ///
    /// # Errors
    /// [`GameFailure::UnsoundLog`].
    pub(crate) async fn require_bound_head(
        &self,
        game: GameId,
        head: Head,
        binding: Option<Binding>,
    ) -> Result<(), GameFailure> {
        let check = |binding: &Option<Binding>| {
            check_head(game, head, binding.as_ref(), &self.keys.ring().record_keys())
        };
        let mut found = check(&binding);
        if found == BindingCheck::UnknownKey {
            self.keys.reload_for_unknown_key().await?;
            found = check(&binding);
        }
        if found == BindingCheck::UnknownKey {
            let adopted = self.database.read(move |conn| adopted_heads::of_game(conn, game)).await?;
            let adopted =
                adopted.iter().find(|adopted| adopted.seq == head.seq).map(|adopted| adopted.binding);
            if check(&adopted) == BindingCheck::Sound {
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
        Err(GameFailure::UnsoundLog { game, finding })
    }
}
