//! Probes: illegal commands must be refused with the right problem code, and change nothing.

use bytes::Bytes;
use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use serde_json::{Value, json};

use crate::error::DriveError;
use crate::http::{Answer, Call, Problem};
use crate::player::Outcome;
use crate::table::Table;
use crate::view::{CommandKind, Scene};

const MEDIA_TYPE: &str = "application/problem+json";

/// The number of illegal commands per probed turn.
const TRIES: usize = 3;

const TRUMPS: [&str; 5] = ["clubs", "diamonds", "hearts", "spades", "no_trump"];
const RANKS: [&str; 13] = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"];
const KINDS: [&str; 11] = [
    "choose_seat",
    "cut",
    "redeal",
    "avoid",
    "enter_auction",
    "blind_dash",
    "bid",
    "pass",
    "dash_call",
    "estimate",
    "play",
];

impl Table<'_> {
    /// Tries illegal commands at a turn, by the player to act and by another.
    pub async fn probe(&mut self, scene: &Scene) -> Result<(), DriveError> {
        let actor = scene.viewer;
        let others = self.players.len() - 1;
        let other = (actor + 1 + self.dice.random_range(0..others)) % self.players.len();
        let listed = scene.legal.choose(&mut self.dice).map(|command| command.get().to_owned());
        if self.is_refused(other, listed.unwrap_or_default(), &["not-your-turn"]).await?.is_none() {
            return Ok(());
        }
        for _ in 0..TRIES {
            let drawn = unlisted(scene, self.plan.penalises_revokes(), &mut self.dice);
            let Some((command, codes)) = drawn else { continue };
            if self.is_refused(actor, command.to_string(), codes).await?.is_none() {
                return Ok(());
            }
        }
        let after = self.look(actor).await?;
        if (after.version, &after.tag) != (scene.version, &scene.tag) || after.etag != scene.etag {
            return Err(self.contradiction("it was changed by a command that was refused"));
        }
        Ok(())
    }

    /// Posts a command that must be refused with one of the codes. Returns none if the outcome is unknown.
    async fn is_refused(
        &mut self,
        player: usize,
        command: String,
        codes: &[&str],
    ) -> Result<Option<()>, DriveError> {
        let call = Call::post(self.commands.clone(), Some(Bytes::from(command)));
        let answer = match self.players[player].once(call).await? {
            Outcome::Known(answer) => *answer,
            Outcome::Unknown(..) => return Ok(None),
        };
        if !refuses(&answer, codes) {
            return Err(DriveError::unexpected(&answer));
        }
        self.run.statistics.count(|counts| counts.refusals += 1);
        Ok(Some(()))
    }
}

/// Whether a response is a problem with one of the codes and the matching status.
fn refuses(answer: &Answer, codes: &[&str]) -> bool {
    let Ok(problem) = answer.read::<Problem>() else { return false };
    answer.header("content-type") == MEDIA_TYPE
        && (400..500).contains(&answer.status)
        && answer.status == problem.status
        && codes.contains(&problem.code.as_str())
}

/// A random command that is not legal, with its possible problem codes; none if the drawn command is legal.
fn unlisted(scene: &Scene, penalised: bool, dice: &mut StdRng) -> Option<(Value, &'static [&'static str])> {
    let here = scene.legal.first().and_then(CommandKind::of).map_or("play", |kind| kind.r#type);
    let kind = if dice.random() { here } else { *KINDS.choose(dice)? };
    let command = drawn(kind, dice)?;
    if scene.legal.iter().any(|listed| listed.get().parse::<Value>().is_ok_and(|listed| listed == command)) {
        return None;
    }
    let hand = scene.to_act.map(|position| scene.hand(position.number())).unwrap_or_default();
    let is_held = hand.iter().any(|held| command["card"] == **held);
    // The only command that is accepted without being listed.
    if is_held && penalised && scene.phase() == "play" {
        return None;
    }
    Some((command, codes(scene.phase(), kind, is_held)))
}

/// A random command of a kind, legal or not.
fn drawn(kind: &str, dice: &mut StdRng) -> Option<Value> {
    let mut command = json!({ "type": kind });
    match kind {
        "choose_seat" => command["seat"] = dice.random_range(0..7).into(),
        "cut" => command["position"] = dice.random_range(0..60).into(),
        "bid" | "estimate" => {
            command["tricks"] = dice.random_range(0..16).into();
            if kind == "bid" || dice.random_bool(0.3) {
                command["trump"] = (*TRUMPS.choose(dice)?).into();
            }
        }
        "play" => {
            let card = match dice.random_range(0..54) {
                52 => "RJ".to_owned(),
                53 => "BJ".to_owned(),
                card => format!("{}{}", RANKS[card / 4], ["C", "D", "H", "S"][card % 4]),
            };
            command["card"] = card.into();
        }
        _ => {}
    }
    Some(command)
}

/// The possible problem codes for an illegal command of a kind in a phase.
fn codes(phase: &str, kind: &str, held: bool) -> &'static [&'static str] {
    match (phase, kind) {
        ("choosing_seats", "choose_seat") => &["seat-taken", "no-such-seat", "invalid-body"],
        ("cutting", "cut") => &["cut-out-of-range"],
        ("blind_dash", "blind_dash" | "dash_call") => &["dash-limit", "wrong-phase"],
        ("auction", "bid") => &["bid-too-low", "bid-out-of-range", "no-trump-barred", "thirteen-unavoidable"],
        ("auction", "pass") => &["no-passing"],
        ("auction", "dash_call") => &["dash-call-not-now", "dash-limit", "thirteen-unavoidable"],
        ("estimates", "estimate") => {
            &["estimate-out-of-range", "zero-limit", "total-barred", "trump-change-barred"]
        }
        ("play", "play") if held => &["must-follow-suit"],
        ("play", "play") => &["card-not-held"],
        // A seat number that no table has cannot be parsed.
        (_, "choose_seat") => &["wrong-phase", "invalid-body"],
        _ => &["wrong-phase"],
    }
}
