//! The second step of a sign-in: codes of an authenticator app (TOTP, RFC 6238), and codes on paper that replace a lost one.
//!
//! The database has a salt. The secret of the app is derived from it under a key that the database does not hold in clear, so
//! who reads the database computes no code. A session of an account with a second step does nothing else before it has passed it,
//! however it began: by password, link, recovery code or identity.

use qrcode::QrCode;
use qrcode::render::svg;
use serde::Serialize;
use totp_rs::{Builder, Secret, Totp};
use utoipa::ToSchema;
use zeroize::Zeroizing;

use super::Accounts;
use super::changes::AccountChangeKind;
use super::recovery::RecoveryCodes;
use crate::auth::authority::RequiredAuthority;
use crate::auth::caller::Caller;
use crate::auth::keys::RefreshKey;
use crate::auth::recovery_code::RecoveryCode;
use crate::auth::restrictions::{SecondStep, trusted};
use crate::auth::security;
use crate::auth::throttle::LimitKind;
use crate::auth::tokens::Role;
use crate::base::entropy::{SystemEntropy, draw};
use crate::base::failure::{Failure, milliseconds};
use estimation_engine::player::AccountId;
use estimation_record::RecordTime;
use estimation_store::attempts::{self, Attempt};
use estimation_store::second_steps::{self, SecondStepRow};
use estimation_store::{Connection, Hash, Id, sessions};

/// The codes on paper.
const CODES: usize = 10;

/// The length of a secret: that of SHA-1, as RFC 4226 recommends.
const SECRET_LENGTH: usize = 20;

/// What is hashed before the account and the salt.
const PURPOSE: &[u8] = b"estimation/second-step/v1/";

/// The second step of the caller's account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SecondStepView {
    /// Whether sign-ins need a second step.
    pub set_up: bool,
    /// Whether the account's role needs one on this server.
    pub required: bool,
    /// Since when; null without one.
    pub confirmed_at: Option<RecordTime>,
    /// When this session passed it last; null for never.
    pub passed_at: Option<RecordTime>,
    /// The number of codes on paper that are not used.
    #[schema(minimum = 0, maximum = 10)]
    pub codes_left: i64,
}

/// What an authenticator app needs, shown once.
#[derive(Serialize, ToSchema)]
pub struct SecondStepSecret {
    /// The secret in base 32, to type into the app: SHA-1, six digits, every 30 seconds.
    #[schema(
        min_length = 32,
        max_length = 32,
        pattern = "^[A-Z2-7]{32}$",
        example = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
    )]
    pub secret: String,
    /// The same as a link, for apps on this device.
    #[schema(
        min_length = 1,
        max_length = 512,
        example = "otpauth://totp/Estimation:noor?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Estimation"
    )]
    pub uri: String,
    /// The link as a QR code, for apps on another device: an image in SVG, to scale: a module has one pixel.
    #[schema(
        min_length = 1,
        max_length = 32768,
        content_media_type = "image/svg+xml",
        example = "<svg></svg>"
    )]
    pub qr_code: String,
}

/// The app's computation, from what is stored.
fn totp(key: &RefreshKey, account: &AccountId, salt: &[u8]) -> Result<Totp, Failure> {
    let text = Zeroizing::new([PURPOSE, account.as_str().as_bytes(), b"/", salt].concat());
    let mac = Zeroizing::new(key.mac(&text));
    let secret = Secret::from(mac[..SECRET_LENGTH].to_vec());
    Builder::new().with_secret(secret).build().map_err(|error| Failure::Defect(error.to_string()))
}

/// A code as it was typed.
enum Code {
    /// Of the app, with its time step.
    App(i64),
    Paper(Hash),
    Wrong,
}

impl Code {
    fn read(text: &str, totp: &Totp, key: &RefreshKey, now: i64) -> Code {
        let digits: String = text.chars().filter(|sign| !sign.is_whitespace()).collect();
        let seconds = u64::try_from(now / 1_000).unwrap_or_default();
        match RecoveryCode::read(text) {
            Some(code) => Code::Paper(code.second_step_mac(key)),
            None => match totp.check(&digits, seconds) {
                Some(step) => Code::App(i64::try_from(step).unwrap_or(i64::MAX)),
                None => Code::Wrong,
            },
        }
    }
}

