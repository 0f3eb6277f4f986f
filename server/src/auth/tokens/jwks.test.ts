// An issuer's keys through its bad days: rotation, outage, floods and hostile answers, against a real HTTP server and a clock
// that is held still.

import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fetchJsonForTests } from "../../../test/fetch-json.ts";
import { makeKey, startTestIssuer, TEST_AUDIENCE, type TestIssuer } from "../../../test/issuer.ts";
import { silentLogger } from "../../platform/log.ts";
import { fileKeySet, type KeySet, remoteKeySet } from "./jwks.ts";
import { ALGORITHMS } from "./keys.ts";
import { createVerifier, type Verifier } from "./verify.ts";

const WALLET = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const log = silentLogger();

let nowMs: number;
const clock = { now: () => nowMs };
let issuer: TestIssuer;
let keys: KeySet;
let verifier: Verifier;

beforeEach(async () => {
  nowMs = Date.parse("2026-05-09T10:00:00Z");
  issuer = await startTestIssuer({ clockSeconds: () => Math.floor(nowMs / 1000) });
  keys = remoteKeySet(issuer.jwksUrl, fetchJsonForTests, { clock, log });
  verifier = trusting(keys);
});
afterEach(() => issuer.stop());

function trusting(set: KeySet): Verifier {
  const trusted = {
    issuer: issuer.issuer,
    audience: [TEST_AUDIENCE],
    keys: set,
    algorithms: ALGORITHMS,
    clockToleranceSeconds: 30,
    profile: "generic",
    walletClaim: null,
    contractWallets: "accept",
  } as const;
  return createVerifier({ issuers: [trusted], clock, codeOnChains: async () => [] });
}

const token = (options: Parameters<TestIssuer["token"]>[0] = {}) =>
  issuer.token({ wallet: WALLET, ...options });
const outcome = (text: string, by = verifier) =>
  by.verify(text).then(
    () => "accepted",
    (error: { code?: string }) => error.code,
  );

/** Lets a refresh that runs in the background come to its end. */
const settled = (condition: () => boolean) => expect.poll(condition, { interval: 5 }).toBe(true);

describe("fetched once and shared", () => {
  test("many tokens at once are one request", async () => {
    const tokens = await Promise.all(
      Array.from({ length: 50 }, () => token({ claims: { jti: randomUUID() } })),
    );
    expect(await Promise.all(tokens.map((one) => outcome(one)))).toEqual(tokens.map(() => "accepted"));
    expect(issuer.requests()).toBe(1);
  });

  test("warming up fetches the keys before the first token", async () => {
    await verifier.warm();
    expect(issuer.requests()).toBe(1);
    expect(await outcome(await token())).toBe("accepted");
    expect(issuer.requests()).toBe(1);
  });

  test("after five minutes they are refreshed in the background, without a request waiting", async () => {
    await outcome(await token());
    nowMs += 301 * SECOND;
    expect(await outcome(await token())).toBe("accepted");
    await settled(() => issuer.requests() === 2);
  });
});

describe("rotation", () => {
  test("a new key is accepted with its first token, without a restart", async () => {
    await outcome(await token());
    nowMs += 10 * SECOND;
    await issuer.rotate();
    expect(await outcome(await token())).toBe("accepted");
    expect(issuer.requests()).toBe(2);
  });

  test("a new key that comes right after the first request is accepted as well, twice in a row", async () => {
    await outcome(await token());
    await issuer.rotate();
    expect(await outcome(await token())).toBe("accepted");
    await issuer.rotate();
    expect(await outcome(await token())).toBe("accepted");
  });

  test("a new key in the middle of a flood of unknown ones is accepted within 3 s", async () => {
    const stranger = await makeKey("ES256");
    for (let i = 0; i < 5; i += 1) await outcome(await token({ key: { ...stranger, kid: randomUUID() } }));
    await issuer.rotate();
    expect(await outcome(await token())).toBe("invalid_token");
    nowMs += 3 * SECOND;
    expect(await outcome(await token())).toBe("accepted");
  });

  test("a new key under the old id, and of an issuer that names no ids, is accepted", async () => {
    await outcome(await token());
    nowMs += 10 * SECOND;
    await issuer.rotate({ alone: true, kid: issuer.key.kid });
    expect(await outcome(await token())).toBe("accepted");
    nowMs += 10 * SECOND;
    await issuer.rotate({ alone: true });
    expect(await outcome(await token({ header: { kid: undefined } }))).toBe("accepted");
  });

  test("a withdrawn key verifies nothing more, nor does what it verified before hold", async () => {
    const old = await token();
    expect(await outcome(old)).toBe("accepted");
    nowMs += 301 * SECOND;
    await issuer.rotate({ alone: true });
    verifier.cached(old);
    await settled(() => issuer.requests() === 2);
    await settled(() => verifier.cached(old) === null);
    expect(await outcome(old)).toBe("invalid_token");
  });

  test("a key that stays keeps what it verified", async () => {
    const old = await token();
    await outcome(old);
    nowMs += 10 * SECOND;
    await issuer.rotate();
    await outcome(await token());
    expect(verifier.cached(old)).not.toBeNull();
  });
});

