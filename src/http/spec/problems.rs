//! Problems in the spec: one answer for each status, to which every operation refers.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use crate::http::problem::{MEDIA_TYPE, PROBLEMS, ProblemType};

/// The schemas to which only problems refer.
pub(super) const SCHEMAS: [&str; 1] = ["Problem"];

/// Makes every operation refer to the answers in the components.
pub(super) fn add(spec: &mut Value) {
    super::each_operation(spec, |_, _, operation| {
        for (status, answer) in
            operation.get_mut("responses").and_then(Value::as_object_mut).into_iter().flatten()
        {
            if status.starts_with(['4', '5']) {
                *answer = json!({"$ref": format!("#/components/responses/{}", name(status))});
            }
        }
    });
    let mut statuses: Vec<u16> = PROBLEMS.iter().map(|code| code.status).collect();
    statuses.sort_unstable();
    statuses.dedup();
    let answers = statuses.into_iter().map(|status| (name(&status.to_string()), answer(status)));
    spec["components"]["responses"] = Value::Object(answers.collect::<Map<_, _>>());
}

/// The name of the answer of a status.
pub(super) fn name(status: &str) -> String {
    format!("Problem{status}")
}

fn answer(status: u16) -> Value {
    let kinds: Vec<&ProblemType> = PROBLEMS.iter().filter(|code| code.status == status).collect();
    let mut about = format!("A problem of status {status}, by its `code`:\n");
    for kind in kinds {
        let members: Vec<String> = kind.members.iter().map(|member| format!("`{member}`")).collect();
        let members =
            if members.is_empty() { String::new() } else { format!(" With {}.", members.join(", ")) };
        // Writing to a String cannot fail.
        let _ = write!(about, "\n- `{}`: {}{members}", kind.code, kind.about);
    }
    json!({
        "description": about,
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    })
}
