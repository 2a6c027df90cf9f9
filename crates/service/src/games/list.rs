//! Lists of games: the public lobby, and the caller's own games.

use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use super::turn::awaited;
use super::view::{PersonView, PlayerView, players};
use super::{Games, LoadedGame};
use crate::auth::caller::Caller;
use crate::base::cursor::ListTag;
use crate::base::failure::Failure;
use crate::base::locale::Language;
use crate::base::names::Named;
use crate::games::skipped_games::Job;
use crate::rulesets::RulesetSummary;
use estimation_engine::command::Position;
use estimation_engine::event::Visibility;
use estimation_engine::game::GameStatus;
use estimation_engine::player::AccountId;
use estimation_engine::ruleset::RulesetId;
use estimation_engine::seat::{BySeat, Seat};
use estimation_record::RecordTime;
use estimation_store::GameId;
use estimation_store::games::{self, GameFilter, GameRow, Page};

/// The most tables per host in the public lobby, so that one host cannot fill it.
const LISTED_PER_HOST: i64 = 4;

#[derive(Clone, Debug, Default)]
pub struct GameList {
    /// Default: the lobby for public games, any status for the caller's own.
    pub status: Option<GameStatus>,
    pub ruleset: Option<RulesetId>,
    /// The caller's own games instead of the public ones.
    pub mine: bool,
    pub cursor: Option<String>,
    pub limit: usize,
}

/// A game in a list.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct GameSummary {
    /// The game's id.
    pub id: GameId,
    /// The game's status.
    pub status: GameStatus,
    /// The rules, with the options of the table.
    pub ruleset: RulesetSummary,
    /// The host of the table.
    pub host: PersonView,
    /// Who may find the game.
    pub visibility: Visibility,
    /// The number of seats.
    #[schema(minimum = 2, maximum = 5)]
    pub players: u8,
    /// The number of occupied seats.
    #[schema(value_type = u8, minimum = 0, maximum = 5)]
    pub taken: usize,
    /// When the table was opened.
    pub created_at: RecordTime,
    /// When the last event happened.
    pub updated_at: RecordTime,
    /// What a home screen shows of your own games; absent in other lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub own: Option<OwnGame>,
}

/// What a home screen shows of a game in which the caller has a seat.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct OwnGame {
    /// Whether the caller must act now; in the lobby, whether they must open their client seed.
    pub your_turn: bool,
    /// The positions that must act; in an opening of client seeds, those whose seed is closed.
    #[schema(max_items = 5)]
    pub awaited: Vec<Position>,
    /// When the present turn times out; absent without a clock, and on a bot's turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub deadline: Option<RecordTime>,
    /// The taken seats.
    #[schema(max_items = 5)]
    pub seats: Vec<OwnSeat>,
    /// The caller's position.
    pub you: Option<Position>,
    /// The totals so far, by seat.
    #[schema(value_type = Vec<i32>, min_items = 2, max_items = 5)]
    pub totals: BySeat<i32>,
    /// The invitation code of a private table.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 8, max_length = 8, pattern = "^[0-9A-Z]{8}$")]
    pub join_code: Option<String>,
}

/// A taken seat and its player.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct OwnSeat {
    /// The seat; in the lobby, the place.
    pub seat: Seat,
    #[serde(flatten)]
    pub player: PlayerView,
}

impl OwnGame {
    fn of(loaded: &LoadedGame, account: &AccountId, names: &Named) -> OwnGame {
        let you = loaded.position_of(account);
        let seats = players(loaded, names, Language::English).zip((0..).map(Seat::new));
        OwnGame {
            your_turn: you.is_some_and(|you| loaded.game.waits_for(you)),
            awaited: awaited(&loaded.game),
            deadline: loaded.turn_clock.deadline(&loaded.game),
            seats: seats.filter_map(|(player, seat)| Some(OwnSeat { seat, player: player? })).collect(),
            you,
            totals: loaded.game.sheet.totals.clone(),
            join_code: loaded.join_code.clone().filter(|_| you.is_some()),
        }
    }
}

