//! Refusals of the rules as problems: the one place where they get their code and members.

use super::table::TrumpBid;
use super::{Problem, ProblemCode};
use estimation_service::base::field_error::sentence;
use estimation_service::vocabulary::Rejection;

impl From<Rejection> for Problem {
    fn from(rejection: Rejection) -> Problem {
        let detail = sentence(&rejection.to_string());
        Problem::new(ProblemCode::from(rejection), detail)
    }
}

impl From<Rejection> for ProblemCode {
    fn from(rejection: Rejection) -> ProblemCode {
        match rejection {
            Rejection::NotPlaying { status } => ProblemCode::GameNotPlaying { game_status: status },
            Rejection::NotInLobby { status } => ProblemCode::GameNotInLobby { game_status: status },
            Rejection::NotSeated => ProblemCode::NotSeated,
            Rejection::AlreadySeated { place } => ProblemCode::AlreadySeated { place },
            Rejection::SeatTaken { seat } => ProblemCode::SeatTaken { seat },
            Rejection::NoSuchSeat { seat, players } => ProblemCode::NoSuchSeat { seat, players },
            Rejection::GameFull { players } => ProblemCode::GameFull { players },
            Rejection::EmptySeats { places } => ProblemCode::EmptySeats { places },
            Rejection::SeedsVoid { places } => ProblemCode::SeedsVoid { places },
            Rejection::SeedsOpening { places } => ProblemCode::SeedsOpening { places },
            Rejection::SeedCommitmentKnown => ProblemCode::SeedCommitmentKnown,
            Rejection::NoSeedToOpen => ProblemCode::NoSeedToOpen,
            Rejection::SeedDoesNotMatch { commitment } => ProblemCode::SeedDoesNotMatch { commitment },
            Rejection::NotHost => ProblemCode::NotHost,
            Rejection::NotStoodIn => ProblemCode::NotStoodIn,
            Rejection::NoPersonThere { place } => ProblemCode::NoPersonThere { place },
            Rejection::SeveralPeople => ProblemCode::SeveralPeople,
            Rejection::NotYourTurn { to_act } => ProblemCode::NotYourTurn { to_act },
            Rejection::WrongPhase { phase } => ProblemCode::WrongPhase { phase },
            Rejection::CutOutOfRange => ProblemCode::CutOutOfRange,
            Rejection::DashLimit { limit } => ProblemCode::DashLimit { limit },
            Rejection::DashCallNotNow => ProblemCode::DashCallNotNow,
            Rejection::ThirteenUnavoidable => ProblemCode::ThirteenUnavoidable,
            Rejection::NoPassing => ProblemCode::NoPassing,
            Rejection::BidOutOfRange { min, max } => ProblemCode::BidOutOfRange { min, max },
            Rejection::BidTooLow { tricks, trump } => ProblemCode::BidTooLow { tricks, trump },
            Rejection::NoTrumpBarred => ProblemCode::NoTrumpBarred,
            Rejection::EstimateOutOfRange { min, max } => ProblemCode::EstimateOutOfRange { min, max },
            Rejection::ZeroLimit { limit } => ProblemCode::ZeroLimit { limit },
            Rejection::TotalBarred { barred, total } => ProblemCode::TotalBarred { barred, total },
            Rejection::TrumpChangeBarred { changed } => {
                let changed = changed.map(|(tricks, trump)| TrumpBid { tricks, trump });
                ProblemCode::TrumpChangeBarred { changed }
            }
            Rejection::CardNotHeld { card } => ProblemCode::CardNotHeld { card },
            Rejection::MustFollowSuit { led } => ProblemCode::MustFollowSuit { led },
        }
    }
}
