//! Table talk: reactions and phrases of a fixed set, so that nothing needs to be moderated.
//!
//! A reaction is no event of the game: the record does not have it. A node gives it to the streams of the game at once, here
//! and on other nodes, and writes it within a second, together with others. It is kept for 30 days, for reports. If the node
//! dies before, the reaction was seen and is not kept.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

use crate::auth::authority::{CallerAuthority, RequiredAuthority};
use crate::auth::caller::Caller;
use crate::base::clock::Clock;
use crate::base::failure::{Failure, milliseconds};
use crate::base::metrics::Metrics;
use crate::games::hub::Announcements;
use crate::games::{Games, LoadedGame};
use estimation_engine::choice::Choice;
use estimation_engine::command::Position;
use estimation_engine::player::AccountId;
use estimation_engine::rejection::Rejection;
use estimation_record::RecordTime;
use estimation_store::reactions::{self, ReactionRow};
use estimation_store::{Connection, Database, GameId, Server, StoreError};

/// The time between two reactions of a player at a table, in milliseconds.
const PAUSE: i64 = 3_000;

/// The most reactions of a player in a round.
const PER_ROUND: u32 = 20;

/// The seconds after which a client may try again if it had that many. The end of the round is not known.
const NEXT_ROUND: u64 = 30;

/// How long reactions are kept.
const KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);

/// The most reactions that wait to be written. Further ones are seen and not kept.
const WAITING: usize = 10_000;

/// Above this number of players, a node forgets the counts of players without a reaction for [`SILENT`] milliseconds.
const COUNTED: usize = 50_000;
const SILENT: i64 = 600_000;

estimation_engine::choices! {
    /// What a player can say at a table. More are added over time; show those that you do not know as a speech bubble.
    pub enum Reaction {
        /// A greeting.
        Hello = "hello",
        /// Good luck.
        GoodLuck = "good_luck",
        /// Well played.
        WellPlayed = "well_played",
        /// Thank you.
        Thanks = "thanks",
        /// Sorry.
        Sorry = "sorry",
        /// One moment, please.
        OneMoment = "one_moment",
        /// I am ready.
        Ready = "ready",
        /// Good game.
        GoodGame = "good_game",
        /// Thumbs up.
        ThumbsUp = "thumbs_up",
        /// Applause.
        Applause = "applause",
        /// Laughter.
        Laugh = "laugh",
        /// Surprise.
        Wow = "wow",
        /// Sadness.
        Sad = "sad",
        /// Thinking.
        Thinking = "thinking",
    }
}

impl Reaction {
    /// An emoji for it; none for a phrase.
    pub const fn symbol(self) -> Option<&'static str> {
        match self {
            Reaction::ThumbsUp => Some("👍"),
            Reaction::Applause => Some("👏"),
            Reaction::Laugh => Some("😂"),
            Reaction::Wow => Some("😮"),
            Reaction::Sad => Some("😢"),
            Reaction::Thinking => Some("🤔"),
            _ => None,
        }
    }
}

/// A reaction of a seated player, as streams send it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct TableReaction {
    /// The position of the player.
    pub position: Position,
    /// What the player says.
    pub reaction: Reaction,
    /// When the player said it.
    pub at: RecordTime,
}

impl TableReaction {
    /// A reaction at a table; none if its player has left, or a newer version knows it.
    pub(crate) fn of(row: &ReactionRow, loaded: &LoadedGame) -> Option<TableReaction> {
        Some(TableReaction {
            position: loaded.position_of(&row.account_id)?,
            reaction: Reaction::from_name(&row.reaction)?,
            at: row.at,
        })
    }
}

pub struct Reactions {
    pub(crate) database: Database,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) games: Arc<Games>,
    pub(crate) announcements: Arc<Announcements>,
    pub(crate) said: Mutex<RecentReactions>,
}

#[derive(Default)]
pub(crate) struct RecentReactions {
    spoken: HashMap<(GameId, AccountId), LastReaction>,
    /// With the authority to write each.
    unwritten: Vec<(ReactionRow, CallerAuthority)>,
}

/// What a player said at a table.
#[derive(Clone, Copy)]
struct LastReaction {
    /// When the player reacted last, in milliseconds since 1970.
    last: i64,
    /// The number of finished rounds at that time.
    round: usize,
    /// The reactions in that round.
    reactions: u32,
}

impl Reactions {
    /// Says something at a table at which the caller has a seat.
    ///
    /// # Errors
    /// [`Failure::TableSilent`] at a table without talk, [`Failure::TooManyRequests`] for more than one reaction in three seconds or
    /// 20 in a round, and what refuses accounts without a seat.
    pub async fn react(&self, caller: &Caller, id: GameId, reaction: Reaction) -> Result<(), Failure> {
        let now = self.clock.now();
        caller.restrictions.require_talking(now)?;
        let loaded = self.games.present(id).await?;
        self.games.seated(&loaded, &caller.account).await?;
        if !loaded.talk {
            return Err(Failure::TableSilent);
        }
        if loaded.game.is_over() {
            let status = loaded.game.status();
            return Err(Failure::from(Rejection::NotPlaying { status }));
        }
        let row = ReactionRow {
            game_id: id,
            account_id: caller.account.clone(),
            at: now.into(),
            reaction: reaction.as_str().to_owned(),
        };
        let by = caller.authority(RequiredAuthority::Talking, now);
        let admitted = self.lock().admit(&row, &by, loaded.game.sheet.rounds.len());
        self.metrics.reaction(if admitted.is_ok() { "sent" } else { "refused" });
        admitted?;
        self.announcements.react(row);
        Ok(())
    }

