//! Lists of games: the public lobby, and the caller's own games.

use serde::Serialize;

use super::Games;
use super::view::PersonView;
use crate::app::cursor::ListTag;
use crate::app::failure::Failure;
use crate::app::rulesets::RulesetSummary;
use crate::app::skipped_games::Job;
use crate::auth::caller::Caller;
use crate::engine::event::Visibility;
use crate::engine::game::Status;
use crate::engine::ruleset::RulesetId;
use crate::store::GameId;
use crate::store::games::{self, GameFilter, GameRow, Page};
use estimation_record::RecordTime;

/// The most tables per host in the public lobby, so that one host cannot fill it.
const LISTED_PER_HOST: i64 = 4;

#[derive(Clone, Debug, Default)]
pub struct GameList {
    /// Default: the lobby for public games, any status for the caller's own.
    pub status: Option<Status>,
    pub ruleset: Option<RulesetId>,
    /// The caller's own games instead of the public ones.
    pub mine: bool,
    pub cursor: Option<String>,
    pub limit: usize,
}

#[derive(Clone, Debug, Serialize)]
pub struct GameSummary {
    pub id: GameId,
    pub status: Status,
    pub ruleset: RulesetSummary,
    pub host: PersonView,
    pub visibility: Visibility,
    pub players: u8,
    pub taken: usize,
    pub created_at: RecordTime,
    pub updated_at: RecordTime,
}

/// A page of games, newest first.
#[derive(Clone, Debug, Serialize)]
pub struct GamesPage {
    pub items: Vec<GameSummary>,
    /// The `cursor` of the next page; `None` on the last.
    pub next_cursor: Option<String>,
}

impl GameFilter {
    /// The tag of the list with this name and owner, under these filters.
    pub(in crate::app) fn list(&self, [name, of]: [&str; 2]) -> ListTag {
        let word = |value: &Option<String>| value.as_deref().unwrap_or_default().to_owned();
        let (status, ruleset) = (word(&self.status), word(&self.ruleset));
        ListTag::of(&[name, of, &status, &ruleset])
    }
}

/// The page after a cursor, with one extra game that shows whether another page follows.
pub(in crate::app) fn page_of(tag: &ListTag, cursor: Option<&str>, limit: usize) -> Result<Page, Failure> {
    Ok(Page { after: tag.position(cursor)?, limit: limit as i64 + 1 })
}

impl Games {
    /// Lists public games, or the caller's own.
    pub async fn list(&self, caller: &Caller, list: GameList) -> Result<GamesPage, Failure> {
        let status = list.status.or((!list.mine).then_some(Status::Lobby));
        let filter = GameFilter {
            status: status.map(|status| status.as_str().to_owned()),
            ruleset: list.ruleset.map(|id| id.to_string()),
            visibility: (!list.mine).then(|| Visibility::Public.as_str().to_owned()),
            newest_per_host: (!list.mine && status == Some(Status::Lobby)).then_some(LISTED_PER_HOST),
        };
        let (account, mine) = (caller.account.to_string(), list.mine);
        let tag = filter.list(["games", if mine { &account } else { "" }]);
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
        self.summarised(rows, list.limit, &tag).await
    }

    /// Builds a page from rows, which hold one extra game if another page follows. Unreadable games are left
    /// out.
    pub(in crate::app) async fn summarised(
        &self,
        mut rows: Vec<GameRow>,
        limit: usize,
        tag: &ListTag,
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
        let names = self.names.names_of(loaded.iter().map(|game| &game.game.table.host)).await?;
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
                updated_at: loaded.pace.last,
            }
        });
        let next_cursor = rows.last().filter(|_| more).map(|row| tag.cursor(row.id));
        Ok(GamesPage { items: items.collect(), next_cursor })
    }
}
