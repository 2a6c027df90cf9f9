// Sign-in with an issuer of OpenID Connect: the way there and back. What binds the way back to this browser stays in the tab: the
// state, the nonce and the verifier of the code (PKCE).

import { Source } from "../source.js";
import { api } from "./client.js";
import { session } from "./session.js";

const KEY = "estimation.issuer";

/**
 * What the tab keeps while the player is at the issuer.
 * @typedef {{ name: string, issuer: string, state: string, nonce: string, verifier: string, links: boolean }} Journey
 */

class Issuers extends Source {
  /** Why the last way back led nowhere. @type {unknown} */
  error = null;

  /** How many identities this page has linked. */
  linked = 0;

  /**
   * Leaves for an issuer.
   * @param {Schemas["IssuerView"]} issuer
   * @param {boolean} links whether the identity is linked to the present account, instead of signing in
   */
  async leave({ name, issuer, web }, links) {
    if (!web) return;
    const { nonce } = await api("POST", "/v1/nonces", { anonymous: true });
    const journey = { name, issuer, links, nonce, state: random(), verifier: random() };
    sessionStorage.setItem(KEY, JSON.stringify(journey));
    const url = new URL(web.authorization_endpoint);
    const challenge = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(journey.verifier));
    for (const [parameter, value] of Object.entries({
      response_type: "code",
      scope: "openid",
      client_id: web.client_id,
      redirect_uri: web.redirect_uri,
      state: journey.state,
      nonce,
      code_challenge: base64url(new Uint8Array(challenge)),
      code_challenge_method: "S256",
    }))
      url.searchParams.set(parameter, value);
    location.assign(url);
  }

  /** Takes what the issuer sent back in the address, if this tab asked for it. Nothing of it stays in the address. */
  async arrive() {
    const sent = new URLSearchParams(location.search);
    const kept = sessionStorage.getItem(KEY);
    if (!sent.has("state") || kept === null) return;
    sessionStorage.removeItem(KEY);
    history.replaceState(null, "", "/account");
    /** @type {Journey} */
    const journey = JSON.parse(kept);
    // An answer of another issuer would bring its code to this one.
    const isOther = sent.has("iss") && sent.get("iss") !== journey.issuer;
    const code = sent.get("code");
    if (sent.get("state") !== journey.state || isOther || code === null) return;
    const { name, nonce, verifier, links } = journey;
    const identity = { issuer: name, nonce, code, code_verifier: verifier };
    try {
      if (links) await api("POST", "/v1/me/identities", { body: { identity } }).then(() => (this.linked += 1));
      else await session.enter(api("POST", "/v1/sessions/oidc", { body: { identity }, anonymous: true }));
      if (links) await session.restart();
    } catch (error) {
      this.error = error;
    }
    this.changed();
  }
}

/** 256 random bits. */
const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)));

/** @param {Uint8Array} bytes */
function base64url(bytes) {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

export const issuers = new Issuers();
