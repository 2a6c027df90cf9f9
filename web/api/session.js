// The player's session, and its second step. The refresh token is the only secret that the browser keeps, and signing out erases it.

import { number, t } from "../i18n/index.js";
import { Source } from "../source.js";
import { api, pause, repeat, send, sendFor } from "./client.js";
import { isTransient, Offline, problemOf } from "./problem.js";

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
  /** Asks the player for a code, and says whether the session has passed the second step. The start of the app puts the dialog here. */
  askForCode = async () => false;
  /** One question for all requests that wait for it. @type {Promise<boolean> | null} */
  asking = null;
  /** What the player last did. @type {{ isPassed: boolean, session: string | null, page: string, at: number } | null} */
  answered = null;

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
    return repeat(() =>
      this.restart().then(
        () => true,
        (error) => {
          this.trouble = error;
          this.changed();
          return !isTransient(error);
        },
      ),
    );
  }

  async restart() {
    this.token = null;
    this.trouble = null;
    this.account = this.isOpen ? await api("GET", "/v1/me") : null;
    this.changed();
  }

  /**
   * Opens an account for a guest, without a password, unless there is a session.
   * @param {string} [name] else such as "Guest 4821"
   */
  async ensure(name) {
    if (this.isOpen) return;
    const digits = Array.from({ length: 4 }, () => number(Math.floor(Math.random() * 10))).join("");
    const body = { display_name: name || t("shell.guestName", { number: digits }) };
    await this.enter(api("POST", "/v1/accounts/guest", { body, anonymous: true }));
  }

  /** Begins with a session that the server opens together with its account. @param {Promise<Schemas["Registration"]>} answer */
  async enter(answer) {
    const { account, recovery_codes, session } = await answer;
    this.account = account;
    this.recoveryCodes = recovery_codes;
    this.keep(session);
  }

  /** Signs in with a recovery code. @param {string} code @param {string} [new_password] */
  async recover(code, new_password) {
    const body = { code, ...(new_password ? { new_password } : {}) };
    this.keep(await api("POST", "/v1/sessions/recovery", { body, anonymous: true }));
    await this.restart();
  }

  /** @param {string} username @param {string} password */
  async signIn(username, password) {
    this.keep(await api("POST", "/v1/sessions", { body: { username, password }, anonymous: true }));
    await this.restart();
  }

  /** Ends the session at the server, and forgets it in any case. */
  async signOut() {
    try {
      if ((await this.accessToken()) && this.id) await api("DELETE", "/v1/sessions/{id}", { path: { id: this.id } });
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

  /**
   * A valid access token; null without a session. Requests at the same time share one refresh.
   * @returns {Promise<string | null>}
   */
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
    const answer = await send(
      "POST",
      "/v1/sessions/refresh",
      { body: { refresh_token } },
      null,
      AbortSignal.timeout(15_000),
    ).catch((error) => {
      throw new Offline(String(error));
    });
    if (answer.ok) {
      this.keep(await answer.json());
      return this.token;
    }
    const problem = await problemOf(answer);
    if (problem.status !== 401) throw problem;
    this.forget();
    return null;
  }

  /**
   * Whether to send a refused request again: asks for a code if the second step is what it lacks. After the player cancelled, what
   * the page loads by itself asks no more.
   * @param {any} error @param {string} method of the request
   */
  async passSecondStep({ code, members }, method) {
    if (code !== "second-step-required" || !members.set_up) return false;
    const last = this.answered;
    if (this.asking === null && last?.session === this.id) {
      // The request was sent before, and answered within 15 seconds; or another node does not know yet.
      if (last.isPassed && performance.now() < last.at + 15_000) return pause(1_000).then(() => true);
      if (!last.isPassed && method === "GET" && last.page === location.pathname) return false;
    }
    // Without a network there is no dialog.
    this.asking ??= this.askForCode()
      .catch(() => false)
      .then((isPassed) => {
        this.answered = { isPassed, session: this.id, page: location.pathname, at: performance.now() };
        this.asking = null;
        return isPassed;
      });
    return this.asking;
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
sendFor(session);
