//! Refused commands, counted by account. A legal command takes nothing, so its sender is never kept waiting,
//! and every other costs the same: one that the rules refuse, one that comes too late, one that cannot be read.

use std::cell::RefCell;

use actix_web::HttpRequest;

use super::rates;
use crate::app::games::RefusalBudget;
use crate::auth::caller::Caller;
use crate::auth::security::throttled;
use crate::http::problem::Problem;

/// What the refusal of one command costs its sender.
pub(in crate::http) struct Refusals<'r> {
    request: &'r HttpRequest,
    caller: &'r Caller,
    /// What came of taking one out of the sender's bucket, once it was tried.
    taken: RefCell<Option<Result<(), Problem>>>,
}

impl<'r> Refusals<'r> {
    /// For a command of a caller. Nothing is taken yet.
    pub(in crate::http) fn of(request: &'r HttpRequest, caller: &'r Caller) -> Refusals<'r> {
        Refusals { request, caller, taken: RefCell::new(None) }
    }

    /// The answer to a command that came to nothing: the problem itself, or 429 where too many were refused
    /// before. What the service is to blame for costs nothing.
    pub(in crate::http) fn answer(self, problem: Problem) -> Problem {
        if problem.code.status >= 500 {
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
            let buckets = rates(self.request).and_then(|rates| rates.commands.as_ref());
            let Some(buckets) = buckets else { return Ok(()) };
            if buckets.take(self.request, &self.caller.account.to_string())? == 0 {
                throttled("commands");
            }
            Ok(())
        };
        self.taken.borrow_mut().get_or_insert_with(take).is_ok()
    }
}
