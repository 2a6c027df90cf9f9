//! Writing JSON with the members of every object in order, in one pass.

use std::io;

use serde_json::ser::{CharEscape, CompactFormatter, Formatter};

use super::canonical::{NotCanonical, canonical_json};

/// How many bytes of room are kept for the next text.
const MOST_KEPT: usize = 64 << 10;

/// The text so far, and what is known of the objects that are open in it.
///
/// Members are written in the order they come. Where an object ends and they came in another order than the
/// record's, they are moved: what is inside them is in order already.
pub(super) struct Sorting {
    pub(super) out: Vec<u8>,
    /// The members of all open objects, the innermost last.
    members: Vec<Member>,
    /// Where the open objects begin: in the text, and among the members.
    objects: Vec<(usize, usize)>,
    /// For moving.
    moved: Vec<u8>,
    /// Why writing stopped.
    pub(super) refusal: Option<NotCanonical>,
}

/// A member of an object: where it stands in the text, without a comma.
#[derive(Clone, Copy)]
struct Member {
    /// Where its key's quote opens.
    begin: usize,
    /// Behind the quote that closes the key.
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
    /// Forgets what was written before, and room that is larger than what is usually needed.
    pub(super) fn begin(&mut self) {
        self.out.clear();
        self.out.shrink_to(MOST_KEPT);
        self.moved.clear();
        self.moved.shrink_to(MOST_KEPT);
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

    /// What a key is compared by: RFC 8785 has the units of UTF-16, which for ASCII are the bytes.
    fn key(&self, member: &Member) -> &[u8] {
        &self.out[member.begin + 1..member.key - 1]
    }

    /// Puts the members of the object that begins at `begin` in order.
    fn put_in_order(&mut self, begin: usize, first: usize) -> io::Result<()> {
        let mut members = self.members.split_off(first);
        members.sort_unstable_by(|a, b| self.key(a).cmp(self.key(b)));
        if members.windows(2).any(|pair| self.key(&pair[0]) == self.key(&pair[1])) {
            let twice: serde_json::Error = serde::ser::Error::custom("a key stands twice");
            return self.refuse(NotCanonical::NotJson(twice));
        }
        self.moved.clear();
        for member in &members {
            self.moved.push(b',');
            self.moved.extend_from_slice(&self.out[member.begin..member.end]);
        }
        // As long as before: the same members with as many commas, one of them in front.
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

/// What serde_json has to write goes into the text; the writer it hands in is not used.
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
            self.put_in_order(begin, first)?;
        }
        self.members.truncate(first);
        self.out.push(b'}');
        Ok(())
    }

    /// Text that is JSON already, and perhaps not canonical.
    fn write_raw_fragment<W: ?Sized + io::Write>(&mut self, _: &mut W, fragment: &str) -> io::Result<()> {
        let value: serde_json::Value = serde_json::from_str(fragment)?;
        match canonical_json(&value) {
            Ok(text) => self.out.extend_from_slice(text.as_bytes()),
            Err(refusal) => return self.refuse(refusal),
        }
        Ok(())
    }
}
