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
globalThis.addEventListener ??= () => {};
