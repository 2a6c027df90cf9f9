//! Snapshots of states. Each is bound to its game and to its position in the log by a keyed hash, so that only a node
//! can make one.

use serde::{Deserialize, Serialize};

use super::LoadedGame;
use crate::auth::keys::{BindingCheck, Bound, RecordKeys};
use crate::base::failure::Failure;
use estimation_engine::game::Game;
use estimation_record::RecordTime;
use estimation_record::turn_clock::TurnClock;
use estimation_store::snapshots::Snapshot;
use estimation_store::{GameId, Hash};
use jiff::Timestamp;

/// The format of snapshots. A snapshot in another format is ignored and the log replayed.
const FORMAT: i32 = 1;

#[derive(Serialize, Deserialize)]
pub(super) struct State<G> {
    pub(super) turn_clock: TurnClock,
    pub(super) game: G,
}

/// What a stored snapshot is worth.
pub(crate) enum SnapshotCheck {
    /// There is none, or none that this node can check.
    Unusable,
    Bound(Snapshot),
    /// The keyed hash is not that of the stored state.
    Forged,
}

/// A snapshot of a state; none while every record key is retired.
pub(super) fn snapshot(
    loaded: &LoadedGame,
    keys: &RecordKeys,
    now: Timestamp,
) -> Result<Option<Snapshot>, Failure> {
    let &LoadedGame { id, version: seq, hash, turn_clock, ref game, .. } = loaded;
    let state = serde_json::to_string(&State { turn_clock, game });
    let state = state.map_err(|error| Failure::Defect(error.to_string()))?;
    let bound = keys.bind(Bound::State, &statement(id, seq, FORMAT, &hash, &state), now);
    Ok(bound.map(|binding| Snapshot { seq, format: FORMAT, hash, state, binding }))
}

/// Checks the binding of a stored snapshot.
pub(crate) fn check_snapshot(game: GameId, stored: Option<Snapshot>, keys: &RecordKeys) -> SnapshotCheck {
    let Some(stored) = stored.filter(|stored| stored.format == FORMAT) else {
        return SnapshotCheck::Unusable;
    };
    match check_binding(game, &stored, keys) {
        BindingCheck::UnknownKey => SnapshotCheck::Unusable,
        BindingCheck::Sound => SnapshotCheck::Bound(stored),
        BindingCheck::Forged => SnapshotCheck::Forged,
    }
}

/// Checks the binding of a stored snapshot in any format.
pub(crate) fn check_binding(game: GameId, stored: &Snapshot, keys: &RecordKeys) -> BindingCheck {
    let Snapshot { seq, format, hash, state, binding } = stored;
    keys.check(Bound::State, &statement(game, *seq, *format, hash, state), binding)
}

/// The bytes that a binding covers. All parts but the last have a fixed length.
fn statement(game: GameId, seq: u64, format: i32, hash: &Hash, state: &str) -> Vec<u8> {
    let mut bytes = game.0.as_bytes().to_vec();
    bytes.extend(seq.to_be_bytes());
    bytes.extend(format.to_be_bytes());
    bytes.extend(hash);
    bytes.extend(state.as_bytes());
    bytes
}

/// How a snapshot contradicts the log at its event. `None` if they agree, or if the snapshot has another
/// format.
pub fn snapshot_complaint(snapshot: &Snapshot, hash: &Hash, at: RecordTime, game: &Game) -> Option<String> {
    if snapshot.format != FORMAT {
        return None;
    }
    if snapshot.hash != *hash {
        return Some("the stored state has another hash than the event".to_owned());
    }
    match serde_json::from_str::<State<Game>>(&snapshot.state) {
        Err(error) => Some(format!("the stored state cannot be read: {error}")),
        Ok(state) if state.turn_clock.last != at => {
            Some("the stored state has another time than the event".to_owned())
        }
        Ok(state) if state.game != *game => Some("the stored state is not what the log makes".to_owned()),
        Ok(_) => None,
    }
}
