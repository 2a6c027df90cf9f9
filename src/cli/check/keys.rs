//! The keys.

use estimation_service::auth::key_source::KeySource;
use estimation_service::auth::keys::{KeyError, KeyRing};
use estimation_service::base::clock::{Clock, SystemClock};

use super::Finding;
use super::data::State;
use crate::cli::serve::ServeFlags;

const AREA: &str = "keys";

/// After so many days a record key should be replaced.
const OLD_DAYS: i64 = 2 * 365;

/// Also returns the keys, if there are some.
pub(super) fn findings(flags: &ServeFlags, database: &mut State) -> (Vec<Finding>, Option<KeyRing>) {
    let failed = |error: String| {
        let wrong = Finding::problem(
            AREA,
            error,
            "without its keys the server does not start, and no old record can be checked",
            "restore the key file or the secret from its backup; never start with new keys by accident",
        );
        (vec![wrong], None)
    };
    let source = match flags.keys.source_at(&flags.data) {
        Ok(source) => source,
        Err(error) => return failed(error.to_string()),
    };
    if let KeySource::OwnFile(path) = &source
        && !path.exists()
    {
        if matches!(database, State::Present(_)) {
            return failed(format!("{} is missing, and there is a database", path.display()));
        }
        let new = format!("there are none yet; the first start creates {}", path.display());
        return (vec![Finding::good(AREA, new)], None);
    }
    let conn = match database {
        State::Present(conn) => Some(conn),
        State::Older => None,
        // What is wrong with the database is told.
        State::Unreadable if matches!(source, KeySource::Sealed(_)) => return (Vec::new(), None),
        State::Unreadable => None,
    };
    match source.read(conn) {
        Ok(Some(ring)) => (vec![age(&ring)], Some(ring)),
        Ok(None) => (vec![Finding::good(AREA, "the first start creates them in the database")], None),
        Err(error @ KeyError::Exposed { .. }) => {
            let wrong = Finding::problem(
                AREA,
                error.to_string(),
                "who has the keys can sign in as anybody, and forge records",
                "chmod 600, then `estimation keys rotate`, and with --records if others could read the file",
            );
            (vec![wrong], None)
        }
        Err(error) => failed(error.to_string()),
    }
}

fn age(ring: &KeyRing) -> Finding {
    let now = SystemClock.now();
    let keys = ring.record_keys();
    let newest = keys.iter().filter(|key| key.retired_at().is_none()).map(|key| key.created_at()).max();
    let days = newest.map_or(0, |since| now.duration_since(since).as_hours() / 24);
    if days < 0 {
        return Finding::problem(
            AREA,
            format!("the record key is from the future, by {} days", -days),
            "this machine's clock is wrong, or the one that made the key was",
            "correct the clock",
        );
    }
    if days > OLD_DAYS {
        return Finding::warning(
            AREA,
            format!("the record key is {days} days old"),
            "the longer a key signs, the more depends on nobody having it",
            "`estimation keys rotate --records`",
        );
    }
    Finding::good(AREA, format!("the record key is {days} days old"))
}
