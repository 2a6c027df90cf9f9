//! Takes 2.0 as an integer, as JSON Schema does, and nothing but an object for a struct and a text for an enum.
//!
//! Serde itself refuses the first, and would also take an array for a struct and an object for an enum. It notes each fault as data.

use std::fmt;

use serde::Deserializer;
use serde::de::value::StrDeserializer;
use serde::de::{DeserializeSeed, Error, IntoDeserializer, MapAccess, SeqAccess, Unexpected, Visitor};

use super::fault::{ErrorWithFault, Reading};

const OBJECT: &str = "an object";

/// Wraps a deserializer, a visitor, a seed, or the items and fields that a visitor reads.
pub(super) struct Lenient<'l, T> {
    inner: T,
    reading: &'l Reading,
}

impl<'l, T> Lenient<'l, T> {
    pub(super) fn new(inner: T, reading: &'l Reading) -> Lenient<'l, T> {
        Lenient { inner, reading }
    }
}

/// `true` stands before methods for what is no text. They ask JSON for any value, which the visitor refuses if it is another:
/// the deserializer's own refusal of a text quotes it, character by character.
macro_rules! deserialize {
    ($($no_text:literal $wanted:tt: $($method:ident($($about:ident: $type:ty),*))+;)+) => {$($(
        fn $method<V: Visitor<'de>>(self, $($about: $type,)* visitor: V) -> Result<V::Value, Self::Error> {
            let Lenient { inner, reading } = self;
            reading.wanted.set($wanted);
            let visitor = Lenient::new(visitor, reading);
            let value = match $no_text && reading.is_json {
                true => inner.deserialize_any(visitor),
                false => inner.$method($($about,)* visitor),
            };
            value.map_err(|error| reading.note(error))
        }
    )+)+};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Lenient<'_, D> {
    type Error = ErrorWithFault<D::Error>;

    deserialize! {
        false "another value": deserialize_any() deserialize_option() deserialize_ignored_any()
            deserialize_newtype_struct(name: &'static str);
        false "a string": deserialize_char() deserialize_str() deserialize_string() deserialize_bytes()
            deserialize_byte_buf() deserialize_identifier();
        true "null": deserialize_unit() deserialize_unit_struct(name: &'static str);
        true "true or false": deserialize_bool();
        true "an integer": deserialize_i8() deserialize_i16() deserialize_i32() deserialize_i64() deserialize_u8()
            deserialize_u16() deserialize_u32() deserialize_u64();
        true "a number": deserialize_f32() deserialize_f64();
        true "an array": deserialize_seq() deserialize_tuple(length: usize)
            deserialize_tuple_struct(name: &'static str, length: usize);
        true OBJECT: deserialize_map();
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.deserialize_str(NamedVariant(visitor))
    }
}

macro_rules! visit {
    ($($method:ident($($value:ident: $type:ty)?), $is_number:literal;)+) => {$(
        fn $method<E: Error>(self, $($value: $type)?) -> Result<V::Value, E> {
            let Lenient { inner, reading } = self;
            reading.is_number.set($is_number);
            inner.$method($($value)?).map_err(|noted| reading.keep(noted))
        }
    )+};
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Lenient<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    visit! {
        visit_bool(value: bool), false;
        visit_i64(value: i64), true;
        visit_u64(value: u64), true;
        visit_str(value: &str), false;
        visit_borrowed_str(value: &'de str), false;
        visit_string(value: String), false;
        visit_unit(), false;
        visit_none(), false;
    }

    /// An integer that is too large for the type becomes one that is too large for every field.
    fn visit_f64<E: Error>(self, value: f64) -> Result<V::Value, E> {
        if value.fract() == 0.0 {
            return self.visit_i64(value as i64);
        }
        self.inner.visit_f64(value).map_err(|noted| self.reading.keep(noted))
    }

    fn visit_some<D: Deserializer<'de>>(self, value: D) -> Result<V::Value, D::Error> {
        let value = Lenient::new(value, self.reading);
        self.inner.visit_some(value).map_err(|noted| self.reading.keep(noted))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, value: D) -> Result<V::Value, D::Error> {
        let value = Lenient::new(value, self.reading);
        self.inner.visit_newtype_struct(value).map_err(|noted| self.reading.keep(noted))
    }

    /// A derived struct would also take a list.
    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<V::Value, A::Error> {
        if self.reading.wanted.get() == OBJECT {
            return Err(self.reading.keep(Error::invalid_type(Unexpected::Seq, &self.inner)));
        }
        let items = Lenient::new(items, self.reading);
        self.inner.visit_seq(items).map_err(|noted| self.reading.keep(noted))
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<V::Value, A::Error> {
        let fields = Lenient::new(fields, self.reading);
        self.inner.visit_map(fields).map_err(|noted| self.reading.keep(noted))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Lenient<'_, A> {
    type Error = ErrorWithFault<A::Error>;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Self::Error> {
        let seed = Lenient::new(seed, self.reading);
        self.inner.next_element_seed(seed).map_err(|error| self.reading.note(error))
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Lenient<'_, A> {
    type Error = ErrorWithFault<A::Error>;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Self::Error> {
        let seed = Lenient::new(seed, self.reading);
        self.inner.next_key_seed(seed).map_err(|error| self.reading.note(error))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Self::Error> {
        let seed = Lenient::new(seed, self.reading);
        self.inner.next_value_seed(seed).map_err(|error| self.reading.note(error))
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Lenient<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        let deserializer = Lenient::new(deserializer, self.reading);
        self.inner.deserialize(deserializer).map_err(|noted| self.reading.keep(noted))
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
