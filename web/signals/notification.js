// A notification of a page that nobody looks at, if the player allowed it.

import { language } from "../i18n/index.js";
import { settings } from "../settings.js";

const ICON = new URL("../icon-192.png", import.meta.url).href;

/** Whether this browser can show notifications. Without https it cannot. */
export const canNotify = () => "Notification" in globalThis && isSecureContext;

/** Whether the player has refused notifications of this site in the browser. */
export const isRefused = () => canNotify() && Notification.permission === "denied";

/** Asks the player, which browsers allow after a gesture only. @returns {Promise<boolean>} whether notifications may be shown */
export async function askToNotify() {
  return canNotify() && (await Notification.requestPermission()) === "granted";
}

/** What was asked of the browser last. @type {Promise<unknown>} */
let last = Promise.resolve();

/**
 * Does one thing after the other: all notifications of a game have one tag, so that a late end of one would end its successor.
 * @param {() => Promise<unknown>} action
 */
function inTurn(action) {
  last = last.then(action, action);
  return last;
}

/**
 * Notifies while the page is hidden.
 * @param {string} id the game, which has one at a time
 * @param {string} title
 * @param {string} body
 */
export const notify = (id, title, body) =>
  inTurn(async () => {
    if (!document.hidden || !settings.get("notify") || !canNotify() || Notification.permission !== "granted") return;
    const options = { body, tag: id, icon: ICON, lang: language(), data: { path: `/games/${id}` } };
    const worker = await registration();
    // Phones show only the notifications of a service worker.
    if (worker) return worker.showNotification(title, options);
    const shown = new Notification(title, options);
    shown.addEventListener("click", () => {
      focus();
      shown.close();
    });
    pages.set(id, shown);
  });

/** Takes a notification back. @param {string} id */
export const silence = (id) =>
  inTurn(async () => {
    pages.get(id)?.close();
    pages.delete(id);
    if (!canNotify()) return;
    for (const shown of (await (await registration())?.getNotifications({ tag: id })) ?? []) shown.close();
  });

/** The notifications that the page itself shows, by game. @type {Map<string, Notification>} */
const pages = new Map();

async function registration() {
  const found = await navigator.serviceWorker?.getRegistration();
  return found?.active ? found : null;
}
