//! A turn: one command of the player to act, and its outcome.

use std::time::Instant;

use bytes::Bytes;
use hyper::header::HeaderValue;
use rand::RngExt;
use rand::seq::IndexedRandom;
use serde::Deserialize;
use serde_json::Value;

use crate::choice::choose;
use crate::error::DriveError;
use crate::http::{Answer, Call};
use crate::player::Outcome;
use crate::table::Table;
use crate::view::{Command, Head, Scene, play, tag};

/// The maximum number of revokes per round; with more, a game might not end.
const MAX_FOULS: u8 = 3;

/// How often a player who could revoke does, at tables that penalise it.
const FOUL: f64 = 0.1;

/// The share of turns that are probed with illegal commands.
const PROBED: f64 = 1.0 / 16.0;

/// The short response to a command.
#[derive(Deserialize)]
struct MinimalAnswer {
    version: u64,
    head: Head,
}

impl Table<'_> {
    /// Plays the turn of the scene's player. Returns the player's next scene.
    pub async fn turn(&mut self, scene: Scene) -> Result<Scene, DriveError> {
        if self.run.flags.sample_refusals && self.dice.random_bool(PROBED) {
            self.probe(&scene).await?;
        }
        let foul = self.foul(&scene);
        let command = foul.as_ref().or_else(|| choose(&scene.legal, &mut self.dice));
        let Some(command) = command.map(|command| Bytes::copy_from_slice(command.get().as_bytes())) else {
            return Err(self.contradiction("the player to act has no legal command"));
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
                self.budget.wait_for(&call, &cause, asked).await?;
                // Followers send another command for the same version: if that has passed, they learn it.
                return if self.followers.is_some() { Ok(scene) } else { self.look(actor).await };
            }
        };
        self.budget.renew();
        match answer.status {
            200 => self.played(&scene, &answer, due, foul.is_some()).await,
            412 => {
                let now = match self.followers {
                    Some(_) => self.follow(&scene).await?.0,
                    None => self.look(actor).await?,
                };
                if now.version > scene.version { Ok(now) } else { Err(DriveError::unexpected(&answer)) }
            }
            _ => Err(DriveError::unexpected(&answer)),
        }
    }

    /// Parses the response to an accepted command. Returns the next scene.
    async fn played(
        &mut self,
        before: &Scene,
        answer: &Answer,
        due: Instant,
        is_foul: bool,
    ) -> Result<Scene, DriveError> {
        let latency = if self.run.flags.rate.is_some() { due.elapsed() } else { answer.latency };
        let counts = self.run.pace.counts(due);
        if counts {
            self.run.statistics.command(latency, before.version);
        }
        if self.followers.is_some() {
            let (scene, at) = self.acknowledged(before, answer).await?;
            if counts {
                self.run.statistics.lock().turn_latency.record(at.saturating_duration_since(due));
            }
            return Ok(scene);
        }
        let (scene, events) = Scene::of_command(before.viewer, answer)?;
        if scene.version != before.version + events.len() as u64 {
            let (from, to, count) = (before.version, scene.version, events.len());
            return Err(self.contradiction(format!("{count} events lead from version {from} to {to}")));
        }
        if is_foul {
            let is_revoke = |event: &Value| event["event"]["type"] == "revoked";
            if !events.iter().any(|event| event.get().parse().is_ok_and(|event| is_revoke(&event))) {
                return Err(self.contradiction("a revoke was not seen"));
            }
            self.run.statistics.count(|counts| counts.revokes += 1);
            self.fouls = (before.rounds().0, self.fouls.1 + 1);
        }
        self.acknowledge(scene.version, &scene.tag, events)?;
        Ok(scene)
    }

    /// Parses the short response to an accepted command, and waits for the turn after it and its time of arrival.
    async fn acknowledged(
        &mut self,
        before: &Scene,
        answer: &Answer,
    ) -> Result<(Scene, Instant), DriveError> {
        let MinimalAnswer { version, head } = answer.read()?;
        if version != head.seq || version <= before.version {
            let (from, seq) = (before.version, head.seq);
            let what = format!("a command leads from {from} to {version} with head {seq}");
            return Err(self.contradiction(what));
        }
        let tag = tag(&head.hash).ok_or_else(|| DriveError::unreadable(answer, "the head has no hash"))?;
        self.acknowledge(version, &tag, Vec::new())?;
        let (scene, at) = self.follow(before).await?;
        // Only bots act on their own.
        if scene.version != version && self.run.flags.bots == 0 {
            let what = format!("after version {version} came the turn of version {}", scene.version);
            return Err(self.contradiction(what));
        }
        Ok((scene, at))
    }

    /// A random card that breaks the duty to follow suit, if the table penalises it.
    fn foul(&mut self, scene: &Scene) -> Option<Command> {
        if !self.plan.penalises_revokes || self.followers.is_some() || scene.phase() != "play" {
            return None;
        }
        if self.fouls.0 != scene.rounds().0 {
            self.fouls = (scene.rounds().0, 0);
        }
        if self.fouls.1 >= MAX_FOULS || !self.dice.random_bool(FOUL) {
            return None;
        }
        let is_listed = |card: &Command| scene.legal.iter().any(|listed| listed.get() == card.get());
        let hand = scene.hand(scene.to_act?.number()).iter().filter_map(|card| play(card));
        hand.filter(|card| !is_listed(card)).collect::<Vec<_>>().choose(&mut self.dice).cloned()
    }
}
