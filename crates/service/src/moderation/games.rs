//! Games at the desk: the public facts of one, and its end by the operator.

use garde::Validate;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::acts::{Act, ChangedValue, ModeratorAct};
use super::{LONGEST_REASON, LONGEST_UNTOLD, Moderation, check_text};
use crate::auth::permission::{ActingModerator, Staff};
use crate::base::failure::Failure;
use crate::games::LoadedGame;
use crate::games::view::PersonView;
use estimation_engine::choice::Choice;
use estimation_engine::event::Visibility;
use estimation_engine::game::{GameStatus, PhaseKind};
use estimation_engine::player::{AccountId, BotLevel, Player};
use estimation_engine::rejection::Rejection;
use estimation_engine::ruleset::RulesetId;
use estimation_record::RecordTime;
use estimation_store::games::{self, GameRow};
use estimation_store::moderation::{self, ActToRecord, ModerationAct};
use estimation_store::public_log::audit_reads;
use estimation_store::{Connection, GameId, players};

/// The most acts about a game.
const ACTS: i64 = 20;

/// A place of a game.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct InspectedSeat {
    /// The place, from 0.
    #[schema(minimum = 0, maximum = 4)]
    pub place: i32,
    /// The player; null for a bot.
    pub account: Option<PersonView>,
    /// The level of a bot; null for a person, and for a game that cannot be read.
    pub bot: Option<BotLevel>,
}

/// A game without its cards, and where it stands in the public log.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct InspectedGame {
    /// The game's id.
    pub id: GameId,
    /// The ruleset.
    pub ruleset: RulesetId,
    /// The status.
    pub status: GameStatus,
    /// Whether it is public.
    pub visibility: Visibility,
    /// The number of its events; null for a game that cannot be read.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub version: Option<u64>,
    /// Why the game cannot be read; null if it can.
    #[schema(min_length = 1, max_length = 1000)]
    pub trouble: Option<String>,
    /// When its table was opened.
    pub opened_at: RecordTime,
    /// When something happened last.
    pub last_event_at: RecordTime,
    /// The players, by place.
    #[schema(max_items = 8)]
    pub players: Vec<InspectedSeat>,
    /// Who must act; null for a bot, and if nobody must.
    pub to_act: Option<PersonView>,
    /// The phase; null before the start and after the end.
    pub phase: Option<PhaseKind>,
    /// The position of its start in the public log; null for none.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub start_index: Option<u64>,
    /// The position of its end in the public log; null for none.
    #[schema(minimum = 0, maximum = 9007199254740991u64)]
    pub end_index: Option<u64>,
    /// Whether its end is signed.
    pub signed: bool,
    /// Whether its events are packed.
    pub packed: bool,
    /// What moderators did, newest first.
    #[schema(max_items = 20)]
    pub acts: Vec<ModeratorAct>,
}

/// A request to end a game.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub struct EndRequest {
    /// Why.
    #[schema(min_length = 1, max_length = 600, example = "Nobody has been there for a month.")]
    #[garde(length(chars, min = 1, max = LONGEST_REASON))]
    pub reason: String,
    /// Why the players are not told the reason.
    #[schema(min_length = 1, max_length = 200, required = false)]
    #[garde(length(chars, min = 1, max = LONGEST_UNTOLD))]
    pub untold: Option<String>,
}

