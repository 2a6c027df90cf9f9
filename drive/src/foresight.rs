//! Foresight: derives the playable cards from the player's hand and the trick, so that no view has to be
//! requested before each card. More of the load is then commands.
//!
//! Works only for rulesets without jokers.

use crate::view::{Position, Scene, entity_tag, play};

/// The known hands of a table's players.
#[derive(Default)]
pub struct Foresight {
    /// By player: the round, and the hand.
    hands: Vec<Option<(u8, Vec<String>)>>,
}

impl Foresight {
    /// Records the viewer's hand from a scene. Before the calls, the cards may still be dealt again.
    pub fn learn(&mut self, scene: &Scene, seat: Option<usize>) {
        let Some(seat) = seat.filter(|_| matches!(scene.phase(), "estimates" | "play")) else { return };
        if self.hands.len() <= scene.viewer {
            self.hands.resize(scene.viewer + 1, None);
        }
        self.hands[scene.viewer] = Some((scene.rounds().0, scene.hand(seat).to_vec()));
    }

    /// A player's next scene, if it is known: the same scene with the cards they may play.
    pub fn scene(&self, before: &Scene, player: usize) -> Option<Scene> {
        let Some(Position::Seat(_)) = before.to_act else { return None };
        if before.phase() != "play" {
            return None;
        }
        let (round, hand) = self.hands.get(player)?.as_ref()?;
        if *round != before.rounds().0 || hand.iter().any(|card| matches!(&**card, "RJ" | "BJ")) {
            return None;
        }
        let suit = |card: &String| card.as_bytes().last().copied();
        let led = before.led()?.and_then(suit);
        let must_follow = hand.iter().any(|card| suit(card) == led);
        let playable = hand.iter().filter(|card| !must_follow || suit(card) == led);
        Some(Scene {
            viewer: player,
            legal: playable.filter_map(|card| play(card)).collect(),
            etag: entity_tag(before.version, &before.tag),
            ..before.clone()
        })
    }
}
