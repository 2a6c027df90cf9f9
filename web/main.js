// Starts the app.

import { session } from "./api/session.js";
import { loadLanguage } from "./i18n/index.js";
import { followSuits } from "./settings.js";
import { Shell } from "./shell.js";
import { html, render } from "./view.js";

session.askForCode = async () => (await import("./parts/second_step.js")).askForCode();
// The page does not wait for the account. Without a network it stays unknown, and pages say so where it matters.
session.begin();
await loadLanguage();
// An issuer sends the player back.
if (new URLSearchParams(location.search).has("state")) (await import("./api/issuers.js")).issuers.arrive();
followSuits();
render(html`<${Shell} />`, /** @type {HTMLElement} */ (document.getElementById("app")));
