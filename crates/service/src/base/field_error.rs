//! Faults of request fields: the field, a stable code, and a sentence.

use serde::Serialize;
use utoipa::ToSchema;

/// The longest pointer or name that is quoted, in characters. Clients may send names of any length.
const FIELD_LENGTH: usize = 100;

estimation_engine::choices! {
    /// The kind of a fault. More kinds are added over time: for an unknown one, show `detail`.
    pub enum FieldCode {
        /// The field must be given.
        Missing = "missing",
        /// There is no such field.
        Unknown = "unknown",
        /// The field is given more than once.
        Repeated = "repeated",
        /// The value has another type of JSON. A number without a fraction, such as 2.0, is an integer.
        WrongType = "wrong-type",
        /// The value is none of the allowed ones.
        NotAChoice = "not-a-choice",
        /// The number is too small or too large.
        OutOfRange = "out-of-range",
        /// The text has too few characters, or the list too few items.
        TooShort = "too-short",
        /// The text has too many characters, or the list too many items.
        TooLong = "too-long",
        /// The text does not have the required form.
        WrongFormat = "wrong-format",
        /// The value contradicts another one.
        Contradiction = "contradiction",
        /// The password is one of the most common ones.
        TooCommon = "too-common",
        /// The password is the username.
        SameAsUsername = "same-as-username",
        /// No round can have been played like this.
        Impossible = "impossible",
        /// The cursor belongs to another list.
        OtherList = "other-list",
        /// The name has a character that names cannot have. `detail` names it.
        CharacterNotAllowed = "character-not-allowed",
        /// A letter of the name has too many combining marks.
        TooManyMarks = "too-many-marks",
        /// The letters of the name are of more than one script.
        MixedScripts = "mixed-scripts",
        /// The service reserves the name, or one that looks like it.
        Reserved = "reserved",
        /// The name has a word that the operator does not allow.
        Forbidden = "forbidden",
    }
}

/// A fault of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct FieldError {
    /// The JSON pointer (RFC 6901) to the field of the body, as in `/options/jokers` or `/calls/2/tricks`; the name of a
    /// query or path parameter; empty for the whole body. A long one is cut and ends with `…`.
    #[schema(min_length = 0, max_length = 1000)]
    pub field: String,
    /// The kind of the fault.
    pub code: FieldCode,
    /// What is wrong: in English a sentence for developers that quotes `field`, in another language a sentence
    /// about the code.
    #[schema(min_length = 1, max_length = 1000)]
    pub detail: String,
}

impl FieldError {
    /// `reason` continues a sentence that starts with the field, as in "must be an integer".
    pub fn new(field: impl Into<String>, code: FieldCode, reason: &str) -> FieldError {
        let mut field = field.into();
        if let Some((end, _)) = field.char_indices().nth(FIELD_LENGTH) {
            field.truncate(end);
            // An escape of a pointer is not cut in two.
            if field.ends_with('~') {
                field.pop();
            }
            field.push('…');
        }
        let detail =
            if field.is_empty() { format!("The body {reason}.") } else { format!("`{field}` {reason}.") };
        FieldError { field, code, detail }
    }
}

/// The most errors in one answer.
pub const MAX_ERRORS: usize = 20;

/// The member `errors` of a problem: every field that is wrong, at most [`MAX_ERRORS`].
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct FieldErrors(Vec<FieldError>);

impl FieldErrors {
    pub fn new(mut errors: Vec<FieldError>) -> FieldErrors {
        errors.truncate(MAX_ERRORS);
        FieldErrors(errors)
    }

    /// The first wrong field; none for the body as a whole.
    pub fn first_field(&self) -> Option<String> {
        self.0.first().map(|first| first.field.clone()).filter(|field| !field.is_empty())
    }

    /// None if there are no errors.
    pub fn some(self) -> Option<FieldErrors> {
        (!self.0.is_empty()).then_some(self)
    }

    /// The sentences of all errors; `otherwise` if there are none.
    pub fn detail_or(&self, otherwise: impl Into<String>) -> String {
        if self.0.is_empty() {
            return otherwise.into();
        }
        let sentences: Vec<&str> = self.0.iter().map(|error| error.detail.as_str()).collect();
        sentences.join(" ")
    }
}

/// The JSON pointer (RFC 6901) to a value of the body, from the names and indices above it.
pub fn pointer(names: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let escaped = |name: &str| name.replace('~', "~0").replace('/', "~1");
    names.into_iter().fold(String::new(), |above, name| above + "/" + &escaped(name.as_ref()))
}

/// Names as a list, each in backticks.
pub(crate) fn quoted(names: &[&str]) -> String {
    format!("`{}`", names.join("`, `"))
}

/// Turns an error's text into a sentence.
pub fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", characters.as_str())
}
