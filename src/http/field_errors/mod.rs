//! What is wrong with a request, field by field.
//!
//! A request is read once, as its type, and refused at the first fault. The limits of what can be read are checked
//! next, all at once: those of the type by `limits`, and those that depend on more by the use case.

mod fault;
mod lenient;

use std::borrow::Cow;

use garde::Validate;
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use serde_path_to_error::{Deserializer, Path, Segment, Track};

use self::fault::{ErrorWithFault, Fault, Reading};
use self::lenient::Lenient;
use estimation_service::base::failure::FieldFault;
use estimation_service::base::field_error::{FieldCode, FieldError, pointer};

const OUT_OF_RANGE: &str = "is out of its range";
const WRONG_FORMAT: &str = "has the wrong form";

/// Why a text cannot be read.
#[derive(Debug)]
pub enum Unreadable {
    /// It is not JSON.
    Malformed { line: usize, column: usize },
    /// It is not what the type takes.
    Invalid(FieldError),
}

/// Reads a JSON text. An object has each field once, an enum is a text, and 2.0 is an integer, as JSON Schema has it.
///
/// # Errors
/// The first fault.
pub fn read_json<T: DeserializeOwned>(text: &[u8]) -> Result<T, Unreadable> {
    let (reading, mut track) = (Reading::of_json(), Track::new());
    let mut json = serde_json::Deserializer::from_slice(text);
    match T::deserialize(Deserializer::new(Lenient::new(&mut json, &reading), &mut track)) {
        Ok(value) => json.end().map(|()| value).map_err(malformed),
        Err(ErrorWithFault { error, fault: None }) if error.classify() != Category::Data => {
            Err(malformed(error))
        }
        Err(ErrorWithFault { fault, .. }) => {
            Err(Unreadable::Invalid(field_error(&track.path(), fault.unwrap_or(Fault::WrongType), &reading)))
        }
    }
}

/// Reads the parameters of a query. Each is given once.
///
/// # Errors
/// The first fault.
pub(super) fn read_query<T: DeserializeOwned>(query: &str) -> Result<T, FieldError> {
    let (reading, mut track) = (Reading::default(), Track::new());
    let pairs = serde_urlencoded::Deserializer::new(form_urlencoded::parse(query.as_bytes()));
    T::deserialize(Deserializer::new(Lenient::new(pairs, &reading), &mut track)).map_err(|noted| {
        // A number or a truth value that cannot be parsed is an error of the deserializer.
        field_error(&track.path(), noted.fault.unwrap_or(Fault::WrongType), &reading)
    })
}

/// Every limit that a request breaks, as the document has it. A test compares the two. `field` turns a path of the
/// validator into the field of the error.
pub(super) fn limits(
    request: &impl Validate<Context = ()>,
    field: fn(&garde::Path) -> String,
) -> Vec<FieldFault> {
    let Err(report) = request.validate() else { return Vec::new() };
    let faults = report.iter().map(|(path, error)| {
        let (code, reason) = limit(error.message());
        FieldFault::new(field(path), code, reason)
    });
    faults.collect()
}

/// The JSON pointer for a path of the validator, such as `calls[2].tricks`. Its names are those of Rust fields.
pub(super) fn pointer_to_limit(path: &garde::Path) -> String {
    pointer(path.to_string().split(['.', '[', ']']).filter(|name| !name.is_empty()))
}

/// The code and the reason for a message of the validator, whose errors have nothing else.
fn limit(message: &str) -> (FieldCode, String) {
    for (start, code, reason, unit) in [
        ("length is lower than ", FieldCode::TooShort, "must have at least", " characters"),
        ("length is greater than ", FieldCode::TooLong, "must have at most", " characters"),
        ("lower than ", FieldCode::OutOfRange, "must be at least", ""),
        ("greater than ", FieldCode::OutOfRange, "must be at most", ""),
    ] {
        if let Some(number) = message.strip_prefix(start) {
            return (code, format!("{reason} {number}{unit}"));
        }
    }
    (FieldCode::WrongFormat, WRONG_FORMAT.to_owned())
}