impl Accounts {
    /// The second step of the caller's account.
    pub async fn second_step(&self, caller: &Caller) -> Result<SecondStepView, Failure> {
        let account = caller.account.clone();
        let read = move |conn: &mut Connection| {
            Ok((second_steps::find(conn, &account)?, second_steps::count_codes(conn, &account)?))
        };
        let (row, codes_left) = self.database.read(read).await?;
        let confirmed_at = row.and_then(|row| row.confirmed_at);
        let passed_at = match caller.restrictions.second_step {
            SecondStep::Passed { at } => Some(at),
            _ => None,
        };
        Ok(SecondStepView {
            set_up: confirmed_at.is_some(),
            required: caller.role != Role::Player && self.sessions.needs_second_step_for_roles(),
            confirmed_at,
            passed_at,
            codes_left,
        })
    }

    /// Draws a secret for an authenticator app. It is in force once a code of the app has confirmed it.
    ///
    /// # Errors
    /// [`Failure::SecondStepSetUp`]; [`Failure::RecentSignInRequired`] for a full account that signed in more than five
    /// minutes ago.
    pub async fn start_second_step(&self, caller: &Caller) -> Result<SecondStepSecret, Failure> {
        self.require_recent_sign_in(caller).await?;
        let salt: [u8; SECRET_LENGTH] = draw(&SystemEntropy);
        let account = caller.account.clone();
        let begin = move |conn: &mut Connection| match second_steps::begin(conn, &account, &salt)? {
            true => Ok(()),
            false => Err(Failure::SecondStepSetUp),
        };
        self.database.write(caller.authority(RequiredAuthority::SignedIn, self.clock.now()), begin).await?;
        let row = self.own_row(caller).await?;
        let secret = totp(&self.sessions.refresh_key(), &caller.account, &salt)?.secret().to_base32();
        let label = row.username.unwrap_or_else(|| "player".to_owned());
        let uri = format!("otpauth://totp/Estimation:{label}?secret={secret}&issuer=Estimation");
        let code = QrCode::new(&uri).map_err(|error| Failure::Defect(error.to_string()))?;
        let qr_code = code.render::<svg::Color>().module_dimensions(1, 1).build();
        Ok(SecondStepSecret { secret, uri, qr_code })
    }

    /// Puts the second step into force with a code of the app. Other sessions must pass it from now on, on other nodes
    /// within two seconds. Returns the codes on
    /// paper.
    ///
    /// # Errors
    /// [`Failure::NoSecondStep`], [`Failure::SecondStepSetUp`], [`Failure::WrongSecondStep`],
    /// [`Failure::TooManyAttempts`].
    pub async fn confirm_second_step(&self, caller: &Caller, code: &str) -> Result<RecoveryCodes, Failure> {
        let (row, counted) = self.attempted(caller).await?;
        if row.confirmed_at.is_some() {
            return Err(Failure::SecondStepSetUp);
        }
        let (key, now) = (self.sessions.refresh_key(), milliseconds(self.clock.now()));
        let totp = totp(&key, &caller.account, &row.salt)?;
        let Code::App(step) = Code::read(code, &totp, &key, now) else {
            self.metrics.second_step("wrong");
            security::second_step_failed(&caller.account, caller.session);
            return Err(Failure::WrongSecondStep);
        };
        let codes: Vec<RecoveryCode> = (0..CODES).map(|_| RecoveryCode::draw(&SystemEntropy)).collect();
        let macs: Vec<Hash> = codes.iter().map(|code| code.second_step_mac(&key)).collect();
        let change = self.change_log.made(&caller.account, caller.session, AccountChangeKind::SecondStepSet);
        let session = Id(caller.session);
        let write = move |conn: &mut Connection| {
            if !second_steps::confirm(conn, &row, step, &macs, now)? {
                let present = second_steps::find(conn, &row.account_id)?;
                return Err(match present.is_some_and(|present| present.confirmed_at.is_some()) {
                    true => Failure::SecondStepSetUp,
                    // Another start has replaced the secret.
                    false => Failure::WrongSecondStep,
                });
            }
            sessions::pass_second_step(conn, session, now)?;
            attempts::undo(conn, &counted)?;
            Ok(change.write(conn)?)
        };
        self.database.write(caller.authority(RequiredAuthority::SignedIn, self.clock.now()), write).await?;
        self.sessions.second_step_changed(&caller.account);
        security::second_step_set(&caller.account, caller.session);
        Ok(RecoveryCodes { codes: codes.iter().map(RecoveryCode::text).collect() })
    }

