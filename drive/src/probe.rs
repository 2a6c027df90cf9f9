//! Probes: illegal commands must be refused, and change nothing.

use bytes::Bytes;
use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use serde_json::{Value, json};

use crate::error::DriveError;
use crate::http::Call;
use crate::player::Outcome;
use crate::table::Table;
use crate::view::Scene;

/// The number of illegal commands per probed turn.
const TRIES: usize = 3;

const TRUMPS: [&str; 5] = ["clubs", "diamonds", "hearts", "spades", "no_trump"];
const RANKS: [&str; 13] = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"];
const SUITS: [&str; 4] = ["C", "D", "H", "S"];
/// The kinds of commands without a value.
const PLAIN: [&str; 6] = ["redeal", "avoid", "enter_auction", "blind_dash", "pass", "dash_call"];

impl Table<'_> {
    /// Tries illegal commands at a turn, by the player to act and by another.
    pub async fn probe(&mut self, scene: &Scene) -> Result<(), DriveError> {
        let actor = scene.viewer;
        let others = self.players.len() - 1;
        let other = (actor + 1 + self.dice.random_range(0..others)) % self.players.len();
        if let Some(listed) = scene.legal.choose(&mut self.dice) {
            self.refuses(other, listed.get().to_owned(), Some("not-your-turn")).await?;
        }
        for _ in 0..TRIES {
            if let Some(command) = unlisted(scene, self.plan.penalises_revokes, &mut self.dice) {
                self.refuses(actor, command, None).await?;
            }
        }
        let after = self.look(actor).await?;
        if (after.version, &after.tag) != (scene.version, &scene.tag) || after.etag != scene.etag {
            return Err(self.contradiction("it was changed by a command that was refused"));
        }
        Ok(())
    }

    /// Posts a command that must be refused with a problem, with this code if one is given.
    async fn refuses(
        &mut self,
        player: usize,
        command: String,
        code: Option<&str>,
    ) -> Result<(), DriveError> {
        let call = Call::post(self.commands.clone(), Some(Bytes::from(command)));
        let Outcome::Known(answer) = self.players[player].once(call).await? else { return Ok(()) };
        let told = answer.code();
        if !(400..500).contains(&answer.status) || told.is_empty() || code.is_some_and(|code| code != told) {
            return Err(DriveError::unexpected(&answer));
        }
        self.run.statistics.count(|counts| counts.refusals += 1);
        Ok(())
    }
}

/// A random command that is not legal; none if the drawn command is legal.
fn unlisted(scene: &Scene, penalised: bool, dice: &mut StdRng) -> Option<String> {
    let command = drawn(dice)?;
    let is_listed = |listed: &Value| *listed == command;
    if scene.legal.iter().any(|listed| listed.get().parse().is_ok_and(|listed| is_listed(&listed))) {
        return None;
    }
    let hand = scene.to_act.map(|position| scene.hand(position.number())).unwrap_or_default();
    // The only command that is accepted without being listed.
    let is_revoke = penalised && scene.phase() == "play" && hand.iter().any(|held| command["card"] == **held);
    (!is_revoke).then(|| command.to_string())
}

/// A random command, legal or not.
fn drawn(dice: &mut StdRng) -> Option<Value> {
    let (tricks, trump) = (dice.random_range(0..16), TRUMPS.choose(dice)?);
    Some(match dice.random_range(0..6) {
        0 => json!({ "type": "choose_seat", "seat": dice.random_range(0..7) }),
        1 => json!({ "type": "cut", "position": dice.random_range(0..60) }),
        2 => json!({ "type": "bid", "tricks": tricks, "trump": trump }),
        3 => json!({ "type": "estimate", "tricks": tricks }),
        4 => json!({ "type": "play", "card": format!("{}{}", RANKS.choose(dice)?, SUITS.choose(dice)?) }),
        _ => json!({ "type": PLAIN.choose(dice)? }),
    })
}
