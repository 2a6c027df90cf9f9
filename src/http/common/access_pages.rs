//! The query of the lists of audit accesses.

use garde::Validate;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::http::parameters::PageSize;

/// Which accesses to show.
#[derive(Deserialize, IntoParams, Validate)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
#[garde(allow_unvalidated)]
pub(in crate::http) struct AccessesQuery {
    /// The `next_cursor` of the previous page.
    #[param(min_length = 1, max_length = 512)]
    pub(in crate::http) cursor: Option<String>,
    /// The maximum number of accesses per page.
    #[serde(default)]
    #[param(value_type = Option<usize>, minimum = 1, maximum = 100, default = 20)]
    #[garde(dive)]
    pub(in crate::http) limit: PageSize,
}
