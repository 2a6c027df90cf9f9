//! The email address of an account.

use actix_web::web::Data;
use actix_web::{HttpRequest, delete, get, post, put};
use garde::Validate;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::http::address::ClientAddress;
use crate::http::answer::{Answer, EmptyReply, NoContent, Reply};
use crate::http::bearer::Bearer;
use crate::http::body::Json;
use crate::http::language::PreferredLanguage;
use crate::http::rate::announce;
use estimation_service::mail::Email;
use estimation_service::services::App;

/// Get your email address
///
/// Returns the verified address of the account, and whether this server sends mail.
#[utoipa::path]
#[get("/v1/me/email")]
pub(super) async fn get_email(app: Data<App>, Bearer(caller): Bearer) -> Reply<Email> {
    Ok(Answer::json(&app.mail.email(&caller).await?))
}

/// A request with an email address.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(super) struct EmailAddressRequest {
    /// The address, in ASCII.
    #[schema(
        format = Email,
        pattern = "^[!-~]+@[!-~]+$",
        min_length = 3,
        max_length = 254,
        example = "noor@example.org"
    )]
    #[garde(length(chars, min = 3, max = 254))]
    pub(super) address: String,
}

/// Set your email address
///
/// Sends a link to the address, in the language of the request. The address is the account's once the link was followed,
/// within 30 minutes. A full account must have signed in within the last five minutes.
#[utoipa::path]
#[put("/v1/me/email")]
pub(super) async fn set_email(
    request: HttpRequest,
    app: Data<App>,
    Bearer(caller): Bearer,
    PreferredLanguage(language): PreferredLanguage,
    Json(EmailAddressRequest { address }): Json<EmailAddressRequest>,
) -> EmptyReply {
    announce(&request, &app.throttle.policies("mail"));
    app.mail.set_address(&caller, &address, language).await?;
    Ok(NoContent)
}

/// Remove your email address
///
/// The address does not lead into the account any more. A mail tells it so. A full account must have signed in within the last
/// five minutes.
#[utoipa::path]
#[delete("/v1/me/email")]
pub(super) async fn remove_email(
    app: Data<App>,
    Bearer(caller): Bearer,
    PreferredLanguage(language): PreferredLanguage,
) -> EmptyReply {
    app.mail.remove_address(&caller, language).await?;
    Ok(NoContent)
}

/// A request with the token of a mailed link.
#[derive(Deserialize, ToSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(super) struct MailedToken {
    /// The token from the fragment of the link.
    #[schema(
        pattern = "^[A-Za-z0-9_-]{43}$",
        min_length = 43,
        max_length = 43,
        example = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    )]
    #[garde(length(chars, equal = 43))]
    pub(super) token: String,
}

/// Verify an email address
///
/// Makes the address to which a link was sent that of the account. The former address is told.
#[utoipa::path(responses((status = 401)))]
#[post("/v1/email-verifications")]
pub(super) async fn verify_email(
    request: HttpRequest,
    app: Data<App>,
    ClientAddress(address): ClientAddress,
    PreferredLanguage(language): PreferredLanguage,
    Json(MailedToken { token }): Json<MailedToken>,
) -> EmptyReply {
    announce(&request, &app.throttle.policies("link"));
    app.mail.verify(&token, language, address).await?;
    Ok(NoContent)
}
