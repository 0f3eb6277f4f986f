// Known attacks on token verification, one by one, against a real issuer over HTTP; and what is accepted beside it.
import { createHmac, createPublicKey } from "node:crypto";
import { CompactSign, exportSPKI, importJWK } from "jose";
import type { Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fetchJsonForTests } from "../../../test/fetch-json.ts";
import {
  makeKey,
  startTestIssuer,
  TEST_AUDIENCE,
  type TestIssuer,
  type TokenOptions,
  walletClaims,
} from "../../../test/issuer.ts";
import { ChainFault } from "../../chain/rpc/fault.ts";
import { Problem } from "../../platform/errors.ts";
import { silentLogger } from "../../platform/log.ts";
import { remoteKeySet } from "./jwks.ts";
import { ALGORITHMS } from "./keys.ts";
import { createVerifier, type TrustedIssuer, type Verifier } from "./verify.ts";

const WALLET = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const log = silentLogger();
let nowMs = Date.parse("2026-05-09T10:00:00Z");
const clock = { now: () => nowMs };
const clockSeconds = () => Math.floor(nowMs / 1000);

let issuer: TestIssuer;
let verifier: Verifier;

beforeAll(async () => {
  issuer = await startTestIssuer({ clockSeconds });
  verifier = verifierFor(issuer);
});
afterAll(() => issuer.stop());

function trust(test: TestIssuer, changes: Partial<TrustedIssuer> = {}): TrustedIssuer {
  return {
    issuer: test.issuer,
    audience: [TEST_AUDIENCE],
    keys: remoteKeySet(test.jwksUrl, fetchJsonForTests, { clock, log }),
    algorithms: ALGORITHMS,
    clockToleranceSeconds: 30,
    profile: "generic",
    walletClaim: null,
    contractWallets: "accept",
    ...changes,
  };
}

function verifierFor(test: TestIssuer, changes: Partial<TrustedIssuer> = {}): Verifier {
  return createVerifier({ issuers: [trust(test, changes)], clock, codeOnChains: async () => [] });
}

/** A verifier that finds this code at every address of the chains that are followed. */
function verifierFinding(codes: Hex[], contractWallets: "accept" | "refuse" = "accept"): Verifier {
  return createVerifier({
    issuers: [trust(issuer, { contractWallets })],
    clock,
    codeOnChains: async () => codes,
  });
}

const mint = (options: TokenOptions = {}) => issuer.token({ wallet: WALLET, ...options });

/** The detail of the refusal; fails when the token is accepted or refused in another way than 401 with the challenge. */
async function refusal(token: string, by = verifier): Promise<string> {
  const problem = await by.verify(token).then(
    () => new Error("accepted"),
    (error: unknown) => error,
  );
  expect(problem).toBeInstanceOf(Problem);
  expect(problem).toMatchObject({ code: "invalid_token", status: 401 });
  expect((problem as Problem).extra.headers).toEqual({ "www-authenticate": 'Bearer error="invalid_token"' });
  return (problem as Problem).message;
}

/** A token with any header and payload, signed by whatever `sign` returns. */
function forge(header: unknown, payload: unknown, sign: (input: string) => string = () => ""): string {
  const encode = (part: unknown) =>
    Buffer.from(typeof part === "string" ? part : JSON.stringify(part)).toString("base64url");
  const input = `${encode(header)}.${encode(payload)}`;
  return `${input}.${sign(input)}`;
}

const goodClaims = () => ({ iss: issuer.issuer, aud: TEST_AUDIENCE, sub: WALLET, exp: clockSeconds() + 600 });

