// Many requests over one connection, whose token is not read again while it is the same: each is answered for its own token anyway,
// and a token that holds no more is refused with the next request.
import { Agent, request } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestApp } from "../../../test/app.ts";
import { fetchJsonForTests } from "../../../test/fetch-json.ts";
import { NO_CODE_FLOW } from "../../../test/identity.ts";
import { makeKey, startTestIssuer, TEST_AUDIENCE, type TestIssuer } from "../../../test/issuer.ts";
import { silentLogger } from "../../platform/log.ts";
import { createGuard } from "../guard.ts";
import { authFeature } from "../routes.ts";
import { remoteKeySet } from "./jwks.ts";
import { createVerifier } from "./verify.ts";

const [FIRST, SECOND] = [
  "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
];
let nowMs = Date.parse("2026-05-09T10:00:00Z");
const clock = { now: () => nowMs };

let issuer: TestIssuer;
let app: Awaited<ReturnType<typeof startTestApp>>;
let agent: Agent;
let ports: Set<number | undefined>;

beforeAll(async () => {
  issuer = await startTestIssuer({ clockSeconds: () => Math.floor(nowMs / 1000) });
  const trusted = {
    issuer: issuer.issuer,
    audience: [TEST_AUDIENCE],
    keys: remoteKeySet(issuer.jwksUrl, fetchJsonForTests, { clock, log: silentLogger() }),
    algorithms: ["ES256"],
    clockToleranceSeconds: 0,
    profile: "generic",
    walletClaim: null,
    contractWallets: "accept",
  } as const;
  const guard = createGuard({
    verifier: createVerifier({ issuers: [trusted], clock, codeOnChains: async () => [] }),
    grants: { of: async () => [], known: () => [], changed() {} },
    vaults: { mustExist: async () => {} },
    maintainers: [],
  });
  app = await startTestApp({
    features: [authFeature({ issuers: [], embedded: null, codeFlow: NO_CODE_FLOW })],
    guard,
    clock,
  });
});
afterAll(async () => {
  agent.destroy();
  await app.app.close();
  await issuer.stop();
});
beforeEach(() => {
  agent?.destroy();
  agent = new Agent({ keepAlive: true, maxSockets: 1 });
  ports = new Set();
});

/** The wallet that the answer is for, or its status and challenge. */
function ask(authorization?: string): Promise<string> {
  const headers = authorization === undefined ? {} : { authorization };
  return new Promise((resolve, reject) => {
    const sent = request(`${app.url}/api/v1/auth/me`, { agent, headers }, (answer) => {
      ports.add(answer.socket.localPort);
      const chunks: Buffer[] = [];
      answer.on("data", (chunk) => chunks.push(chunk));
      answer.on("end", () => {
        if (answer.statusCode === 200) resolve(JSON.parse(Buffer.concat(chunks).toString()).wallet_address);
        else resolve(`${answer.statusCode} ${answer.headers["www-authenticate"]}`);
      });
    });
    sent.on("error", reject).end();
  });
}

const REFUSED = '401 Bearer error="invalid_token"';

test("each request is answered for its own token, good tokens between bad ones and none", async () => {
  const [first, second] = await Promise.all([FIRST, SECOND].map((wallet) => issuer.token({ wallet })));
  const [header, payload, signature = ""] = (first as string).split(".");
  const forged = await issuer.token({ wallet: FIRST, key: await makeKey("ES256", issuer.key.kid) });
  for (let round = 0; round < 3; round++) {
    expect(await ask(`Bearer ${first}`)).toBe(FIRST);
    expect(await ask(`Bearer ${first}`)).toBe(FIRST);
    expect(await ask(`Bearer ${second}`)).toBe(SECOND);
    for (const bad of [
      forged,
      `${header}.${payload}.`,
      `${header}.${payload}.${signature.slice(0, -4)}`,
      `${first}x`,
      "",
    ]) {
      expect(await ask(`Bearer ${bad}`)).toBe(REFUSED);
      expect(await ask(`Bearer ${first}`)).toBe(FIRST);
    }
    expect(await ask(`Basic ${first}`)).toBe(REFUSED);
    expect(await ask()).toMatch(/^401 Bearer/);
  }
  expect(ports.size).toBe(1);
});

test("a token that runs out is refused with the next request", async () => {
  const token = await issuer.token({ wallet: FIRST, expiresInSeconds: 600 });
  expect(await ask(`Bearer ${token}`)).toBe(FIRST);
  expect(await ask(`Bearer ${token}`)).toBe(FIRST);
  nowMs += 600_000;
  expect(await ask(`Bearer ${token}`)).toBe(REFUSED);
  expect(ports.size).toBe(1);
});

test("a token whose key its issuer withdrew is refused once that is known", async () => {
  const token = await issuer.token({ wallet: FIRST, expiresInSeconds: 86_400 });
  expect(await ask(`Bearer ${token}`)).toBe(FIRST);
  expect(await ask(`Bearer ${token}`)).toBe(FIRST);
  await issuer.rotate({ alone: true });
  nowMs += 301_000;
  await expect.poll(() => ask(`Bearer ${token}`), { timeout: 120_000 }).toBe(REFUSED);
  expect(ports.size).toBe(1);
});
