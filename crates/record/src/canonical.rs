//! Canonical JSON (RFC 8785), restricted to values that all JSON parsers read alike.

use std::cell::RefCell;
use std::io;

use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter, Serializer};
use thiserror::Error;

/// The maximum buffer capacity that a thread keeps for its next text.
const MAX_KEPT: usize = 64 << 10;

/// The value cannot be part of the record.
#[derive(Debug, Error)]
pub enum NotCanonical {
    /// The value cannot be written as JSON, or an object has a duplicate key.
    #[error("not JSON: {0}")]
    NotJson(#[from] serde_json::Error),
    /// Not an integer within ±(2⁵³ − 1); parsers disagree about other numbers.
    #[error("{number} is no integer within ±(2⁵³ − 1)")]
    Number {
        /// The number's text.
        number: String,
    },
    /// A key that is not plain ASCII; parsers disagree about the order of such keys.
    #[error("the key {key} is not plain ASCII")]
    Key {
        /// The key's quoted text.
        key: String,
    },
}

/// The canonical JSON of a value, written in one pass.
///
/// For the allowed values serde_json already writes numbers and strings as RFC 8785 requires. Only the
/// members of objects must be sorted.
pub fn canonical_json(value: &impl Serialize) -> Result<String, NotCanonical> {
    KEPT.with(|kept| match kept.try_borrow_mut() {
        Ok(mut kept) => write(value, &mut kept),
        // The serialiser of the outer value calls this function again.
        Err(_) => write(value, &mut Sorting::default()),
    })
}

thread_local! {
    /// A thread's buffers, kept for their capacity.
    static KEPT: RefCell<Sorting> = RefCell::default();
}

fn write(value: &impl Serialize, text: &mut Sorting) -> Result<String, NotCanonical> {
    text.begin();
    let written = value.serialize(&mut Serializer::with_formatter(io::sink(), &mut *text));
    match (written, text.refusal.take()) {
        (Ok(()), _) => str::from_utf8(&text.out)
            .map(str::to_owned)
            .map_err(|error| NotCanonical::NotJson(serde::ser::Error::custom(error))),
        (Err(_), Some(refusal)) => Err(refusal),
        (Err(error), None) => Err(NotCanonical::NotJson(error)),
    }
}

/// The text so far, and the open objects in it.
///
/// Members are written in the order they come. When an object ends and its members are not in canonical
/// order, they are moved. Nested objects are already sorted by then.
struct Sorting {
    out: Vec<u8>,
    /// The members of all open objects, the innermost last.
    members: Vec<Member>,
    /// The start of each open object: in the text, and in `members`.
    objects: Vec<(usize, usize)>,
    /// A buffer for moving members.
    moved: Vec<u8>,
    /// The error that stopped writing.
    refusal: Option<NotCanonical>,
}

/// The position of an object's member in the text, without a comma.
#[derive(Clone, Copy)]
struct Member {
    /// The index of the key's opening quote.
    begin: usize,
    /// The index after the key's closing quote.
    key: usize,
    end: usize,
}

impl Default for Sorting {
    fn default() -> Self {
        Self {
            out: Vec::with_capacity(512),
            members: Vec::with_capacity(16),
            objects: Vec::with_capacity(4),
            moved: Vec::new(),
            refusal: None,
        }
    }
}

impl Sorting {
    /// Clears the buffers and frees unusually large ones.
    fn begin(&mut self) {
        self.out.clear();
        self.out.shrink_to(MAX_KEPT);
        self.moved.clear();
        self.moved.shrink_to(MAX_KEPT);
        self.members.clear();
        self.objects.clear();
        self.refusal = None;
    }

    fn refuse(&mut self, refusal: NotCanonical) -> io::Result<()> {
        self.refusal = Some(refusal);
        Err(io::ErrorKind::InvalidData.into())
    }

    fn integer(&mut self, number: i128) -> io::Result<()> {
        const LARGEST: u128 = (1 << 53) - 1;
        if number.unsigned_abs() > LARGEST {
            return self.refuse(NotCanonical::Number { number: number.to_string() });
        }
        CompactFormatter.write_i64(&mut self.out, number as i64)
    }

    /// The sort key: UTF-16 code units by RFC 8785, which for ASCII are the bytes.
    fn key(&self, member: &Member) -> &[u8] {
        &self.out[member.begin + 1..member.key - 1]
    }

