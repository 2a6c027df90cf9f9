//! Times in the record: UTC, whole milliseconds, never decreasing.

use std::fmt;
use std::str::FromStr;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

/// A time in the record, written as RFC 3339 in UTC with exactly three decimals.
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(
    as = Time, value_type = String, format = DateTime, min_length = 24, max_length = 24,
    pattern = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$", examples("2026-01-01T00:00:00.000Z")
))]
#[cfg_attr(feature = "sql", derive(diesel::expression::AsExpression, diesel::deserialize::FromSqlRow))]
#[cfg_attr(feature = "sql", diesel(sql_type = diesel::sql_types::BigInt))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordTime(Timestamp);

impl RecordTime {
    /// The time to record for an event now: the current time in whole milliseconds, or the previous event's
    /// time if the clock went back.
    pub fn of(now: Timestamp, previous: Option<RecordTime>) -> RecordTime {
        let now = RecordTime(Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now));
        previous.map_or(now, |previous| previous.max(now))
    }

    /// A time from milliseconds since 1970 (UTC), as a database stores it.
    ///
    /// # Errors
    ///
    /// [`NotARecordTime`] outside the years 0001 to 9998.
    pub fn from_milliseconds(milliseconds: i64) -> Result<RecordTime, NotARecordTime> {
        let time = Timestamp::from_millisecond(milliseconds).map_err(|_| NotARecordTime)?;
        RecordTime(time).in_range()
    }

    /// The time, if its year is one of the record: 0001 to 9998. Other years have no form that every program
    /// reads, and a deadline after a time must have one too.
    fn in_range(self) -> Result<RecordTime, NotARecordTime> {
        match self.0.to_zoned(TimeZone::UTC).year() {
            1..=9998 => Ok(self),
            _ => Err(NotARecordTime),
        }
    }

    /// The time plus a duration; the latest possible time on overflow.
    #[must_use]
    pub fn plus(self, while_: SignedDuration) -> RecordTime {
        RecordTime(self.0.saturating_add(while_).unwrap_or(Timestamp::MAX))
    }

    /// Milliseconds since 1970 (UTC), as a database stores the time.
    pub fn milliseconds(self) -> i64 {
        self.0.as_millisecond()
    }

    /// The same time for calculations.
    pub fn timestamp(self) -> Timestamp {
        self.0
    }
}

impl From<Timestamp> for RecordTime {
    /// The time in whole milliseconds.
    fn from(time: Timestamp) -> RecordTime {
        RecordTime::of(time, None)
    }
}

/// The text is not a time of the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a time such as 2026-01-01T00:00:00.000Z")]
pub struct NotARecordTime;

impl FromStr for RecordTime {
    type Err = NotARecordTime;

    /// Accepts only the exact form that is written: UTC, three decimals.
    fn from_str(text: &str) -> Result<RecordTime, NotARecordTime> {
        let time = RecordTime(text.parse().map_err(|_| NotARecordTime)?);
        if time.to_string() == text { time.in_range() } else { Err(NotARecordTime) }
    }
}

impl fmt::Display for RecordTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.0)
    }
}

impl Serialize for RecordTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RecordTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RecordTime, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn a_time_has_exactly_milliseconds() {
        for (now, recorded) in [
            ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000Z"),
            ("2026-01-01T00:00:00.5Z", "2026-01-01T00:00:00.500Z"),
            ("2026-01-01T02:00:00.0019999+02:00", "2026-01-01T00:00:00.001Z"),
        ] {
            assert_eq!(RecordTime::of(time(now), None).to_string(), recorded);
            assert_eq!(recorded.parse(), Ok(RecordTime::of(time(now), None)));
        }
    }

    #[test]
    fn times_never_decrease() {
        let first = RecordTime::of(time("2026-01-01T00:00:01Z"), None);
        assert_eq!(RecordTime::of(time("2025-12-31T23:59:59Z"), Some(first)), first);
        let later = RecordTime::of(time("2026-01-01T00:00:02Z"), Some(first));
        assert_eq!(later.to_string(), "2026-01-01T00:00:02.000Z");
    }

    #[test]
    fn other_spellings_are_refused() {
        for text in
            ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.0000Z", "2026-01-01T02:00:00.000+02:00", "now", ""]
        {
            assert_eq!(text.parse::<RecordTime>(), Err(NotARecordTime), "{text}");
        }
    }

    #[test]
    fn years_have_four_digits() {
        for text in ["0001-01-01T00:00:00.000Z", "9998-12-31T23:59:59.999Z"] {
            assert_eq!(text.parse::<RecordTime>().unwrap().to_string(), text);
        }
        for text in ["0000-12-31T23:59:59.999Z", "9999-01-01T00:00:00.000Z", "-0001-01-01T00:00:00.000Z"] {
            assert_eq!(text.parse::<RecordTime>(), Err(NotARecordTime), "{text}");
        }
        assert_eq!(RecordTime::from_milliseconds(i64::MAX), Err(NotARecordTime));
        assert_eq!(RecordTime::from_milliseconds(-62_167_219_200_001), Err(NotARecordTime));
    }
}
