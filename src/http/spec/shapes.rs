//! Shapes that every generator of clients can express: objects without `allOf`, lists without a name, and unions of
//! named objects with a discriminator.

use serde_json::{Map, Value, json};

use super::references::{name_of, named};

/// The union of requests, and the property that tells its variants apart.
const UNIONS: [(&str, &str); 1] = [("Command", "type")];

/// Corrects the schemas of the components.
pub(super) fn reshape(spec: &mut Value) {
    let names: Vec<String> = schemas(spec).keys().cloned().collect();
    for name in &names {
        let merged = merged(spec, &spec["components"]["schemas"][name]);
        spec["components"]["schemas"][name] = merged;
    }
    for (name, property) in UNIONS {
        name_variants(spec, name, property);
    }
    let lists = schemas(spec).iter().filter(|(_, schema)| schema["type"] == "array");
    let lists: Map<String, Value> = lists.map(|(name, schema)| (name.clone(), schema.clone())).collect();
    inline(spec, &lists);
}

fn schemas(spec: &Value) -> &Map<String, Value> {
    static NONE: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    spec["components"]["schemas"].as_object().unwrap_or(&NONE)
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

/// Gives every variant of a union a name: the tag and the union's name, as in `BidCommand`.
fn name_variants(spec: &mut Value, union: &str, property: &str) {
    let variants = spec["components"]["schemas"][union]["oneOf"].as_array().cloned().unwrap_or_default();
    let mut references = Vec::new();
    let mut mapping = Map::new();
    for variant in variants {
        let mut variant = merged(spec, &variant);
        let Some(tag) = variant["properties"][property]["enum"][0].as_str().map(str::to_owned) else {
            continue;
        };
        let name = pascal(&tag) + union;
        let location = format!("#/components/schemas/{name}");
        references.push(json!({"$ref": location}));
        mapping.insert(tag.clone(), location.into());
        variant["properties"][property] =
            json!({"type": "string", "enum": [tag], "description": "The kind."});
        variant["additionalProperties"] = false.into();
        spec["components"]["schemas"][name] = variant;
    }
    let about = spec["components"]["schemas"][union]["description"].clone();
    spec["components"]["schemas"][union] = json!({
        "oneOf": references,
        "description": about,
        "discriminator": {"propertyName": property, "mapping": mapping},
    });
}

fn pascal(name: &str) -> String {
    let word = |word: &str| word[..1].to_uppercase() + &word[1..];
    name.split('_').map(word).collect()
}

/// Replaces references to lists by the lists themselves.
fn inline(value: &mut Value, lists: &Map<String, Value>) {
    if let Some(list) = name_of(value).and_then(|name| lists.get(name)) {
        let about = value.get("description").cloned();
        *value = list.clone();
        if let Some(about) = about {
            value["description"] = about;
        }
    }
    match value {
        Value::Object(object) => object.values_mut().for_each(|inner| inline(inner, lists)),
        Value::Array(items) => items.iter_mut().for_each(|inner| inline(inner, lists)),
        _ => {}
    }
}
