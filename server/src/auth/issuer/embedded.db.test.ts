// Signing in: the answer to a challenge, over the real HTTP app, with keys that sign for real.
import { randomUUID } from "node:crypto";
import { concat, type Hex, hexToBigInt, numberToHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  buildIdentityService,
  type IdentityGround,
  type IdentityService,
  layIdentityGround,
  sign,
  TEST_CHAIN,
} from "../../../test/identity.ts";
import { ChainFault } from "../../chain/rpc/fault.ts";
import type { Feature } from "../../platform/lifecycle/feature.ts";
import type { SignInTypedData } from "./challenge.ts";
import { rotateIssuerKey } from "./keys.ts";
import type { VerifyOnChain } from "./signature.ts";

const OTHER_CHAIN = 8453;
const PUBLIC_URL = "http://127.0.0.1:8080";
const SECP256K1_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const account = privateKeyToAccount(generatePrivateKey());
const stranger = privateKeyToAccount(generatePrivateKey());
let nowMs = Date.parse("2026-05-09T10:00:00Z");
const clock = { now: () => nowMs };

let ground: IdentityGround;
let service: IdentityService;
/** What the chain answers; tests of outages replace it. */
let verifyOnChain: VerifyOnChain;
let onChainCalls = 0;

beforeAll(async () => {
  ground = await layIdentityGround();
  service = await start(PUBLIC_URL);
});
afterAll(async () => {
  await service.app.close();
  await ground.remove();
});
beforeEach(() => {
  onChainCalls = 0;
  verifyOnChain = async () => false;
});

/** The service at that URL, on the same database and keys. */
function start(publicUrl: string): Promise<IdentityService> {
  const probe: Feature = {
    name: "probe",
    routes: (app) => {
      app.route({
        method: ["GET", "POST", "PUT", "PATCH", "DELETE"],
        url: "/probe",
        config: { permission: "authenticated" },
        handler: () => ({}),
      });
    },
  };
  return buildIdentityService({
    ground,
    publicUrl,
    clock,
    chainIds: [TEST_CHAIN, OTHER_CHAIN],
    features: [probe],
    verifyOnChain: (...args) => {
      onChainCalls += 1;
      return verifyOnChain(...args);
    },
  });
}

const post: IdentityService["post"] = (path, body) => service.post(path, body);
const challengeFor: IdentityService["challengeFor"] = (address, chainId) =>
  service.challengeFor(address, chainId);
const me: IdentityService["me"] = (token) => service.me(token);

/** Signs a fresh challenge, changed before or after signing, and asks for the token. */
async function signIn(
  changes: {
    typedData?: (data: SignInTypedData) => unknown;
    signature?: (signature: Hex) => Hex;
    body?: object;
  } = {},
) {
  const challenge = await challengeFor(account.address);
  const signature = await sign((changes.typedData ?? ((data) => data))(challenge.typed_data), account);
  return post("token", {
    address: account.address,
    challenge_id: challenge.challenge_id,
    signature: (changes.signature ?? ((same) => same))(signature),
    ...changes.body,
  });
}

