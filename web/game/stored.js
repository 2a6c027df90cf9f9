// Objects in the browser's local storage.

/**
 * What is stored under a name; an empty object if there is nothing, or something else.
 * @param {string} name
 * @returns {Record<string, any>}
 */
export function stored(name) {
  try {
    const value = JSON.parse(localStorage.getItem(name) ?? "{}");
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** @param {string} name @param {object} value @returns {boolean} false if the browser stores nothing */
export function store(name, value) {
  try {
    localStorage.setItem(name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

/** An object of which the members that changed last are kept. */
export class Shelf {
  /** @param {string} name @param {number} most how many members are kept */
  constructor(name, most) {
    this.name = name;
    this.most = most;
  }

  /** @param {string} key */
  get(key) {
    return stored(this.name)[key];
  }

  /** @param {string} key @param {unknown} value @returns {boolean} false if the browser stores nothing */
  put(key, value) {
    const { [key]: _, ...others } = stored(this.name);
    return store(this.name, Object.fromEntries(Object.entries({ ...others, [key]: value }).slice(-this.most)));
  }
}
