//! The head of the spec: title, licence, contact, server, tags, authentication.

use serde_json::{Value, json};

/// The description of the API.
const DESCRIPTION: &str = "\
The server that Estimation card-game apps build on: five rulesets, durable games, and deals that outsiders can check.

**Answers** are JSON. Errors are problems (RFC 9457) with a stable `code`; `type` links to a page with advice. Every \
answer has an `X-Request-Id`: the one of the request (1–64 letters, digits, `.`, `_`, `-`), or a new one.

**Methods**: every GET also allows HEAD.

**Connections** are HTTP/1.1 and stay open between requests. The server closes the connection after 408 for a head or \
a body that takes longer than 10 seconds, 400 or 431 for a malformed request, and 503 for too many connections.

**Languages**: titles and descriptions are in English or, with `Accept-Language: ar`, in Arabic. Codes and names \
of fields never change.

**Growth**: new versions add fields, kinds of events and problems, and optional parameters. Within `/v1` nothing is \
removed or changes its meaning. Ignore unknown fields. `x-extensible-enum` lists the known values of names that may \
get more.

**Limits**: `RateLimit-Policy` and `RateLimit` state the limits and what is left. Legal commands are never limited.";

/// The description of each tag, in the order in which a client meets them. A tag without an entry is listed by its name.
const TAGS: [(&str, &str); 11] = [
    ("accounts", "Accounts, with credentials or as a guest."),
    ("sessions", "Signing in and out, and refreshing tokens."),
    ("rulesets", "The rulesets with their options, and a calculator for rounds played with real cards."),
    ("games", "Opening, finding, joining and starting tables."),
    ("matchmaking", "The queue for a table with other players who want the same game."),
    ("play", "Commands, the log, the stream of a game, the score sheet."),
    ("people", "Friends, invitations, blocks and mutes, reports, and what moderators decide."),
    ("players", "Profiles, games, statistics and ratings of players, and leaderboards."),
    (
        "audit",
        "Records that outsiders can check: histories, past states, the public log opened for auditors.",
    ),
    ("admin", "The desk: what admins, moderators and auditors see, and what moderators do."),
    ("service", "Health, public keys, and descriptions of problems."),
];

/// Adds the head of the document.
pub(super) fn add(spec: &mut Value) {
    spec["info"] = json!({
        "title": "Estimation",
        "version": env!("CARGO_PKG_VERSION"),
        "summary": "The card game Estimation, as a service.",
        "description": DESCRIPTION,
        "contact": {"name": "The Estimation project"},
        "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
    });
    spec["servers"] = json!([{"url": "/", "description": "The service that this document comes from."}]);
    spec["security"] = json!([{"bearer": []}]);
    spec["tags"] = tags(spec);
    spec["components"]["securitySchemes"] = json!({
        "bearer": {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "JWT",
            "description": "The `access_token` of a session, a JWT that follows RFC8725. It is valid for 15 minutes; then refresh the session.",
        },
    });
}

/// Every tag that an operation has, with its description.
fn tags(spec: &mut Value) -> Value {
    let mut used = Vec::new();
    super::each_operation(spec, |_, _, operation| {
        let tags = operation.get("tags").and_then(Value::as_array).cloned().unwrap_or_default();
        used.extend(tags.iter().filter_map(Value::as_str).map(str::to_owned));
    });
    used.sort_unstable_by_key(|tag| {
        (TAGS.iter().position(|(name, _)| name == tag).unwrap_or(TAGS.len()), tag.clone())
    });
    used.dedup();
    let about = |tag: &str| TAGS.iter().find(|(name, _)| *name == tag).map(|(_, about)| *about);
    let described = used.iter().map(|tag| {
        let about = about(tag).map_or_else(|| format!("Operations on {tag}."), str::to_owned);
        json!({"name": tag, "description": about})
    });
    described.collect()
}
