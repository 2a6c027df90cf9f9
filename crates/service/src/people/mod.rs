//! People: blocks and mutes, friends, requests for friendship, and invitations to tables.
//!
//! A block works in both directions: profile, search, lists, tables and streams answer each of the two accounts as if the
//! other account, and its games, did not exist. A game that both play goes on. The check for tables is
//! `Games::admit`; the store checks it again in the transaction that seats an account.
//!
//! Players choose how others find them: by the friend code, which they give to others themselves, and by the exact display
//! name if they chose so. Friends see whether a player is online if that player chose so. A refusal is that of a player who
//! does not exist.

mod find;
mod friends;
mod invite;

use std::sync::Arc;

use garde::Validate;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::auth::authority::{CallerAuthority, RequiredAuthority};
use crate::auth::caller::Caller;
use crate::auth::throttle::{LimitKind, Throttle};
use crate::base::clock::Clock;
use crate::base::entropy::Entropy;
use crate::base::failure::{Failure, milliseconds};
use crate::base::names::Names;
use crate::games::hub::Announcements;
use crate::games::hub::presence::Presence;
use crate::games::view::PersonView;
use crate::games::{Games, Request};
use crate::notifications::Notifications;
use estimation_engine::command::Position;
use estimation_engine::game::GameStatus;
use estimation_engine::player::AccountId;
use estimation_engine::table::TableCommand;
use estimation_record::RecordTime;
use estimation_store::people_settings::{self, PeopleSettingsRow};
use estimation_store::relations::{self, AddOutcome, Relation};
use estimation_store::{Connection, Database, GameId, Server, StoreError, invitations, matchmaking};

pub use self::find::FoundPlayers;
pub use self::friends::{Friendship, FriendshipStatus};
pub use self::invite::{InvitationList, ReceivedInvitation, SentInvitation};

/// The most accounts that an account blocks, and that it mutes.
const BLOCKS: i64 = 200;

/// The most friends of an account.
const FRIENDS: i64 = 200;

/// The most requests for friendship that an account has sent, and that it has got.
const REQUESTS: i64 = 50;

/// How others may find the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub struct PeopleSettings {
    /// Whether friends see when you are online. False at first.
    pub shows_presence: bool,
    /// Whether your exact display name finds you. False at first.
    pub found_by_name: bool,
    /// Whether others may ask for friendship without your friend code. True at first.
    pub takes_requests: bool,
}

impl PeopleSettings {
    pub(crate) fn of(row: &PeopleSettingsRow) -> PeopleSettings {
        PeopleSettings {
            shows_presence: row.shows_presence,
            found_by_name: row.found_by_name,
            takes_requests: row.takes_requests,
        }
    }
}

/// A friend.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Friend {
    /// The friend.
    pub player: PersonView,
    /// Whether the friend is online; null if the friend does not show it.
    pub online: Option<bool>,
    /// Since when you are friends.
    pub since: RecordTime,
}

/// A player to whom the account has a relation.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Related {
    /// The player.
    pub player: PersonView,
    /// Since when.
    pub since: RecordTime,
}

/// The people of an account.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct PeopleView {
    /// Friends, newest first.
    #[schema(max_items = 200)]
    pub friends: Vec<Friend>,
    /// Who asks you for friendship, newest first.
    #[schema(max_items = 50)]
    pub received: Vec<Related>,
    /// Whom you asked for friendship, newest first.
    #[schema(max_items = 50)]
    pub sent: Vec<Related>,
    /// Whom you block, newest first.
    #[schema(max_items = 200)]
    pub blocked: Vec<Related>,
    /// Whom you mute, newest first.
    #[schema(max_items = 200)]
    pub muted: Vec<Related>,
    /// How others may find you.
    pub settings: PeopleSettings,
    /// The code with which others find you; null for none.
    #[schema(min_length = 12, max_length = 12, pattern = "^[0-9A-Z]{12}$", example = "7KQ2MX9RWBTA")]
    pub friend_code: Option<String>,
}

pub struct People {
    pub(crate) database: Database,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) throttle: Arc<Throttle>,
    pub(crate) games: Arc<Games>,
    pub(crate) names: Arc<Names>,
    pub(crate) presence: Arc<Presence>,
    pub(crate) announcements: Arc<Announcements>,
    pub(crate) notifications: Arc<Notifications>,
}

/// The answer for a player who does not exist, and for one who is hidden from the caller.
const fn no_player() -> Failure {
    Failure::NotFound { what: "player" }
}

impl People {
    pub async fn list(&self, caller: &Caller) -> Result<PeopleView, Failure> {
        let account = caller.account.clone();
        let read = self.database.read(move |conn| {
            let own = relations::of_account(conn, &account)?;
            let friends: Vec<AccountId> = own
                .iter()
                .filter(|row| row.kind == Relation::Friend)
                .map(|row| row.other_id.clone())
                .collect();
            let showing = people_settings::showing_presence(conn, &friends)?;
            let received = relations::requests_to(conn, &account)?;
            Ok((own, received, showing, people_settings::find(conn, &account)?))
        });
        let (own, received, showing, settings) = read.await?;
        let everybody = own.iter().map(|row| &row.other_id).chain(received.iter().map(|row| &row.account_id));
        let names = self.names.names_of(everybody).await?;
        let online = self.presence.online_among(&showing).await?;
        let person = |id: &AccountId| PersonView { id: id.clone(), name: names.of(id) };
        let related = |id: &AccountId, since: RecordTime| Related { player: person(id), since };
        let of_kind = |kind: Relation| {
            let rows = own.iter().filter(move |row| row.kind == kind);
            rows.map(|row| related(&row.other_id, row.since)).collect::<Vec<_>>()
        };
        let friends = of_kind(Relation::Friend).into_iter().map(|Related { player, since }| {
            let online = showing.contains(&player.id).then(|| online.contains(&player.id));
            Friend { player, online, since }
        });
        Ok(PeopleView {
            friends: friends.collect(),
            received: received.iter().map(|row| related(&row.account_id, row.since)).collect(),
            sent: of_kind(Relation::Request),
            blocked: of_kind(Relation::Block),
            muted: of_kind(Relation::Mute),
            settings: PeopleSettings::of(&settings),
            friend_code: settings.friend_code,
        })
    }

