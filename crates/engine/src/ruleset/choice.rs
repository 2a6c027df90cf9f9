//! Small enums whose values have published names.

/// An option or trait of a ruleset with a fixed list of named values.
pub(crate) trait Choice: Sized + Copy + 'static {
    /// The names, in order of publication.
    const NAMES: &'static [&'static str];

    /// The value's published name.
    fn name(self) -> &'static str;

    /// The value with a name.
    fn from_name(name: &str) -> Option<Self>;
}

/// Declares enums with their names on the wire; each implements [`Choice`].
macro_rules! choices {
    ($($(#[$doc:meta])* pub enum $type:ident { $($(#[$variant_doc:meta])* $variant:ident = $name:literal),+ $(,)? })+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $type {
            $(
                $(#[$variant_doc])*
                #[doc = concat!("Written `", $name, "`.")]
                #[serde(rename = $name)]
                $variant,
            )+
        }

        impl $crate::ruleset::choice::Choice for $type {
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

pub(crate) use choices;
