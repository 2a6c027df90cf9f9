// Pushes: notices of the server while no page of the app is open.

import { api } from "../api/client.js";
import { loadArea, t } from "../i18n/index.js";
import { install } from "../install.js";
import { settings } from "../settings.js";
import { askToNotify, canNotify } from "./notification.js";

await loadArea("told");

/** The kinds of notices that players can do without. @type {Schemas["NoticeKind"][]} */
export const KINDS = [
  "your_turn",
  "turn_ending",
  "game_started",
  "game_finished",
  "invited",
  "friend_request",
  "friend_accepted",
];

/** The kinds that nobody can mute. */
const ALWAYS = ["account_changed", "report_decided", "standing_changed"];

/** Where the service worker finds the words of notices: no page may be there that knows the language. */
const WORDS = "estimation-words";

/** Whether this browser can take pushes here. Without https it cannot. */
export const canPush = () => canNotify() && "PushManager" in globalThis && "serviceWorker" in navigator;

/**
 * Asks the player and subscribes this browser, which browsers allow after a gesture only.
 * @param {string} key the key of the server
 * @returns {Promise<boolean>} whether pushes come from now on
 */
export async function subscribe(key) {
  if (!(await askToNotify())) return false;
  install();
  const { pushManager } = await navigator.serviceWorker.ready;
  const former = await pushManager.getSubscription();
  // A subscription with another key is of another server.
  if (former && base64url(former.options.applicationServerKey) !== key) await former.unsubscribe();
  const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  // The names of the members are those of the API.
  const { endpoint, keys } = /** @type {Schemas["PushSubscriptionRequest"]} */ (subscription.toJSON());
  await api("PUT", "/v1/me/push-subscription", { body: { endpoint, keys } });
  await keepWords();
  settings.set("push", "on");
  return true;
}

/** No pushes come any more. */
export async function unsubscribe() {
  settings.set("push", "off");
  await api("DELETE", "/v1/me/push-subscription");
  const registration = await navigator.serviceWorker.getRegistration();
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
}

/** Keeps the words of notices in the present language for the service worker. */
async function keepWords() {
  const words = Object.fromEntries(
    [...KINDS, ...ALWAYS].map((kind) => [kind, { title: t(`told.${kind}`), body: t(`told.${kind}.body`) }]),
  );
  const cache = await caches.open(WORDS);
  await cache.put(
    "/words",
    new Response(JSON.stringify({ ...words, many: { title: t("told.many"), body: t("told.many.body") } })),
  );
}

/** @param {ArrayBuffer | null} bytes */
function base64url(bytes) {
  const text = String.fromCharCode(...new Uint8Array(bytes ?? new ArrayBuffer(0)));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
