//! Break-offs: what a player stops although others wait for it, or after a look at the cards.
//!
//! Public statistics count them. They follow from the log: from each event, its actor and the state before it.

use arrayvec::ArrayVec;

use super::client_seed::CommitmentStatus;
use super::command::{Actor, Position};
use super::event::{AbandonReason, Event};
use super::game::{Game, Stage};
use super::player::AccountId;
use super::round::DealNumber;
use super::seat::{MAX_PLAYERS, Place};

crate::choices! {
    /// What a player broke off.
    pub enum BreakOffKind {
        /// The player cancelled a table at which another person had a seat.
        TableCancelled = "table_cancelled",
        /// The player did not open a seed to which they had committed, or left the table after a seed was opened.
        OpeningMissed = "opening_missed",
        /// The player left a game after its first deal, or let it expire when it was their turn.
        GameLeft = "game_left",
    }
}

/// A break-off of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BreakOff {
    /// The account.
    pub account: AccountId,
    /// What it broke off.
    pub kind: BreakOffKind,
}

/// The break-offs that an event records. `before` is the state before the event.
pub fn break_offs(before: &Game, actor: Actor, event: &Event) -> ArrayVec<BreakOff, MAX_PLAYERS> {
    let by = |account: Option<&AccountId>, kind| {
        account.map(|account| BreakOff { account: account.clone(), kind }).into_iter().collect()
    };
    let person = |place: Place| before.table.at(place)?.player.account();
    match event {
        Event::GameAbandoned { reason: AbandonReason::Cancelled, .. } => {
            let host = actor.position().and_then(|position| person(before.table.place_of(position)?));
            let other = |host: &&AccountId| before.people().any(|person| person != *host);
            by(host.filter(other), BreakOffKind::TableCancelled)
        }
        Event::OpeningFailed(failed) => {
            let missing = failed.missing.iter().filter_map(|&place| person(place));
            let missed = |account: &AccountId| BreakOff {
                account: account.clone(),
                kind: BreakOffKind::OpeningMissed,
            };
            missing.take(MAX_PLAYERS).map(missed).collect()
        }
        Event::PlayerLeft { account, .. } if before.is_opening() => {
            let mut commitments = before.seed_commitments().into_iter();
            let opened = commitments.any(|own| own.status == CommitmentStatus::Opened);
            by(account.as_ref().filter(|_| opened), BreakOffKind::OpeningMissed)
        }
        Event::PlayerForfeited { seat } if before.has_dealt() => {
            let place = before.table.place_of(before.table.position(*seat));
            by(place.and_then(person), BreakOffKind::GameLeft)
        }
        Event::GameAbandoned { reason: AbandonReason::Expired, .. } if before.has_dealt() => {
            let absent = before.to_act().filter(|&position: &Position| !before.is_played_by_bot(position));
            let place = absent.and_then(|position| before.table.place_of(position));
            by(place.and_then(person), BreakOffKind::GameLeft)
        }
        _ => ArrayVec::new(),
    }
}

impl Game {
    /// The accounts that have a place.
    pub(super) fn people(&self) -> impl Iterator<Item = &AccountId> {
        self.table.places.values().flatten().filter_map(|sitter| sitter.player.account())
    }

    /// Whether a game in play had its first deal.
    fn has_dealt(&self) -> bool {
        match &self.stage {
            Stage::Lobby | Stage::Opening { .. } | Stage::Drawing | Stage::Choosing(_) => false,
            Stage::Dealing { deal, .. } => deal.number != DealNumber { round: 1, attempt: 1 },
            Stage::Round(_) | Stage::Finishing | Stage::Over(_) => true,
        }
    }
}
