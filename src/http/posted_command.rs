//! A command of play in a request.

use garde::Validate;
use serde::{Deserialize, Deserializer};

use super::problem::{Failure, Problem};
use estimation_engine::command::{CommandKind, CommandMembers};
use estimation_engine::seat::Seat;
use estimation_service::base::field_error::{FieldCode, FieldError, FieldErrors, pointer};
use estimation_service::vocabulary::{Card, Command, Trump};

/// A command with the members of all kinds. The rules have the limits of its numbers.
#[derive(Deserialize, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(super) struct PostedCommand {
    #[serde(rename = "type")]
    kind: CommandKind,
    #[serde(default, deserialize_with = "given")]
    seat: Option<Seat>,
    #[serde(default, deserialize_with = "given")]
    position: Option<u8>,
    #[serde(default, deserialize_with = "given")]
    tricks: Option<u8>,
    /// Null is no trump, where a command may do without one.
    #[serde(default, deserialize_with = "given")]
    trump: Option<Option<Trump>>,
    #[serde(default, deserialize_with = "given")]
    card: Option<Card>,
}

/// Deserializes a present field, for which null is not absent.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

impl PostedCommand {
    /// The command, if it has the members of its kind.
    ///
    /// # Errors
    /// The members that are missing, and those of other kinds.
    pub(super) fn command(self) -> Result<Command, Problem> {
        self.of_kind().ok_or_else(|| {
            let errors = FieldErrors::new(self.wrong_members());
            let field = errors.first_field();
            Failure::InvalidBody { errors, field }.into()
        })
    }

    fn of_kind(&self) -> Option<Command> {
        let PostedCommand { kind, seat, position, tricks, trump, card } = *self;
        let command = match (kind, seat, position, tricks, trump, card) {
            (CommandKind::ChooseSeat, Some(seat), None, None, None, None) => Command::ChooseSeat { seat },
            (CommandKind::Cut, None, Some(position), None, None, None) => Command::Cut { position },
            (CommandKind::Bid, None, None, Some(tricks), Some(Some(trump)), None) => {
                Command::Bid { tricks, trump }
            }
            (CommandKind::Estimate, None, None, Some(tricks), trump, None) => {
                Command::Estimate { tricks, trump: trump.flatten() }
            }
            (CommandKind::Play, None, None, None, None, Some(card)) => Command::Play { card },
            (kind, None, None, None, None, None) => match kind {
                CommandKind::Redeal => Command::Redeal {},
                CommandKind::Avoid => Command::Avoid {},
                CommandKind::EnterAuction => Command::EnterAuction {},
                CommandKind::BlindDash => Command::BlindDash {},
                CommandKind::Pass => Command::Pass {},
                CommandKind::DashCall => Command::DashCall {},
                CommandKind::Resume => Command::Resume {},
                CommandKind::ChooseSeat
                | CommandKind::Cut
                | CommandKind::Bid
                | CommandKind::Estimate
                | CommandKind::Play => return None,
            },
            _ => return None,
        };
        Some(command)
    }

    fn wrong_members(&self) -> Vec<FieldError> {
        let CommandMembers { members, perhaps } = self.kind.members();
        let all = [
            ("card", self.card.is_some()),
            ("position", self.position.is_some()),
            ("seat", self.seat.is_some()),
            ("tricks", self.tricks.is_some()),
            ("trump", self.trump.is_some()),
        ];
        let wrong = all.into_iter().filter_map(|(name, is_given)| match is_given {
            false if members.contains(&name) => {
                Some(FieldError::new(pointer([name]), FieldCode::Missing, "is missing"))
            }
            true if !members.contains(&name) && !perhaps.contains(&name) => {
                Some(FieldError::new(pointer([name]), FieldCode::Unknown, "is not known here"))
            }
            true if self.trump == Some(None) && name == "trump" => {
                Some(FieldError::new(pointer([name]), FieldCode::WrongType, "must be a string"))
            }
            _ => None,
        });
        wrong.collect()
    }
}