/// A page of games, newest first.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = GamePage)]
pub struct GamesPage {
    /// The games, newest first.
    #[schema(max_items = 100)]
    pub items: Vec<GameSummary>,
    /// The `cursor` of the next page; null on the last page.
    #[schema(min_length = 1, max_length = 512)]
    pub next_cursor: Option<String>,
}

/// The tag of the list with this name and owner, under these filters.
pub(crate) fn list_tag([name, of]: [&str; 2], filter: &GameFilter) -> ListTag {
    let word = |value: &Option<String>| value.as_deref().unwrap_or_default().to_owned();
    let (status, ruleset) = (word(&filter.status), word(&filter.ruleset));
    ListTag::of(&[name, of, &status, &ruleset])
}

/// The page after a cursor, with one extra game that shows whether another page follows.
pub(crate) fn page_of(tag: &ListTag, cursor: Option<&str>, limit: usize) -> Result<Page, Failure> {
    Ok(Page { after: tag.position(cursor)?, limit: limit as i64 + 1 })
}

impl Games {
    /// Lists public games, or the caller's own.
    pub async fn list(&self, caller: &Caller, list: GameList) -> Result<GamesPage, Failure> {
        let status = list.status.or((!list.mine).then_some(GameStatus::Lobby));
        let filter = GameFilter {
            status: status.map(|status| status.as_str().to_owned()),
            ruleset: list.ruleset.map(|id| id.to_string()),
            visibility: (!list.mine).then(|| Visibility::Public.as_str().to_owned()),
            newest_per_host: (!list.mine && status == Some(GameStatus::Lobby)).then_some(LISTED_PER_HOST),
            hidden_from: (!list.mine).then(|| caller.account.clone()),
        };
        let (account, mine) = (caller.account.clone(), list.mine);
        let tag = list_tag(["games", if mine { account.as_str() } else { "" }], &filter);
        let page = page_of(&tag, list.cursor.as_deref(), list.limit)?;
        let rows = self
            .database
            .read(move |conn| {
                if mine {
                    games::list_mine(conn, &account, &filter, &page)
                } else {
                    games::list(conn, &filter, &page)
                }
            })
            .await?;
        let own = list.mine.then_some(&caller.account);
        self.summarised(rows, list.limit, &tag, own).await
    }

    /// Builds a page from rows, which hold one extra game if another page follows. Unreadable games are left
    /// out. In a list of an account's `own` games, the items have more.
    pub(crate) async fn summarised(
        &self,
        mut rows: Vec<GameRow>,
        limit: usize,
        tag: &ListTag,
        own: Option<&AccountId>,
    ) -> Result<GamesPage, Failure> {
        let more = rows.len() > limit;
        rows.truncate(limit);
        let mut loaded = Vec::with_capacity(rows.len());
        for row in &rows {
            match self.present(row.id).await {
                Ok(game) => {
                    self.skipped_games.handled(Job::Pages, row.id);
                    loaded.push(game);
                }
                Err(failure) if failure.is_unreadable() => {
                    self.skipped_games.skip(Job::Pages, row.id, failure)?
                }
                Err(failure) => return Err(failure),
            }
        }
        let sitting = |game: &Arc<LoadedGame>| {
            let sitters = game.game.table.places.values().flatten();
            sitters.filter_map(|sitter| sitter.player.account().cloned()).collect::<Vec<_>>()
        };
        let players: Vec<AccountId> = loaded.iter().filter(|_| own.is_some()).flat_map(sitting).collect();
        let hosts = loaded.iter().map(|game| &game.game.table.host);
        let names = self.names.names_of(hosts.chain(&players)).await?;
        let items = loaded.iter().map(|loaded| {
            let table = &loaded.game.table;
            GameSummary {
                id: loaded.id,
                status: loaded.game.status(),
                ruleset: RulesetSummary::of(&table.ruleset),
                host: PersonView { id: table.host.clone(), name: names.of(&table.host) },
                visibility: table.visibility,
                players: table.ruleset.players,
                taken: table.places.values().flatten().count(),
                created_at: loaded.created_at,
                updated_at: loaded.turn_clock.last,
                own: own.map(|account| OwnGame::of(loaded, account, &names)),
            }
        });
        let next_cursor = rows.last().filter(|_| more).map(|row| tag.cursor(row.id));
        Ok(GamesPage { items: items.collect(), next_cursor })
    }
}