    /// Passes the second step, with a code of the app or one on paper. Each works once.
    ///
    /// # Errors
    /// [`Failure::NoSecondStep`], [`Failure::WrongSecondStep`], [`Failure::TooManyAttempts`].
    pub async fn pass_second_step(&self, caller: &Caller, code: &str) -> Result<SecondStepView, Failure> {
        let (row, counted) = self.attempted(caller).await?;
        if row.confirmed_at.is_none() {
            return Err(Failure::NoSecondStep);
        }
        let (key, now) = (self.sessions.refresh_key(), milliseconds(self.clock.now()));
        let code = Code::read(code, &totp(&key, &caller.account, &row.salt)?, &key, now);
        let salt = row.salt;
        let (account, session) = (caller.account.clone(), Id(caller.session));
        let write = move |conn: &mut Connection| {
            let is_right = match code {
                Code::App(step) => second_steps::use_step(conn, &account, &salt, step)?,
                Code::Paper(mac) => second_steps::use_code(conn, &account, &mac)?,
                Code::Wrong => false,
            };
            if !is_right {
                return Err(Failure::WrongSecondStep);
            }
            sessions::pass_second_step(conn, session, now)?;
            Ok(attempts::undo(conn, &counted)?)
        };
        let by = caller.authority(RequiredAuthority::Session, self.clock.now());
        self.database.write(by, write).await.inspect_err(|failure| {
            if matches!(failure, Failure::WrongSecondStep) {
                self.metrics.second_step("wrong");
                security::second_step_failed(&caller.account, caller.session);
            }
        })?;
        self.sessions.second_step_changed(&caller.account);
        self.metrics.second_step("passed");
        let mut caller = caller.clone();
        caller.restrictions.second_step = SecondStep::Passed { at: RecordTime::from_milliseconds(now)? };
        self.second_step(&caller).await
    }

    /// Ends the second step of the caller's account.
    ///
    /// # Errors
    /// [`Failure::NoSecondStep`]; [`Failure::SecondStepRequired`] if the session passed it more than 15 minutes ago.
    pub async fn remove_second_step(&self, caller: &Caller) -> Result<(), Failure> {
        // The session as the request found it may be older than the second step.
        match caller.restrictions.second_step {
            SecondStep::None | SecondStep::Missing => return Err(Failure::NoSecondStep),
            SecondStep::Pending | SecondStep::Passed { .. } => {
                caller.restrictions.require_recent_second_step(self.clock.now())?;
            }
        }
        let change =
            self.change_log.made(&caller.account, caller.session, AccountChangeKind::SecondStepRemoved);
        let (account, session) = (caller.account.clone(), Id(caller.session));
        let since = milliseconds(self.clock.now()) - trusted();
        let write = move |conn: &mut Connection| {
            if !sessions::has_passed(conn, session, since)? || !second_steps::remove(conn, &account)? {
                return Err(Failure::NoSecondStep);
            }
            sessions::forget_second_step(conn, &account)?;
            Ok(change.write(conn)?)
        };
        self.database.write(caller.authority(RequiredAuthority::SignedIn, self.clock.now()), write).await?;
        self.sessions.second_step_changed(&caller.account);
        security::second_step_removed(&caller.account, caller.session);
        Ok(())
    }

    /// Counts an attempt at a code. Returns the second step with it, confirmed or not.
    async fn attempted(&self, caller: &Caller) -> Result<(SecondStepRow, Vec<Attempt>), Failure> {
        let account = caller.account.clone();
        let row = self.database.read(move |conn| second_steps::find(conn, &account)).await?;
        let row = row.ok_or(Failure::NoSecondStep)?;
        let attempt =
            self.throttle.meter().attempt(LimitKind::SecondStep, caller.account.as_str().as_bytes());
        let counted: Vec<Attempt> = attempt.into_iter().collect();
        self.throttle.count(counted.clone()).await?;
        Ok((row, counted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::keys::KeyRing;
    use crate::base::entropy::SeededEntropy;
    use jiff::Timestamp;

    #[test]
    fn codes_are_those_of_the_standard() {
        // RFC 6238, appendix B, with the last six of eight digits.
        let totp = Builder::new().with_secret(b"12345678901234567890".to_vec()).build().unwrap();
        let ring = KeyRing::create(&SeededEntropy::new(1), Timestamp::UNIX_EPOCH);
        let key = ring.refresh_key();
        for (seconds, code) in [(59, "287082"), (1_111_111_109, "081804"), (20_000_000_000, "353130")] {
            let read = |text: &str, at: i64| Code::read(text, &totp, &key, at * 1_000);
            assert!(matches!(read(code, seconds), Code::App(step) if step == seconds / 30), "{code}");
            assert!(matches!(read(&format!(" {} {}", &code[..3], &code[3..]), seconds + 29), Code::App(_)));
            assert!(matches!(read(code, seconds + 90), Code::Wrong), "{code}");
            assert!(matches!(read(&code[1..], seconds), Code::Wrong), "{code}");
        }
    }
}