fn malformed(error: serde_json::Error) -> Unreadable {
    Unreadable::Malformed { line: error.line(), column: error.column() }
}

/// The error for the first fault of what cannot be read.
fn field_error(path: &Path, fault: Fault, reading: &Reading) -> FieldError {
    let (below, code, reason) = match fault {
        Fault::Missing(name) => (Some(name), FieldCode::Missing, "is missing".into()),
        Fault::Repeated(name) => (Some(name), FieldCode::Repeated, "is given more than once".into()),
        Fault::Unknown => (None, FieldCode::Unknown, "is not known here".into()),
        Fault::WrongType => (None, FieldCode::WrongType, format!("must be {}", reading.wanted.get())),
        Fault::NotAChoice(choices) => (None, FieldCode::NotAChoice, one_of(choices)),
        Fault::OutOfRange => (None, FieldCode::OutOfRange, OUT_OF_RANGE.into()),
        Fault::Refused if reading.is_number.get() => (None, FieldCode::OutOfRange, OUT_OF_RANGE.into()),
        Fault::Refused => (None, FieldCode::WrongFormat, WRONG_FORMAT.into()),
    };
    FieldError::new(field(path, below, reading), code, &reason)
}

fn one_of(choices: &[&str]) -> String {
    let one = if choices.len() == 1 { "" } else { "one of " };
    format!("must be {one}`{}`", choices.join("`, `"))
}

