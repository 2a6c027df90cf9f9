//! The public profile of a player, and the list of their games.

use serde::Serialize;
use utoipa::ToSchema;

use super::{BrokenOff, Players};
use crate::auth::caller::Caller;
use crate::base::failure::Failure;
use crate::base::names::pseudonym;
use crate::games::{GamesPage, list_tag, page_of};
use estimation_engine::game::GameStatus;
use estimation_engine::player::AccountId;
use estimation_engine::ruleset::RulesetId;
use estimation_record::RecordTime;
use estimation_store::accounts::AccountKind;
use estimation_store::games::{self, GameFilter};
use estimation_store::{accounts, players, relations};

estimation_engine::choices! {
    /// The kind of a player's account.
    pub enum ProfileKind {
        /// The account has a username and a password.
        Full = "full",
        /// The account has no username and no password, and lasts as long as its sessions.
        Guest = "guest",
        /// The account was deleted; its games still exist.
        Deleted = "deleted",
    }
}

/// The public profile of a player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PlayerProfile {
    /// The player's account.
    pub id: AccountId,
    /// The display name; a pseudonym after the account was deleted.
    #[schema(min_length = 1, max_length = 40, example = "Noor")]
    pub display_name: String,
    /// Whether the account is full, a guest's, or deleted.
    pub kind: ProfileKind,
    /// When the account was created; null after the account was deleted.
    pub since: Option<RecordTime>,
    /// What the player broke off; null after the account was deleted.
    pub broken_off: Option<BrokenOff>,
}

#[derive(Clone, Debug, Default)]
pub struct PlayerGames {
    pub status: Option<GameStatus>,
    pub ruleset: Option<RulesetId>,
    pub cursor: Option<String>,
    pub limit: usize,
}

impl Players {
    /// A deleted account has a profile only if it played a game. An account that blocks the caller, or is blocked, is not
    /// there for the caller.
    pub async fn profile(&self, caller: &Caller, id: &AccountId) -> Result<PlayerProfile, Failure> {
        let (asked, viewer) = (id.clone(), caller.account.clone());
        let read = self.database.read(move |conn| {
            // All is read in any case, so that the time tells nothing.
            let is_hidden = relations::is_blocked_with(conn, &viewer, std::slice::from_ref(&asked))?;
            let row = accounts::find(conn, &asked)?.filter(|_| !is_hidden);
            let played = players::has_sat(conn, &asked)? && !is_hidden;
            Ok((row, played, BrokenOff::of(conn, &asked)?))
        });
        match read.await? {
            (Some(row), _, broken_off) => Ok(PlayerProfile {
                kind: match row.kind {
                    AccountKind::Guest => ProfileKind::Guest,
                    AccountKind::Full => ProfileKind::Full,
                },
                since: Some(row.created_at),
                display_name: row.display_name,
                id: id.clone(),
                broken_off: Some(broken_off),
            }),
            (None, true, _) => Ok(PlayerProfile {
                display_name: pseudonym(id).to_string(),
                id: id.clone(),
                kind: ProfileKind::Deleted,
                since: None,
                broken_off: None,
            }),
            (None, false, _) => Err(Failure::NotFound { what: "player" }),
        }
    }

    /// The games of a player, newest first: public ones, and those in which the caller also has a seat.
    pub async fn games_of(
        &self,
        caller: &Caller,
        id: &AccountId,
        list: PlayerGames,
    ) -> Result<GamesPage, Failure> {
        self.profile(caller, id).await?;
        let filter = GameFilter {
            status: list.status.map(|status| status.as_str().to_owned()),
            ruleset: list.ruleset.map(|id| id.to_string()),
            visibility: None,
            newest_per_host: None,
            hidden_from: Some(caller.account.clone()),
        };
        let (player, viewer) = (id.clone(), caller.account.clone());
        let tag = list_tag(["player", player.as_str()], &filter);
        let page = page_of(&tag, list.cursor.as_deref(), list.limit)?;
        let rows =
            self.database.read(move |conn| games::list_of_player(conn, &player, &viewer, &filter, &page));
        self.games.summarised(rows.await?, list.limit, &tag, None).await
    }
}
