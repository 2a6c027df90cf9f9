//! Takes 2.0 as an integer, as JSON Schema does, and nothing but an object for a struct and a text for an enum.
//!
//! Serde itself refuses the first, and would also take an array for a struct and an object for an enum.

use std::cell::Cell;
use std::fmt;

use serde::Deserializer;
use serde::de::value::StrDeserializer;
use serde::de::{DeserializeSeed, Error, IntoDeserializer, MapAccess, SeqAccess, Visitor};

/// The kind of the value that was read last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    Number,
    Other,
}

/// Wraps a deserializer, a visitor, a seed, or the items and fields that a visitor reads.
pub(super) struct Lenient<'l, T> {
    inner: T,
    last: &'l Cell<Scalar>,
}

impl<'l, T> Lenient<'l, T> {
    pub(super) fn new(inner: T, last: &'l Cell<Scalar>) -> Lenient<'l, T> {
        Lenient { inner, last }
    }
}

macro_rules! deserialize {
    ($($method:ident => $inner:ident ($($about:ident: $type:ty),*);)+) => {$(
        fn $method<V: Visitor<'de>>(self, $($about: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            self.inner.$inner($($about,)* Lenient::new(visitor, self.last))
        }
    )+};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Lenient<'_, D> {
    type Error = D::Error;

    deserialize! {
        deserialize_any => deserialize_any();
        deserialize_bool => deserialize_bool();
        deserialize_i8 => deserialize_i8();
        deserialize_i16 => deserialize_i16();
        deserialize_i32 => deserialize_i32();
        deserialize_i64 => deserialize_i64();
        deserialize_u8 => deserialize_u8();
        deserialize_u16 => deserialize_u16();
        deserialize_u32 => deserialize_u32();
        deserialize_u64 => deserialize_u64();
        deserialize_f32 => deserialize_f32();
        deserialize_f64 => deserialize_f64();
        deserialize_char => deserialize_char();
        deserialize_str => deserialize_str();
        deserialize_string => deserialize_string();
        deserialize_bytes => deserialize_bytes();
        deserialize_byte_buf => deserialize_byte_buf();
        deserialize_option => deserialize_option();
        deserialize_unit => deserialize_unit();
        deserialize_unit_struct => deserialize_unit_struct(name: &'static str);
        deserialize_newtype_struct => deserialize_newtype_struct(name: &'static str);
        deserialize_seq => deserialize_seq();
        deserialize_tuple => deserialize_tuple(length: usize);
        deserialize_tuple_struct => deserialize_tuple_struct(name: &'static str, length: usize);
        deserialize_map => deserialize_map();
        deserialize_identifier => deserialize_identifier();
        deserialize_ignored_any => deserialize_ignored_any();
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.inner.deserialize_str(NamedVariant(visitor))
    }
}

macro_rules! visit {
    ($($method:ident($type:ty);)+) => {$(
        fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.last.set(Scalar::Other);
            self.inner.$method(value)
        }
    )+};
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Lenient<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    visit! {
        visit_bool(bool);
        visit_str(&str);
        visit_borrowed_str(&'de str);
        visit_string(String);
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<V::Value, E> {
        self.last.set(Scalar::Number);
        self.inner.visit_i64(value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<V::Value, E> {
        self.last.set(Scalar::Number);
        self.inner.visit_u64(value)
    }

    /// An integer that is too large for the type becomes one that is too large for every field.
    fn visit_f64<E: Error>(self, value: f64) -> Result<V::Value, E> {
        if value.fract() == 0.0 { self.visit_i64(value as i64) } else { self.inner.visit_f64(value) }
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_some<D: Deserializer<'de>>(self, value: D) -> Result<V::Value, D::Error> {
        self.inner.visit_some(Lenient::new(value, self.last))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, value: D) -> Result<V::Value, D::Error> {
        self.inner.visit_newtype_struct(Lenient::new(value, self.last))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<V::Value, A::Error> {
        self.inner.visit_seq(Lenient::new(items, self.last))
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(Lenient::new(fields, self.last))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Lenient<'_, A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.inner.next_element_seed(Lenient::new(seed, self.last))
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Lenient<'_, A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.inner.next_key_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.inner.next_value_seed(Lenient::new(seed, self.last))
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Lenient<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        self.inner.deserialize(Lenient::new(deserializer, self.last))
    }
}

/// Reads the name of a variant without data.
struct NamedVariant<V>(V);

impl<'de, V: Visitor<'de>> Visitor<'de> for NamedVariant<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<V::Value, E> {
        let name: StrDeserializer<'_, E> = name.into_deserializer();
        self.0.visit_enum(name)
    }
}
