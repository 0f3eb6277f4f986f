// The console's sign-in with an outside provider, against a real one on the loopback: what is exchanged, for whom, and what is refused.
import { randomBytes } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { buildTestApp } from "../../../test/app.ts";
import { testAddress } from "../../../test/chain-rows.ts";
import { logInAt, type OidcProvider, startOidcProvider } from "../../../test/oidc-provider.ts";
import { systemClock } from "../../platform/clock.ts";
import { createEgress, type Egress } from "../../platform/egress/egress.ts";
import { silentLogger } from "../../platform/log.ts";
import { authFeature } from "../routes.ts";
import { createCodeFlow } from "./code-flow.ts";
import { remoteKeySet } from "./jwks.ts";
import { createVerifier } from "./verify.ts";

const CLIENT = "console-client";
const REDIRECT = "http://127.0.0.1:8080/sign-in";
const WALLET = testAddress(7);
const log = silentLogger();

let provider: OidcProvider;
let egress: Egress;
let app: FastifyInstance;
let nowMs = Date.now();
const clock = { now: () => nowMs };

beforeAll(async () => {
  provider = await startOidcProvider();
  egress = createEgress({ allowedNetworks: [], allowHttp: false });
  const verifier = createVerifier({
    issuers: [
      {
        issuer: provider.issuer,
        audience: [CLIENT],
        keys: remoteKeySet(provider.jwksUrl, egress.fetchJson, { clock: systemClock, log }),
        algorithms: ["ES256"],
        clockToleranceSeconds: 30,
        profile: "generic",
        walletClaim: null,
        contractWallets: "accept",
      },
    ],
    clock: systemClock,
    codeOnChains: async () => [],
  });
  const codeFlow = createCodeFlow({
    clients: [{ issuer: provider.issuer, clientId: CLIENT, scope: "openid" }],
    redirectUri: REDIRECT,
    egress,
    verifier,
    clock,
    log,
  });
  const console = { client_id: CLIENT, scope: "openid", sign_in_url: null };
  const byPage = { client_id: null, scope: "openid", sign_in_url: "https://sign-in.example/page" };
  const byHand = { client_id: null, scope: "openid", sign_in_url: null };
  app = await buildTestApp({
    features: [
      authFeature({
        issuers: [
          { issuer: provider.issuer, profile: "generic", console },
          { issuer: "app.dynamic.xyz/1", profile: "dynamic", console: byPage },
          { issuer: "privy.io", profile: "privy", console: byHand },
        ],
        embedded: null,
        codeFlow,
      }),
    ],
  });
});
afterAll(async () => {
  await app.close();
  await egress.close();
  await provider.stop();
});
beforeEach(() => {
  Object.assign(provider, { wallet: WALLET, claims: {}, metadata: {}, failure: null, onReturn: () => {} });
  // What was said of the provider has run out.
  nowMs += 7_200_000;
});

const comeBack = () => logInAt(provider, CLIENT, REDIRECT);

async function exchange(body: object) {
  const response = await app.inject({ method: "POST", url: "/api/v1/auth/exchange", payload: body });
  return { status: response.statusCode, body: response.json() };
}

const configNow = async () => (await app.inject({ url: "/api/v1/auth/config" })).json();

describe("GET /api/v1/auth/config", () => {
  test("200: says how the console signs in with each: by code, by a page of the operator's, or by hand", async () => {
    expect((await configNow()).issuers).toEqual([
      {
        issuer: provider.issuer,
        profile: "generic",
        console: {
          client_id: CLIENT,
          scope: "openid",
          authorization_endpoint: `${provider.issuer}/authorize`,
          requires_iss: true,
          sign_in_url: null,
        },
      },
      {
        issuer: "app.dynamic.xyz/1",
        profile: "dynamic",
        console: {
          client_id: null,
          scope: "openid",
          authorization_endpoint: null,
          requires_iss: false,
          sign_in_url: "https://sign-in.example/page",
        },
      },
      { issuer: "privy.io", profile: "privy", console: null },
    ]);
  });
});

