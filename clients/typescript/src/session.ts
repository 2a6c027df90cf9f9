// A session: signs in, and refreshes the access token shortly before it expires or when the server refuses it.

import createClient, { type Client } from "openapi-fetch";

import { accepted } from "./problem.js";
import type { components, paths } from "./schema.js";

export type Session = components["schemas"]["Session"];

/** An access token with less time left is refreshed first, in milliseconds. */
const MARGIN = 30_000;

export class SignedIn {
  /** Sends the access token with every request. */
  readonly client: Client<paths>;
  private readonly anonymous: Client<paths>;
  private expiresAt: number;
  private refreshing: Promise<string> | undefined;

  /**
   * `session` is a new session or a stored one. The client calls `onRefresh` after each refresh and waits for it before
   * it sends a request with the new token. `onRefresh` must not send requests with this client.
   */
  constructor(
    url: string,
    public session: Session,
    public onRefresh: (session: Session) => unknown = () => {},
  ) {
    this.expiresAt = expiry(session.access_token) ?? inSeconds(session.expires_in);
    this.anonymous = createClient<paths>({ baseUrl: url });
    this.client = createClient<paths>({ baseUrl: url, fetch: (request) => this.send(request) });
  }

  /** Registers a guest, who has no password. */
  static async guest(url: string, displayName?: string): Promise<SignedIn> {
    const body = displayName === undefined ? {} : { display_name: displayName };
    const client = createClient<paths>({ baseUrl: url });
    return new SignedIn(url, accepted(await client.POST("/v1/accounts/guest", { body })).session);
  }

  /** Registers an account with a password. */
  static async register(url: string, username: string, password: string): Promise<SignedIn> {
    const client = createClient<paths>({ baseUrl: url });
    const body = { username, password };
    return new SignedIn(url, accepted(await client.POST("/v1/accounts", { body })).session);
  }

  /** Signs in to an account that has a password. */
  static async signIn(url: string, username: string, password: string): Promise<SignedIn> {
    const client = createClient<paths>({ baseUrl: url });
    const body = { username, password };
    return new SignedIn(url, accepted(await client.POST("/v1/sessions", { body })));
  }

  /** Sends a request. If the access token has expired, refreshes it and sends the request once more. */
  private async send(request: Request): Promise<Response> {
    const repeated = request.clone();
    const token = await this.accessToken();
    request.headers.set("Authorization", `Bearer ${token}`);
    const answer = await fetch(request);
    if (answer.status !== 401 || !(await isExpired(answer.clone()))) return answer;
    // Another request may have refreshed the token meanwhile.
    if (this.session.access_token === token) this.expiresAt = 0;
    repeated.headers.set("Authorization", `Bearer ${await this.accessToken()}`);
    return fetch(repeated);
  }

  /** Requests that need a new token at the same time share one refresh, because a refresh token works once. */
  private async accessToken(): Promise<string> {
    if (!this.refreshing) {
      if (Date.now() < this.expiresAt - MARGIN) return this.session.access_token;
      this.refreshing = this.refresh().finally(() => (this.refreshing = undefined));
    }
    return this.refreshing;
  }

  private async refresh(): Promise<string> {
    const body = { refresh_token: this.session.refresh_token };
    this.session = accepted(await this.anonymous.POST("/v1/sessions/refresh", { body }));
    // By this device's clock, which may differ from the server's.
    this.expiresAt = inSeconds(this.session.expires_in);
    await this.onRefresh(this.session);
    return this.session.access_token;
  }
}

function inSeconds(seconds: number): number {
  return Date.now() + seconds * 1000;
}

/** When an access token expires, in milliseconds: the `exp` claim of the JWT (RFC 7519). */
function expiry(token: string): number | undefined {
  try {
    const payload = token.split(".")[1]?.replaceAll("-", "+").replaceAll("_", "/") ?? "";
    const { exp } = JSON.parse(atob(payload)) as { exp?: unknown };
    return typeof exp === "number" ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}

async function isExpired(answer: Response): Promise<boolean> {
  const problem: unknown = await answer.json().catch(() => undefined);
  return typeof problem === "object" && problem !== null && "code" in problem && problem.code === "token-expired";
}
