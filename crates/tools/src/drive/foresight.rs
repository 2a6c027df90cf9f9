//! Foresight: derives the playable cards from the player's hand and the trick, so that no view has to be
//! requested before each card. More of the load is then commands.
//!
//! Works only for rulesets without jokers.

use bytes::Bytes;

use super::scene::{Scene, entity_tag};
use super::wire::Position;

/// The known hands of a table's players.
#[derive(Default)]
pub(super) struct Foresight {
    /// By player: the round, and the hand as the service showed it.
    hands: Vec<Option<(u8, Bytes)>>,
}

impl Foresight {
    /// Records the viewer's hand from a scene. Before the calls, the cards may still be dealt again.
    pub(super) fn learn(&mut self, scene: &Scene, seat: Option<usize>) {
        let Some(seat) = seat.filter(|_| matches!(scene.phase(), "estimates" | "play")) else { return };
        if self.hands.len() <= scene.viewer {
            self.hands.resize(scene.viewer + 1, None);
        }
        self.hands[scene.viewer] = Some((scene.round, scene.hand_as_shown(seat)));
    }

    /// A player's next scene, if it is known: the same scene with the cards they may play.
    pub(super) fn scene(&self, before: &Scene, player: usize) -> Option<Scene> {
        let Some(Position::Seat(_)) = before.to_act else { return None };
        if before.phase() != "play" {
            return None;
        }
        let (round, hand) = self.hands.get(player)?.as_ref()?;
        let hand: Vec<&str> = serde_json::from_slice(hand).ok()?;
        if *round != before.round || hand.iter().any(|card| is_joker(card)) {
            return None;
        }
        let led = before.led?;
        let follows = |card: &&str| card.as_bytes().last() == led.as_ref();
        let following: Vec<&str> = hand.iter().copied().filter(follows).collect();
        let playable = if following.is_empty() { hand } else { following };
        let command = |card: &str| Bytes::from(format!("{{\"type\":\"play\",\"card\":\"{card}\"}}"));
        let mut foreseen = before.clone();
        foreseen.viewer = player;
        foreseen.legal = playable.into_iter().map(command).collect();
        foreseen.etag = entity_tag(before.version, &before.tag);
        Some(foreseen)
    }
}

fn is_joker(card: &str) -> bool {
    matches!(card, "RJ" | "BJ")
}