    /// Writes the reactions that wait.
    pub(crate) async fn write(&self) -> Result<(), StoreError> {
        let rows = std::mem::take(&mut self.lock().unwritten);
        if rows.is_empty() {
            return Ok(());
        }
        let written = rows.clone();
        let write = move |conn: &mut Connection| {
            let authorities: Vec<&CallerAuthority> = written.iter().map(|(_, by)| by).collect();
            let held = CallerAuthority::hold(&authorities, conn)?;
            let rows = written.iter().zip(held).filter(|(_, held)| *held).map(|((row, _), _)| row.clone());
            reactions::insert(conn, &rows.collect::<Vec<_>>())
        };
        let outcome = self.database.write(Server, write).await;
        if outcome.is_err() {
            let mut said = self.lock();
            let room = WAITING.saturating_sub(said.unwritten.len());
            said.unwritten.extend(rows.into_iter().take(room));
        }
        outcome
    }

    /// Deletes old reactions.
    pub(crate) async fn sweep(&self) -> Result<(), StoreError> {
        let before = self.clock.now().checked_sub(KEPT).unwrap_or(Timestamp::UNIX_EPOCH);
        let before = milliseconds(before);
        self.database.write(Server, move |conn| reactions::sweep(conn, before)).await.map(drop)
    }

    fn lock(&self) -> MutexGuard<'_, RecentReactions> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const fn too_many(retry_after: u64) -> Failure {
    Failure::TooManyRequests { policy: "reactions", retry_after }
}

impl RecentReactions {
    /// Counts a reaction after so many finished rounds, and keeps it to be written.
    fn admit(&mut self, row: &ReactionRow, by: &CallerAuthority, round: usize) -> Result<(), Failure> {
        let (key, at) = ((row.game_id, row.account_id.clone()), row.at.milliseconds());
        let before = self.spoken.get(&key).copied();
        if let Some(before) = before
            && at < before.last + PAUSE
        {
            let rest = before.last + PAUSE - at;
            return Err(too_many(rest.unsigned_abs().div_ceil(1_000).max(1)));
        }
        let reactions = before.filter(|before| before.round == round).map_or(0, |before| before.reactions);
        if reactions >= PER_ROUND {
            return Err(too_many(NEXT_ROUND));
        }
        if self.spoken.len() >= COUNTED {
            self.spoken.retain(|_, spoken| spoken.last + SILENT > at);
        }
        self.spoken.insert(key, LastReaction { last: at, round, reactions: reactions + 1 });
        if self.unwritten.len() < WAITING {
            self.unwritten.push((row.clone(), by.clone()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::auth::restrictions::Restrictions;
    use crate::auth::tokens::Role;

    fn nobody() -> CallerAuthority {
        let caller = Caller {
            account: AccountId::new("noor"),
            session: Uuid::nil(),
            role: Role::Player,
            signed_in_at: Timestamp::UNIX_EPOCH,
            restrictions: Restrictions::default(),
        };
        caller.authority(RequiredAuthority::Talking, Timestamp::UNIX_EPOCH)
    }

    fn said_at(at: i64) -> ReactionRow {
        ReactionRow {
            game_id: GameId::default(),
            account_id: AccountId::new("noor"),
            at: RecordTime::from_milliseconds(at).unwrap(),
            reaction: Reaction::Hello.as_str().to_owned(),
        }
    }

    #[test]
    fn a_player_reacts_once_in_three_seconds() {
        let mut said = RecentReactions::default();
        assert!(said.admit(&said_at(0), &nobody(), 0).is_ok());
        let wait = |outcome| match outcome {
            Err(Failure::TooManyRequests { retry_after, .. }) => retry_after,
            other => panic!("{other:?}"),
        };
        assert_eq!(wait(said.admit(&said_at(1), &nobody(), 0)), 3);
        assert_eq!(wait(said.admit(&said_at(2_999), &nobody(), 1)), 1);
        assert!(said.admit(&said_at(3_000), &nobody(), 0).is_ok());
        let other = ReactionRow { account_id: AccountId::new("omar"), ..said_at(3_001) };
        assert!(said.admit(&other, &nobody(), 0).is_ok());
        assert_eq!(said.unwritten.len(), 3);
    }

    #[test]
    fn a_player_reacts_twenty_times_in_a_round() {
        let mut said = RecentReactions::default();
        for number in 0..20 {
            assert!(said.admit(&said_at(number * PAUSE), &nobody(), 3).is_ok());
        }
        assert!(matches!(
            said.admit(&said_at(20 * PAUSE), &nobody(), 3),
            Err(Failure::TooManyRequests { retry_after: NEXT_ROUND, .. })
        ));
        assert!(said.admit(&said_at(20 * PAUSE), &nobody(), 4).is_ok());
    }
}
