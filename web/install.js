// The service worker, which shows the app without a network. Browsers offer it and installing over https only.

/** The types of pages have no Trusted Types. @type {any} */
const page = window;

/** Trusted Types allow this one script URL. */
const policy = page.trustedTypes?.createPolicy("service-worker", {
  createScriptURL: (/** @type {string} */ url) => url,
});

export function install() {
  if (!("serviceWorker" in navigator)) return;
  const url = new URL("./service_worker.js", import.meta.url).href;
  // A failure takes nothing but the offline start.
  navigator.serviceWorker.register(policy?.createScriptURL(url) ?? url, { scope: "/" }).catch(() => {});
}
