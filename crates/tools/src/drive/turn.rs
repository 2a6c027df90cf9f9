//! A turn: one command of the player to act, and its outcome.

use std::time::Instant;

use bytes::Bytes;
use http::header::HeaderValue;

use super::choice::choose;
use super::player::Outcome;
use super::scene::{Scene, tag};
use super::table::Table;
use super::trouble::{DriveError, described};
use super::wire::{self, Acknowledged, Event, Status};
use crate::http::{Answer, Call};

/// The maximum number of revokes per round; with more, a game might not end.
const MOST_FOULS: u8 = 3;

/// The share of turns that are probed with illegal commands.
const PROBED: f64 = 1.0 / 16.0;

impl Table<'_> {
    /// Plays the turn of the scene's player. Returns the player's next scene.
    pub(super) async fn turn(&mut self, scene: Scene) -> Result<Scene, DriveError> {
        if self.run.flags.sample_refusals && self.dice.happens(PROBED) {
            self.probe(&scene).await?;
        }
        let foul = self.foul(&scene);
        let command = match &foul {
            Some(foul) => foul.clone(),
            None => match choose(&scene.legal, &mut self.dice) {
                Some(command) => command.clone(),
                None => return Err(self.contradiction("the player to act has no legal command")),
            },
        };
        let actor = scene.viewer;
        let due = self.run.pace.turn().await;
        let mut call = Call::post(self.commands.clone(), Some(command));
        call.headers.push(("if-match", scene.etag.clone()));
        if self.followers.is_some() {
            call.headers.push(("prefer", HeaderValue::from_static("return=minimal")));
        }
        let answer = match self.players[actor].once(call.clone()).await? {
            Outcome::Known(answer) => *answer,
            Outcome::Unknown(cause, asked) => {
                self.run.statistics.count(|counts| counts.unknown_outcomes += 1);
                self.patience.wait_for(&call, cause, asked).await?;
                return self.again(scene).await;
            }
        };
        self.patience.renew();
        match answer.status {
            200 => self.played(&scene, &answer, due, foul.is_some()).await,
            412 => {
                self.run.statistics.count(|counts| counts.stale_commands += 1);
                let now = match self.followers {
                    Some(_) => self.follow(&scene).await?.0,
                    None => self.look(actor).await?,
                };
                if now.version > scene.version { Ok(now) } else { Err(refused(&answer)) }
            }
            _ => Err(refused(&answer)),
        }
    }

    /// The scene from which to go on after a command with an unknown outcome. Followers send another for the same
    /// version: if that has passed, they learn it.
    async fn again(&mut self, scene: Scene) -> Result<Scene, DriveError> {
        if self.followers.is_some() { Ok(scene) } else { self.look(scene.viewer).await }
    }

    /// Parses the response to an accepted command. Returns the next scene.
    async fn played(
        &mut self,
        before: &Scene,
        answer: &Answer,
        due: Instant,
        foul: bool,
    ) -> Result<Scene, DriveError> {
        let latency = match self.run.flags.rate {
            Some(_) => due.elapsed(),
            None => answer.latency,
        };
        let counts = self.run.pace.counts(due);
        let accepted = self.run.statistics.command(latency, before.version, counts);
        self.run.show_progress(accepted);
        if self.followers.is_some() {
            let (scene, at) = self.acknowledged(before, answer).await?;
            if counts {
                self.run.statistics.turn(at.saturating_duration_since(due));
            }
            return Ok(scene);
        }
        let (scene, events) = Scene::of_command(before.viewer, answer)?;
        if scene.version != before.version + events.len() as u64 {
            let (from, to, count) = (before.version, scene.version, events.len());
            return Err(self.contradiction(format!("{count} events lead from version {from} to {to}")));
        }
        self.acknowledge(scene.version, scene.tag, &events)?;
        if foul {
            let revoked = |event: &Bytes| {
                serde_json::from_slice::<Event<'_>>(event).is_ok_and(|event| event.event.r#type == "revoked")
            };
            if !events.iter().any(revoked) {
                return Err(self.contradiction("a revoke was not seen"));
            }
            self.run.statistics.count(|counts| counts.revokes += 1);
            self.fouls = (before.round, self.fouls.1 + 1);
        }
        Ok(scene)
    }

    /// Parses the short response to an accepted command, and waits for the turn after it and its time of arrival.
    async fn acknowledged(
        &mut self,
        before: &Scene,
        answer: &Answer,
    ) -> Result<(Scene, Instant), DriveError> {
        let Acknowledged { version, head } = wire::read(answer)?;
        let tag = tag(head.hash).ok_or_else(|| DriveError::unreadable(answer, "the head has no hash"))?;
        if version != head.seq || version <= before.version {
            let (from, seq) = (before.version, head.seq);
            return Err(
                self.contradiction(format!("a command leads from {from} to {version} with head {seq}"))
            );
        }
        self.acknowledge(version, tag, &[])?;
        let (scene, at) = self.follow(before).await?;
        // Only bots act on their own.
        if scene.version != version && self.run.flags.bots == 0 {
            let turn = scene.version;
            return Err(
                self.contradiction(format!("after version {version} came the turn of version {turn}"))
            );
        }
        Ok((scene, at))
    }

    /// A random card that breaks the duty to follow suit, if the table penalises it.
    fn foul(&mut self, scene: &Scene) -> Option<Bytes> {
        if !self.plan.penalises_revokes() || scene.status != Status::Playing || scene.phase() != "play" {
            return None;
        }
        if self.fouls.0 != scene.round {
            self.fouls = (scene.round, 0);
        }
        if self.fouls.1 >= MOST_FOULS || !self.dice.happens(self.run.flags.revoke_rate) {
            return None;
        }
        let command = |card: &String| Bytes::from(format!("{{\"type\":\"play\",\"card\":\"{card}\"}}"));
        let hand = scene.hand(scene.to_act?.number());
        let unlawful: Vec<Bytes> =
            hand.iter().map(command).filter(|command| !scene.legal.contains(command)).collect();
        self.dice.pick(&unlawful).cloned()
    }
}

fn refused(answer: &Answer) -> DriveError {
    DriveError::Refused(described(answer))
}
