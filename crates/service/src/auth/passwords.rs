//! Passwords: which may be chosen, and how they are hashed.
//!
//! Owns the length limits, the list of common passwords and the argon2id parameters. It stores nothing and
//! never prints a password.

use std::cell::RefCell;
use std::cmp::Ordering;

use argon2::password_hash;
use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use subtle::ConstantTimeEq;
use thiserror::Error;
use unicode_normalization::UnicodeNormalization;
use zeroize::{Zeroize, Zeroizing};

use crate::base::entropy::{Entropy, draw};

pub const SHORTEST: usize = 8;
pub const LONGEST: usize = 128;

/// The most common passwords of at least 8 characters, one per line, sorted and in lower case: those in the lists of Django 5.2
/// (BSD-3-Clause) and zxcvbn 4.5 (MIT).
const COMMON_PASSWORDS: &str = include_str!("common_passwords.txt");

/// The cost of a new hash.
#[derive(Clone)]
pub struct Cost(Params);

impl Cost {
    /// The least that argon2 allows: 8 KiB, one pass, one lane. For tests.
    pub const LEAST: Cost = Cost::new(8, 1);

    /// In KiB and passes, with one lane.
    const fn new(memory: u32, passes: u32) -> Cost {
        match Params::new(memory, passes, 1, None) {
            Ok(params) => Cost(params),
            Err(_) => panic!("argon2 refuses the parameters"),
        }
    }

    fn argon2id(&self) -> Argon2<'static> {
        Argon2::new(Algorithm::Argon2id, Version::V0x13, self.0.clone())
    }
}

impl Default for Cost {
    /// 19 MiB, two passes, one lane: some 20 ms of a core.
    fn default() -> Cost {
        Cost::new(19_456, 2)
    }
}

/// A password in NFC, 8‥128 scalar values, wiped on drop. It cannot be printed or serialised.
pub struct Password(Zeroizing<String>);

/// Why a text is not a valid password, or may not be chosen. Its text continues a sentence that starts with
/// the field's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PasswordError {
    #[error("must have at least {SHORTEST} characters and has {characters}")]
    TooShort { characters: usize },
    #[error("must have at most {LONGEST} characters")]
    TooLong,
    #[error("is among the most common passwords")]
    Common,
    /// The username with repetitions or punctuation only.
    #[error("must be more than the username")]
    Username,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Right,
    Wrong,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the password could not be hashed: {0}")]
