// Asking for a challenge: what stands in it, how long it lives, and who may ask how often.
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildTestApp } from "../../../test/app.ts";
import {
  buildIdentityService,
  type IdentityGround,
  type IdentityService,
  layIdentityGround,
  TEST_CHAIN,
} from "../../../test/identity.ts";

const PUBLIC_URL = "http://127.0.0.1:8080";
const AUTH_URL = `${PUBLIC_URL}/identity`;
const account = privateKeyToAccount(generatePrivateKey());
const stranger = privateKeyToAccount(generatePrivateKey());
let nowMs = Date.parse("2026-05-09T10:00:00Z");
const clock = { now: () => nowMs };

let ground: IdentityGround;
let service: IdentityService;

beforeAll(async () => {
  ground = await layIdentityGround();
  service = await buildIdentityService({ ground, publicUrl: PUBLIC_URL, clock });
});
afterAll(async () => {
  await service.app.close();
  await ground.remove();
});

describe("POST /identity/challenge", () => {
  test("200: typed data for this wallet, chain and host, with a nonce of its own and an hour to live", async () => {
    const { challenge_id, typed_data, expires_at } = await service.challengeFor(account.address);
    expect(typed_data).toMatchObject({
      domain: { name: "VaultOps", version: "1", chainId: TEST_CHAIN },
      primaryType: "SignIn",
      message: {
        wallet: account.address,
        domain: "127.0.0.1:8080",
        uri: AUTH_URL,
        issuedAt: "2026-05-09T10:00:00.000000Z",
        expirationTime: expires_at,
      },
    });
    expect(expires_at).toBe("2026-05-09T11:00:00.000000Z");
    const other = await service.challengeFor(account.address);
    expect(other.challenge_id).not.toBe(challenge_id);
    expect(other.typed_data.message.nonce).not.toBe(typed_data.message.nonce);
    expect(typed_data.message.nonce.length).toBeGreaterThanOrEqual(32);
  });

  test("400: an address or chain of the wrong form", async () => {
    expect((await service.post("challenge", { address: "0x12", chain_id: TEST_CHAIN })).body.code).toBe(
      "invalid_address",
    );
    expect((await service.post("challenge", { address: account.address, chain_id: "1" })).body.code).toBe(
      "invalid_request",
    );
    expect((await service.post("challenge", { address: account.address })).body.code).toBe("invalid_request");
  });

  test("404: a chain on which nobody signs in here", async () => {
    expect((await service.post("challenge", { address: account.address, chain_id: 5 })).body.code).toBe(
      "chain_not_found",
    );
  });

  test("415: a body that is no JSON", async () => {
    const response = await service.app.inject({
      method: "POST",
      url: "/identity/challenge",
      headers: { "content-type": "text/plain" },
      payload: "x",
    });
    expect(response.statusCode).toBe(415);
  });

  test("429: more than 60 a minute from one address", async () => {
    const limited = await buildTestApp({
      features: [service.embedded.feature],
      clock,
      http: {
        publicUrl: PUBLIC_URL,
        rateLimits: { perWallet: 1e9, perIp: 600, challengesPerIp: 60, recordedPerWallet: 60 },
      },
    });
    const payload = { address: account.address, chain_id: TEST_CHAIN };
    const statuses: number[] = [];
    for (let i = 0; i < 61; i += 1) {
      statuses.push(
        (await limited.inject({ method: "POST", url: "/identity/challenge", payload })).statusCode,
      );
    }
    expect(statuses).toEqual([...Array(60).fill(200), 429]);
    await limited.close();
  });

  test("challenges that ran out do not stay", async () => {
    await service.challengeFor(stranger.address);
    nowMs += 3_601_000;
    for (let i = 0; i < 10; i += 1) await service.challengeFor(account.address);
    const { rows } = await ground.database.db.pool.query(
      "select count(*) as n from challenges where wallet = $1",
      [stranger.address],
    );
    expect(rows[0]).toEqual({ n: 0 });
  });
});
