//! Checks values whose published range is narrower than their type: account ids and lengths of time.

use estimation_engine::event::Event;
use estimation_engine::player::AccountId;

use crate::forms;

/// The seconds that a turn may last: 10 seconds to 7 days.
pub const TURN_SECONDS: std::ops::RangeInclusive<u32> = 10..=604_800;

/// The least number of seconds for opening client seeds.
const SHORTEST_OPENING: u32 = 15;

/// The seconds that the opening of client seeds may last at a table: up to a turn, without a turn clock up to a day.
pub fn opening_seconds(turn_seconds: Option<u32>) -> std::ops::RangeInclusive<u32> {
    SHORTEST_OPENING..=turn_seconds.unwrap_or(24 * 60 * 60).max(SHORTEST_OPENING)
}

/// What is wrong with the values of an event, if anything.
pub(super) fn problem(event: &Event) -> Option<String> {
    if let Event::GameCreated(created) = event {
        if created.turn_seconds.is_some_and(|seconds| !TURN_SECONDS.contains(&seconds)) {
            return Some(format!("a turn lasts {} to {} seconds", TURN_SECONDS.start(), TURN_SECONDS.end()));
        }
        let range = opening_seconds(created.turn_seconds);
        if !range.contains(&created.opening_seconds) {
            let (min, max) = (range.start(), range.end());
            return Some(format!("the opening of seeds lasts {min} to {max} seconds"));
        }
    }
    let no_id = |account: &&AccountId| forms::id(account.as_str()).is_none();
    accounts(event).into_iter().find(no_id).map(|account| format!("{:?} is no account id", account.as_str()))
}

/// The accounts that an event names.
fn accounts(event: &Event) -> Vec<&AccountId> {
    match event {
        Event::GameCreated(created) => vec![&created.host],
        Event::PlayerJoined { account, .. } | Event::HostChanged { account, .. } => vec![account],
        Event::PlayerLeft { account, .. } => account.iter().collect(),
        Event::GameStarted(started) => {
            started.players.values().filter_map(|player| player.account()).collect()
        }
        _ => Vec::new(),
    }
}
