//! The types of the fields of a ruleset.

use crate::seat::Seat;

/// A small enum whose values have published names.
pub trait Choice: Sized + Copy + 'static {
    /// The published description of the type.
    const SCHEMA: ChoiceSchema;

    /// The names, in published order.
    const NAMES: &'static [&'static str];

    /// The value's published name.
    fn name(self) -> &'static str;

    /// The value with a name.
    fn from_name(name: &str) -> Option<Self>;
}

/// The published description of a [`Choice`].
#[derive(Clone, Copy, Debug)]
pub struct ChoiceSchema {
    /// The name of the type.
    pub name: &'static str,
    /// The meaning, in one sentence.
    pub about: &'static str,
    /// The names of its values, each with its meaning.
    pub values: &'static [(&'static str, &'static str)],
}

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

/// Declares enums with their names in JSON; each implements [`Choice`].
macro_rules! choices {
    ($(
        #[doc = $about:literal]
        pub enum $type:ident { $(#[doc = $meaning:literal] $variant:ident = $name:literal,)+ }
    )+) => {$(
        #[doc = $about]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $type {
            $(
                #[doc = $meaning]
                #[doc = concat!("Written `", $name, "`.")]
                #[serde(rename = $name)]
                $variant,
            )+
        }

        impl $crate::ruleset::choice::RuleValue for $type {
            const KIND: $crate::ruleset::choice::FieldKind =
                $crate::ruleset::choice::FieldKind::Choice(<$type as $crate::ruleset::choice::Choice>::SCHEMA);
        }

        impl $crate::ruleset::choice::Choice for $type {
            const SCHEMA: $crate::ruleset::choice::ChoiceSchema = $crate::ruleset::choice::ChoiceSchema {
                name: stringify!($type),
                about: $about,
                values: &[$(($name, $meaning)),+],
            };
            const NAMES: &'static [&'static str] = &[$($name),+];

            fn name(self) -> &'static str {
                match self { $($type::$variant => $name),+ }
            }

            fn from_name(name: &str) -> Option<$type> {
                match name { $($name => Some($type::$variant),)+ _ => None }
            }
        }
    )+};
}

pub(super) use choices;