    /// Sorts the members of the object that begins at `begin`.
    fn sort_members(&mut self, begin: usize, first: usize) -> io::Result<()> {
        let mut members = self.members.split_off(first);
        members.sort_unstable_by(|a, b| self.key(a).cmp(self.key(b)));
        if members.windows(2).any(|pair| self.key(&pair[0]) == self.key(&pair[1])) {
            let twice: serde_json::Error = serde::ser::Error::custom("a duplicate key");
            return self.refuse(NotCanonical::NotJson(twice));
        }
        self.moved.clear();
        for member in &members {
            self.moved.push(b',');
            self.moved.extend_from_slice(&self.out[member.begin..member.end]);
        }
        // The length stays the same: the same members with as many commas, one of them in front.
        self.out.truncate(begin + 1);
        self.out.extend_from_slice(self.moved.get(1..).unwrap_or_default());
        Ok(())
    }
}

macro_rules! integers {
    ($($name:ident: $integer:ty),*) => {
        $(fn $name<W: ?Sized + io::Write>(&mut self, _: &mut W, value: $integer) -> io::Result<()> {
            self.integer(value.into())
        })*
    };
}

/// Writes serde_json's output to the text. The `writer` argument is not used.
impl Formatter for &mut Sorting {
    fn write_null<W: ?Sized + io::Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.out.extend_from_slice(b"null");
        Ok(())
    }

    fn write_bool<W: ?Sized + io::Write>(&mut self, _: &mut W, value: bool) -> io::Result<()> {
        self.out.extend_from_slice(if value { b"true" } else { b"false" });
        Ok(())
    }

    integers!(write_i8: i8, write_i16: i16, write_i32: i32, write_i64: i64, write_i128: i128);
    integers!(write_u8: u8, write_u16: u16, write_u32: u32, write_u64: u64);

    fn write_u128<W: ?Sized + io::Write>(&mut self, _: &mut W, value: u128) -> io::Result<()> {
        match i128::try_from(value) {
            Ok(value) => self.integer(value),
            Err(_) => self.refuse(NotCanonical::Number { number: value.to_string() }),
        }
    }

    fn write_f32<W: ?Sized + io::Write>(&mut self, _: &mut W, value: f32) -> io::Result<()> {
        self.refuse(NotCanonical::Number { number: value.to_string() })
    }

    fn write_f64<W: ?Sized + io::Write>(&mut self, _: &mut W, value: f64) -> io::Result<()> {
        self.refuse(NotCanonical::Number { number: value.to_string() })
    }

    fn write_number_str<W: ?Sized + io::Write>(&mut self, _: &mut W, value: &str) -> io::Result<()> {
        match value.parse() {
            Ok(value) => self.integer(value),
            Err(_) => self.refuse(NotCanonical::Number { number: value.to_owned() }),
        }
    }

