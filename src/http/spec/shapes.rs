//! Shapes that every generator of clients can express: objects without `allOf`, and lists without a name.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::references::{each_object, name_in, name_of, named, schemas};

/// Corrects the schemas of the components.
pub(super) fn reshape(spec: &mut Value) {
    let names: Vec<String> = schemas(spec).map(|(name, _)| name.clone()).collect();
    for name in &names {
        let merged = merged(spec, &spec["components"]["schemas"][name]);
        spec["components"]["schemas"][name] = merged;
    }
    inline_lists(spec);
}

/// A schema with the objects of its `allOf` merged into one.
fn merged(spec: &Value, schema: &Value) -> Value {
    let Some(parts) = schema["allOf"].as_array() else { return schema.clone() };
    let mut properties = Map::new();
    let mut required = Vec::new();
    for part in parts {
        let part = name_of(part).map_or(part, |name| named(spec, name));
        let part = merged(spec, part);
        properties.extend(part["properties"].as_object().cloned().unwrap_or_default());
        required.extend(part["required"].as_array().cloned().unwrap_or_default());
    }
    let mut object = json!({"type": "object", "properties": properties, "required": required});
    if let Some(about) = schema.get("description") {
        object["description"] = about.clone();
    }
    object
}

/// Replaces references to lists by the lists themselves.
fn inline_lists(spec: &mut Value) {
    let lists = schemas(spec).filter_map(|(name, schema)| Some((name, schema.as_object()?)));
    let lists = lists.filter(|(_, schema)| schema.get("type").is_some_and(|kind| kind == "array"));
    let lists: BTreeMap<String, Map<String, Value>> =
        lists.map(|(name, schema)| (name.clone(), schema.clone())).collect();
    each_object(spec, &mut |object| {
        let Some(list) = name_in(object).and_then(|name| lists.get(name)) else { return };
        let about = object.remove("description");
        *object = list.clone();
        object.extend(about.map(|about| ("description".to_owned(), about)));
    });
}
