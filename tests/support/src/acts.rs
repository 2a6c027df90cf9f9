use estimation_engine::card::Trump;
use estimation_engine::command::{Command, Position};
use estimation_engine::seat::{Place, Seat};

#[derive(Clone, Copy, Debug)]
pub struct Act {
    pub chair: Position,
    pub command: Command,
}

fn at(seat: u8, command: Command) -> Act {
    Act { chair: Position::Seat(Seat::new(seat)), command }
}

pub fn choose_seat(place: u8, seat: u8) -> Act {
    let command = Command::ChooseSeat { seat: Seat::new(seat) };
    Act { chair: Position::Place(Place::new(place)), command }
}

pub fn cut(seat: u8, position: u8) -> Act {
    at(seat, Command::Cut { position })
}

pub fn redeal(seat: u8) -> Act {
    at(seat, Command::Redeal {})
}

pub fn avoid(seat: u8) -> Act {
    at(seat, Command::Avoid {})
}

pub fn enter(seat: u8) -> Act {
    at(seat, Command::EnterAuction {})
}

pub fn blind_dash(seat: u8) -> Act {
    at(seat, Command::BlindDash {})
}

pub fn dash_call(seat: u8) -> Act {
    at(seat, Command::DashCall {})
}

pub fn pass(seat: u8) -> Act {
    at(seat, Command::Pass {})
}

pub fn bid(seat: u8, tricks: u8, trump: Trump) -> Act {
    at(seat, Command::Bid { tricks, trump })
}

pub fn estimate(seat: u8, tricks: u8) -> Act {
    at(seat, Command::Estimate { tricks, trump: None })
}

pub fn estimate_naming(seat: u8, tricks: u8, trump: Trump) -> Act {
    at(seat, Command::Estimate { tricks, trump: Some(trump) })
}

pub fn play(seat: u8, card: &str) -> Act {
    at(seat, Command::Play { card: card.parse().unwrap_or_else(|_| panic!("{card} is no card")) })
}
