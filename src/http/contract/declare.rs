//! How the bodies are declared: structs with a constant field, unions of them, and lists of names.
//!
//! Each declaration is the one source of the Rust type, of what is read and written, and of the schema.

/// Declares structs with a constant field in front: `r#type: "bid"` says that the body is a bid.
macro_rules! tagged {
    ($(
        $(#[$meta:meta])*
        pub struct $name:ident { $property:ident: $tag:literal $(, $($fields:tt)+)? }
    )+) => {$(
        #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
        $(#[$meta])*
        #[serde(deny_unknown_fields)]
        pub struct $name {
            /// Says what this is.
            #[schema(schema_with = $crate::http::contract::tagged::tag_schema::<$name>)]
            pub $property: $crate::http::contract::tagged::Tag<$name>,
            $($($fields)+)?
        }

        impl $crate::http::contract::tagged::Tagged for $name {
            const TAG: &'static str = $tag;
        }
    )+};
}

/// Declares a union of structs declared with `tagged!`, told apart by a property.
macro_rules! union {
    (
        $(#[doc = $about:literal])+
        pub enum $name:ident by $property:literal { $($(#[$meta:meta])* $variant:ident($body:ident),)+ }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
        #[serde(untagged)]
        pub enum $name { $($(#[$meta])* $variant($body),)+ }

        $(impl From<$body> for $name {
            fn from(body: $body) -> $name {
                $name::$variant(body)
            }
        })+

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                use $crate::http::contract::tagged::{Tagged, Untold};
                let body = Untold::read(deserializer, $property)?;
                match body.tag.as_str() {
                    $(<$body as Tagged>::TAG => body.told().map($name::$variant),)+
                    other => Err(serde::de::Error::unknown_variant(other, &[$(<$body as Tagged>::TAG),+])),
                }
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                use $crate::http::contract::tagged::{Tagged, union_schema};
                let about = concat!($($about, "\n"),+);
                union_schema(about, $property, &[$((<$body as Tagged>::TAG, stringify!($body))),+])
            }
        }

        impl utoipa::ToSchema for $name {
            fn schemas(
                schemas: &mut Vec<(String, utoipa::openapi::RefOr<utoipa::openapi::schema::Schema>)>,
            ) {
                $(
                    schemas.push((stringify!($body).to_owned(), <$body as utoipa::PartialSchema>::schema()));
                    <$body as utoipa::ToSchema>::schemas(schemas);
                )+
            }
        }
    };
}

/// Declares enums of names. What the names mean goes into the published description.
macro_rules! names {
    ($(
        $(#[doc = $about:literal])+
        pub enum $name:ident { $($(#[doc = $meaning:literal])+ $variant:ident = $text:literal,)+ }
    )+) => {$(
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[doc = $meaning])+ #[serde(rename = $text)] $variant,)+
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                let about = concat!($($about, "\n"),+, $("\n- `", $text, "`:" $(, $meaning)+),+);
                utoipa::openapi::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::String)
                    .enum_values(Some([$($text),+]))
                    .description(Some(about.trim()))
                    .into()
            }
        }

        impl utoipa::ToSchema for $name {}
    )+};
}

pub(super) use {names, tagged, union};