describe("accepted", () => {
  test.each(ALGORITHMS)("a token signed with %s", async (algorithm) => {
    const own = await startTestIssuer({ algorithm, clockSeconds });
    const token = await own.token({ wallet: WALLET });
    expect(await verifierFor(own).verify(token)).toMatchObject({
      wallet: WALLET,
      scope: "full",
      expiresAt: clockSeconds() + 3600,
    });
    await own.stop();
  });

  test.each(["dynamic", "privy", "generic"] as const)("a token of the profile %s", async (profile) => {
    const token = await issuer.token({ wallet: WALLET, profile });
    expect((await verifierFor(issuer, { profile }).verify(token)).wallet).toBe(WALLET);
  });

  test("one of several audiences, and any audience where the configuration writes any", async () => {
    expect(
      (await verifier.verify(await mint({ claims: { aud: ["https://other.test", TEST_AUDIENCE] } }))).wallet,
    ).toBe(WALLET);
    const token = await mint({ claims: { aud: "https://elsewhere.test" } });
    expect((await verifierFor(issuer, { audience: "any" }).verify(token)).wallet).toBe(WALLET);
  });

  test("several entries of one issuer name, told apart by audience (Privy's is the same for every app)", async () => {
    const other = await startTestIssuer({ clockSeconds });
    const both = createVerifier({
      issuers: [
        trust(other, { issuer: "privy.io", audience: ["app-1"] }),
        trust(issuer, { issuer: "privy.io", audience: ["app-2"] }),
      ],
      clock,
      codeOnChains: async () => [],
    });
    expect((await both.verify(await mint({ claims: { iss: "privy.io", aud: "app-2" } }))).wallet).toBe(
      WALLET,
    );
    expect(await refusal(await mint({ claims: { iss: "privy.io", aud: "app-1" } }), both)).toMatch(
      /does not publish/,
    );
    expect(await refusal(await mint({ claims: { iss: "privy.io", aud: "app-3" } }), both)).toMatch(
      /audience/,
    );
    await other.stop();
  });

  test("a token without kid, when one key of the issuer verifies it", async () => {
    const token = await mint({ header: { kid: undefined } });
    expect((await verifier.verify(token)).wallet).toBe(WALLET);
  });

  test("exp and nbf within the tolerance of 30 s, and not beyond", async () => {
    expect((await verifier.verify(await mint({ expiresInSeconds: -29 }))).wallet).toBe(WALLET);
    expect(await refusal(await mint({ expiresInSeconds: -31 }))).toMatch(/expired/);
    expect((await verifier.verify(await mint({ claims: { nbf: clockSeconds() + 29 } }))).wallet).toBe(WALLET);
    expect(await refusal(await mint({ claims: { nbf: clockSeconds() + 31 } }))).toMatch(/nbf/);
  });
});

