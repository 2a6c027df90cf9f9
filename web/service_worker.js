// Keeps the files of the app, so that it starts without a network. It never keeps an answer of the API. The page registers it
// after its first table.

// The folder of this file changes with every version of the app.
const FOLDER = new URL("./", location.href);
const CACHE = FOLDER.href;

// What signals/push.js keeps: the words of notices in the language of the app.
const WORDS = "estimation-words";

/** The service worker itself. The types of the app are those of pages. @type {any} */
const worker = globalThis;

/** @param {string} name @param {(event: any) => unknown} action */
const on = (name, action) => addEventListener(name, action);

on("install", (event) => event.waitUntil(keepFiles()));
on("activate", (event) => event.waitUntil(dropOthers()));
on("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  if (request.url.startsWith(FOLDER.href)) event.respondWith(keptOrLoaded(request));
  else if (request.mode === "navigate" && !isOther(new URL(request.url).pathname))
    event.respondWith(loadedOrShell(request));
});
// The server tells the player something while no page is open. A browser demands a notification for each push.
on("push", (event) => event.waitUntil(tell(event.data?.json().notices ?? [])));
// Leads from a notification to its table.
on("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(showPage(event.notification.data.path));
});

/** The pages that are open. @returns {Promise<any[]>} */
const pagesOfApp = () => worker.clients.matchAll({ type: "window", includeUncontrolled: true });

/** @param {string} path */
async function showPage(path) {
  const pages = await pagesOfApp();
  const page = pages.find((one) => new URL(one.url).pathname === path);
  return page ? page.focus() : worker.clients.openWindow(path);
}

/** @typedef {{ kind: string, game: string | null, url?: string }} Notice `url`: the table of an invitation */

/** Where notices without a game lead. @type {Record<string, string>} */
const PATHS = {
  account_changed: "/account",
  friend_request: "/people",
  friend_accepted: "/people",
  report_decided: "/people",
  standing_changed: "/account",
};

/** The path of a notice. @param {Notice | undefined} notice */
function pathOf(notice) {
  if (notice?.url) return new URL(notice.url, location.href).pathname;
  return notice?.game ? `/games/${notice.game}` : (PATHS[notice?.kind ?? ""] ?? "/");
}

/**
 * Shows one notification: that of the only notice, or that there are several.
 * @param {Notice[]} notices
 */
async function tell(notices) {
  const pages = await pagesOfApp();
  // Who looks at the app sees it there.
  if (pages.some((page) => page.visibilityState === "visible")) return;
  const answer = await (await caches.open(WORDS)).match("/words");
  const words = answer ? await answer.json() : {};
  const [first] = notices;
  const isOne = notices.every(({ game }) => game === first?.game);
  // The last one of a game is the newest.
  const { title, body } = words[isOne ? (notices.at(-1)?.kind ?? "many") : "many"] ?? { title: "Estimation", body: "" };
  const path = isOne ? pathOf(notices.at(-1)) : "/";
  const icon = new URL("icon-192.png", FOLDER).href;
  await worker.registration.showNotification(title, {
    body,
    icon,
    tag: (isOne && first?.game) || "games",
    data: { path },
  });
}

async function keepFiles() {
  const names = await (await fetch(new URL("files.json", FOLDER))).json();
  const cache = await caches.open(CACHE);
  await cache.addAll(["/", ...names.map((/** @type {string} */ name) => new URL(name, FOLDER).href)]);
  await worker.skipWaiting();
}

async function dropOthers() {
  for (const name of await caches.keys()) if (![CACHE, WORDS].includes(name)) await caches.delete(name);
  await worker.clients.claim();
}

/** Whether a path is a page of the server, not of the app. @param {string} path */
function isOther(path) {
  return /^\/(docs|v1|problems|openapi\.json|\.well-known)/.test(path);
}

/** @param {Request} request */
async function keptOrLoaded(request) {
  return (await caches.match(request)) ?? fetch(request);
}

/** @param {Request} request */
async function loadedOrShell(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const shell = await (await caches.open(CACHE)).match("/");
    if (!shell) throw error;
    return shell;
  }
}
