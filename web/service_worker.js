// Keeps the files of the app, so that it starts without a network. It never keeps an answer of the API. The page registers it
// after its first table.

// The folder of this file changes with every version of the app.
const FOLDER = new URL("./", location.href);
const CACHE = FOLDER.href;

addEventListener("install", (/** @type {any} */ event) => event.waitUntil(keepFiles()));
addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(dropOthers()));
addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  if (request.url.startsWith(FOLDER.href)) event.respondWith(keptOrLoaded(request));
  else if (request.mode === "navigate" && !isOther(new URL(request.url).pathname)) event.respondWith(loadedOrShell(request));
});
// Leads from a notification to its table.
addEventListener("notificationclick", (/** @type {any} */ event) => {
  event.notification.close();
  event.waitUntil(showPage(event.notification.data.path));
});

/** @param {string} path */
async function showPage(path) {
  const { clients } = /** @type {any} */ (globalThis);
  const pages = await clients.matchAll({ type: "window", includeUncontrolled: true });
  const page = pages.find((/** @type {any} */ one) => new URL(one.url).pathname === path);
  return page ? page.focus() : clients.openWindow(path);
}

async function keepFiles() {
  const names = await (await fetch(new URL("files.json", FOLDER))).json();
  const cache = await caches.open(CACHE);
  await cache.addAll(["/", ...names.map((/** @type {string} */ name) => new URL(name, FOLDER).href)]);
  await /** @type {any} */ (globalThis).skipWaiting();
}

async function dropOthers() {
  for (const name of await caches.keys()) if (name !== CACHE) await caches.delete(name);
  await /** @type {any} */ (globalThis).clients.claim();
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
