// Objects in the browser's local storage, the newest member last.

/** What is stored under a name; an empty object if there is nothing, or something else. @param {string} name @returns {Record<string, any>} */
export function stored(name) {
  try {
    const value = JSON.parse(localStorage.getItem(name) ?? "{}");
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** Stores the newest members of an object. @param {string} name @param {Record<string, unknown>} value @param {number} most @returns {boolean} false if the browser stores nothing */
export function store(name, value, most) {
  try {
    localStorage.setItem(name, JSON.stringify(Object.fromEntries(Object.entries(value).slice(-most))));
    return true;
  } catch {
    return false;
  }
}
