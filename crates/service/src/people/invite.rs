//! Invitations of friends to a table in the lobby.

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::People;
use super::no_player;
use crate::auth::authority::RequiredAuthority;
use crate::auth::caller::Caller;
use crate::base::failure::Failure;
use crate::base::ids::new_id;
use crate::games::view::PersonView;
use crate::notifications::{NoticeKind, account_notice};
use estimation_engine::game::GameStatus;
use estimation_engine::player::AccountId;
use estimation_engine::rejection::Rejection;
use estimation_record::RecordTime;
use estimation_store::invitations::{self, InvitationRow};
use estimation_store::notifications::NewNotification;
use estimation_store::relations::{self, Relation};
use estimation_store::{Connection, GameId, Id, matchmaking};

/// The most invitations to a table.
const PER_TABLE: i64 = 20;

/// The most invitations in a list.
const LISTED: i64 = 50;

/// How long invitations to tables that do not wait any more are kept, in milliseconds.
pub(super) const KEPT: i64 = 24 * 3600 * 1000;

/// An invitation that the caller sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SentInvitation {
    /// The invitation's id.
    pub id: Uuid,
}

/// An invitation to a table that waits for players.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ReceivedInvitation {
    /// The invitation's id.
    pub id: Uuid,
    /// The table.
    pub game: GameId,
    /// The friend who invites.
    pub from: PersonView,
    /// The code with which you join the table; null for a public table, which you join by its id.
    #[schema(min_length = 8, max_length = 8, pattern = "^[0-9A-Z]{8}$")]
    pub join_code: Option<String>,
    /// When the friend invited you.
    pub created_at: RecordTime,
}

/// Invitations to the caller.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct InvitationList {
    /// The invitations to tables that wait for players, newest first.
    #[schema(max_items = 50)]
    pub items: Vec<ReceivedInvitation>,
}

impl People {
    /// Invites a friend to a table in the lobby at which the caller has a place. A friend who was invited before is not
    /// told again.
    ///
    /// # Errors
    /// [`Failure::NotFound`] if the player is no friend or does not exist; [`Rejection::NotSeated`],
    /// [`Rejection::NotInLobby`], [`Failure::StrangersTable`], [`Failure::TooManyPeople`].
    pub async fn invite(
        &self,
        caller: &Caller,
        game: GameId,
        friend: &AccountId,
    ) -> Result<SentInvitation, Failure> {
        let time = self.clock.now();
        caller.restrictions.require_talking(time)?;
        self.count(caller).await?;
        let loaded = self.games.present(game).await?;
        self.games.seated(&loaded, &caller.account).await?;
        let status = loaded.game.status();
        if status != GameStatus::Lobby {
            return Err(Failure::from(Rejection::NotInLobby { status }));
        }
        if self.database.read(move |conn| matchmaking::is_open(conn, game)).await? {
            return Err(Failure::StrangersTable);
        }
        let new = InvitationRow {
            id: Id(new_id(time, &*self.entropy)),
            game_id: game,
            sender_id: caller.account.clone(),
            recipient_id: friend.clone(),
            created_at: time.into(),
        };
        let by = caller.authority(RequiredAuthority::Talking, time);
        let row = self.database.write(by, move |conn| write(conn, &new)).await?;
        self.announcements.announce(game, loaded.version, vec![friend.clone()]);
        let notice = NewNotification {
            game: Some(game),
            version: i64::try_from(loaded.version).ok(),
            ..account_notice(NoticeKind::Invited, friend, row.id, row.created_at)
        };
        self.notifications.tell_absent(notice).await;
        Ok(SentInvitation { id: row.id.0 })
    }

    /// The invitations to the caller at tables that wait for players.
    pub async fn invitations(&self, caller: &Caller) -> Result<InvitationList, Failure> {
        let account = caller.account.clone();
        let read = move |conn: &mut Connection| {
            let mut open = invitations::open_to(conn, &account, LISTED)?;
            let mut shown = Vec::with_capacity(open.len());
            for invitation in open.drain(..) {
                if !relations::is_blocked_at(conn, &account, invitation.0.game_id)? {
                    shown.push(invitation);
                }
            }
            Ok(shown)
        };
        let open = self.database.read(read).await?;
        let names = self.names.names_of(open.iter().map(|(row, _)| &row.sender_id)).await?;
        let items = open.into_iter().map(|(row, join_code)| {
            Ok(ReceivedInvitation {
                id: row.id.0,
                game: row.game_id,
                from: PersonView { name: names.of(&row.sender_id), id: row.sender_id },
                join_code,
                created_at: row.created_at,
            })
        });
        Ok(InvitationList { items: items.collect::<Result<_, Failure>>()? })
    }

    /// Declines an invitation to the caller.
    ///
    /// # Errors
    /// [`Failure::NotFound`].
    pub async fn decline(&self, caller: &Caller, id: Uuid) -> Result<(), Failure> {
        let (account, id) = (caller.account.clone(), Id(id));
        let decline = move |conn: &mut Connection| match invitations::decline(conn, id, &account)? {
            true => Ok(()),
            false => Err(Failure::NotFound { what: "invitation" }),
        };
        self.database.write(self.signed_in(caller), decline).await
    }
}

/// Writes an invitation, or finds the one that the friend has.
fn write(conn: &mut Connection, new: &InvitationRow) -> Result<InvitationRow, Failure> {
    let (sender, recipient) = (&new.sender_id, &new.recipient_id);
    let are_friends = relations::has(conn, sender, recipient, Relation::Friend)?;
    let is_blocked = relations::is_blocked_at(conn, recipient, new.game_id)?;
    if !are_friends || is_blocked {
        return Err(no_player());
    }
    if let Some(row) = invitations::find_of(conn, new.game_id, recipient)? {
        return Ok(row);
    }
    if invitations::count(conn, new.game_id)? >= PER_TABLE {
        return Err(Failure::TooManyPeople { what: "invitations to a table", limit: PER_TABLE });
    }
    invitations::insert(conn, new)?;
    Ok(new.clone())
}