describe("POST /identity/token", () => {
  test("200: a session of an hour, as any issuer's token, without asking a node", async () => {
    const { status, body } = await signIn();
    expect(status).toBe(200);
    expect(Date.parse(body.expires_at)).toBe(nowMs + 3_600_000);
    const answer = (await me(body.token)).body;
    expect(answer).toMatchObject({
      wallet_address: account.address,
      scope: "full",
      expires_at: body.expires_at,
    });
    expect(onChainCalls).toBe(0);
    nowMs += 3_600_000 + 31_000;
    expect((await me(body.token)).status).toBe(401);
  });

  test("200: signatures in every form that keys make: v of 27/28 and 0/1, and the 64 bytes of EIP-2098", async () => {
    const lowV = (signature: Hex): Hex =>
      `${signature.slice(0, 130) as Hex}${(Number.parseInt(signature.slice(130), 16) - 27).toString(16).padStart(2, "0")}`;
    const compact = (signature: Hex): Hex => {
      const parity = BigInt(Number.parseInt(signature.slice(130), 16) - 27);
      const s = hexToBigInt(`0x${signature.slice(66, 130)}`) | (parity << 255n);
      return concat([`0x${signature.slice(2, 66)}`, numberToHex(s, { size: 32 })]);
    };
    for (let round = 0; round < 4; round += 1) {
      for (const form of [lowV, compact]) expect((await signIn({ signature: form })).status).toBe(200);
    }
    expect(onChainCalls).toBe(0);
  });

  test("200: a key's signature counts everywhere, a contract's says on which chain it counts", async () => {
    const claimsOf = (token: string) =>
      JSON.parse(Buffer.from(token.split(".")[1] as string, "base64url").toString());
    const byKey = (await signIn()).body.token;
    expect(claimsOf(byKey)).toMatchObject({ chain_id: TEST_CHAIN, signature_type: "key" });
    expect((await me(byKey)).body.limited_to_chain_id).toBeNull();
    verifyOnChain = async () => true;
    const challenge = await challengeFor(account.address, OTHER_CHAIN);
    const { body } = await post("token", {
      address: account.address,
      challenge_id: challenge.challenge_id,
      signature: "0x",
    });
    expect(claimsOf(body.token)).toMatchObject({ chain_id: OTHER_CHAIN, signature_type: "contract" });
    expect((await me(body.token)).body.limited_to_chain_id).toBe(OTHER_CHAIN);
  });

  test("200 and 401: a key signs within five minutes, a contract within the challenge's hour", async () => {
    const answerAfter = async (ageMs: number, signature: (typedData: unknown) => Promise<Hex>) => {
      const challenge = await challengeFor(account.address);
      expect(Date.parse(challenge.expires_at)).toBe(nowMs + 3_600_000);
      const signed = await signature(challenge.typed_data);
      nowMs += ageMs;
      const body = { address: account.address, challenge_id: challenge.challenge_id, signature: signed };
      return (await post("token", body)).status;
    };
    const key = (typedData: unknown) => sign(typedData, account);
    const empty = async () => "0x" as const;
    expect(await answerAfter(300_000, key)).toBe(200);
    expect(await answerAfter(300_001, key)).toBe(401);
    verifyOnChain = async () => true;
    expect(await answerAfter(3_599_000, empty)).toBe(200);
    expect(await answerAfter(3_600_001, empty)).toBe(401);
  });

  test("200 and 401: who waits for a multisig may ask every ten seconds, and no more often", async () => {
    const { challenge_id } = await challengeFor(account.address);
    const ask = async () => {
      const before = onChainCalls;
      await post("token", { address: account.address, challenge_id, signature: "0x" });
      return onChainCalls > before;
    };
    for (let attempt = 0; attempt < 10; attempt += 1) expect(await ask()).toBe(true);
    expect(await ask()).toBe(false);
    for (let attempt = 0; attempt < 20; attempt += 1) {
      nowMs += 10_000;
      expect(await ask()).toBe(true);
      expect(await ask()).toBe(false);
    }
  });

  test("200: an address in any case", async () => {
    const { status, body } = await signIn({ body: { address: account.address.toLowerCase() } });
    expect(status).toBe(200);
    expect((await me(body.token)).body.wallet_address).toBe(account.address);
  });

  test("200: with scope read up to 24 hours, refused by every write with 403 insufficient_scope", async () => {
    nowMs = Math.ceil(nowMs / 1000) * 1000;
    const { body } = await signIn({ body: { scope: "read" } });
    expect(Date.parse(body.expires_at)).toBe(nowMs + 86_400_000);
    expect((await me(body.token)).body).toMatchObject({ scope: "read" });
    for (const method of ["POST", "PUT", "PATCH", "DELETE"] as const) {
      const response = await service.app.inject({
        method,
        url: "/probe",
        headers: { authorization: `Bearer ${body.token}` },
      });
      expect([response.statusCode, response.json().code]).toEqual([403, "insufficient_scope"]);
    }
    const short = await signIn({ body: { scope: "read", expires_in: 60 } });
    expect(Date.parse(short.body.expires_at)).toBe(nowMs + 60_000);
  });

  test("400: a longer life than allowed, an unknown scope, a signature that is no hex", async () => {
    for (const body of [
      { expires_in: 3_601 },
      { expires_in: 0 },
      { scope: "read", expires_in: 86_401 },
      { scope: "write" },
      { signature: "0xzz" },
      { signature: "12" },
      { challenge_id: "1" },
      { extra: 1 },
    ]) {
      expect((await signIn({ body })).status).toBe(400);
    }
  });

  test("401: a challenge that is unknown or another wallet's", async () => {
    expect((await signIn({ body: { challenge_id: randomUUID() } })).body.code).toBe("sign_in_refused");
    const foreign = await challengeFor(stranger.address);
    const answer = await signIn({ body: { challenge_id: foreign.challenge_id } });
    expect([answer.status, answer.body.code, answer.headers["www-authenticate"]]).toEqual([
      401,
      "sign_in_refused",
      "Bearer",
    ]);
  });

  test("401: a challenge used again", async () => {
    const challenge = await challengeFor(account.address);
    const body = {
      address: account.address,
      challenge_id: challenge.challenge_id,
      signature: await sign(challenge.typed_data, account),
    };
    expect((await post("token", body)).status).toBe(200);
    expect((await post("token", body)).body.code).toBe("sign_in_refused");
  });

  test("401: all but one of fifty who use a challenge at once", async () => {
    const challenge = await challengeFor(account.address);
    const body = {
      address: account.address,
      challenge_id: challenge.challenge_id,
      signature: await sign(challenge.typed_data, account),
    };
    const answers = await Promise.all(Array.from({ length: 50 }, () => post("token", body)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(49);
  });

  test("401: an expired challenge", async () => {
    const challenge = await challengeFor(account.address);
    nowMs += 3_600_000;
    const answer = await post("token", {
      address: account.address,
      challenge_id: challenge.challenge_id,
      signature: await sign(challenge.typed_data, account),
    });
    expect(answer.body.code).toBe("sign_in_refused");
  });

  test("401: another wallet's signature, and one of no point on the curve", async () => {
    const challenge = await challengeFor(account.address);
    const foreign = await sign(challenge.typed_data, stranger);
    for (const signature of [
      foreign,
      `0x${"ff".repeat(65)}`,
      `0x${"00".repeat(65)}`,
      `0x${"11".repeat(64)}`,
      "0x12",
    ]) {
      const answer = await post("token", {
        address: account.address,
        challenge_id: challenge.challenge_id,
        signature,
      });
      expect([answer.status, answer.body.code]).toEqual([401, "sign_in_refused"]);
    }
  });

  test("401: the other value of s (EIP-2), though a node's ecrecover would take it", async () => {
    verifyOnChain = async () => true;
    const flipped = (signature: Hex): Hex => {
      const s = SECP256K1_ORDER - hexToBigInt(`0x${signature.slice(66, 130)}`);
      const v = signature.slice(130) === "1b" ? "0x1c" : "0x1b";
      return concat([`0x${signature.slice(2, 66)}`, numberToHex(s, { size: 32 }), v]);
    };
    expect((await signIn({ signature: flipped })).body.code).toBe("sign_in_refused");
    expect(onChainCalls).toBe(0);
  });

  test("401: a message signed for another host, address, chain, nonce, time or statement", async () => {
    const message = (changes: object) => (data: SignInTypedData) => ({
      ...data,
      message: { ...data.message, ...changes },
    });
    const domain = (changes: object) => (data: SignInTypedData) => ({
      ...data,
      domain: { ...data.domain, ...changes },
    });
    for (const typedData of [
      message({ domain: "evil.test" }),
      message({ uri: "https://evil.test/identity" }),
      message({ wallet: stranger.address }),
      message({ nonce: "0" }),
      message({ expirationTime: "2036-05-09T10:05:00.000000Z" }),
      message({ statement: "Anything" }),
      domain({ chainId: OTHER_CHAIN }),
      domain({ name: "Other" }),
      domain({ version: "2" }),
    ]) {
      expect((await signIn({ typedData })).body.code).toBe("sign_in_refused");
    }
  });

  test("401: a challenge of this service answered at another host that shares its database", async () => {
    const other = await start("https://vaultops.test");
    const challenge = await challengeFor(account.address);
    const body = {
      address: account.address,
      challenge_id: challenge.challenge_id,
      signature: await sign(challenge.typed_data, account),
    };
    expect((await other.post("token", body)).body.code).toBe("sign_in_refused");
    expect((await post("token", body)).status).toBe(200);
    await other.app.close();
  });

  test("401: the token of one service at another with the same keys", async () => {
    const other = await start("https://vaultops.test");
    const { body } = await signIn();
    expect((await other.me(body.token)).status).toBe(401);
    await other.app.close();
  });

  test("503: a signature that only the chain can judge while its node is out; the challenge is not spent", async () => {
    const challenge = await challengeFor(account.address);
    const body = {
      address: account.address,
      challenge_id: challenge.challenge_id,
      signature: await sign(challenge.typed_data, stranger),
    };
    verifyOnChain = async () => {
      throw new ChainFault("unavailable", "no node answers");
    };
    const answer = await post("token", body);
    expect([answer.status, answer.body.code, answer.headers["retry-after"]]).toEqual([
      503,
      "service_unavailable",
      "5",
    ]);
    verifyOnChain = async () => true;
    expect((await post("token", body)).status).toBe(200);
  });

  test("a challenge is presented ten times at most, so that it cannot be used to load a node", async () => {
    const challenge = await challengeFor(account.address);
    const body = {
      address: account.address,
      challenge_id: challenge.challenge_id,
      signature: `0x${"12".repeat(100)}`,
    };
    for (let i = 0; i < 30; i += 1) expect((await post("token", body)).status).toBe(401);
    expect(onChainCalls).toBe(10);
  });
});

describe("GET /identity/.well-known/jwks.json", () => {
  test("200: public keys; a rotation shows, signs, and leaves running sessions valid", async () => {
    const keys = async () =>
      (await service.app.inject({ url: "/identity/.well-known/jwks.json" })).json().keys as {
        kid: string;
        d?: string;
      }[];
    const before = await keys();
    const { body: old } = await signIn();
    const kid = await rotateIssuerKey(ground.keysDir, clock);
    const after = await keys();
    expect(after.map((key) => key.kid)).toEqual([kid, ...before.map((key) => key.kid)]);
    expect(after.every((key) => key.d === undefined)).toBe(true);
    const { body: fresh } = await signIn();
    expect([(await me(old.token)).status, (await me(fresh.token)).status]).toEqual([200, 200]);
  });
});
