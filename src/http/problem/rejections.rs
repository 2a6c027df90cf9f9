//! Refusals of the rules as problems: the code is the engine's, the members its data.

use serde_json::{Value, json};

use super::Problem;
use crate::app::failure::sentence;
use crate::app::vocabulary::Rejection;

impl From<&Rejection> for Problem {
    fn from(rejection: &Rejection) -> Problem {
        let mut problem = Problem::new(rejection.code(), sentence(&rejection.to_string()));
        if let Value::Object(members) = members(rejection) {
            problem.members = members;
        }
        problem
    }
}

fn members(rejection: &Rejection) -> Value {
    match rejection {
        Rejection::NotPlaying { status } | Rejection::NotInLobby { status } => {
            json!({"game_status": status})
        }
        Rejection::NoPersonThere { place } => json!({"place": place}),
        Rejection::AlreadySeated { place } => json!({"place": place}),
        Rejection::SeatTaken { seat } => json!({"seat": seat}),
        Rejection::NoSuchSeat { seat, players } => json!({"seat": seat, "players": players}),
        Rejection::GameFull { players } => json!({"players": players}),
        Rejection::EmptySeats { places } => json!({"places": places}),
        Rejection::NotYourTurn { to_act } => json!({"to_act": to_act}),
        Rejection::WrongPhase { phase } => json!({"phase": phase}),
        Rejection::DashLimit { limit } | Rejection::ZeroLimit { limit } => json!({"limit": limit}),
        Rejection::BidOutOfRange { min, max } | Rejection::EstimateOutOfRange { min, max } => {
            json!({"min": min, "max": max})
        }
        Rejection::BidTooLow { tricks, trump } => json!({"tricks": tricks, "trump": trump}),
        Rejection::TotalBarred { barred, total } => json!({"barred": barred, "total": total}),
        Rejection::TrumpChangeBarred { changed } => {
            let changed = changed.map(|(tricks, trump)| json!({"tricks": tricks, "trump": trump}));
            json!({"changed": changed})
        }
        Rejection::CardNotHeld { card } => json!({"card": card}),
        Rejection::MustFollowSuit { led } => json!({"led": led}),
        Rejection::NotSeated
        | Rejection::NotHost
        | Rejection::NotStoodIn
        | Rejection::CutOutOfRange
        | Rejection::DashCallNotNow
        | Rejection::ThirteenUnavoidable
        | Rejection::NoPassing
        | Rejection::NoTrumpBarred => Value::Null,
    }
}