    fn begin_string<W: ?Sized + io::Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.out.push(b'"');
        Ok(())
    }

    fn end_string<W: ?Sized + io::Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.out.push(b'"');
        Ok(())
    }

    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, _: &mut W, piece: &str) -> io::Result<()> {
        self.out.extend_from_slice(piece.as_bytes());
        Ok(())
    }

    fn write_char_escape<W: ?Sized + io::Write>(&mut self, _: &mut W, escape: CharEscape) -> io::Result<()> {
        CompactFormatter.write_char_escape(&mut self.out, escape)
    }

    fn begin_array<W: ?Sized + io::Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.out.push(b'[');
        Ok(())
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.out.push(b']');
        Ok(())
    }

    fn begin_array_value<W: ?Sized + io::Write>(&mut self, _: &mut W, first: bool) -> io::Result<()> {
        if !first {
            self.out.push(b',');
        }
        Ok(())
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.objects.push((self.out.len(), self.members.len()));
        self.out.push(b'{');
        Ok(())
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, _: &mut W, first: bool) -> io::Result<()> {
        if !first {
            self.out.push(b',');
        }
        let begin = self.out.len();
        self.members.push(Member { begin, key: begin, end: begin });
        Ok(())
    }

    fn end_object_key<W: ?Sized + io::Write>(&mut self, _: &mut W) -> io::Result<()> {
        let end = self.out.len();
        let Some(member) = self.members.last_mut() else { return Ok(()) };
        member.key = end;
        let key = &self.out[member.begin..end];
        if !key.is_ascii() || key.contains(&b'\\') {
            let key = String::from_utf8_lossy(key).into_owned();
            return self.refuse(NotCanonical::Key { key });
        }
        Ok(())
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.out.push(b':');
        Ok(())
    }

    fn end_object_value<W: ?Sized + io::Write>(&mut self, _: &mut W) -> io::Result<()> {
        let end = self.out.len();
        if let Some(member) = self.members.last_mut() {
            member.end = end;
        }
        Ok(())
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, _: &mut W) -> io::Result<()> {
        let (begin, first) = self.objects.pop().unwrap_or_default();
        let in_order = self.members[first..].windows(2).all(|pair| self.key(&pair[0]) < self.key(&pair[1]));
        if !in_order {
            self.sort_members(begin, first)?;
        }
        self.members.truncate(first);
        self.out.push(b'}');
        Ok(())
    }

    /// Text that is already JSON, but possibly not canonical.
    fn write_raw_fragment<W: ?Sized + io::Write>(&mut self, _: &mut W, fragment: &str) -> io::Result<()> {
        let value: serde_json::Value = serde_json::from_str(fragment)?;
        match canonical_json(&value) {
            Ok(text) => self.out.extend_from_slice(text.as_bytes()),
            Err(refusal) => return self.refuse(refusal),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_are_sorted_and_nothing_is_spaced_out() {
        let value = json!({"b": [1, -2, null, true], "a": null, "text": "ü \" \\ , ] 1.5 \\\": \n"});
        let text = canonical_json(&value).unwrap();
        let expected = r#"{"a":null,"b":[1,-2,null,true],"text":"ü \" \\ , ] 1.5 \\\": \n"}"#;
        assert_eq!(text, expected);
    }

    #[test]
    fn another_implementation_writes_the_same() {
        for text in [
            r#"{}"#,
            r#"[[],{},{"b":{"d":1,"c":[{"z":null,"a":false}]},"a":"x\ny\u0001\u007f\"\\/é😀"}]"#,
            r#"{"aa":1,"a":2,"A":3,"":4,"a_":5,"a.":6}"#,
            r#"[-9007199254740991,0,true,"{\"b\":1,\"a\":2}"]"#,
        ] {
            let value: serde_json::Value = serde_json::from_str(text).unwrap();
            let other = serde_json_canonicalizer::to_string(&value).unwrap();
            assert_eq!(canonical_json(&value).unwrap(), other);
            #[derive(Serialize)]
            struct Unsorted<'a> {
                z: &'a serde_json::Value,
                a: (u8, &'a serde_json::Value),
                m: Option<&'a str>,
            }
            let unsorted = Unsorted { z: &value, a: (1, &value), m: None };
            let other = serde_json_canonicalizer::to_string(&unsorted).unwrap();
            assert_eq!(canonical_json(&unsorted).unwrap(), other);
        }
    }

    #[test]
    fn numbers_outside_the_safe_integers_are_refused() {
        let largest = 9_007_199_254_740_991_i64;
        for safe in [0, largest, -largest] {
            assert_eq!(canonical_json(&json!([safe])).unwrap(), format!("[{safe}]"));
        }
        for unsafe_number in
            [json!(largest + 1), json!(-largest - 1), json!(u64::MAX), json!(1.5), json!(1e30)]
        {
            let refusal = canonical_json(&json!({"n": [unsafe_number]}));
            assert!(matches!(refusal, Err(NotCanonical::Number { .. })), "{unsafe_number}");
        }
    }

    #[test]
    fn raw_json_is_sorted() {
        let raw: Box<serde_json::value::RawValue> =
            serde_json::from_str(r#"{"b":{"z":"\u00e9","a":[{"d":1,"c":2}]}, "a":1}"#).unwrap();
        let text = canonical_json(&("x", &raw)).unwrap();
        assert_eq!(text, r#"["x",{"a":1,"b":{"a":[{"c":2,"d":1}],"z":"é"}}]"#);
    }

    #[test]
    fn keys_that_are_not_ascii_are_refused() {
        let refusal = canonical_json(&json!({"a": {"é": 1}}));
        assert!(matches!(refusal, Err(NotCanonical::Key { key }) if key == "\"é\""));
    }

    #[test]
    fn a_duplicate_key_is_refused() {
        #[derive(Serialize)]
        struct Inner {
            a: u8,
        }
        #[derive(Serialize)]
        struct Twice {
            a: u8,
            #[serde(flatten)]
            inner: Inner,
        }
        let refusal = canonical_json(&Twice { a: 1, inner: Inner { a: 2 } });
        assert!(matches!(refusal, Err(NotCanonical::NotJson(_))));
    }
}
