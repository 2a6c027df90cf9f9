//! Refused authorisations in the security log: every 401 and 403, and every 404 that hides something.
//!
//! The rate limits bound their number: requests refused with 429 are not logged.

use actix_web::{HttpRequest, web};

use super::address;
use super::bearer::access_token;
use super::problem::{Failure, Problem};
use estimation_service::auth::security::{RefusedRequest, authentication_refused, authorization_refused};
use estimation_service::services::App;

/// Logs a problem that refuses an authorisation.
pub(super) fn report(request: &HttpRequest, problem: &Problem, operation: &str) {
    let report = match problem.status() {
        401 => authentication_refused,
        403 => authorization_refused,
        _ if problem.withheld => authorization_refused,
        _ => return,
    };
    // These have a security event of their own, which says more.
    if let Failure::WrongCredentials | Failure::WrongPassword | Failure::RefreshTokenReused = *problem.failure
    {
        return;
    }
    let app = request.app_data::<web::Data<App>>();
    report(&RefusedRequest {
        code: problem.failure.kind().code,
        operation,
        token: app.zip(access_token(request).ok()).and_then(|(app, token)| app.sessions.claims(token)),
        address: address::client(request),
    });
}
