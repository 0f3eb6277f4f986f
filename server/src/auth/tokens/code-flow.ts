// Signing in to the console with an outside provider: the authorization code flow of OpenID Connect with PKCE (RFC 7636), of which the
// browser makes the first half. The service tells it where to go and exchanges the code, so that the page asks no other host.
// Guarantees: a code is exchanged with the provider that the configuration names, for the console's own address alone; what comes of it
// is a token of that provider for that client, which verifies like any other; no code, verifier or token is logged.

import type { Clock } from "../../platform/clock.ts";
import { type Egress, EgressError } from "../../platform/egress/egress.ts";
import { Problem } from "../../platform/errors.ts";
import type { Logger } from "../../platform/log.ts";
import { readUnchecked } from "./token.ts";
import type { VerifiedToken, Verifier } from "./verify.ts";

/** An issuer with which the console signs in. */
export interface ConsoleClient {
  issuer: string;
  clientId: string;
  scope: string;
}

/** What the provider's metadata says (OpenID Connect Discovery 1.0). */
export interface Provider {
  authorizationEndpoint: string;
  tokenEndpoint: string;
  /** It names itself in its answers (RFC 9207), so that an answer that does not is not its own. */
  tellsIssuer: boolean;
}

export interface Exchange {
  issuer: string;
  code: string;
  codeVerifier: string;
  redirectUri: string;
}

export interface CodeFlow {
  /** The provider's metadata; null while it does not answer. */
  providerOf(issuer: string): Promise<Provider | null>;
  /** Throws `invalid_request`, `sign_in_refused` or `service_unavailable`. */
  exchange(wish: Exchange): Promise<{ token: string; verified: VerifiedToken }>;
}

export interface CodeFlowParts {
  clients: readonly ConsoleClient[];
  /** `{public_url}/sign-in`, the only address to which a provider is let send somebody back. */
  redirectUri: string;
  egress: Pick<Egress, "request" | "fetchJson">;
  verifier: Pick<Verifier, "verify">;
  clock: Clock;
  log: Logger;
}

const LIMITS = { maxBytes: 256 * 1024, timeoutMs: 5_000 };
const KEPT_MS = 3_600_000;
/** Least time between two requests for the metadata of a provider that does not answer. */
const RETRY_MS = 5_000;

export function createCodeFlow(parts: CodeFlowParts): CodeFlow {
  const { clients, redirectUri, egress, verifier, clock, log } = parts;
  const known = new Map<string, { provider: Provider | null; askedAtMs: number }>();
  const asking = new Map<string, Promise<Provider | null>>();

  async function discover(issuer: string): Promise<Provider | null> {
    const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const askedAtMs = clock.now();
    const found = await egress
      .fetchJson(url, LIMITS)
      .then((document) => readProvider(document, issuer))
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        log.warn({ issuer, reason }, "the metadata of an identity provider could not be read");
        return null;
      });
    // One that is out now signs people in by what it said before.
    const provider = found ?? known.get(issuer)?.provider ?? null;
    known.set(issuer, { provider, askedAtMs: found === null ? askedAtMs + RETRY_MS - KEPT_MS : askedAtMs });
    return provider;
  }

  async function providerOf(issuer: string): Promise<Provider | null> {
    const held = known.get(issuer);
    if (held !== undefined && clock.now() - held.askedAtMs < KEPT_MS) return held.provider;
    const request = asking.get(issuer) ?? discover(issuer).finally(() => asking.delete(issuer));
    asking.set(issuer, request);
    return request;
  }

  /** The provider's answer to the code. */
  async function redeem(wish: Exchange, { clientId }: ConsoleClient, { tokenEndpoint }: Provider) {
    const body = new URLSearchParams({
      grant_type: "authorization_code",
      code: wish.code,
      redirect_uri: redirectUri,
      client_id: clientId,
      code_verifier: wish.codeVerifier,
    });
    try {
      return await egress.request({
        url: tokenEndpoint,
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
        body: body.toString(),
        ...LIMITS,
        // The operator named the provider; another host that its metadata names is held to the rule for addresses.
        trusted: new URL(tokenEndpoint).origin === new URL(wish.issuer).origin,
      });
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      log.warn(
        { issuer: wish.issuer, reason: error.message },
        "an authorization code could not be exchanged",
      );
      throw away();
    }
  }

  return {
    providerOf,
    async exchange(wish) {
      const client = clients.find(({ issuer }) => issuer === wish.issuer);
      if (client === undefined) throw invalid("/issuer", "is not one with which the console signs in");
      if (wish.redirectUri !== redirectUri) throw invalid("/redirect_uri", `must be ${redirectUri}`);
      const provider = await providerOf(wish.issuer);
      if (provider === null) throw away();
      const { status, body } = await redeem(wish, client, provider);
      const answer = readJson(body);
      if (status >= 500 || status === 429) throw away();
      if (status !== 200) throw refused(`The identity provider refuses the code${named(answer.error)}.`);
      if (typeof answer.id_token !== "string")
        throw refused("The identity provider gave no ID token: `scope` must contain `openid`.");
      return { token: answer.id_token, verified: await verify(answer.id_token, client, verifier) };
    },
  };
}