/// The JSON pointer to a field of the body, or the name of a parameter. A query has nothing below its parameters.
fn field(path: &Path, last: Option<&str>, reading: &Reading) -> String {
    let names = path.iter().filter_map(|segment| match segment {
        Segment::Map { key } => Some(Cow::Borrowed(key.as_str())),
        Segment::Seq { index } => Some(index.to_string().into()),
        Segment::Enum { .. } | Segment::Unknown => None,
    });
    let names = names.chain(last.map(Cow::Borrowed));
    if reading.is_json { pointer(names) } else { names.collect() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    estimation_engine::choices! {
        /// A colour.
        pub enum Colour {
            /// Red.
            Red = "red",
            /// Blue.
            Blue = "blue",
        }
    }

    #[derive(Debug, Default, PartialEq, serde::Deserialize)]
    #[serde(deny_unknown_fields, default)]
    struct Painting {
        colour: Option<Colour>,
        size: Option<u8>,
        is_sold: bool,
        seat: Option<estimation_engine::seat::Seat>,
        card: Option<estimation_engine::card::Card>,
        frame: Option<Frame>,
        copies: Vec<Frame>,
    }

    #[derive(Debug, PartialEq, serde::Deserialize, garde::Validate)]
    #[serde(deny_unknown_fields)]
    struct Frame {
        #[garde(range(min = 1, max = 9))]
        width: u32,
        #[serde(default)]
        #[garde(length(chars, min = 2, max = 4))]
        wood: Option<String>,
    }

    #[test]
    fn the_first_fault_has_its_field_code_and_reason() {
        for (text, field, code, detail) in [
            ("[]", "", FieldCode::WrongType, "The body must be an object."),
            ("5", "", FieldCode::WrongType, "The body must be an object."),
            (r#"{"a/b~c.d":1,"b":2}"#, "/a~1b~0c.d", FieldCode::Unknown, "`/a~1b~0c.d` is not known here."),
            (r#"{"size":1,"size":1}"#, "/size", FieldCode::Repeated, "`/size` is given more than once."),
            (r#"{"size":"1"}"#, "/size", FieldCode::WrongType, "`/size` must be an integer."),
            (r#"{"size":1.5}"#, "/size", FieldCode::WrongType, "`/size` must be an integer."),
            (r#"{"size":256}"#, "/size", FieldCode::OutOfRange, "`/size` is out of its range."),
            (r#"{"size":-1}"#, "/size", FieldCode::OutOfRange, "`/size` is out of its range."),
            (r#"{"size":1e30}"#, "/size", FieldCode::OutOfRange, "`/size` is out of its range."),
            (r#"{"size":-1e30}"#, "/size", FieldCode::OutOfRange, "`/size` is out of its range."),
            (r#"{"is_sold":null}"#, "/is_sold", FieldCode::WrongType, "`/is_sold` must be true or false."),
            (
                r#"{"colour":"a, expected b"}"#,
                "/colour",
                FieldCode::NotAChoice,
                "`/colour` must be one of `red`, `blue`.",
            ),
            (r#"{"colour":3}"#, "/colour", FieldCode::WrongType, "`/colour` must be a string."),
            (r#"{"colour":{"red":null}}"#, "/colour", FieldCode::WrongType, "`/colour` must be a string."),
            (r#"{"seat":5}"#, "/seat", FieldCode::OutOfRange, "`/seat` is out of its range."),
            (r#"{"card":"1S"}"#, "/card", FieldCode::WrongFormat, "`/card` has the wrong form."),
            (r#"{"card":12}"#, "/card", FieldCode::WrongType, "`/card` must be a string."),
            (r#"{"frame":[1]}"#, "/frame", FieldCode::WrongType, "`/frame` must be an object."),
            (r#"{"frame":{}}"#, "/frame/width", FieldCode::Missing, "`/frame/width` is missing."),
            (r#"{"copies":{}}"#, "/copies", FieldCode::WrongType, "`/copies` must be an array."),
            (
                r#"{"copies":[{"width":1},null]}"#,
                "/copies/1",
                FieldCode::WrongType,
                "`/copies/1` must be an object.",
            ),
            (
                r#"{"copies":[{"width":1,"a":{}}]}"#,
                "/copies/0/a",
                FieldCode::Unknown,
                "`/copies/0/a` is not known here.",
            ),
        ] {
            let Err(Unreadable::Invalid(error)) = read_json::<Painting>(text.as_bytes()) else {
                panic!("{text}")
            };
            assert_eq!(
                (error.field.as_str(), error.code, error.detail.as_str()),
                (field, code, detail),
                "{text}"
            );
        }
    }

    #[test]
    fn a_whole_float_is_an_integer() {
        let read = read_json::<Painting>(br#"{"size":2.0,"seat":-0.0,"frame":{"width":1e2}}"#).ok().unwrap();
        assert_eq!((read.size, read.frame.unwrap().width), (Some(2), 100));
    }

    #[test]
    fn what_is_not_json_has_a_position() {
        let deep = format!("{{\"size\":{}", "[".repeat(20_000));
        for text in ["", "{", "{} {}", "{\"size\":1,}", "{\"size\":1\n,}", "{\"size\":\"\\ud800\"}"] {
            assert!(
                matches!(read_json::<Painting>(text.as_bytes()), Err(Unreadable::Malformed { .. })),
                "{text}"
            );
        }
        assert!(matches!(read_json::<Painting>(deep.as_bytes()), Err(Unreadable::Invalid(_))));
        assert!(matches!(read_json::<serde_json::Value>(deep.as_bytes()), Err(Unreadable::Malformed { .. })));
    }

    #[test]
    fn every_limit_is_named() {
        let frame = |value| serde_json::from_value::<Frame>(value).unwrap();
        let told = |frame: Frame| -> Vec<String> {
            limits(&frame, pointer_to_limit).iter().map(ToString::to_string).collect()
        };
        assert_eq!(
            told(frame(json!({"width": 0, "wood": "aaaaa"}))),
            ["`/width` must be at least 1", "`/wood` must have at most 4 characters"]
        );
        assert_eq!(
            told(frame(json!({"width": 10, "wood": "ü"}))),
            ["`/width` must be at most 9", "`/wood` must have at least 2 characters"]
        );
        for right in
            [json!({"width": 1, "wood": "üü"}), json!({"width": 9, "wood": "üüüü"}), json!({"width": 5})]
        {
            assert!(told(frame(right)).is_empty());
        }
        let below = garde::Path::new("calls").join(2).join("tricks");
        assert_eq!(pointer_to_limit(&below), "/calls/2/tricks");
    }
}
