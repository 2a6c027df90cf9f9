//! The binding of a log's head, by which a node knows that nodes wrote the whole log. Without it a game is not played on,
//! signed or rated.

use super::{BindingCheck, Bound, RecordKeys};
use crate::base::failure::Failure;
use estimation_store::adopted_heads::AdoptedHead;
use estimation_store::event_reads::{self, Head, StoredEvent};
use estimation_store::{Binding, Connection, GameId, StoreError, adopted_heads};
use jiff::Timestamp;

/// Binds the last event of an append.
///
/// # Errors
/// [`Failure::Defect`] if every record key is retired.
pub(crate) fn bind_head(
    game: GameId,
    events: &mut [StoredEvent],
    keys: &RecordKeys,
    now: Timestamp,
) -> Result<(), Failure> {
    let Some(last) = events.last_mut() else { return Ok(()) };
    let head = Head { seq: last.seq, hash: last.hash };
    last.binding = Some(keys.bind(Bound::Head, &statement(game, head), now).ok_or_else(all_retired)?);
    Ok(())
}

/// The binding of an adopted head and of the bytes that the log gets, under the key that signs now.
///
/// # Errors
/// [`Failure::Defect`] if every record key is retired.
pub(crate) fn bind_adopted(
    game: GameId,
    head: Head,
    logged: &str,
    keys: &RecordKeys,
    now: Timestamp,
) -> Result<Binding, Failure> {
    keys.bind(Bound::Adopted, &adopted_statement(game, head, logged), now).ok_or_else(all_retired)
}

fn all_retired() -> Failure {
    Failure::Defect("every record key is retired".to_owned())
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

/// What the binding of an adopted head is worth, if its event has this head.
pub(crate) fn check_adopted(
    game: GameId,
    head: Head,
    adopted: &AdoptedHead,
    keys: &RecordKeys,
) -> BindingCheck {
    keys.check(Bound::Adopted, &adopted_statement(game, head, &adopted.logged), &adopted.binding)
}

/// Whether the game was adopted after the record keys were lost.
pub(crate) fn is_adopted(conn: &mut Connection, game: GameId, keys: &RecordKeys) -> Result<bool, StoreError> {
    let Some(adopted) = adopted_heads::of_game(conn, game)?.pop() else { return Ok(false) };
    let event = event_reads::after(conn, game, adopted.seq.saturating_sub(1), 1)?.pop();
    Ok(event.filter(|event| event.seq == adopted.seq).is_some_and(|StoredEvent { seq, hash, .. }| {
        check_adopted(game, Head { seq, hash }, &adopted, keys) == BindingCheck::Sound
    }))
}

/// The finding about a head without the binding of a node.
pub(crate) fn forged(head: Head) -> String {
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

/// The bytes that the binding of an adopted head covers. All parts but the last have a fixed length.
fn adopted_statement(game: GameId, head: Head, logged: &str) -> Vec<u8> {
    [&statement(game, head)[..], logged.as_bytes()].concat()
}
