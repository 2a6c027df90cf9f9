//! What a player chose about notices: the kinds, and hours without any.

use garde::Validate;
use jiff::civil::Time;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::kind::NoticeKind;
use crate::base::failure::{Faults, FieldFault};
use crate::base::field_error::FieldCode;

/// The most kinds that a request may name.
const MAX_MUTED: usize = 16;

/// What a player chose about notices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub struct NotificationChoices {
    /// The kinds that the player does not want.
    #[schema(max_items = 16)]
    pub muted: Vec<NoticeKind>,
    /// The hours in which notices wait; null for none.
    // Without this, serde would take an absent field for null.
    #[serde(deserialize_with = "Option::deserialize")]
    pub quiet_hours: Option<QuietHours>,
}

/// The hours of each day in which notices wait. If `from` is later than `to`, they pass midnight.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct QuietHours {
    /// The first minute.
    #[schema(pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$", min_length = 5, max_length = 5, example = "22:30")]
    pub from: String,
    /// The minute after the last one.
    #[schema(pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$", min_length = 5, max_length = 5, example = "07:00")]
    pub to: String,
    /// The player's time zone, as the IANA database names it.
    #[schema(pattern = "^[A-Za-z0-9_+/-]{1,64}$", min_length = 1, max_length = 64, example = "Africa/Cairo")]
    pub time_zone: String,
}

impl NotificationChoices {
    /// Refuses hours that no clock shows, and unknown time zones. Each kind is muted once.
    pub(super) fn checked(mut self) -> Result<NotificationChoices, Faults<FieldFault>> {
        let mut faults = Vec::new();
        if self.muted.len() > MAX_MUTED {
            let reason = format!("must have at most {MAX_MUTED} items");
            faults.push(FieldFault::new("/muted", FieldCode::TooLong, reason));
        }
        self.muted.sort_unstable();
        self.muted.dedup();
        if let Some(QuietHours { from, to, time_zone }) = &self.quiet_hours {
            for (field, text) in [("/quiet_hours/from", from), ("/quiet_hours/to", to)] {
                if minute(text).is_none() {
                    faults.push(FieldFault::new(field, FieldCode::WrongFormat, "must be a time like 22:30"));
                }
            }
            if from == to {
                let reason = "must differ from `/quiet_hours/from`";
                faults.push(FieldFault::new("/quiet_hours/to", FieldCode::Contradiction, reason));
            }
            if TimeZone::get(time_zone).is_err() {
                let reason = "must be a time zone like Africa/Cairo";
                faults.push(FieldFault::new("/quiet_hours/time_zone", FieldCode::NotAChoice, reason));
            }
        }
        Faults::refuse(faults)?;
        Ok(self)
    }

    pub(super) fn wants(&self, kind: NoticeKind) -> bool {
        !self.muted.contains(&kind)
    }

    /// When a notice of a time may go: then, or when the quiet hours end.
    pub(super) fn send_at(&self, now: Timestamp) -> Timestamp {
        self.quiet_hours.as_ref().and_then(|hours| hours.end(now)).unwrap_or(now)
    }
}

impl QuietHours {
    /// The end of the quiet hours in which a time lies; none if it lies outside.
    fn end(&self, now: Timestamp) -> Option<Timestamp> {
        let (from, to) = (minute(&self.from)?, minute(&self.to)?);
        let there = now.to_zoned(TimeZone::get(&self.time_zone).ok()?);
        let time = there.time();
        let is_quiet = if from < to { (from..to).contains(&time) } else { time >= from || time < to };
        if !is_quiet {
            return None;
        }
        let mut day = there.date();
        if time >= to {
            day = day.tomorrow().ok()?;
        }
        let end = day.to_datetime(to).to_zoned(there.time_zone().clone()).ok()?.timestamp();
        // Where clocks are set, the end may lie behind.
        Some(end.max(now.checked_add(SignedDuration::from_secs(1)).ok()?))
    }
}

fn minute(text: &str) -> Option<Time> {
    let (hour, minute) = text.split_once(':')?;
    let is_two = |part: &str| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
    if !is_two(hour) || !is_two(minute) {
        return None;
    }
    Time::new(hour.parse().ok()?, minute.parse().ok()?, 0, 0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quiet(from: &str, to: &str, time_zone: &str) -> NotificationChoices {
        let hours = QuietHours { from: from.into(), to: to.into(), time_zone: time_zone.into() };
        NotificationChoices { muted: Vec::new(), quiet_hours: Some(hours) }
    }

    fn sent(choices: &NotificationChoices, now: &str) -> String {
        choices.send_at(now.parse().unwrap()).to_string()
    }

    #[test]
    fn notices_wait_for_the_end_of_quiet_hours() {
        let night = quiet("22:30", "07:00", "Africa/Cairo");
        // Cairo is two hours ahead in winter.
        assert_eq!(sent(&night, "2026-01-10T20:29:59Z"), "2026-01-10T20:29:59Z");
        assert_eq!(sent(&night, "2026-01-10T20:30:00Z"), "2026-01-11T05:00:00Z");
        assert_eq!(sent(&night, "2026-01-11T04:59:59Z"), "2026-01-11T05:00:00Z");
        assert_eq!(sent(&night, "2026-01-11T05:00:00Z"), "2026-01-11T05:00:00Z");
        let noon = quiet("12:00", "14:00", "Asia/Tokyo");
        assert_eq!(sent(&noon, "2026-01-10T03:30:00Z"), "2026-01-10T05:00:00Z");
        assert_eq!(sent(&noon, "2026-01-10T05:00:00Z"), "2026-01-10T05:00:00Z");
        assert_eq!(sent(&NotificationChoices::default(), "2026-01-10T03:30:00Z"), "2026-01-10T03:30:00Z");
    }

    #[test]
    fn quiet_hours_survive_a_change_of_the_clocks() {
        // Berlin has no 02:30 on this day.
        let gap = quiet("01:00", "02:30", "Europe/Berlin");
        assert_eq!(sent(&gap, "2026-03-29T00:30:00Z"), "2026-03-29T01:30:00Z");
        let fold = quiet("02:00", "02:30", "Europe/Berlin");
        assert_eq!(sent(&fold, "2026-10-25T01:10:00Z"), "2026-10-25T01:10:01Z");
    }

    #[test]
    fn hours_and_zones_are_checked() {
        for (from, to, zone) in [
            ("24:00", "07:00", "Africa/Cairo"),
            ("7:00", "08:00", "Africa/Cairo"),
            ("07:60", "08:00", "Africa/Cairo"),
            ("+1:00", "08:00", "Africa/Cairo"),
            ("07:00", "07:00", "Africa/Cairo"),
            ("07:00", "08:00", "Cairo/Africa"),
        ] {
            assert!(quiet(from, to, zone).checked().is_err(), "{from} {to} {zone}");
        }
        let twice = NotificationChoices {
            muted: vec![NoticeKind::Invited, NoticeKind::YourTurn, NoticeKind::Invited],
            ..quiet("07:00", "08:00", "UTC")
        };
        assert_eq!(twice.checked().unwrap().muted, [NoticeKind::YourTurn, NoticeKind::Invited]);
    }
}
