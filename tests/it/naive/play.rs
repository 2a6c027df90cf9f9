//! The tricks of a round: turn order, following suit, winners, and the revoke of `nineteen` R10.

use super::cards::{lawful, winning};
use super::log::Log;
use super::rules::Rules;

/// How the play of a round ended.
pub enum Played {
    /// Tricks taken, by seat.
    Out(Vec<i64>),
    /// A revoke voided the turn: who, and what it cost.
    Revoked(usize, i64),
}

/// Plays the hands out from `leader`.
pub fn take_play(
    log: &mut Log,
    rules: &Rules,
    mut hands: Vec<Vec<String>>,
    trump: &str,
    leader: usize,
) -> Result<Played, String> {
    let hand_size = hands[0].len();
    let mut tricks = vec![0; rules.players];
    let mut leader = leader;
    for _ in 0..hand_size {
        let mut plays: Vec<String> = Vec::new();
        for turn in 0..rules.players {
            let seat = rules.seat(leader, turn as i64);
            let played = log.take("card_played")?;
            played.must_be_by(seat)?;
            let card = played.text("card")?;
            let Some(place) = hands[seat].iter().position(|held| held == card) else {
                return Err(played.wrong(format!("seat {seat} does not hold {card}")));
            };
            if !lawful(card, &hands[seat], plays.first().map(String::as_str), trump) {
                if !rules.is("revokes", "penalise") {
                    return Err(played.wrong(format!("{card} does not follow {}", plays[0])));
                }
                let cost = 2 * hand_size as i64;
                let revoked = log.take("revoked")?;
                revoked.must_be_servers()?;
                revoked.must_say("seat", seat)?;
                revoked.must_say("card", card)?;
                revoked.must_say("points", cost)?;
                return Ok(Played::Revoked(seat, cost));
            }
            plays.push(hands[seat].remove(place));
        }
        leader = rules.seat(leader, winning(&plays, trump) as i64);
        let taken = log.take("trick_taken")?;
        taken.must_be_servers()?;
        taken.must_say("seat", leader)?;
        tricks[leader] += 1;
    }
    Ok(Played::Out(tricks))
}
