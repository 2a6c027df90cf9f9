//! Refused authorisations, in the log of security events: every 401 and 403, and every 404 that hides something.
//!
//! How many there can be is bounded by the limits on requests: what is refused with 429 stands in no line.

use actix_web::{HttpRequest, web};

use super::address;
use super::bearer::shown;
use super::problem::Problem;
use crate::app::state::App;
use crate::auth::security::{Refused, authentication_refused, authorization_refused};

/// What has an event of its own where it is decided, which says more.
const OWN_EVENT: [&str; 3] = ["wrong-credentials", "wrong-password", "refresh-token-reused"];

/// Reports a problem, if it is the refusal of somebody who may not do what they asked for.
pub(super) fn report(request: &HttpRequest, problem: &Problem, operation: &str) {
    let report = match problem.code.status {
        401 => authentication_refused,
        403 => authorization_refused,
        _ if problem.withheld => authorization_refused,
        _ => return,
    };
    if OWN_EVENT.contains(&problem.code.code) {
        return;
    }
    let app = request.app_data::<web::Data<App>>();
    report(&Refused {
        code: problem.code.code,
        operation,
        token: app.zip(shown(request).ok()).and_then(|(app, token)| app.sessions.claims(token)),
        address: address::client(request),
    });
}
