// What a table does outside of its page: the title and the icon of the tab, and a notification from a hidden one.

import { loadArea, t } from "../i18n/index.js";
import { useEffect } from "../view.js";
import { showIcon } from "./icon.js";
import { signalOf } from "./words.js";

await loadArea("table");

/** @typedef {import("../game/store.js").Game} Game */

// Only a page that nobody looks at needs them.
const notifications = () => import("./notification.js");

/** @param {string} id the game */
const silence = async (id) => (await notifications()).silence(id);

/** Follows a game until the page leaves it. @param {Game} game @returns {() => void} ends it */
export function signal(game) {
  // The last turn that the player saw, or was told of.
  let known = "";
  let isNotified = false;
  let isKept = false;
  const show = () => {
    const { view } = game;
    if (!view) return;
    const { kind, title, call, turn } = signalOf(view);
    document.title = title;
    showIcon(kind === "yours");
    if (isNotified && (kind !== "yours" || !document.hidden)) {
      isNotified = false;
      silence(game.id);
    }
    if (kind === "yours" && document.hidden && turn !== known) {
      isNotified = true;
      void notifications().then(({ notify }) => notify(game.id, t("felt.your.play"), call));
    }
    known = turn;
    if (!isKept && view.status !== "lobby") {
      isKept = true;
      keepApp();
    }
  };
  const end = game.subscribe(show);
  document.addEventListener("visibilitychange", show);
  show();
  return () => {
    end();
    document.removeEventListener("visibilitychange", show);
    document.title = t("shell.home");
    showIcon(false);
    if (isNotified) silence(game.id);
  };
}

/** Keeps the files of the app, now that the first table is drawn and the network has nothing else to do. */
function keepApp() {
  const soon = globalThis.requestIdleCallback ?? setTimeout;
  soon(async () => (await import("../install.js")).install());
}

/** @param {Game} game */
export function useSignals(game) {
  useEffect(() => signal(game), [game]);
}
