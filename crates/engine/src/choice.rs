//! Enums whose values have names in JSON.

/// A small enum whose values have published names.
pub trait Choice: Sized + Copy + 'static {
    /// The published description of the type.
    const SCHEMA: ChoiceSchema;

    /// The names, in published order.
    const NAMES: &'static [&'static str];

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

/// Declares enums with their names in JSON; each implements [`Choice`](crate::choice::Choice). The doc comments
/// are published with the names.
#[macro_export]
macro_rules! choices {
    ($(
        $(#[doc = $about:literal])+
        pub enum $type:ident { $($(#[doc = $meaning:literal])+ $variant:ident = $name:literal,)+ }
    )+) => {$(
        $(#[doc = $about])+
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
        )]
        pub enum $type {
            $(
                $(#[doc = $meaning])+
                #[serde(rename = $name)]
                $variant,
            )+
        }

        impl $type {
            /// The name in JSON.
            pub const fn as_str(self) -> &'static str {
                match self { $($type::$variant => $name),+ }
            }
        }

        impl $crate::choice::Choice for $type {
            const SCHEMA: $crate::choice::ChoiceSchema = $crate::choice::ChoiceSchema {
                name: stringify!($type),
                about: concat!($($about),+),
                values: &[$(($name, concat!($($meaning),+))),+],
            };
            const NAMES: &'static [&'static str] = &[$($name),+];

            fn from_name(name: &str) -> Option<$type> {
                match name { $($name => Some($type::$variant),)+ _ => None }
            }
        }

        $crate::choice_schema!($type);
    )+};
}

/// Derives the schema of a [`Choice`](crate::choice::Choice), with the feature `schema`.
#[macro_export]
#[cfg(feature = "schema")]
macro_rules! choice_schema {
    ($type:ty) => {
        impl utoipa::PartialSchema for $type {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                <$type as $crate::choice::Choice>::SCHEMA.schema()
            }
        }

        impl utoipa::ToSchema for $type {}
    };
}

/// Derives no schema: the feature `schema` is off.
#[macro_export]
#[cfg(not(feature = "schema"))]
macro_rules! choice_schema {
    ($type:ty) => {};
}
