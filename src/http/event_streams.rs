//! Server-sent events.

use actix_web::http::header::{CACHE_CONTROL, HeaderName};
use actix_web::web::Bytes;
use futures_util::StreamExt;
use futures_util::stream::Stream;
use serde::Serialize;

use super::answer::{Answer, EventStream};
use estimation_service::base::failure::Failure;

pub(super) const NO_BUFFERING: (HeaderName, &str) = (HeaderName::from_static("x-accel-buffering"), "no");

/// The heartbeat: a comment, which clients ignore.
pub(super) const QUIET: &str = ": quiet\n\n";

/// Control frames have no id, except `reset`, after which the stream continues at another position.
pub(super) const RECONNECT: &str = "event: reconnect\ndata: {}\n\n";

/// Sends frames as they come. They are never compressed: their lengths would tell of the cards in them.
pub(super) fn streaming<T>(
    frames: impl Stream<Item = Result<Vec<Bytes>, Failure>> + 'static,
) -> Answer<T, EventStream> {
    Answer::events(frames.map(|frames| frames.map(joined)))
        .header((CACHE_CONTROL, "no-store"))
        .uncompressed()
        .header(NO_BUFFERING)
}

fn joined(frames: Vec<Bytes>) -> Bytes {
    match <[Bytes; 1]>::try_from(frames) {
        Ok([frame]) => frame,
        Err(frames) => frames.concat().into(),
    }
}

/// A frame with a value.
pub(super) fn frame(head: &str, data: &impl Serialize) -> Result<Bytes, Failure> {
    let data = serde_json::to_string(data).map_err(|error| Failure::Defect(error.to_string()))?;
    Ok(framed(head, &data))
}

/// A frame. Compact JSON has no line breaks, so it fits one line of data.
pub(super) fn framed(head: &str, data: &str) -> Bytes {
    format!("{head}\ndata: {data}\n\n").into()
}

#[cfg(test)]
mod tests {
    use estimation_engine::command::Position;
    use estimation_engine::event::Event;
    use estimation_engine::evolve::evolve;
    use estimation_engine::game::Game;
    use estimation_engine::redact::Viewer;
    use estimation_engine::ruleset::RulesetId;
    use estimation_engine::seat::Seat;
    use estimation_service::games::viewer_text::{event_text, legal_text};
    use estimation_test_support::unseen::redealt;
    use estimation_test_support::{Random, Table, variant_of};

    use super::*;

    /// The frames of a player's stream.
    fn frames_of(record: &[Event], seat: Seat) -> Vec<Bytes> {
        let mut game = Game::replay(&record[..1]).unwrap();
        let frames = record.iter().enumerate().map(|(index, event)| {
            if index > 0 {
                evolve(&mut game, event);
            }
            let event = event_text(event, Viewer::Seat(seat), false).unwrap();
            let data = match legal_text(&game, Position::Seat(seat)).unwrap() {
                Some(legal) => format!("{{\"event\":{event},\"turn\":{{\"legal\":{legal}}}}}"),
                None => format!("{{\"event\":{event}}}"),
            };
            framed(&format!("id: {index}"), &data)
        });
        frames.collect()
    }

    #[test]
    fn no_length_depends_on_a_hand() {
        assert_lengths_of_hands(8, 3);
    }

    #[ignore = "all: tries every case; the default tries some"]
    #[test]
    fn no_length_depends_on_a_hand_in_many_games() {
        assert_lengths_of_hands(30, 100);
    }

    /// In as many games of each ruleset, at least some frames differ, and none in its length.
    fn assert_lengths_of_hands(games: u64, least: usize) {
        for id in RulesetId::ALL {
            let mut differing = 0;
            for seed in 0..games {
                let mut random = Random(seed);
                let rules = variant_of(id, &mut random);
                let seat = Seat::new(random.below(rules.players.into()) as u8);
                let mut table = Table::start(rules, seed);
                let mut left = 20 + random.below(120);
                table.play_until(&mut random, |_| {
                    left -= 1;
                    left == 0
                });
                let record = table.events();
                // What no watcher sees is dealt again: also the player's own hand.
                let other = redealt(&table.game, &record, Viewer::Stranger, &mut random);
                let (frames, others) = (frames_of(&record, seat), frames_of(&other, seat));
                for (frame, other) in frames.iter().zip(&others) {
                    assert_eq!(frame.len(), other.len(), "{id:?}, seed {seed}: {frame:?}, {other:?}");
                    differing += usize::from(frame != other);
                }
            }
            assert!(differing > least, "{id:?}: {differing} differing frames");
        }
    }
}
