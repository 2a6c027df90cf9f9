//! Forms of values that are narrower than their types: ids and numbers have one spelling.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use uuid::Uuid;

/// The largest integer that all JSON parsers read alike.
const LARGEST: u64 = (1 << 53) - 1;

/// Parses an id: a UUID in lower case with hyphens.
pub(crate) fn id(text: &str) -> Option<Uuid> {
    text.parse().ok().filter(|id: &Uuid| id.to_string() == text)
}

/// Reads an id in its one spelling.
pub(crate) fn only_id<'de, D: Deserializer<'de>>(reader: D) -> Result<Uuid, D::Error> {
    let text = String::deserialize(reader)?;
    id(&text).ok_or_else(|| D::Error::custom("expected a UUID in lower case with hyphens"))
}

/// Reads a number that all JSON parsers read alike.
pub(crate) fn safe_number<'de, D: Deserializer<'de>>(reader: D) -> Result<u64, D::Error> {
    let number = u64::deserialize(reader)?;
    if number <= LARGEST { Ok(number) } else { Err(D::Error::custom("expected an integer up to 2^53 - 1")) }
}

/// Reads a list of texts that has a largest length. A longer one is not read to its end.
pub(crate) fn at_most<'de, const N: usize, D: Deserializer<'de>>(reader: D) -> Result<Vec<String>, D::Error> {
    struct Texts<const N: usize>;

    impl<'de, const N: usize> Visitor<'de> for Texts<N> {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a list of at most {N} texts")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<String>, A::Error> {
            let mut texts = Vec::new();
            while let Some(text) = items.next_element()? {
                if texts.len() == N {
                    return Err(A::Error::invalid_length(N + 1, &self));
                }
                texts.push(text);
            }
            Ok(texts)
        }
    }

    reader.deserialize_seq(Texts::<N>)
}

/// A value that is read from an object only. Derived readers of structs also take a list of the members.
pub(crate) struct Object<T>(pub(crate) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Object<T>, D::Error> {
        struct Members<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
            type Value = Object<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, members: M) -> Result<Object<T>, M::Error> {
                T::deserialize(MapAccessDeserializer::new(members)).map(Object)
            }
        }

        reader.deserialize_map(Members(PhantomData))
    }
}

/// Reads an object.
pub(crate) fn object<'de, T: Deserialize<'de>, D: Deserializer<'de>>(reader: D) -> Result<T, D::Error> {
    Object::deserialize(reader).map(|Object(value)| value)
}

/// Reads an object or null. The member must be there.
pub(crate) fn object_or_null<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    reader: D,
) -> Result<Option<T>, D::Error> {
    Ok(Option::<Object<T>>::deserialize(reader)?.map(|Object(value)| value))
}

/// Reads a list of objects with any members, each once.
pub(crate) fn free_objects<'de, D: Deserializer<'de>>(
    reader: D,
) -> Result<Vec<Map<String, Value>>, D::Error> {
    struct Free(Map<String, Value>);

    impl<'de> Deserialize<'de> for Free {
        fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Free, D::Error> {
            reader.deserialize_map(FreeMembers)
        }
    }

    struct FreeMembers;

    impl<'de> Visitor<'de> for FreeMembers {
        type Value = Free;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<M: MapAccess<'de>>(self, mut members: M) -> Result<Free, M::Error> {
            let mut object = Map::new();
            while let Some((name, value)) = members.next_entry::<String, Value>()? {
                if object.insert(name, value).is_some() {
                    return Err(M::Error::custom("a duplicate key"));
                }
            }
            Ok(Free(object))
        }
    }

    Ok(Vec::<Free>::deserialize(reader)?.into_iter().map(|Free(object)| object).collect())
}