    /// Chooses how others may find the caller.
    pub async fn choose(&self, caller: &Caller, settings: PeopleSettings) -> Result<(), Failure> {
        let account = caller.account.clone();
        let write = move |conn: &mut Connection| {
            let row = PeopleSettingsRow {
                shows_presence: settings.shows_presence,
                found_by_name: settings.found_by_name,
                takes_requests: settings.takes_requests,
                ..people_settings::find(conn, &account)?
            };
            Ok(people_settings::put(conn, &row)?)
        };
        self.database.write(self.signed_in(caller), write).await
    }

    /// Blocks an account. Friendship, requests and invitations between the two end. If both have a place at a table in the
    /// lobby, the host keeps it: a caller who hosts removes the other player, another caller leaves. Blocking an account that
    /// does not exist succeeds and does nothing, so the answer does not tell which accounts exist.
    ///
    /// # Errors
    /// [`Failure::TooManyPeople`].
    pub async fn block(&self, caller: &Caller, other: &AccountId) -> Result<(), Failure> {
        if *other == caller.account {
            return Ok(());
        }
        let (account, blocked, now) = (caller.account.clone(), other.clone(), milliseconds(self.clock.now()));
        let write =
            move |conn: &mut Connection| match relations::block(conn, (&account, &blocked), BLOCKS, now)? {
                AddOutcome::TooMany => Err(Failure::TooManyPeople { what: "blocked players", limit: BLOCKS }),
                AddOutcome::NoAccount => Ok(false),
                AddOutcome::Done => {
                    invitations::end_between(conn, &account, &blocked)?;
                    Ok(true)
                }
            };
        let exists = self.database.write(self.signed_in(caller), write).await?;
        if !exists {
            return Ok(());
        }
        let (account, blocked) = (caller.account.clone(), other.clone());
        let shared =
            self.database.read(move |conn| relations::shared_lobbies(conn, &account, &blocked)).await?;
        for game in shared {
            if let Err(error) = self.separate(caller, other, game).await {
                tracing::warn!(%error, %game, "cannot separate blocked players at a table");
            }
        }
        Ok(())
    }

    /// Frees one of two places at a table in the lobby.
    async fn separate(&self, caller: &Caller, other: &AccountId, game: GameId) -> Result<(), Failure> {
        let loaded = self.games.present(game).await?;
        let matchmade = self.database.read(move |conn| matchmaking::is_open(conn, game)).await?;
        let hosts = loaded.game.table.host == caller.account && !matchmade;
        let position = loaded.position_of(if hosts { other } else { &caller.account });
        let (GameStatus::Lobby, Some(Position::Place(place))) = (loaded.game.status(), position) else {
            return Ok(());
        };
        let leave = TableCommand::Leave { place: place.index() as u8 };
        self.games.settle(Request::Own(None), caller, game, &leave, None).await.map(drop)
    }

    /// Mutes an account: its reactions do not reach the caller.
    ///
    /// # Errors
    /// [`Failure::TooManyPeople`].
    pub async fn mute(&self, caller: &Caller, other: &AccountId) -> Result<(), Failure> {
        if *other == caller.account {
            return Ok(());
        }
        let (account, muted, now) = (caller.account.clone(), other.clone(), milliseconds(self.clock.now()));
        let add = move |conn: &mut Connection| match relations::add(
            conn,
            (&account, &muted),
            Relation::Mute,
            BLOCKS,
            now,
        )? {
            AddOutcome::TooMany => Err(Failure::TooManyPeople { what: "muted players", limit: BLOCKS }),
            AddOutcome::NoAccount | AddOutcome::Done => Ok(()),
        };
        self.database.write(self.signed_in(caller), add).await
    }

    /// Ends a block or a mute of the caller. Does nothing if there is none.
    pub async fn end_relation(
        &self,
        caller: &Caller,
        other: &AccountId,
        what: Relation,
    ) -> Result<(), Failure> {
        let (account, other) = (caller.account.clone(), other.clone());
        let remove = move |conn: &mut Connection| {
            relations::remove(conn, &account, &other, what)?;
            Ok(())
        };
        self.database.write(self.signed_in(caller), remove).await
    }

    fn signed_in(&self, caller: &Caller) -> CallerAuthority {
        caller.authority(RequiredAuthority::SignedIn, self.clock.now())
    }

    /// Counts against the limit of searches, requests and invitations.
    async fn count(&self, caller: &Caller) -> Result<(), Failure> {
        let attempt = self.throttle.meter().attempt(LimitKind::People, caller.account.as_str().as_bytes());
        self.throttle.count(attempt.into_iter().collect()).await
    }

    /// Deletes invitations to tables that do not wait any more.
    pub(crate) async fn sweep(&self) -> Result<(), StoreError> {
        let before = milliseconds(self.clock.now()) - invite::KEPT;
        self.database.write(Server, move |conn| invitations::sweep(conn, before)).await.map(drop)
    }
}
