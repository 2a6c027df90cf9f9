// Names of types that every module knows without an import. No page loads this file.

/** What the API sends and takes, by the names of its document. @typedef {import("./schema").components["schemas"]} Schemas */
/** @typedef {Schemas["GameView"]} GameView */
/** @typedef {Schemas["Command"]} Command */
/** @typedef {Schemas["EventEnvelope"]} EventEnvelope */
/** @typedef {import("./game/store.js").Game} Game */
/** @typedef {import("./verify/index.js").GameReport} GameReport */
/** @typedef {import("./show/shown.js").Shown} Shown */
