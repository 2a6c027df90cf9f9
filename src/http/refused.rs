//! Refused authorisations, in the log of security events: every 401 and 403, and every 404 that hides something.
//!
//! How many there can be is bounded by the limits on requests: what is refused with 429 stands in no line.

use actix_web::{HttpRequest, web};

use super::address;
use super::bearer::shown;
use super::problem::{Problem, ProblemCode};
use crate::app::security::{Refused, authentication_refused, authorization_refused};
use crate::app::state::App;

/// Reports a problem, if it is the refusal of somebody who may not do what they asked for.
pub(super) fn report(request: &HttpRequest, problem: &Problem, operation: &str) {
    let report = match problem.status() {
        401 => authentication_refused,
        403 => authorization_refused,
        _ if problem.withheld => authorization_refused,
        _ => return,
    };
    // These have a security event of their own, which says more.
    if let ProblemCode::WrongCredentials | ProblemCode::WrongPassword | ProblemCode::RefreshTokenReused =
        problem.code
    {
        return;
    }
    let app = request.app_data::<web::Data<App>>();
    report(&Refused {
        code: problem.code.kind().code,
        operation,
        token: app.zip(shown(request).ok()).and_then(|(app, token)| app.claims(token)),
        address: address::client(request),
    });
}