describe("outage", () => {
  test("an hour without the issuer signs nobody out", async () => {
    const session = await token({ expiresInSeconds: 7_200 });
    expect(await outcome(session)).toBe("accepted");
    await issuer.stop();
    for (let minute = 0; minute <= 60; minute += 1) {
      expect(await outcome(session)).toBe("accepted");
      expect(await outcome(await token({ claims: { jti: randomUUID() } }))).toBe("accepted");
      nowMs += 60 * SECOND;
    }
    await issuer.resume();
  });

  test("after 24 hours the keys are too old to be believed: 503, not 401; and the issuer's return is seen at once", async () => {
    const session = await token({ expiresInSeconds: 200_000 });
    await outcome(session);
    await issuer.stop();
    nowMs += 24 * HOUR;
    expect(await outcome(session)).toBe("accepted");
    nowMs += SECOND;
    expect(await outcome(session)).toBe("service_unavailable");
    await issuer.resume();
    nowMs += SECOND;
    expect(await outcome(session)).toBe("accepted");
  });

  test("before the first answer nobody can be judged: 503", async () => {
    await issuer.stop();
    expect(await outcome(await token())).toBe("service_unavailable");
    await issuer.resume();
    nowMs += SECOND;
    expect(await outcome(await token())).toBe("accepted");
  });

  test("an unknown key while the issuer is out may be a new one: 503", async () => {
    await outcome(await token());
    await issuer.stop();
    nowMs += 10 * SECOND;
    expect(await outcome(await token({ key: await makeKey("ES256") }))).toBe("service_unavailable");
    expect(await outcome(await token())).toBe("accepted");
    await issuer.resume();
  });
});

describe("floods", () => {
  test("1,000 tokens with random key ids are at most three requests to the issuer", async () => {
    const stranger = await makeKey("ES256");
    const tokens = await Promise.all(
      Array.from({ length: 1_000 }, () => token({ key: { ...stranger, kid: randomUUID() } })),
    );
    expect(new Set(await Promise.all(tokens.map((one) => outcome(one))))).toEqual(new Set(["invalid_token"]));
    expect(issuer.requests()).toBeLessThanOrEqual(3);
  });

  test("a minute of them, one after another, is at most one request in 3 s, and a new key is still found", async () => {
    const stranger = await makeKey("ES256");
    for (let i = 0; i < 600; i += 1) {
      await outcome(await token({ key: { ...stranger, kid: randomUUID() } }));
      nowMs += 100;
    }
    expect(issuer.requests()).toBeLessThanOrEqual(23);
    await issuer.rotate();
    nowMs += 3 * SECOND;
    expect(await outcome(await token())).toBe("accepted");
  });

  test("forged signatures under a known id do not ask more often either", async () => {
    const forger = await makeKey("ES256", issuer.key.kid);
    for (let i = 0; i < 50; i += 1)
      expect(await outcome(await token({ key: forger, claims: { jti: randomUUID() } }))).toBe(
        "invalid_token",
      );
    expect(issuer.requests()).toBeLessThanOrEqual(3);
  });
});

describe("hostile answers", () => {
  test.each([
    ["no set", { hello: "world" }],
    ["more than 256 KiB", { keys: [], filler: "x".repeat(300_000) }],
  ])("%s changes nothing: the last good set goes on serving", async (_name, document) => {
    await outcome(await token());
    issuer.document = document;
    nowMs += 301 * SECOND;
    keys.touch();
    await settled(() => issuer.requests() === 2);
    expect(await outcome(await token())).toBe("accepted");
  });

  test.each([
    ["an empty set", { keys: [] }],
    ["nothing but symmetric keys", { keys: [{ kty: "oct", k: "c2VjcmV0", kid: "a" }] }],
  ])("%s withdraws every key, with what was verified by it, at the next refresh", async (_name, document) => {
    const session = await token();
    expect(await outcome(session)).toBe("accepted");
    issuer.document = document;
    nowMs += 301 * SECOND;
    keys.touch();
    await settled(() => issuer.requests() === 2);
    expect(await outcome(session)).toBe("invalid_token");
    expect(await outcome(await token())).toBe("invalid_token");
    issuer.document = { keys: [issuer.key.publicJwk] };
    nowMs += 10 * SECOND;
    expect(await outcome(session)).toBe("accepted");
  });

  test("a good key among bad ones serves, also where a bad one has its id", async () => {
    const { kid, publicJwk } = issuer.key;
    const other = await makeKey("ES256", kid);
    issuer.document = {
      keys: [
        { kty: "oct", k: "AAAA", kid },
        other.publicJwk,
        { ...publicJwk, y: publicJwk.x },
        publicJwk,
        null,
      ],
    };
    expect(await outcome(await token())).toBe("accepted");
  });
});

describe("a local file", () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), "jwks-"));
  });
  afterEach(() => rm(dir, { recursive: true }));

  test("serves like a URL and is read again when it changes", async () => {
    const path = join(dir, "jwks.json");
    await writeFile(path, JSON.stringify(issuer.document));
    const local = trusting(fileKeySet(path, { clock, log }));
    expect(await outcome(await token(), local)).toBe("accepted");
    await issuer.rotate({ alone: true });
    await writeFile(path, JSON.stringify(issuer.document));
    nowMs += SECOND;
    expect(await outcome(await token(), local)).toBe("accepted");
    expect(issuer.requests()).toBe(0);
  });

  test("that is damaged for a moment changes nothing", async () => {
    const path = join(dir, "jwks.json");
    await writeFile(path, JSON.stringify(issuer.document));
    const local = trusting(fileKeySet(path, { clock, log }));
    await outcome(await token(), local);
    await writeFile(path, '{"keys": [');
    nowMs += 2 * SECOND;
    expect(await outcome(await token(), local)).toBe("accepted");
  });
});
