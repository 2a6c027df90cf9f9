//! Why a round cannot be scored, and the request field at fault.

use thiserror::Error;

use super::{PlayedCall, PlayedRound};
use crate::base::failure::{Failure, Fault, FieldFault};
use crate::base::field_error::{FieldCode, FieldError, FieldErrors, sentence};
use crate::rulesets::RulesFault;
use estimation_engine::score::{CallKind, ImpossibleRound};
use estimation_engine::seat::Seat;

/// What is wrong with a field of a round.
#[derive(Debug, Error)]
pub enum RoundFault {
    #[error("{reason}")]
    Impossible {
        /// As in `/tricks/2`.
        field: String,
        reason: ImpossibleRound,
    },
    #[error(transparent)]
    Rules(#[from] RulesFault),
    #[error(transparent)]
    Field(#[from] FieldFault),
}

impl Fault for RoundFault {
    fn field_error(&self) -> FieldError {
        match self {
            RoundFault::Impossible { field, reason } => FieldError {
                field: field.clone(),
                code: FieldCode::Impossible,
                detail: sentence(&reason.to_string()),
            },
            RoundFault::Rules(fault) => fault.field_error(),
            RoundFault::Field(fault) => fault.field_error(),
        }
    }

    fn failure(self, errors: FieldErrors) -> Failure {
        match self {
            RoundFault::Impossible { reason, .. } => Failure::ImpossibleRound { errors, round: reason },
            RoundFault::Rules(fault) => fault.failure(errors),
            RoundFault::Field(fault) => fault.failure(errors),
        }
    }
}

impl RoundFault {
    pub(super) fn new(field: impl Into<String>, code: FieldCode, reason: impl Into<String>) -> RoundFault {
        FieldFault::new(field.into(), code, reason).into()
    }
}

pub(super) fn impossible(reason: ImpossibleRound, played: &PlayedRound) -> RoundFault {
    RoundFault::Impossible { field: field_of(&reason, played), reason }
}

fn field_of(reason: &ImpossibleRound, played: &PlayedRound) -> String {
    let call_where = |is_it: &dyn Fn(&PlayedCall) -> bool, part: &str| {
        let index = played.calls.iter().position(is_it);
        index.map_or("/calls".to_owned(), |index| format!("/calls/{index}/{part}"))
    };
    let of_call = |seat: Seat, part: &str| call_where(&|call| usize::from(call.seat) == seat.index(), part);
    match reason {
        ImpossibleRound::RoundOutOfRange { .. } => "/round".to_owned(),
        ImpossibleRound::SeatOutOfRange { .. } => "/first_speaker".to_owned(),
        ImpossibleRound::CarryImpossible { .. } => "/carry".to_owned(),
        ImpossibleRound::TricksOutOfRange { seat, .. } => format!("/tricks/{}", seat.index()),
        ImpossibleRound::TricksDoNotSum { .. } | ImpossibleRound::TricksInFold => "/tricks".to_owned(),
        ImpossibleRound::DashCallNotAllowed { seat }
        | ImpossibleRound::BlindDashNotAllowed { seat }
        | ImpossibleRound::BidNotAllowed { seat } => of_call(*seat, "kind"),
        ImpossibleRound::DashCallNotZero { seat }
        | ImpossibleRound::EstimateAboveBid { seat, .. }
        | ImpossibleRound::EstimateOutOfRange { seat, .. } => of_call(*seat, "tricks"),
        ImpossibleRound::BidBelowMinimum { .. } | ImpossibleRound::BidOutOfRange { .. } => {
            call_where(&|call| call.kind == CallKind::Bid, "tricks")
        }
        ImpossibleRound::BidderDisagrees { .. } => "/bidder".to_owned(),
        ImpossibleRound::FoldNotAllowed => "/folded".to_owned(),
        ImpossibleRound::RevokesNotPenalised => "/revokes".to_owned(),
        ImpossibleRound::CallsMissing { .. }
        | ImpossibleRound::TotalBarred { .. }
        | ImpossibleRound::TooManyZeros { .. }
        | ImpossibleRound::TooManyDashCalls { .. }
        | ImpossibleRound::NoBidder
        | ImpossibleRound::TwoBidders
        | ImpossibleRound::CallsInFold => "/calls".to_owned(),
    }
}