pub struct HashError(#[from] password_hash::Error);

impl Password {
    /// Reads a password at login; checks only its length.
    pub fn read(text: &str) -> Result<Password, PasswordError> {
        // NFC merges at most four scalar values into one; do not normalise longer texts.
        if text.chars().nth(4 * LONGEST).is_some() {
            return Err(PasswordError::TooLong);
        }
        // Preallocated for the worst case, so that growing leaves no partial copy.
        let mut normal = Zeroizing::new(String::with_capacity(3 * text.len()));
        normal.extend(text.nfc());
        match normal.chars().count() {
            characters @ ..SHORTEST => Err(PasswordError::TooShort { characters }),
            SHORTEST..=LONGEST => Ok(Password(normal)),
            _ => Err(PasswordError::TooLong),
        }
    }

    /// Reads a password that a user chooses: not a common one, and more than the username. Usernames are ASCII; any other one is
    /// refused anyway.
    pub fn choose(text: &str, username: &str) -> Result<Password, PasswordError> {
        let password = Password::read(text)?;
        let lower = Zeroizing::new(password.0.to_lowercase());
        if is_common(&lower) {
            return Err(PasswordError::Common);
        }
        if is_only(&lower, &username.to_ascii_lowercase()) {
            return Err(PasswordError::Username);
        }
        Ok(password)
    }
}

/// Whether the list has a password, by binary search.
fn is_common(password: &str) -> bool {
    let (list, mut from, mut to) = (COMMON_PASSWORDS.as_bytes(), 0, COMMON_PASSWORDS.len());
    while from < to {
        let middle = usize::midpoint(from, to);
        let start = list[..middle].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let length = list[start..].iter().position(|byte| *byte == b'\n').unwrap_or(list.len() - start);
        match list[start..start + length].cmp(password.as_bytes()) {
            Ordering::Less => from = start + length + 1,
            Ordering::Greater => to = start,
            Ordering::Equal => return true,
        }
    }
    false
}

/// Whether a password contains the username and no other letters or digits.
fn is_only(password: &str, username: &str) -> bool {
    if username.is_empty() || !password.contains(username) {
        return false;
    }
    let mut rest = password.replace(username, "");
    let only = !rest.contains(char::is_alphanumeric);
    rest.zeroize();
    only
}

/// The argon2id hash of a password as a PHC string, with a fresh salt. Takes the time and memory of its cost: do not
/// call on the event loop.
pub fn hash(cost: &Cost, password: &Password, entropy: &dyn Entropy) -> Result<String, HashError> {
    let salt: [u8; 16] = draw(entropy);
    let output = computed(cost, password, &salt)?;
    let hash = PasswordHash {
        algorithm: Algorithm::Argon2id.ident(),
        version: Some(Version::V0x13.into()),
        params: ParamsString::try_from(&cost.0)?,
        salt: Some(Salt::new(&salt).map_err(password_hash::Error::from)?),
        hash: Some(Output::new(&*output).map_err(password_hash::Error::from)?),
    };
    Ok(hash.to_string())
}

thread_local! {
    /// The working memory of hashes, reused per thread: the allocator would not return freed blocks to the
    /// system.
    static BLOCKS: RefCell<Vec<Block>> = const { RefCell::new(Vec::new()) };
}

/// The raw hash of a password.
fn computed(
    cost: &Cost,
    password: &Password,
    salt: &[u8],
) -> Result<Zeroizing<[u8; 32]>, password_hash::Error> {
    let mut output = Zeroizing::new([0; 32]);
    BLOCKS.with_borrow_mut(|blocks| {
        blocks.resize(cost.0.block_count(), Block::new());
        cost.argon2id().hash_password_into_with_memory(password.0.as_bytes(), salt, &mut *output, blocks)
    })?;
    Ok(output)
}

/// Compares a password with a stored PHC string, at that string's cost.
pub fn verify(password: &Password, stored: &str) -> Result<Verdict, HashError> {
    let stored = PasswordHash::new(stored).map_err(|_| password_hash::Error::EncodingInvalid)?;
    let is_argon2id =
        stored.algorithm == Algorithm::Argon2id.ident() && stored.version == Some(Version::V0x13.into());
    let (true, Some(salt), Some(hash)) = (is_argon2id, &stored.salt, &stored.hash) else {
        return Err(password_hash::Error::EncodingInvalid.into());
    };
    let cost = Cost(Params::try_from(&stored)?);
    let is_right: bool = computed(&cost, password, salt)?[..].ct_eq(hash.as_bytes()).into();
    Ok(if is_right { Verdict::Right } else { Verdict::Wrong })
}

/// Does the work of [`verify`] for an unknown user; always returns [`Verdict::Wrong`].
pub fn verify_nobody(cost: &Cost, password: &Password) -> Result<Verdict, HashError> {
    computed(cost, password, &[0; 16])?;
    Ok(Verdict::Wrong)
}

/// Derives a 256-bit key from a secret and a salt, at the cost of a password hash.
pub(crate) fn derive_key(secret: &[u8], salt: &[u8]) -> Option<Zeroizing<[u8; 32]>> {
    let mut key = Zeroizing::new([0; 32]);
    Cost::default().argon2id().hash_password_into(secret, salt, &mut *key).ok()?;
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::entropy::SeededEntropy;

    fn password(text: &str) -> Password {
        Password::read(text).unwrap()
    }

    fn refusal(text: &str, username: &str) -> Option<PasswordError> {
        Password::choose(text, username).err()
    }

    #[test]
    fn a_password_is_verified_by_its_own_hash_only() {
        let entropy = SeededEntropy::new(1);
        let stored = hash(&Cost::default(), &password("correct horse"), &entropy).unwrap();
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{stored}");
        assert_ne!(stored, hash(&Cost::default(), &password("correct horse"), &entropy).unwrap());
        assert_eq!(verify(&password("correct horse"), &stored), Ok(Verdict::Right));
        assert_eq!(verify(&password("Correct horse"), &stored), Ok(Verdict::Wrong));
    }

    #[test]
    fn the_same_characters_written_differently_are_the_same_password() {
        let stored =
            hash(&Cost::default(), &password("caf\u{e9} m\u{fc}nchen"), &SeededEntropy::new(2)).unwrap();
        assert_eq!(verify(&password("cafe\u{301} mu\u{308}nchen"), &stored), Ok(Verdict::Right));
    }

    /// From the reference implementation: `echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1`.
    #[test]
    fn a_hash_of_the_reference_implementation_verifies() {
        let stored = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
        assert_eq!(verify(&password("password"), stored), Ok(Verdict::Right));
        assert_eq!(verify(&password("passwort"), stored), Ok(Verdict::Wrong));
    }

    #[test]
    fn nobody_has_a_password() {
        assert_eq!(verify_nobody(&Cost::LEAST, &password("correct horse")), Ok(Verdict::Wrong));
    }

    #[test]
    fn what_is_no_hash_is_an_error_and_not_a_verdict() {
        assert!(verify(&password("correct horse"), "").is_err());
        assert!(verify(&password("correct horse"), "plain text").is_err());
    }

    #[test]
    fn length_counts_characters_after_normalisation() {
        assert_eq!(Password::read("1234567").err(), Some(PasswordError::TooShort { characters: 7 }));
        assert_eq!(
            Password::read(&"e\u{301}".repeat(7)).err(),
            Some(PasswordError::TooShort { characters: 7 })
        );
        assert!(Password::read("ééééxxxx").is_ok());
        assert!(Password::read(&"e\u{301}".repeat(128)).is_ok());
        assert!(Password::read(&"🂡".repeat(128)).is_ok());
        assert_eq!(Password::read(&"x".repeat(129)).err(), Some(PasswordError::TooLong));
        assert_eq!(Password::read(&"x".repeat(1_000_000)).err(), Some(PasswordError::TooLong));
    }

    #[test]
    fn common_passwords_and_the_username_cannot_be_chosen() {
        assert_eq!(refusal("password123", "amina"), Some(PasswordError::Common));
        assert_eq!(refusal("PassWord123", "amina"), Some(PasswordError::Common));
        for text in ["amina.nour", "Amina.Nour", "amina.nour!!", "amina.nour-amina.nour"] {
            assert_eq!(refusal(text, "Amina.Nour"), Some(PasswordError::Username), "{text}");
        }
        for text in ["amina.nour7", "nour.amina", "correct horse"] {
            assert_eq!(refusal(text, "amina.nour"), None, "{text}");
        }
    }

    #[test]
    fn the_common_passwords_could_otherwise_be_chosen() {
        assert!(COMMON_PASSWORDS.lines().count() >= 10_000);
        for line in COMMON_PASSWORDS.lines() {
            assert!(Password::read(line).is_ok() && line.to_lowercase() == line, "{line}");
            assert!(is_common(line) && !is_common(&format!("{line}~ plum")), "{line}");
        }
        assert!(COMMON_PASSWORDS.lines().is_sorted());
        assert!(!is_common("") && !is_common("\n") && !is_common("~~~~~~~~~"));
    }
}