impl Moderation {
    /// The public facts of a game.
    ///
    /// # Errors
    /// [`Failure::NotFound`].
    pub async fn inspect_game(&self, _by: &Staff, id: GameId) -> Result<InspectedGame, Failure> {
        let read = move |conn: &mut Connection| {
            let Some(row) = games::find(conn, id)? else { return Ok(None) };
            let seats = players::of_game(conn, id)?;
            let dates = games::job_dates(conn, id)?;
            let log = audit_reads::find(conn, id)?;
            Ok(Some((row, seats, dates, log, moderation::acts_about_game(conn, id, ACTS)?)))
        };
        let found = self.database.read(read).await?;
        let (row, seats, dates, log, acts) = found.ok_or(Failure::NotFound { what: "game" })?;
        // A game that is stuck may be one that cannot be read.
        let (loaded, trouble) = match self.games.present(id).await {
            Ok(loaded) => (Some(loaded), None),
            Err(failure) if failure.is_unreadable() => (None, Some(failure.public_reason())),
            Err(failure) => return Err(failure),
        };
        let game = loaded.as_ref().map(|loaded| &loaded.game);
        let sitter = |place: i32| {
            let places = &game?.table.places;
            places.iter().find(|(at, _)| i32::from(at.as_place().index() as u8) == place)?.1.as_ref()
        };
        let to_act = game.and_then(|game| {
            let position = game.to_act().filter(|&position| !game.is_played_by_bot(position))?;
            game.table.at(game.table.place_of(position)?)?.player.account().cloned()
        });
        let people: Vec<AccountId> =
            seats.iter().filter_map(|seat| seat.account_id.clone()).chain(to_act.clone()).collect();
        let names = self.names.names_of(&people).await?;
        let person = |id: AccountId| PersonView { name: names.of(&id), id };
        let Facts { status, visibility, ruleset, opened_at } = Facts::of(&row)?;
        let position = |at: Option<(i32, u64)>| at.map(|(_, index)| index);
        Ok(InspectedGame {
            id,
            ruleset,
            status,
            visibility,
            version: loaded.as_ref().map(|loaded| loaded.version),
            trouble,
            opened_at,
            last_event_at: row.updated_at,
            players: seats
                .into_iter()
                .map(|seat| InspectedSeat {
                    place: seat.place,
                    bot: match sitter(seat.place).map(|sitter| &sitter.player) {
                        Some(Player::Bot { level }) => Some(*level),
                        _ => None,
                    },
                    account: seat.account_id.map(person),
                })
                .collect(),
            to_act: to_act.map(person),
            phase: game.and_then(|game| game.phase()),
            start_index: position(log.as_ref().and_then(|log| log.start_position)),
            end_index: position(log.as_ref().and_then(|log| log.end_position)),
            signed: dates.is_some_and(|dates| dates.signed_at.is_some()),
            packed: dates.is_some_and(|dates| dates.packed_at.is_some()),
            acts: self.act_views(acts).await?,
        })
    }

    /// Ends a game that is not over, as abandoned. It counts for nobody.
    ///
    /// # Errors
    /// [`Failure::NotFound`]; [`Rejection::NotPlaying`] if it is over; [`Failure::AccountProtected`] for a game in which the
    /// moderator plays or played; a game that cannot be read cannot be ended.
    pub async fn end_game(
        &self,
        by: &ActingModerator,
        id: GameId,
        request: &EndRequest,
    ) -> Result<ModeratorAct, Failure> {
        check_text("/reason", Some(&request.reason), LONGEST_REASON)?;
        check_text("/untold", request.untold.as_deref(), LONGEST_UNTOLD)?;
        let decide = |loaded: &LoadedGame| {
            if by.account().is_some_and(|account| loaded.game.sat_in(account)) {
                return Err(Failure::AccountProtected);
            }
            let status = loaded.game.status();
            if loaded.game.is_over() {
                return Err(Failure::Rejected(Rejection::NotPlaying { status }));
            }
            let changes = [ChangedValue::new("status", Some(status.as_str()), Some("abandoned"))];
            let act = ModerationAct {
                game_id: Some(id),
                changes: ChangedValue::stored(&changes)?,
                untold: request.untold.clone(),
                ..self.new_act(by, Act::GameEnded, &request.reason)
            };
            Ok(ActToRecord { act, seal: self.seal() })
        };
        let authority = by.authority(self.clock.now());
        let (act, players) = self.games.end_early(id, authority, decide).await?;
        // The game is over, whether its players are told now or read it later.
        if act.untold.is_none()
            && let Err(error) = self.tell_players(players).await
        {
            tracing::warn!(%error, game = %id, "the players of an ended game were not told");
        }
        self.act_view(act).await
    }
}

/// What the row of a game says of it.
pub(super) struct Facts {
    pub(super) status: GameStatus,
    pub(super) visibility: Visibility,
    pub(super) ruleset: RulesetId,
    pub(super) opened_at: RecordTime,
}

impl Facts {
    pub(super) fn of(row: &GameRow) -> Result<Facts, Failure> {
        let defect = |text: &str| Failure::Defect(format!("{text:?} is in the row of game {}", row.id));
        Ok(Facts {
            status: GameStatus::from_name(&row.status).ok_or_else(|| defect(&row.status))?,
            visibility: Visibility::from_name(&row.visibility).ok_or_else(|| defect(&row.visibility))?,
            ruleset: row.ruleset.parse().map_err(|_| defect(&row.ruleset))?,
            opened_at: row.created_at,
        })
    }
}
