//! What is wrong with a field of a request.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::declare::names;

names! {
    /// What kind of fault a field has. More are added as the service grows: show `detail` for one that you do not know.
    pub enum FieldErrorCode {
        /// The field must be given.
        Missing = "missing",
        /// There is no such field.
        Unknown = "unknown",
        /// The field is given more than once.
        Repeated = "repeated",
        /// The value has another type of JSON. A number without a fraction, such as 2.0, is an integer.
        WrongType = "wrong-type",
        /// The value is none of those there are.
        NotAChoice = "not-a-choice",
        /// The number is too small or too large.
        OutOfRange = "out-of-range",
        /// The text has too few characters, or the list too few items.
        TooShort = "too-short",
        /// The text has too many characters, or the list too many items.
        TooLong = "too-long",
        /// The text does not have the form it must have.
        WrongFormat = "wrong-format",
        /// The value contradicts another one.
        Contradiction = "contradiction",
        /// The password is among the most common ones.
        TooCommon = "too-common",
        /// The password is the username.
        SameAsUsername = "same-as-username",
        /// No round can have been played like that.
        Impossible = "impossible",
        /// The cursor was given out by another list.
        OtherList = "other-list",
        /// The name has a character that names cannot have. The sentence tells which.
        CharacterNotAllowed = "character-not-allowed",
        /// A letter of the name has too many combining marks.
        TooManyMarks = "too-many-marks",
        /// The letters of the name are of more than one script.
        MixedScripts = "mixed-scripts",
        /// The service keeps the name, or one that looks like it, for itself.
        Reserved = "reserved",
    }
}

/// One fault of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FieldError {
    /// The path of the field from the top of the body: names with a dot between them, and the index of an item
    /// in brackets, as in `options.jokers` or `calls[2].tricks`. The name alone for a parameter of the query or
    /// the path; empty for the body as a whole.
    #[schema(min_length = 0, max_length = 1000)]
    pub field: String,
    /// What kind of fault it is.
    pub code: FieldErrorCode,
    /// What is wrong, in English, for developers.
    #[schema(min_length = 1, max_length = 1000)]
    pub detail: String,
}
