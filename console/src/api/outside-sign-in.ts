// Signing in with an outside identity provider: the browser goes there and comes back to /sign-in, with a code (OpenID Connect, PKCE) or,
// from a page of the operator's, with the token itself.
// Guarantees: only an answer to what this tab asked is taken (`state`), from the provider that was asked (`iss`, RFC 9207), with a token
// made for that very question (`nonce`); what is secret of it lies in this tab's sessionStorage and is gone once it came back.
import type { Answer } from "@vaultops/sdk/client";
import { safeNext } from "../browser/paths.ts";
import { call } from "./client.ts";

export type Issuer = Answer<"GET /api/v1/auth/config">["issuers"][number];

/** Why it failed, for the person to read. */
export class OutsideRefusal extends Error {}

interface Pending {
  issuer: string;
  state: string;
  nonce: string;
  verifier: string;
  next: string;
  isSilent: boolean;
}

/** What came back, as it stood in the address. */
interface Return {
  state: string;
  code: string | null;
  token: string | null;
  iss: string | null;
  error: string | null;
}

const PENDING = "curator_sign_in";
/** With whom this tab's session began, and when: who ends up signed out may be signed in there still. */
const LAST = "curator_provider";
/** A session that ends sooner is not worth another silent try: the next would end as soon. */
const WORTH_TRYING_MS = 60_000;

/** Whether the console can go there now. */
export function canGoTo({ console: sign }: Issuer): boolean {
  return sign !== null && (sign.authorization_endpoint !== null || sign.sign_in_url !== null);
}

/** Leaves for the provider. `isSilent`: it is to answer without a word to the person. */
export async function goTo(issuer: Issuer, next: string, isSilent = false): Promise<void> {
  const { console: sign } = issuer;
  const place = sign?.authorization_endpoint ?? sign?.sign_in_url;
  if (!sign || !place) return;
  const pending: Pending = {
    issuer: issuer.issuer,
    state: randomText(),
    nonce: randomText(),
    verifier: randomText(),
    next,
    isSilent,
  };
  const url = new URL(place);
  const query = url.searchParams;
  query.set("redirect_uri", `${location.origin}/sign-in`);
  query.set("state", pending.state);
  if (sign.client_id !== null) {
    query.set("response_type", "code");
    query.set("client_id", sign.client_id);
    query.set("scope", sign.scope);
    query.set("nonce", pending.nonce);
    query.set("code_challenge", await challengeOf(pending.verifier));
    query.set("code_challenge_method", "S256");
    if (isSilent) query.set("prompt", "none");
  }
  sessionStorage.setItem(PENDING, JSON.stringify(pending));
  location.assign(url);
}

let returned: Return | null = null;

/** Removes what the provider returned from the address, before anything else reads or keeps it. */
export function takeReturn(): void {
  if (location.pathname !== "/sign-in") return;
  const query = new URLSearchParams(location.search);
  const fragment = new URLSearchParams(location.hash.slice(1));
  const state = query.get("state") ?? fragment.get("state");
  if (state === null) return;
  returned = {
    state,
    code: query.get("code"),
    token: fragment.get("token"),
    iss: query.get("iss"),
    error: query.get("error"),
  };
  history.replaceState(null, "", "/sign-in");
}

/** Whether the provider has returned something that waits for `finish`. */
export const hasReturned = (): boolean => returned !== null;

/**
 * The token that came of it and where to go on; null where a silent try found nobody signed in there.
 * Throws OutsideRefusal, or the API's errors.
 */
export async function finish(): Promise<{ token: string; next: string } | null> {
  const back = returned;
  returned = null;
  const pending = takePending();
  if (back === null || pending === null || back.state !== pending.state)
    throw new OutsideRefusal("This sign-in was not started in this tab. Start it again here.");
  const { issuers } = await call("GET /api/v1/auth/config");
  const sign = issuers.find(({ issuer }) => issuer === pending.issuer)?.console;
  if (back.iss === null ? sign?.requires_iss : back.iss !== pending.issuer)
    throw new OutsideRefusal("The answer is not from the identity provider that you chose.");
  if (back.error !== null) {
    if (pending.isSilent) return null;
    throw new OutsideRefusal(`The identity provider says: ${back.error.slice(0, 100)}`);
  }
  const token = sign?.client_id ? await exchanged(back, pending) : back.token;
  if (!token) throw new OutsideRefusal("The identity provider gave no token.");
  sessionStorage.setItem(LAST, JSON.stringify({ issuer: pending.issuer, atMs: Date.now() }));
  return { token, next: safeNext(pending.next) ?? "/" };
}

async function exchanged({ code }: Return, { issuer, verifier, nonce }: Pending): Promise<string | null> {
  if (code === null) return null;
  const { token } = await call("POST /api/v1/auth/exchange", {
    body: { issuer, code, code_verifier: verifier, redirect_uri: `${location.origin}/sign-in` },
  });
  if (claimsOf(token).nonce !== nonce)
    throw new OutsideRefusal("The token does not belong to this sign-in. Start it again.");
  return token;
}

/**
 * At a session's end, once: asks the provider with which it began whether the person is signed in there still. True when the page is on its
 * way there.
 */
export async function goSilently(next: string): Promise<boolean> {
  const { issuer: name, atMs } = JSON.parse(sessionStorage.getItem(LAST) ?? "{}") as Partial<Last>;
  sessionStorage.removeItem(LAST);
  if (name === undefined || atMs === undefined || Date.now() - atMs < WORTH_TRYING_MS) return false;
  const config = await call("GET /api/v1/auth/config").catch(() => null);
  const issuer = config?.issuers.find((each) => each.issuer === name);
  if (!issuer?.console?.authorization_endpoint) return false;
  await goTo(issuer, next, true);
  return true;
}

interface Last {
  issuer: string;
  atMs: number;
}

function takePending(): Pending | null {
  const text = sessionStorage.getItem(PENDING);
  sessionStorage.removeItem(PENDING);
  return text === null ? null : (JSON.parse(text) as Pending);
}

function randomText(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

async function challengeOf(verifier: string): Promise<string> {
  return base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
}

function base64url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Of a token that the service has verified: only read here. */
function claimsOf(token: string): Record<string, unknown> {
  const payload = token.split(".")[1] ?? "";
  const text = atob(payload.replaceAll("-", "+").replaceAll("_", "/"));
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (character) => character.charCodeAt(0))));
}
