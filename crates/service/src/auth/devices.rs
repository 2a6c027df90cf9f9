//! The devices of an account: listing them, and signing them out.

use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::caller::Caller;
use super::security;
use super::sessions::{REFRESH_LIFETIME, Sessions};
use crate::auth::authority::RequiredAuthority;
use crate::base::completion::run_to_completion;
use crate::base::failure::{Failure, milliseconds};
use estimation_record::RecordTime;
use estimation_store::Connection;
use estimation_store::{Id, Server, refresh_tokens, sessions};

const LISTED: i64 = 1_000;

/// A device on which an account is signed in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = DeviceSession)]
pub struct SignedIn {
    /// The id of the device's session.
    pub id: Uuid,
    /// The client's name for the device; null if the client gave none.
    #[schema(min_length = 0, max_length = 80, example = "Noor's phone")]
    pub device: Option<String>,
    /// When the device signed in.
    pub created_at: RecordTime,
    /// When the device last got new tokens.
    pub last_used_at: RecordTime,
    /// Whether the caller uses this session.
    pub current: bool,
}

impl Sessions {
    /// The caller's devices, newest first.
    pub async fn devices(&self, caller: &Caller) -> Result<Vec<SignedIn>, Failure> {
        let (account, began_after) = (caller.account.clone(), self.sessions_began_after());
        let rows =
            self.database.read(move |conn| sessions::of_account(conn, &account, began_after, LISTED)).await?;
        let devices = rows.into_iter().map(|row| {
            let Id(id) = row.id;
            Ok(SignedIn {
                id,
                device: row.device,
                created_at: row.created_at,
                last_used_at: row.last_used_at,
                current: id == caller.session,
            })
        });
        devices.collect()
    }

    /// Ends one of the caller's sessions. Its tokens become invalid at once here, and within two seconds on
    /// other nodes.
    ///
    /// # Errors
    /// [`Failure::SecondStepRequired`] for another session than the caller's own, if that waits for its second step.
    pub async fn end_session(self: &Arc<Sessions>, caller: &Caller, session: Uuid) -> Result<(), Failure> {
        if session != caller.session {
            caller.restrictions.refuse_waiting()?;
        }
        let (account, id) = (caller.account.clone(), Id(session));
        let now = milliseconds(self.clock.now());
        let (app, owner) = (Arc::clone(self), caller.account.clone());
        let by = caller.authority(RequiredAuthority::Session, self.clock.now());
        let ending = async move {
            let ended = app.database.write(by, move |conn| {
                let found = sessions::find(conn, id)?;
                if found.is_some_and(|session| session.account_id != account) {
                    return Err(Failure::Withheld { what: "session" });
                }
                match sessions::end(conn, id, now)? {
                    true => Ok(()),
                    false => Err(Failure::NotFound { what: "session" }),
                }
            });
            ended.await?;
            app.session_ended(session);
            security::session_ended(&owner, session, "signed out");
            Ok(())
        };
        run_to_completion(ending).await
    }

    /// Ends all of the caller's sessions, including the calling one.
    pub async fn end_sessions(self: &Arc<Sessions>, caller: &Caller) -> Result<(), Failure> {
        let (app, account) = (Arc::clone(self), caller.account.clone());
        let now = milliseconds(self.clock.now());
        let by = caller.authority(RequiredAuthority::Session, self.clock.now());
        let ending = async move {
            let id = account.clone();
            let end = move |conn: &mut Connection| Ok::<_, Failure>(sessions::end_all(conn, &id, now)?);
            app.database.write(by, end).await?;
            app.sessions_ended(&account, None);
            security::sessions_ended(&account);
            Ok(())
        };
        run_to_completion(ending).await
    }

    /// Deletes expired refresh tokens, and ends sessions that expired with them or reached their maximum age.
    pub(crate) async fn sweep(&self) -> Result<(), Failure> {
        let now = self.clock.now();
        let before = milliseconds(now.checked_sub(REFRESH_LIFETIME).unwrap_or(jiff::Timestamp::UNIX_EPOCH));
        let (now, began_by) = (milliseconds(now), self.sessions_began_after());
        let swept = self.database.write(Server, move |conn| {
            let old = sessions::end_old(conn, began_by, now)?;
            sessions::end_idle(conn, before, now)?;
            refresh_tokens::sweep(conn, now)?;
            Ok::<_, Failure>(old)
        });
        for (account, session) in swept.await? {
            security::session_ended(&account, session.0, "lifetime over");
        }
        Ok(())
    }
}
