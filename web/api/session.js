// The player's session. The refresh token is the only secret that the browser keeps, and signing out erases it.

import { number, t } from "../i18n/index.js";
import { Source } from "../source.js";
import { isTransient, Offline, problemOf } from "./problem.js";
import { repeat, request, send } from "./client.js";

const REFRESH_TOKEN = "estimation.refresh-token";

/** An access token with less time left is refreshed first. */
const MARGIN_MS = 30_000;

class Session extends Source {
  /** @type {Schemas["Account"] | null} */
  account = null;
  /** @type {string | null} */
  token = null;
  expiresAt = 0;
  /** @type {string | null} */
  id = null;
  /** @type {Promise<string | null> | null} */
  refreshing = null;
  /** Why the account of the session is not known yet. @type {unknown} */
  trouble = null;
  /** New recovery codes, which the server shows once. @type {string[]} */
  recoveryCodes = [];

  constructor() {
    super();
    // Another tab signed in or out.
    addEventListener("storage", (event) => {
      if (event.key === REFRESH_TOKEN && (event.oldValue === null || event.newValue === null)) this.begin();
    });
  }

  /** Whether this browser has a session. */
  get isOpen() {
    return localStorage.getItem(REFRESH_TOKEN) !== null;
  }

  /** Loads the account of a kept session, again while no answer comes: without a network it stays unknown. */
  begin() {
    return repeat(() => this.restart().then(() => true, (error) => {
      this.trouble = error;
      this.changed();
      return !isTransient(error);
    }));
  }

  async restart() {
    this.token = null;
    this.trouble = null;
    this.account = this.isOpen ? (await request("GET", "/v1/me")).data : null;
    this.changed();
  }

  /** Opens an account for a guest, without a password, unless there is a session. @param {string} [name] else such as "Guest 4821" */
  async ensure(name) {
    if (this.isOpen) return;
    const digits = Array.from({ length: 4 }, () => number(Math.floor(Math.random() * 10))).join("");
    await this.register("/v1/accounts/guest", { display_name: name || t("shell.guestName", { number: digits }) });
  }

  /** @param {"/v1/accounts" | "/v1/accounts/guest" | "/v1/sessions/oidc"} path the last one signs in as well @param {object} body */
  async register(path, body) {
    const { data } = await request("POST", path, { body, anonymous: true });
    this.account = data.account;
    this.recoveryCodes = data.recovery_codes;
    this.keep(data.session);
  }

  /** Signs in with a recovery code. @param {string} code @param {string} [new_password] */
  async recover(code, new_password) {
    const body = { code, ...(new_password ? { new_password } : {}) };
    const { data } = await request("POST", "/v1/sessions/recovery", { body, anonymous: true });
    this.keep(data);
    await this.restart();
  }

  /** @param {string} username @param {string} password */
  async signIn(username, password) {
    const { data } = await request("POST", "/v1/sessions", { body: { username, password }, anonymous: true });
    this.keep(data);
    await this.restart();
  }

  /** Ends the session at the server, and forgets it in any case. */
  async signOut() {
    try {
      if (await this.accessToken()) await request("DELETE", `/v1/sessions/${this.id}`);
    } catch {
      // Without a network the session ends later, by its age.
    }
    this.forget();
  }

  forget() {
    localStorage.removeItem(REFRESH_TOKEN);
    [this.account, this.token, this.id] = [null, null, null];
    this.recoveryCodes = [];
    this.changed();
  }

  /** @param {Schemas["Session"]} tokens */
  keep(tokens) {
    localStorage.setItem(REFRESH_TOKEN, tokens.refresh_token);
    this.token = tokens.access_token;
    this.id = tokens.session_id;
    this.expiresAt = Date.now() + tokens.expires_in * 1000;
    this.changed();
  }

  /** The server refused this access token. @param {string | null} token */
  expire(token) {
    if (token === this.token) this.token = null;
  }

  /** A valid access token; null without a session. Requests at the same time share one refresh. @returns {Promise<string | null>} */
  async accessToken() {
    if (!this.isOpen) return null;
    if (this.token !== null && Date.now() < this.expiresAt - MARGIN_MS) return this.token;
    this.refreshing ??= alone(() => this.refresh()).finally(() => (this.refreshing = null));
    return this.refreshing;
  }

  /** A refresh token works once, so only one tab refreshes at a time, with the token that is kept then. */
  async refresh() {
    const refresh_token = localStorage.getItem(REFRESH_TOKEN);
    if (refresh_token === null) return null;
    const answer = await send("POST", "/v1/sessions/refresh", { body: { refresh_token } }, null, AbortSignal.timeout(15_000))
      .catch((error) => { throw new Offline(String(error)); });
    if (answer.ok) {
      this.keep(await answer.json());
      return this.token;
    }
    const problem = await problemOf(answer);
    if (problem.status !== 401) throw problem;
    this.forget();
    return null;
  }
}

/** How long a tab waits for another one. The tab that holds the lock may be one that was left in the middle of a request. */
const LOCK_MS = 3_000;

/**
 * Runs `action` in one tab at a time. After a while, and outside secure contexts, which have no locks, runs it all the same;
 * there the server helps: for a minute it answers the same refresh token with the same new one. It does so for longer if no
 * answer arrived.
 * @template T
 * @param {() => Promise<T>} action
 * @returns {Promise<T>}
 */
async function alone(action) {
  if (!navigator.locks) return action();
  const signal = AbortSignal.timeout(LOCK_MS);
  let isAlone = false;
  const first = () => ((isAlone = true), action());
  return navigator.locks.request(REFRESH_TOKEN, { signal }, first).catch((error) => {
    if (isAlone) throw error;
    return action();
  });
}

export const session = new Session();
