//! The authority of a caller: a write on the caller's behalf asserts it in its own transaction.
//!
//! A request waits for its body, for an issuer, for the hash of a password, for the writer. Meanwhile the session may end, or a
//! moderator may suspend the account. The number `sessions.authority` is raised with each such change: if it is still the one
//! that the request was admitted with, nothing has changed. Otherwise what the write requires is checked again.

use jiff::Timestamp;

use super::caller::Caller;
use super::restrictions::{Restrictions, SecondStep};
use super::tokens::TokenBinding;
use crate::base::failure::Failure;
use estimation_engine::player::AccountId;
use estimation_store::sessions::{self, ActiveSession};
use estimation_store::{Authority, Connection, Id, SessionAuthority, StoreError};

/// What a write requires of its session, which must be active and have the role of its token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequiredAuthority {
    /// It may wait for its second step.
    Session,
    /// It waits for no second step.
    SignedIn,
    /// The account may play.
    Playing,
    /// The account may talk.
    Talking,
    /// The account may play, and passed its second step within the last 15 minutes if it has one.
    Acting,
}

/// What a request was admitted as, and what its write requires.
#[derive(Clone, Debug)]
pub(crate) struct CallerAuthority {
    binding: TokenBinding,
    /// The session's, when the request was admitted or checked again.
    authority: i64,
    required: RequiredAuthority,
    /// Whether the session had passed a second step. Without one, it may not act any more.
    has_second_step: bool,
    /// When the request was admitted.
    at: Timestamp,
}

impl RequiredAuthority {
    fn of(self, restrictions: Restrictions, now: Timestamp) -> Result<(), Failure> {
        match self {
            RequiredAuthority::Session => Ok(()),
            RequiredAuthority::SignedIn => restrictions.refuse_waiting(),
            RequiredAuthority::Playing => {
                restrictions.refuse_waiting().and_then(|()| restrictions.require_playing(now))
            }
            RequiredAuthority::Talking => {
                restrictions.refuse_waiting().and_then(|()| restrictions.require_talking(now))
            }
            RequiredAuthority::Acting => {
                restrictions.require_recent_second_step(now).and_then(|()| restrictions.require_playing(now))
            }
        }
    }
}

impl Caller {
    /// The authority for a write that requires this at a time.
    pub(crate) fn authority(&self, required: RequiredAuthority, at: Timestamp) -> CallerAuthority {
        let Restrictions { authority, second_step, .. } = self.restrictions;
        let has_second_step = matches!(second_step, SecondStep::Passed { .. });
        CallerAuthority { binding: self.binding(), authority, required, has_second_step, at }
    }
}

impl CallerAuthority {
    /// The session, and its authority when the request was admitted or checked again.
    pub(crate) fn session(&self) -> SessionAuthority {
        SessionAuthority { session: self.binding.session.to_string(), authority: self.authority }
    }

    /// Checks again what is required, and notes the authority that the session has now.
    ///
    /// # Errors
    /// [`Failure::SessionEnded`], or what the session does not have any more.
    pub(crate) fn renew(&mut self, conn: &mut Connection) -> Result<(), Failure> {
        let found = sessions::active(conn, &[Id(self.binding.session)], i64::MIN)?;
        self.renew_among(&found)
    }

    /// Whether each of these still has what it requires, found out together, until the transaction ends.
    pub(crate) fn hold(all: &[&CallerAuthority], conn: &mut Connection) -> Result<Vec<bool>, StoreError> {
        let ids: Vec<Id> = all.iter().map(|by| Id(by.binding.session)).collect();
        sessions::hold(conn, &ids)?;
        let found = sessions::active(conn, &ids, i64::MIN)?;
        Ok(all.iter().map(|&by| by.clone().renew_among(&found).is_ok()).collect())
    }

    fn renew_among(&mut self, found: &[ActiveSession]) -> Result<(), Failure> {
        let session = found.iter().find(|session| is_of(session, self.binding));
        let mut restrictions = Restrictions::of(session.ok_or(Failure::SessionEnded)?);
        if self.has_second_step && restrictions.second_step == SecondStep::None {
            restrictions.second_step = SecondStep::Missing;
        }
        self.required.of(restrictions, self.at)?;
        self.authority = restrictions.authority;
        Ok(())
    }
}

impl<E: From<Failure>> Authority<E> for CallerAuthority {
    fn assert(&self, conn: &mut Connection) -> Result<(), E> {
        let asserted = match sessions::authority(conn, &self.binding.session.to_string()) {
            Ok(Some(authority)) if authority == self.authority => Ok(()),
            Ok(Some(_)) => self.clone().renew(conn),
            Ok(None) => Err(Failure::SessionEnded),
            Err(error) => Err(Failure::from(error)),
        };
        Ok(asserted?)
    }
}

/// The authority of a link: it acts for the session that asked for it, and ends with that session.
pub(crate) struct AskingSession {
    pub(crate) session: Id,
    pub(crate) account: AccountId,
}

impl AskingSession {
    /// Whether the session is active and waits for no second step, until the transaction ends.
    pub(crate) fn is_active(&self, conn: &mut Connection) -> Result<bool, StoreError> {
        sessions::hold(conn, &[self.session])?;
        let found = sessions::active(conn, &[self.session], i64::MIN)?;
        let session = found.iter().find(|session| session.account == self.account);
        Ok(session.is_some_and(|session| !Restrictions::of(session).is_pending()))
    }
}

impl<E: From<Failure>> Authority<E> for AskingSession {
    fn assert(&self, conn: &mut Connection) -> Result<(), E> {
        match self.is_active(conn) {
            Ok(true) => Ok(()),
            Ok(false) => Err(Failure::LinkInvalid.into()),
            Err(error) => Err(Failure::from(error).into()),
        }
    }
}

/// Whether an active session matches a token's binding.
pub(super) fn is_of(session: &ActiveSession, binding: TokenBinding) -> bool {
    session.id == Id(binding.session)
        && session.account.as_str() == binding.account.to_string()
        && session.role == binding.role
}
