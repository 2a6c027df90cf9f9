//! What restricts an account with a session: mutes, suspensions, and its second step.

use jiff::{SignedDuration, Timestamp};

use crate::base::failure::{Failure, milliseconds};
use estimation_record::RecordTime;
use estimation_store::sessions::ActiveSession;

/// The end of what has no end: the last day of the year 9999, in milliseconds since 1970 in UTC.
pub const FOREVER: i64 = 253_402_214_400_000;

/// For how long acts of the desk trust a second step.
const SECOND_STEP_TRUSTED: SignedDuration = SignedDuration::from_mins(15);

/// The same in milliseconds.
pub(crate) fn trusted() -> i64 {
    i64::try_from(SECOND_STEP_TRUSTED.as_millis()).unwrap_or(i64::MAX)
}

/// The second step of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SecondStep {
    /// The account has none, and needs none.
    #[default]
    None,
    /// The account has none, and its role needs one.
    Missing,
    /// The account has one, and the session has not passed it.
    Pending,
    /// When the session passed it last.
    Passed { at: RecordTime },
}

/// What restricts an account with a session. Times are milliseconds since 1970 in UTC; 0 without the restriction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Restrictions {
    /// Until when the account may not talk: no reactions, invitations and requests.
    pub muted_until: i64,
    /// Until when it may not play, for a suspension or a ban.
    pub suspended_until: i64,
    pub second_step: SecondStep,
    /// Raised by each change of what the session may do.
    pub authority: i64,
}

impl Restrictions {
    pub(crate) fn of(session: &ActiveSession) -> Restrictions {
        let row = session.standing.as_ref();
        let second_step = match (session.second_step_since, session.second_step_at) {
            (None, _) => SecondStep::None,
            (Some(_), None) => SecondStep::Pending,
            (Some(_), Some(at)) => SecondStep::Passed { at },
        };
        Restrictions {
            muted_until: row.and_then(|row| row.muted_until).unwrap_or(0),
            suspended_until: row.and_then(|row| row.suspended_until.max(row.banned_until)).unwrap_or(0),
            second_step,
            authority: session.authority,
        }
    }

    /// Whether the session waits for its second step.
    pub(crate) fn is_pending(self) -> bool {
        self.second_step == SecondStep::Pending
    }

    /// Refuses a session that waits for its second step.
    ///
    /// # Errors
    /// [`Failure::SecondStepRequired`].
    pub(crate) fn refuse_waiting(self) -> Result<(), Failure> {
        match self.second_step {
            SecondStep::Pending => Err(Failure::SecondStepRequired { set_up: true, max_age: None }),
            _ => Ok(()),
        }
    }

    /// Whether an act of a role may be refused for its second step.
    pub(crate) fn may_refuse(self, now: Timestamp) -> bool {
        match self.second_step {
            SecondStep::Passed { .. } => self.require_recent_second_step(now).is_err(),
            _ => true,
        }
    }

    /// Refuses a session without the second step that its role needs, or that waits for it.
    ///
    /// # Errors
    /// [`Failure::SecondStepRequired`].
    pub(crate) fn require_second_step(self) -> Result<(), Failure> {
        match self.second_step {
            SecondStep::Missing => Err(Failure::SecondStepRequired { set_up: false, max_age: None }),
            SecondStep::Pending => Err(Failure::SecondStepRequired { set_up: true, max_age: None }),
            SecondStep::None | SecondStep::Passed { .. } => Ok(()),
        }
    }

    /// Refuses a session that passed its second step more than 15 minutes ago. One without a second step passes, if its role
    /// needs none.
    ///
    /// # Errors
    /// [`Failure::SecondStepRequired`].
    pub(crate) fn require_recent_second_step(self, now: Timestamp) -> Result<(), Failure> {
        self.require_second_step()?;
        match self.second_step {
            SecondStep::Passed { at } if milliseconds(now) - at.milliseconds() > trusted() => {
                let max_age = Some(SECOND_STEP_TRUSTED.as_secs().unsigned_abs());
                Err(Failure::SecondStepRequired { set_up: true, max_age })
            }
            _ => Ok(()),
        }
    }

    /// Refuses an account that may not play.
    ///
    /// # Errors
    /// [`Failure::Suspended`].
    pub(crate) fn require_playing(self, now: Timestamp) -> Result<(), Failure> {
        match self.suspended_until > milliseconds(now) {
            true => Err(Failure::Suspended { until: end(self.suspended_until)? }),
            false => Ok(()),
        }
    }

    /// Refuses an account that may not talk, or not play.
    ///
    /// # Errors
    /// [`Failure::Suspended`], [`Failure::Muted`].
    pub(crate) fn require_talking(self, now: Timestamp) -> Result<(), Failure> {
        self.require_playing(now)?;
        match self.muted_until > milliseconds(now) {
            true => Err(Failure::Muted { until: end(self.muted_until)? }),
            false => Ok(()),
        }
    }
}

/// The end of a measure; none without a measure, and for one that has no end.
pub(crate) fn end(until: impl Into<Option<i64>>) -> Result<Option<RecordTime>, Failure> {
    let until = until.into().filter(|until| *until < FOREVER);
    Ok(until.map(RecordTime::from_milliseconds).transpose()?)
}
