// Starts the app.

import { session } from "./api/session.js";
import { install } from "./install.js";
import { loadLanguage } from "./i18n/index.js";
import { Shell } from "./shell.js";
import { html, render } from "./view.js";

// Without a network the account stays unknown; the page says so where it matters.
const [shown] = await Promise.all([loadLanguage(), session.restart().catch(() => {})]);
render(html`<${Shell} key=${shown} />`, /** @type {HTMLElement} */ (document.getElementById("app")));
install();