/** The ID token as any token is verified; and of this provider, for this client. */
async function verify(
  token: string,
  { issuer, clientId }: ConsoleClient,
  verifier: CodeFlowParts["verifier"],
): Promise<VerifiedToken> {
  try {
    const unchecked = readUnchecked(token);
    if (unchecked.issuer !== issuer || !unchecked.audiences.includes(clientId))
      throw refused("The identity provider's ID token is of another issuer or for another client.");
    return await verifier.verify(token);
  } catch (error) {
    // Not the caller's token, but what the provider made of the code.
    if (error instanceof Problem && error.code === "invalid_token") throw refused(error.message);
    throw error;
  }
}

/** Throws an Error that says what is wrong with it. */
function readProvider(document: unknown, issuer: string): Provider {
  const { ...metadata } = document as Record<string, unknown>;
  if (metadata.issuer !== issuer) throw new Error("it is the metadata of another issuer");
  const methods = metadata.code_challenge_methods_supported;
  if (Array.isArray(methods) && !methods.includes("S256")) throw new Error("it takes no S256 (PKCE)");
  return {
    authorizationEndpoint: endpointOf(metadata.authorization_endpoint, issuer),
    tokenEndpoint: endpointOf(metadata.token_endpoint, issuer),
    tellsIssuer: metadata.authorization_response_iss_parameter_supported === true,
  };
}

/** By TLS, but where the issuer itself is not. */
function endpointOf(value: unknown, issuer: string): string {
  const url = typeof value === "string" && URL.canParse(value) ? new URL(value) : null;
  const isPlain = url?.protocol === "http:" && new URL(issuer).protocol === "http:";
  if (url === null || (url.protocol !== "https:" && !isPlain)) throw new Error("an endpoint is no https URL");
  return url.href;
}

function readJson(body: Buffer): Record<string, unknown> {
  try {
    return Object(JSON.parse(body.toString("utf8")));
  } catch {
    return {};
  }
}

/** The provider's word for why, where it is one (RFC 6749, section 5.2). */
function named(error: unknown): string {
  return typeof error === "string" && /^[a-z_]{1,50}$/.test(error) ? ` (${error})` : "";
}

function invalid(path: string, message: string): Problem {
  return new Problem("invalid_request", `${path.slice(1)} ${message}.`, { errors: [{ path, message }] });
}

function refused(detail: string): Problem {
  return new Problem("sign_in_refused", detail, { headers: { "www-authenticate": "Bearer" } });
}

function away(): Problem {
  return new Problem("service_unavailable", "The identity provider does not answer right now.", {
    retryAfterSeconds: 5,
  });
}
