// A session: registers an account, and refreshes the access token shortly before it expires.

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
  private refreshing: Promise<Session> | undefined;

  /** `session` is the answer of a registration, a sign-in or a refresh. */
  constructor(
    url: string,
    public session: Session,
  ) {
    this.expiresAt = Date.now() + session.expires_in * 1000;
    this.anonymous = createClient<paths>({ baseUrl: url });
    this.client = createClient<paths>({ baseUrl: url });
    this.client.use({
      onRequest: async ({ request }) => {
        request.headers.set("Authorization", `Bearer ${await this.accessToken()}`);
        return request;
      },
    });
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

  /** Requests that need a new token at the same time share one refresh, because a refresh token works once. */
  private async accessToken(): Promise<string> {
    if (Date.now() < this.expiresAt - MARGIN) return this.session.access_token;
    this.refreshing ??= this.refresh().finally(() => (this.refreshing = undefined));
    return (await this.refreshing).access_token;
  }

  private async refresh(): Promise<Session> {
    const body = { refresh_token: this.session.refresh_token };
    this.session = accepted(await this.anonymous.POST("/v1/sessions/refresh", { body }));
    this.expiresAt = Date.now() + this.session.expires_in * 1000;
    return this.session;
  }
}
