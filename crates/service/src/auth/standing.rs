//! What moderators allow an account.

use jiff::Timestamp;

use super::failure::AuthFailure;
use crate::base::failure::milliseconds;
use estimation_record::RecordTime;
use estimation_store::moderation::StandingRow;

/// The end of what has no end: the last day of the year 9999, in milliseconds since 1970 in UTC.
pub const FOREVER: i64 = 253_402_214_400_000;

/// Until when an account may not do something, in milliseconds since 1970 in UTC; 0 if it may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Until when the account may not talk: no reactions, invitations and requests.
    pub muted_until: i64,
    /// Until when it may not play, for a suspension or a ban.
    pub suspended_until: i64,
}

impl Standing {
    pub(crate) fn of(row: Option<&StandingRow>) -> Standing {
        let Some(row) = row else { return Standing::default() };
        Standing {
            muted_until: row.muted_until.unwrap_or(0),
            suspended_until: row.suspended_until.max(row.banned_until).unwrap_or(0),
        }
    }

    /// Refuses an account that may not play.
    ///
    /// # Errors
    /// [`AuthFailure::Suspended`].
    pub(crate) fn require_playing(self, now: Timestamp) -> Result<(), AuthFailure> {
        match self.suspended_until > milliseconds(now) {
            true => Err(AuthFailure::Suspended { until: end(self.suspended_until)? }),
            false => Ok(()),
        }
    }

    /// Refuses an account that may not talk, or not play.
    ///
    /// # Errors
    /// [`AuthFailure::Suspended`], [`AuthFailure::Muted`].
    pub(crate) fn require_talking(self, now: Timestamp) -> Result<(), AuthFailure> {
        self.require_playing(now)?;
        match self.muted_until > milliseconds(now) {
            true => Err(AuthFailure::Muted { until: end(self.muted_until)? }),
            false => Ok(()),
        }
    }
}

/// The end of a measure; none if it has no end.
pub(crate) fn end(until: i64) -> Result<Option<RecordTime>, AuthFailure> {
    let until = (until < FOREVER).then(|| RecordTime::from_milliseconds(until));
    Ok(until.transpose()?)
}
