// What a table does outside of its page: the title and the icon of the tab, and a notification from a hidden one.

import { acting, ownSeat } from "../game/seats.js";
import { isolated, loadArea, t } from "../i18n/index.js";
import { useEffect } from "../view.js";

await loadArea("table");

const FOLDER = new URL("../", import.meta.url).href;

/** What a view says to its player: `call` is a notification, and `turn` another one for each turn. @param {GameView} view */
export function signalOf(view) {
  const { status, ruleset, seats, version, fairness } = view;
  const signal = (
    /** @type {"lobby" | "yours" | "other" | "over"} */ kind,
    key = /** @type {string} */ (kind),
    more = {},
  ) => {
    const title = t(`signal.${key}`, { game: ruleset.title, ...more });
    return { kind, title, call: t("signal.call", { game: ruleset.title }), turn: `${key} ${version}` };
  };
  const taken = seats.filter(({ player }) => player !== null).length;
  if (status === "lobby")
    return signal("lobby", fairness.opening_until ? "begins" : "lobby", { taken, players: seats.length });
  if (status !== "playing") return signal("over");
  const seat = acting(view);
  if (seat === undefined) return signal("other", "playing");
  if (seat === ownSeat(view)) return signal("yours");
  return signal("other", "other", { who: isolated(seats[seat]?.player?.name ?? "") });
}

/** Shows the icon of the game in the tab, or the one that calls its player. @param {boolean} isTurn */
function showIcon(isTurn) {
  const link = /** @type {HTMLLinkElement | null} */ (document.querySelector("link[rel=icon]"));
  const href = `${FOLDER}${isTurn ? "icon-turn.svg" : "icon.svg"}`;
  if (link && link.href !== href) link.href = href;
}

// Only a page that nobody looks at needs them.
const notifications = () => import("./notification.js");

/** Follows a game until the page leaves it. @param {Game} game @returns {() => void} ends it */
function signal(game) {
  // The last turn that the player saw, or was told of.
  let known = "";
  let isNotified = false;
  let isKept = false;
  const silence = () => {
    if (isNotified) void notifications().then((page) => page.silence(game.id));
    isNotified = false;
  };
  const show = () => {
    const { view } = game;
    if (!view) return;
    const { kind, title, call, turn } = signalOf(view);
    const isCalled = kind === "yours" && document.hidden;
    document.title = title;
    showIcon(kind === "yours");
    if (!isCalled) silence();
    if (isCalled && turn !== known) {
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
    silence();
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
