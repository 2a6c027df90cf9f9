//! The rate limit on refused commands, by account. Legal commands do not count. All others count as one: commands that the
//! rules refuse, that come too late, or that cannot be read.

use std::cell::RefCell;

use actix_web::HttpRequest;

use super::rates;
use crate::http::problem::Problem;
use estimation_service::auth::caller::Caller;
use estimation_service::auth::security::throttled;
use estimation_service::games::RefusalBudget;

/// The charge for the refusal of one command.
pub(in crate::http) struct Refusals<'r> {
    request: &'r HttpRequest,
    caller: &'r Caller,
    /// The result of taking one out of the sender's bucket, once it was tried.
    taken: RefCell<Option<Result<(), Problem>>>,
}

impl<'r> Refusals<'r> {
    /// Nothing is taken yet.
    pub(in crate::http) fn of(request: &'r HttpRequest, caller: &'r Caller) -> Refusals<'r> {
        Refusals { request, caller, taken: RefCell::new(None) }
    }

    /// The answer to a failed command: the problem itself, or 429 if too many commands were refused before. Failures of
    /// the service (5xx) do not count.
    pub(in crate::http) fn answer(self, problem: Problem) -> Problem {
        if problem.status() >= 500 {
            return problem;
        }
        self.take();
        match self.taken.into_inner() {
            Some(Err(too_many)) => too_many,
            _ => problem,
        }
    }
}

impl RefusalBudget for Refusals<'_> {
    fn take(&self) -> bool {
        let take = || {
            let buckets = rates(self.request).and_then(|rates| rates.commands.buckets());
            let Some(buckets) = buckets else { return Ok(()) };
            if buckets.take(self.request, &self.caller.account)? == 0 {
                throttled("commands");
            }
            Ok(())
        };
        self.taken.borrow_mut().get_or_insert_with(take).is_ok()
    }
}
