//! The types of the fields of a ruleset.

use crate::choice::{Choice, ChoiceSchema};
use crate::seat::Seat;

/// The values of a field of a ruleset.
#[derive(Clone, Copy, Debug)]
pub enum FieldKind {
    /// `false` or `true`.
    Flag,
    /// A whole number.
    Number,
    /// A whole number or null.
    OptionalNumber,
    /// The number of a seat.
    Seat,
    /// A name.
    Choice(ChoiceSchema),
}

/// A type of fields of a ruleset.
pub(super) trait RuleValue {
    const KIND: FieldKind;
}

impl RuleValue for bool {
    const KIND: FieldKind = FieldKind::Flag;
}

impl RuleValue for u8 {
    const KIND: FieldKind = FieldKind::Number;
}

impl RuleValue for Option<u8> {
    const KIND: FieldKind = FieldKind::OptionalNumber;
}

impl RuleValue for Seat {
    const KIND: FieldKind = FieldKind::Seat;
}

impl<T: Choice> RuleValue for T {
    const KIND: FieldKind = FieldKind::Choice(T::SCHEMA);
}