describe("POST /api/v1/auth/exchange", () => {
  test("200: the code's ID token, with the nonce that was asked for; once", async () => {
    const wish = await comeBack();
    const { status, body } = await exchange(wish);
    expect(status).toBe(200);
    const claims = JSON.parse(Buffer.from(body.token.split(".")[1], "base64url").toString());
    expect(claims).toMatchObject({ wallet_address: WALLET, nonce: "n", aud: CLIENT });
    expect(Date.parse(body.expires_at)).toBe(claims.exp * 1000);
    expect((await exchange(wish)).body).toMatchObject({ status: 401, code: "sign_in_refused" });
  });

  test("400: another redirect, an issuer with which the console does not sign in, a verifier of the wrong form", async () => {
    const wish = await comeBack();
    for (const change of [
      { redirect_uri: `${REDIRECT}/` },
      { redirect_uri: "https://elsewhere.example/sign-in" },
      { issuer: "https://elsewhere.example" },
      { issuer: "privy.io" },
      { code_verifier: "short" },
      { code: "" },
      { client_secret: "x" },
    ])
      expect((await exchange({ ...wish, ...change })).status).toBe(400);
    // None of these has used the code up.
    expect((await exchange(wish)).status).toBe(200);
  });

  test("401: a code with another verifier, and one that the provider does not know", async () => {
    const wish = await comeBack();
    const other = randomBytes(32).toString("base64url");
    expect((await exchange({ ...wish, code_verifier: other })).body.code).toBe("sign_in_refused");
    expect((await exchange({ ...wish, code: "unknown" })).body.code).toBe("sign_in_refused");
  });

  test("401: an ID token of another issuer, for another client, run out, of no wallet, or none", async () => {
    for (const claims of [
      { iss: "https://elsewhere.example" },
      { aud: "another-client" },
      { exp: 1_700_000_000 },
      { wallet_address: undefined },
    ]) {
      provider.claims = claims;
      expect((await exchange(await comeBack())).body.code).toBe("sign_in_refused");
    }
    provider.failure = { status: 200, body: { access_token: "only" } };
    expect((await exchange(await comeBack())).body.code).toBe("sign_in_refused");
  });

  test("503: a provider that fails", async () => {
    for (const failure of [
      { status: 500, body: {} },
      { status: 429, body: {} },
    ]) {
      provider.failure = failure;
      expect((await exchange(await comeBack())).body.code).toBe("service_unavailable");
    }
  });

  test("503: metadata of another issuer, without S256, or with endpoints that are no place to go, is believed nowhere", async () => {
    const fresh = (metadata: object) => {
      const flow = createCodeFlow({
        clients: [{ issuer: provider.issuer, clientId: CLIENT, scope: "openid" }],
        redirectUri: REDIRECT,
        egress,
        verifier: { verify: () => Promise.reject(new Error("nothing to verify")) },
        clock,
        log,
      });
      Object.assign(provider, { metadata });
      return flow.providerOf(provider.issuer);
    };
    expect(await fresh({})).toMatchObject({ tokenEndpoint: `${provider.issuer}/token` });
    for (const metadata of [
      { issuer: `${provider.issuer}/` },
      { code_challenge_methods_supported: ["plain"] },
      { authorization_endpoint: "javascript:alert(1)" },
      { authorization_endpoint: "/authorize" },
      { token_endpoint: "file:///etc/passwd" },
      { token_endpoint: null },
    ])
      expect(await fresh(metadata)).toBeNull();
  });

  test("503: a token endpoint elsewhere in a private network is not called", async () => {
    provider.metadata = { token_endpoint: "http://127.0.0.2:9/token" };
    expect((await exchange(await comeBack())).body.code).toBe("service_unavailable");
  });

  test("what a provider said before serves while it is out", async () => {
    await configNow();
    nowMs += 7_200_000;
    provider.metadata = { issuer: "https://elsewhere.example" };
    expect((await configNow()).issuers[0].console.authorization_endpoint).toBe(
      `${provider.issuer}/authorize`,
    );
  });
});
