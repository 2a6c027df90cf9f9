//! The bodies of answers, which come from the handlers' return types.

use serde_json::{Map, Value};

use super::each_operation;
use crate::http::answer::{SCHEMAS, TYPED};

/// Puts the bodies of the return types into the answers of the attributes, and their schemas into the components.
pub(super) fn merge(spec: &mut Value) {
    let mut schemas = Map::new();
    each_operation(spec, |_, _, operation| {
        let Some(answers) = operation.get_mut("responses").and_then(Value::as_object_mut) else { return };
        let declared = std::mem::take(answers);
        let (typed, mut declared): (Map<_, _>, Map<_, _>) =
            declared.into_iter().partition(|(key, _)| key.starts_with(TYPED));
        for (key, mut typed) in typed {
            if let Some(Value::Object(needed)) = typed.get_mut(SCHEMAS).map(Value::take) {
                schemas.extend(needed);
            }
            let answer = declared.entry(&key[TYPED.len()..]).or_insert_with(|| Value::Object(Map::new()));
            if let Some(content) = typed.get_mut("content") {
                answer["content"] = content.take();
            }
        }
        *answers = declared;
    });
    if let Some(components) = spec["components"]["schemas"].as_object_mut() {
        components.extend(schemas);
    }
}