describe("refused with 401 and the header", () => {
  test("alg none, in every spelling, signed with nothing", async () => {
    for (const alg of ["none", "None", "NONE", "nOnE", ""])
      expect(await refusal(forge({ alg, typ: "JWT" }, goodClaims()))).toMatch(/algorithm/);
    expect(await refusal(forge({ typ: "JWT" }, goodClaims()))).toMatch(/algorithm/);
  });

  test("an alg of the wrong type", async () => {
    for (const alg of [null, 7, ["ES256"], { name: "ES256" }, "es256", "ES256 "])
      expect(await refusal(forge({ alg }, goodClaims()))).toMatch(/algorithm/);
  });

  test("a symmetric algorithm with the public key as its secret, in every encoding of it", async () => {
    const jwk = issuer.key.publicJwk;
    const spki = await exportSPKI((await importJWK(jwk, "ES256")) as Parameters<typeof exportSPKI>[0]);
    const der = createPublicKey(spki).export({ format: "der", type: "spki" });
    for (const secret of [spki, der, JSON.stringify(jwk), Buffer.from(jwk.x as string, "base64url")]) {
      for (const [alg, digest] of [
        ["HS256", "sha256"],
        ["HS384", "sha384"],
        ["HS512", "sha512"],
      ] as const) {
        const token = forge({ alg, kid: jwk.kid }, goodClaims(), (input) =>
          createHmac(digest, secret).update(input).digest("base64url"),
        );
        expect(await refusal(token)).toMatch(/algorithm/);
      }
    }
  });

  test("a key embedded in the header (jwk), though the signature verifies with it", async () => {
    const own = await makeKey("ES256", issuer.key.kid);
    expect(await refusal(await mint({ key: own, header: { jwk: own.publicJwk } }))).toMatch(/`jwk`/);
  });

  test("an address of keys in the header (jku, x5u), which is never asked", async () => {
    const own = await startTestIssuer({ clockSeconds });
    for (const member of ["jku", "x5u"]) {
      expect(await refusal(await mint({ key: own.key, header: { [member]: own.jwksUrl } }))).toMatch(member);
      expect(await refusal(await mint({ header: { [member]: own.jwksUrl } }))).toMatch(member);
    }
    expect(own.requests()).toBe(0);
    await own.stop();
  });

  test("a critical extension, known or not, well formed or not", async () => {
    const sign = async (header: Record<string, unknown>) =>
      forge({ alg: "ES256", kid: issuer.key.kid, ...header }, goodClaims(), () => "AAAA");
    for (const crit of [["exp"], ["b64"], [], "exp", null, ["x"]])
      expect(await refusal(await sign({ crit }))).toMatch(/`crit`/);
    expect(await refusal(await sign({ b64: false }))).toMatch(/`b64`/);
  });

  test("a kid of the wrong type", async () => {
    for (const kid of [7, null, true, ["a"], { a: 1 }, "", "k".repeat(600)]) {
      expect(await refusal(forge({ alg: "ES256", kid }, goodClaims(), () => "AAAA"))).toMatch(/kid/);
    }
  });

  test("a kid that tries to be a path, a query or a prototype finds no key", async () => {
    for (const kid of ["../../etc/passwd", "' or 1=1 --", "__proto__", "constructor"]) {
      expect(await refusal(await mint({ header: { kid } }))).toMatch(/does not publish/);
    }
  });

  test("a token for another use (typ)", async () => {
    for (const typ of ["logout+jwt", "application/dpop+jwt", "secevent+JWT", 7, null])
      expect(await refusal(forge({ alg: "ES256", typ }, goodClaims()))).toMatch(/typ/);
    for (const typ of ["at+jwt", "application/jwt", undefined])
      expect((await verifier.verify(await mint({ header: { typ } }))).wallet).toBe(WALLET);
  });

  test("a signature of another key under the issuer's key id", async () => {
    expect(await refusal(await mint({ key: await makeKey("ES256", issuer.key.kid) }))).toMatch(/signature/);
  });

  test("a key id of the issuer with another algorithm", async () => {
    expect(await refusal(await mint({ key: await makeKey("RS256", issuer.key.kid) }))).toMatch(
      /does not publish/,
    );
  });

  test("an algorithm that is not allowed for this issuer", async () => {
    expect(await refusal(await mint(), verifierFor(issuer, { algorithms: ["RS256"] }))).toMatch(/ES256/);
  });

  test("changed claims, a cut, an empty and a foreign signature", async () => {
    const [header, payload, signature = ""] = (await mint()).split(".");
    const [, otherPayload, otherSignature] = (
      await mint({ wallet: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" })
    ).split(".");
    for (const token of [
      `${header}.${otherPayload}.${signature}`,
      `${header}.${payload}.${otherSignature}`,
      `${header}.${payload}.${signature.slice(0, -4)}`,
      `${header}.${payload}.`,
      `${header}.${payload}.${"A".repeat(86)}`,
    ]) {
      expect(await refusal(token)).toMatch(/signature|not a valid JWT|base64url/);
    }
  });

  test("the same token in another spelling: padded, or with bits behind the last byte", async () => {
    const token = await mint();
    const [header, payload, signature = ""] = token.split(".");
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    // 64 bytes end in a character of which only the upper two bits count.
    const next = alphabet[alphabet.indexOf(signature.at(-1) as string) + 1];
    for (const other of [
      `${token}=`,
      `${token}==`,
      `${header}=.${payload}.${signature}`,
      `${header}.${payload}==.${signature}`,
      `${header}.${payload}.${signature.slice(0, -1)}${next}`,
      token.replace(signature, signature.replaceAll("_", "/").replaceAll("-", "+").concat("==")),
    ])
      expect(await refusal(other)).toMatch(/base64url/);
    expect((await verifier.verify(token)).wallet).toBe(WALLET);
  });

  test.each(["exp", "iss", "aud"])("no %s", async (claim) => {
    expect(await refusal(await mint({ claims: { [claim]: undefined } }))).toMatch(claim);
  });

  test("an exp that is no time, and one without end", async () => {
    for (const exp of ["4102444800", null, true, {}])
      expect(await refusal(await signed({ ...goodClaims(), exp }))).toMatch(/exp/);
    expect(
      await refusal(await signed(JSON.stringify(goodClaims()).replace(/"exp":\d+/, '"exp":1e999'))),
    ).toMatch(/exp/);
    expect(await refusal(await signed({ ...goodClaims(), nbf: "now" }))).toMatch(/nbf/);
  });

  test("another issuer, and names that nearly are this one", async () => {
    for (const iss of [`${issuer.issuer}/`, issuer.issuer.toUpperCase(), "https://elsewhere.test"])
      expect(await refusal(await mint({ claims: { iss } }))).toMatch(/issuer/);
    for (const iss of [7, [issuer.issuer], null])
      expect(await refusal(await signed({ ...goodClaims(), iss }))).toMatch(/issuer/);
  });

  test("another audience, and audiences of the wrong type", async () => {
    for (const aud of ["https://elsewhere.test", [], [7], { a: TEST_AUDIENCE }, `${TEST_AUDIENCE}/`]) {
      expect(await refusal(await signed({ ...goodClaims(), aud }))).toMatch(/audience/);
    }
  });

  test("an audience of any does not mean none", async () => {
    expect(
      await refusal(await mint({ claims: { aud: undefined } }), verifierFor(issuer, { audience: "any" })),
    ).toMatch(/audience/);
  });

  test("a token of more than 8 KiB, however good it is", async () => {
    const token = await mint({ claims: { filler: "x".repeat(6200) } });
    expect(token.length).toBeGreaterThan(8192);
    expect(await refusal(token)).toMatch(/8192/);
    const fits = await mint({ claims: { filler: "x".repeat(5000) } });
    expect((await verifier.verify(fits)).wallet).toBe(WALLET);
  });

  test("what is no JWT", async () => {
    const token = await mint();
    for (const text of [
      "x",
      "a.b",
      "a.b.c",
      "..",
      `${token}.`,
      `${token}.x`,
      "é.é.é",
      "a.b.c.d.e",
      forge("[]", "{}"),
      forge('"x"', "{}"),
      forge({ alg: "ES256" }, "x"),
    ]) {
      expect(await refusal(text)).toMatch(/not a JWT|encrypted|issuer|algorithm/);
    }
  });

  test("a token that names no wallet", async () => {
    expect(await refusal(await issuer.token())).toMatch(/names no wallet/);
    expect(
      await refusal(
        await issuer.token({ claims: walletClaims("dynamic", WALLET) }),
        verifierFor(issuer, { profile: "privy" }),
      ),
    ).toMatch(/linked_accounts/);
  });
});

describe("verified tokens are remembered", () => {
  test("by their hash until exp, without asking or verifying again", async () => {
    const own = await startTestIssuer({ clockSeconds });
    const quick = verifierFor(own);
    const token = await own.token({ wallet: WALLET, expiresInSeconds: 600 });
    expect(quick.cached(token)).toBeNull();
    await quick.verify(token);
    expect(quick.cached(token)).toMatchObject({ wallet: WALLET });
    nowMs += 599_000;
    expect(quick.cached(token)).toMatchObject({ wallet: WALLET });
    nowMs += 1_000;
    expect(quick.cached(token)).toBeNull();
    nowMs += 31_000;
    expect(await refusal(token, quick)).toMatch(/expired/);
    await own.stop();
  });

  test("no more of them than the bound, the least recently used forgotten first", async () => {
    const small = createVerifier({
      issuers: [trust(issuer)],
      clock,
      codeOnChains: async () => [],
      maxCachedTokens: 2,
    });
    const [a, b, c] = await Promise.all([
      mint({ claims: { jti: "a" } }),
      mint({ claims: { jti: "b" } }),
      mint({ claims: { jti: "c" } }),
    ]);
    await small.verify(a);
    await small.verify(b);
    small.cached(a);
    await small.verify(c);
    expect([small.cached(a), small.cached(b), small.cached(c)].map((token) => token !== null)).toEqual([
      true,
      false,
      true,
    ]);
  });

  test("a refusal is not: a token that becomes valid is accepted", async () => {
    const token = await mint({ claims: { nbf: clockSeconds() + 120 } });
    expect(await refusal(token)).toMatch(/nbf/);
    nowMs += 120_000;
    expect((await verifier.verify(token)).wallet).toBe(WALLET);
  });
});

/** A token with these claims, exactly, signed by the issuer's key. */
function signed(claims: unknown): Promise<string> {
  const { key } = issuer;
  const payload = typeof claims === "string" ? claims : JSON.stringify(claims);
  return new CompactSign(Buffer.from(payload))
    .setProtectedHeader({ alg: key.algorithm, kid: key.kid })
    .sign(key.privateKey);
}

describe("a claim that names a chain", () => {
  const account = () => mint({ claims: { wallet_address: `eip155:10:${WALLET}` } });
  const CODE: Hex = "0x6001";
  const DELEGATED: Hex = `0xef0100${"11".repeat(20)}`;

  test("of a contract on any chain that is followed counts on the chain that it names alone", async () => {
    expect(await verifierFinding(["0x", CODE]).verify(await account())).toMatchObject({
      wallet: WALLET,
      limitedToChainId: 10,
    });
    expect((await verifierFinding([CODE]).verify(await mint())).limitedToChainId).toBeNull();
  });

  test("of a key, also one that has lent itself a contract's code, counts everywhere", async () => {
    for (const code of ["0x", DELEGATED] as const)
      expect((await verifierFinding([code]).verify(await account())).limitedToChainId).toBeNull();
  });

  test("of a contract is refused where its issuer's are, and one on a chain that nobody can follow is", async () => {
    expect(await refusal(await account(), verifierFinding([CODE], "refuse"))).toMatch(/accepts no contract/);
    expect((await verifierFinding(["0x"], "refuse").verify(await account())).wallet).toBe(WALLET);
    const claims = { signature_type: "contract", chain_id: 10 };
    expect(await refusal(await mint({ claims }), verifierFinding([], "refuse"))).toMatch(
      /accepts no contract/,
    );
    const far = await mint({ claims: { wallet_address: `eip155:${"9".repeat(30)}:${WALLET}` } });
    expect(await refusal(far, verifierFinding([CODE]))).toMatch(/does not follow/);
  });

  test("is an outage and no refusal while a node does not answer", async () => {
    const away = createVerifier({
      issuers: [trust(issuer)],
      clock,
      codeOnChains: () => Promise.reject(new ChainFault("unavailable", "no node answers")),
    });
    await expect(away.verify(await account())).rejects.toMatchObject({ code: "service_unavailable" });
  });
});
