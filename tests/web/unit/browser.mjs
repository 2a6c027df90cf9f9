// What modules of the app read of a browser when they are loaded: `node --import ./unit/browser.mjs --test …`.

/** @type {Map<string, string>} */
const kept = new Map();
globalThis.localStorage = {
  getItem: (name) => kept.get(name) ?? null,
  setItem: (name, value) => void kept.set(name, value),
  removeItem: (name) => void kept.delete(name),
};
globalThis.navigator ??= { languages: ["en"], onLine: true };
globalThis.document ??= { documentElement: {}, hidden: false, addEventListener() {}, removeEventListener() {} };
globalThis.location ??= { pathname: "/" };
globalThis.addEventListener ??= () => {};

// The texts of the shell and of the table, which their pages load.
const { loadArea } = await import("../../../web/i18n/index.js");
await Promise.all([loadArea("shell"), loadArea("table")]);
