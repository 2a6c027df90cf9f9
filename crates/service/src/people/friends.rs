//! Friendship: asking, accepting, ending.

use serde::Serialize;
use utoipa::ToSchema;

use super::no_player;
use super::{FRIENDS, People, REQUESTS};
use crate::auth::authority::RequiredAuthority;
use crate::auth::caller::Caller;
use crate::base::failure::{Failure, milliseconds};
use crate::base::ids::new_id;
use crate::notifications::{NoticeKind, account_notice};
use estimation_engine::player::AccountId;
use estimation_store::relations::{self, AddOutcome, Relation};
use estimation_store::{Connection, Id, people_settings};

estimation_engine::choices! {
    /// What two players are to each other after a request for friendship.
    pub enum FriendshipStatus {
        /// The other player was asked.
        Requested = "requested",
        /// Both are friends.
        Friends = "friends",
    }
}

/// The outcome of a request for friendship.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Friendship {
    /// What the two players are now.
    pub status: FriendshipStatus,
}

impl People {
    /// Asks a player for friendship, or accepts their request. A player who takes no requests is asked with their friend
    /// code.
    ///
    /// # Errors
    /// [`Failure::NotFound`] for a player who does not exist, who takes no requests,
    /// or with a block between them and the caller;
    /// [`Failure::TooManyPeople`].
    pub async fn befriend(
        &self,
        caller: &Caller,
        other: &AccountId,
        code: Option<&str>,
    ) -> Result<Friendship, Failure> {
        let time = self.clock.now();
        caller.restrictions.require_talking(time)?;
        self.count(caller).await?;
        if *other == caller.account {
            return Err(no_player());
        }
        let (account, asked, now) = (caller.account.clone(), other.clone(), milliseconds(time));
        let code = code.map(str::to_ascii_uppercase);
        let write = move |conn: &mut Connection| ask(conn, (&account, &asked), code.as_deref(), now);
        let (status, told) =
            self.database.write(caller.authority(RequiredAuthority::Talking, time), write).await?;
        if let Some(kind) = told {
            let id = Id(new_id(time, &*self.entropy));
            let notice = account_notice(kind, other, id, time.into());
            self.notifications.tell_absent(notice).await;
        }
        Ok(Friendship { status })
    }

    /// Ends a friendship, withdraws a request or declines one. Does nothing if there is none.
    pub async fn end_friendship(&self, caller: &Caller, other: &AccountId) -> Result<(), Failure> {
        let (account, other) = (caller.account.clone(), other.clone());
        let end = move |conn: &mut Connection| {
            relations::end_friendship(conn, &account, &other)?;
            Ok(())
        };
        self.database.write(self.signed_in(caller), end).await
    }
}

/// Returns what the two are now, and what the other player is told.
fn ask(
    conn: &mut Connection,
    (account, other): (&AccountId, &AccountId),
    code: Option<&str>,
    now: i64,
) -> Result<(FriendshipStatus, Option<NoticeKind>), Failure> {
    let too_many = |what, limit| Err(Failure::TooManyPeople { what, limit });
    if relations::has(conn, account, other, Relation::Friend)? {
        return Ok((FriendshipStatus::Friends, None));
    }
    if relations::has(conn, other, account, Relation::Request)? {
        for one in [account, other] {
            if relations::count(conn, one, Relation::Friend)? >= FRIENDS {
                return too_many("friends", FRIENDS);
            }
        }
        relations::befriend(conn, account, other, now)?;
        return Ok((FriendshipStatus::Friends, Some(NoticeKind::FriendAccepted)));
    }
    // All is read in any case, so that the time tells nothing.
    let exists = relations::lock_pair(conn, account, other)? == 2;
    let settings = people_settings::find(conn, other)?;
    let is_blocked = relations::is_blocked_with(conn, account, std::slice::from_ref(other))?;
    let is_full = relations::count_requests_to(conn, other)? >= REQUESTS;
    let knows_code = code.is_some() && settings.friend_code.as_deref() == code;
    if !exists || is_blocked || is_full || !(settings.takes_requests || knows_code) {
        return Err(no_player());
    }
    match relations::add(conn, (account, other), Relation::Request, REQUESTS, now)? {
        AddOutcome::Done => Ok((FriendshipStatus::Requested, Some(NoticeKind::FriendRequest))),
        AddOutcome::NoAccount => Err(no_player()),
        AddOutcome::TooMany => too_many("requests", REQUESTS),
    }
}
