//! Bodies that say in one field which of several things they are.
//!
//! Each variant is a named struct with a constant field of its own, so that the published schema is a
//! `oneOf` of references with a discriminator that maps every name. What is read is chosen by that field
//! alone, and what is wrong is said of the variant that was meant.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use utoipa::openapi::schema::{Discriminator, Object, ObjectBuilder, OneOfBuilder, Schema, Type};
use utoipa::openapi::{Ref, RefOr};

/// A body with a constant that says what it is.
pub trait Tagged {
    /// The constant.
    const TAG: &'static str;
}

/// The constant field of a [`Tagged`] body: there is one value, and no other is read.
pub struct Tag<T>(PhantomData<fn() -> T>);

impl<T> Default for Tag<T> {
    fn default() -> Tag<T> {
        Tag(PhantomData)
    }
}

impl<T> Clone for Tag<T> {
    fn clone(&self) -> Tag<T> {
        *self
    }
}

impl<T> Copy for Tag<T> {}

impl<T> PartialEq for Tag<T> {
    fn eq(&self, _: &Tag<T>) -> bool {
        true
    }
}

impl<T> Eq for Tag<T> {}

impl<T: Tagged> fmt::Debug for Tag<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::TAG)
    }
}

impl<T: Tagged> Serialize for Tag<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(T::TAG)
    }
}

impl<'de, T: Tagged> Deserialize<'de> for Tag<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Tag<T>, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text == T::TAG {
            Ok(Tag::default())
        } else {
            Err(Error::custom(format_args!("expected {:?}, not {text:?}", T::TAG)))
        }
    }
}

/// The schema of the constant field: a text with one value.
pub fn tag_schema<T: Tagged>() -> Object {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some([T::TAG]))
        .description(Some("Says what this is."))
        .build()
}

/// The schema of a union: one of the named schemas, told apart by a property.
pub(super) fn union_schema(about: &str, property: &str, variants: &[(&str, &str)]) -> RefOr<Schema> {
    let location = |name: &str| Ref::from_schema_name(name).ref_location;
    let mapping = variants.iter().map(|(tag, name)| (*tag, location(name)));
    let union = OneOfBuilder::new()
        .description(Some(about.trim()))
        .discriminator(Some(Discriminator::with_mapping(property, mapping)));
    variants.iter().fold(union, |union, (_, name)| union.item(Ref::from_schema_name(*name))).into()
}

/// A reference to a schema, or null.
pub(super) fn nullable(name: std::borrow::Cow<'static, str>) -> RefOr<Schema> {
    let null = ObjectBuilder::new().schema_type(Type::Null);
    OneOfBuilder::new().item(Ref::from_schema_name(name)).item(null).into()
}

/// An object that was read as far as finding out what it is.
pub(super) struct Untold {
    pub(super) tag: String,
    fields: Vec<(String, Value)>,
}

impl Untold {
    /// Reads an object and the property that says what it is.
    pub(super) fn read<'de, D: Deserializer<'de>>(
        deserializer: D,
        property: &'static str,
    ) -> Result<Untold, D::Error> {
        let fields = deserializer.deserialize_map(Fields)?;
        let tag = fields.iter().find(|(name, _)| name == property);
        let tag = match tag.map(|(_, value)| value) {
            Some(Value::String(tag)) => tag.clone(),
            Some(_) => return Err(Error::custom(format_args!("`{property}` is a text"))),
            None => return Err(Error::missing_field(property)),
        };
        Ok(Untold { tag, fields })
    }

    /// Reads the fields as those of a variant; an error names the variant.
    pub(super) fn told<'de, T: Tagged + Deserialize<'de>, E: Error>(self) -> Result<T, E> {
        T::deserialize(MapDeserializer::new(self.fields.into_iter()))
            .map_err(|error: serde_json::Error| E::custom(format_args!("{}: {error}", T::TAG)))
    }
}

/// Collects the fields of an object in order, those that stand twice included.
struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Vec<(String, Value)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(fields)
    }
}
