// Signing in: challenge, signature, token, over the real HTTP app, with keys that sign for real and contract wallets on a real node.
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import {
  type Address,
  concat,
  encodeAbiParameters,
  type Hex,
  hexToBigInt,
  numberToHex,
  type TypedDataDefinition,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Anvil, startAnvil } from "../../../../demo/src/anvil.ts";
import { connectChain, type DemoChain, execute } from "../../../../demo/src/chain.ts";
import { deployContractWalletFactory, predictContractWallet } from "../../../../demo/src/deploy.ts";
import { buildTestApp } from "../../../test/app.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { type ChainClient, createChainClient } from "../../chain/client.ts";
import { ChainFault } from "../../chain/fault.ts";
import { silentLogger } from "../../platform/log.ts";
import { createGrants } from "../grants.ts";
import { createGuard } from "../guard.ts";
import { authFeature } from "../routes.ts";
import { tokenCommand } from "../sign-in.ts";
import { createVaultAccess } from "../vaults.ts";
import { createVerifier } from "../verify.ts";
import type { SignInTypedData } from "./challenge.ts";
import { type EmbeddedIssuer, openEmbeddedIssuer } from "./embedded.ts";
import { rotateIssuerKey } from "./keys.ts";
import type { VerifyOnChain } from "./signature.ts";

const CHAIN = 31337;
const OTHER_CHAIN = 8453;
const PUBLIC_URL = "http://127.0.0.1:8080";
const AUTH_URL = `${PUBLIC_URL}/identity`;
const SECP256K1_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const account = privateKeyToAccount(generatePrivateKey());
const stranger = privateKeyToAccount(generatePrivateKey());
let nowMs = Date.parse("2026-05-09T10:00:00Z");
const clock = { now: () => nowMs };
const log = silentLogger();

let database: TestDatabase;
let dir: string;
let embedded: EmbeddedIssuer;
let app: FastifyInstance;
/** What the chain answers; tests of outages replace it. */
let verifyOnChain: VerifyOnChain;
let onChainCalls = 0;

beforeAll(async () => {
  [database, dir] = await Promise.all([createTestDatabase(), mkdtemp(join(tmpdir(), "identity-"))]);
  ({ embedded, app } = await start(PUBLIC_URL));
});
afterAll(async () => {
  await app.close();
  await Promise.all([database.drop(), rm(dir, { recursive: true })]);
});
beforeEach(() => {
  onChainCalls = 0;
  verifyOnChain = async () => false;
});

/** The service at that URL, on the same database and keys. */
async function start(
  publicUrl: string,
  realClock = clock,
): Promise<{ embedded: EmbeddedIssuer; app: FastifyInstance }> {
  const { db } = database;
  const issuer = await openEmbeddedIssuer({
    authUrl: `${publicUrl}/identity`,
    audience: publicUrl,
    dir: join(dir, "identity"),
    chainIds: [CHAIN, OTHER_CHAIN],
    db,
    clock: realClock,
    log,
    verifyOnChain: (...args) => {
      onChainCalls += 1;
      return verifyOnChain(...args);
    },
  });
  const guard = createGuard({
    verifier: createVerifier({ issuers: [issuer.trusted], clock: realClock }),
    grants: createGrants(db),
    vaults: createVaultAccess(db),
    maintainers: [],
  });
  const probe = {
    name: "probe",
    routes: (probed: FastifyInstance) => {
      probed.route({
        method: ["GET", "POST", "PUT", "PATCH", "DELETE"],
        url: "/probe",
        config: { permission: "authenticated" },
        handler: () => ({}),
      });
    },
  };
  const features = [issuer.feature, authFeature({ issuers: [], embedded: issuer }), probe];
  return {
    embedded: issuer,
    app: await buildTestApp({ features, guard, clock: realClock, http: { publicUrl } }),
  };
}

async function post(path: string, payload: unknown, to = app) {
  const response = await to.inject({ method: "POST", url: `/identity/${path}`, payload: payload as object });
  return { status: response.statusCode, body: response.json(), headers: response.headers };
}

interface ChallengeAnswer {
  challenge_id: string;
  typed_data: SignInTypedData;
  expires_at: string;
}

async function challengeFor(address: Address, chainId = CHAIN): Promise<ChallengeAnswer> {
  const { status, body } = await post("challenge", { address, chain_id: chainId });
  expect(status).toBe(200);
  return body;
}

const sign = (typedData: unknown, by = account) => by.signTypedData(typedData as TypedDataDefinition);

/** Signs a fresh challenge, changed before or after signing, and asks for the token. */
async function signIn(
  changes: {
    typedData?: (data: SignInTypedData) => unknown;
    signature?: (signature: Hex) => Hex;
    body?: object;
  } = {},
) {
  const challenge = await challengeFor(account.address);
  const signature = await sign((changes.typedData ?? ((data) => data))(challenge.typed_data));
  return post("token", {
    address: account.address,
    challenge_id: challenge.challenge_id,
    signature: (changes.signature ?? ((same) => same))(signature),
    ...changes.body,
  });
}

const me = (token: string, to = app) =>
  to.inject({ url: "/api/v1/auth/me", headers: { authorization: `Bearer ${token}` } });

describe("POST /identity/challenge", () => {
  test("200: typed data for this wallet, chain and host, with a nonce of its own and five minutes to live", async () => {
    const { challenge_id, typed_data, expires_at } = await challengeFor(account.address);
    expect(typed_data).toMatchObject({
      domain: { name: "VaultOps", version: "1", chainId: CHAIN },
      primaryType: "SignIn",
      message: {
        wallet: account.address,
        domain: "127.0.0.1:8080",
        uri: AUTH_URL,
        issuedAt: "2026-05-09T10:00:00.000000Z",
        expirationTime: expires_at,
      },
    });
    expect(expires_at).toBe("2026-05-09T10:05:00.000000Z");
    const other = await challengeFor(account.address);
    expect(other.challenge_id).not.toBe(challenge_id);
    expect(other.typed_data.message.nonce).not.toBe(typed_data.message.nonce);
    expect(typed_data.message.nonce.length).toBeGreaterThanOrEqual(32);
  });

  test("400: an address or chain of the wrong form", async () => {
    expect((await post("challenge", { address: "0x12", chain_id: CHAIN })).body.code).toBe("invalid_address");
    expect((await post("challenge", { address: account.address, chain_id: "1" })).body.code).toBe(
      "invalid_request",
    );
    expect((await post("challenge", { address: account.address })).body.code).toBe("invalid_request");
  });

  test("404: a chain on which nobody signs in here", async () => {
    expect((await post("challenge", { address: account.address, chain_id: 5 })).body.code).toBe(
      "chain_not_found",
    );
  });

  test("415: a body that is no JSON", async () => {
    const response = await app.inject({
      method: "POST",
      url: "/identity/challenge",
      headers: { "content-type": "text/plain" },
      payload: "x",
    });
    expect(response.statusCode).toBe(415);
  });

  test("429: more than 60 a minute from one address", async () => {
    const limited = await buildTestApp({
      features: [embedded.feature],
      clock,
      http: { publicUrl: PUBLIC_URL, rateLimits: { perWallet: 1e9, perIp: 600, challengesPerIp: 60 } },
    });
    const answers = [];
    for (let i = 0; i < 61; i += 1)
      answers.push((await post("challenge", { address: account.address, chain_id: CHAIN }, limited)).status);
    expect([...answers.slice(0, 60), answers[60]]).toEqual([...Array(60).fill(200), 429]);
    await limited.close();
  });

  test("challenges that ran out do not stay", async () => {
    await challengeFor(stranger.address);
    nowMs += 301_000;
    for (let i = 0; i < 10; i += 1) await challengeFor(account.address);
    const { rows } = await database.db.pool.query("select count(*) as n from challenges where wallet = $1", [
      stranger.address,
    ]);
    expect(rows[0]).toEqual({ n: 0 });
  });
});

describe("POST /identity/token", () => {
  test("200: a session of an hour, as any issuer's token, without asking a node", async () => {
    const { status, body } = await signIn();
    expect(status).toBe(200);
    expect(Date.parse(body.expires_at)).toBe(nowMs + 3_600_000);
    const answer = (await me(body.token)).json();
    expect(answer).toMatchObject({
      wallet_address: account.address,
      scope: "full",
      expires_at: body.expires_at,
    });
    expect(onChainCalls).toBe(0);
    nowMs += 3_600_000 + 31_000;
    expect((await me(body.token)).statusCode).toBe(401);
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

  test("200: an address in any case", async () => {
    const { status, body } = await signIn({ body: { address: account.address.toLowerCase() } });
    expect(status).toBe(200);
    expect((await me(body.token)).json().wallet_address).toBe(account.address);
  });

  test("200: with scope read up to 24 hours, refused by every write with 403 insufficient_scope", async () => {
    const { body } = await signIn({ body: { scope: "read" } });
    expect(Date.parse(body.expires_at)).toBe(nowMs + 86_400_000);
    expect((await me(body.token)).json()).toMatchObject({ scope: "read" });
    for (const method of ["POST", "PUT", "PATCH", "DELETE"] as const) {
      const response = await app.inject({
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
      { signature: "0x" },
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
      signature: await sign(challenge.typed_data),
    };
    expect((await post("token", body)).status).toBe(200);
    expect((await post("token", body)).body.code).toBe("sign_in_refused");
  });

  test("401: all but one of fifty who use a challenge at once", async () => {
    const challenge = await challengeFor(account.address);
    const body = {
      address: account.address,
      challenge_id: challenge.challenge_id,
      signature: await sign(challenge.typed_data),
    };
    const answers = await Promise.all(Array.from({ length: 50 }, () => post("token", body)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(49);
  });

  test("401: an expired challenge", async () => {
    const challenge = await challengeFor(account.address);
    nowMs += 300_000;
    const answer = await post("token", {
      address: account.address,
      challenge_id: challenge.challenge_id,
      signature: await sign(challenge.typed_data),
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
      signature: await sign(challenge.typed_data),
    };
    expect((await post("token", body, other.app)).body.code).toBe("sign_in_refused");
    expect((await post("token", body)).status).toBe(200);
    await other.app.close();
  });

  test("401: the token of one service at another with the same keys", async () => {
    const other = await start("https://vaultops.test");
    const { body } = await signIn();
    expect((await me(body.token, other.app)).statusCode).toBe(401);
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

describe("contract wallets on a node", () => {
  let anvil: Anvil;
  let chain: DemoChain;
  let client: ChainClient;
  let factory: Address;
  const owner = privateKeyToAccount(generatePrivateKey());
  const salt = numberToHex(7, { size: 32 });

  beforeAll(async () => {
    anvil = await startAnvil({ chainId: CHAIN });
    chain = await connectChain(anvil.rpcUrl);
    client = createChainClient({ chainId: CHAIN, name: "test", rpcUrls: [anvil.rpcUrl], log });
    factory = await deployContractWalletFactory(chain);
  });
  afterAll(async () => {
    await client.close();
    await anvil.stop();
  });
  beforeEach(() => {
    verifyOnChain = (_chainId, address, typedData, signature) =>
      client.verifyTypedData(address, typedData, signature);
  });

  async function signInAs(
    wallet: Address,
    wrap: (signature: Hex) => Hex = (same) => same,
    by = owner,
    chainId = CHAIN,
  ) {
    const challenge = await challengeFor(wallet, chainId);
    return post("token", {
      address: wallet,
      challenge_id: challenge.challenge_id,
      signature: wrap(await sign(challenge.typed_data, by)),
    });
  }

  /** ERC-6492: the deployment and the signature, wrapped and marked by the magic suffix. */
  const wrapped =
    (deployCalldata: Hex) =>
    (signature: Hex): Hex =>
      concat([
        encodeAbiParameters(
          [{ type: "address" }, { type: "bytes" }, { type: "bytes" }],
          [factory, deployCalldata, signature],
        ),
        `0x${"6492".repeat(16)}`,
      ]);

  test("a wallet not yet deployed signs in by ERC-6492, and only its owner for it", async () => {
    const { wallet, deployCalldata } = await predictContractWallet(chain, factory, owner.address, salt);
    const answer = await signInAs(wallet, wrapped(deployCalldata));
    expect(answer.status).toBe(200);
    expect((await me(answer.body.token)).json().wallet_address).toBe(wallet);
    expect((await signInAs(wallet, wrapped(deployCalldata), stranger)).body.code).toBe("sign_in_refused");
    expect((await signInAs(wallet)).body.code).toBe("sign_in_refused");
    expect((await signInAs(stranger.address, wrapped(deployCalldata))).body.code).toBe("sign_in_refused");
    expect(await chain.client.getCode({ address: wallet })).toBeUndefined();
  });

  test("a deployed wallet signs in by ERC-1271, wrapped or not, and only its owner for it", async () => {
    const { wallet, deployCalldata } = await predictContractWallet(chain, factory, owner.address, salt);
    await execute(chain, {
      contract: "ContractWalletFactory",
      address: factory,
      functionName: "deploy",
      args: [owner.address, salt],
      from: (await chain.client.getAddresses())[0] as Address,
    });
    const answer = await signInAs(wallet);
    expect(answer.status).toBe(200);
    expect((await me(answer.body.token)).json().wallet_address).toBe(wallet);
    expect((await signInAs(wallet, wrapped(deployCalldata))).status).toBe(200);
    expect((await signInAs(wallet, undefined, stranger)).body.code).toBe("sign_in_refused");
    // Its owner's own signature does not sign in as somebody else.
    expect((await signInAs(factory)).body.code).toBe("sign_in_refused");
  });

  test("a node that does not answer is an outage, not a refusal", async () => {
    const away = createChainClient({
      chainId: CHAIN,
      name: "away",
      rpcUrls: ["http://127.0.0.1:9"],
      log,
      deadlineMs: 500,
    });
    verifyOnChain = (_chainId, address, typedData, signature) =>
      away.verifyTypedData(address, typedData, signature);
    const { wallet } = await predictContractWallet(chain, factory, owner.address, salt);
    expect((await signInAs(wallet)).status).toBe(503);
    await away.close();
  });
});

describe("GET /identity/.well-known/jwks.json", () => {
  test("200: public keys; a rotation shows, signs, and leaves running sessions valid", async () => {
    const keys = async () =>
      (await app.inject({ url: "/identity/.well-known/jwks.json" })).json().keys as {
        kid: string;
        d?: string;
      }[];
    const before = await keys();
    const { body: old } = await signIn();
    const kid = await rotateIssuerKey(join(dir, "identity"), clock);
    const after = await keys();
    expect(after.map((key) => key.kid)).toEqual([kid, ...before.map((key) => key.kid)]);
    expect(after.every((key) => key.d === undefined)).toBe(true);
    const { body: fresh } = await signIn();
    expect([(await me(old.token)).statusCode, (await me(fresh.token)).statusCode]).toEqual([200, 200]);
  });
});

describe("tokenCommand, the shell's way in", () => {
  test("signs in with a private key over HTTP", async () => {
    const realClock = { now: () => Date.now() };
    const listening = await start("http://127.0.0.1:0", realClock).then(async (first) => {
      const url = await first.app.listen({ host: "127.0.0.1", port: 0 });
      await first.app.close();
      return start(url, realClock).then(async (second) => ({
        ...second,
        url: await second.app.listen({ host: "127.0.0.1", port: Number(new URL(url).port) }),
      }));
    });
    const privateKey = generatePrivateKey();
    const token = await tokenCommand({
      baseUrl: listening.url,
      privateKey,
      scope: "read",
      expiresInSeconds: 120,
    });
    const answer = (await me(token, listening.app)).json();
    expect(answer).toMatchObject({ wallet_address: privateKeyToAccount(privateKey).address, scope: "read" });
    await listening.app.close();
    await expect(tokenCommand({ baseUrl: listening.url, privateKey })).rejects.toThrow(/does not answer/);
  });

  test("refuses to sign a message for another host than the one asked", async () => {
    const realClock = { now: () => Date.now() };
    const { createServer } = await import("node:http");
    const lure = await start("https://victim.test", realClock);
    // A host that passes a victim's challenge on, to have it signed for itself.
    const server = createServer(async (request, response) => {
      const body: Buffer[] = [];
      for await (const part of request) body.push(part as Buffer);
      const own = `http://${request.headers.host}/identity`;
      if (request.url === "/api/v1/auth/config") {
        response.end(JSON.stringify({ embedded: { auth_url: own, chain_ids: [CHAIN] } }));
        return;
      }
      const passed = await lure.app.inject({
        method: "POST",
        url: request.url as "/",
        headers: { "content-type": "application/json" },
        payload: Buffer.concat(body),
      });
      response.end(passed.body);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    await expect(
      tokenCommand({ baseUrl: `http://127.0.0.1:${port}`, privateKey: generatePrivateKey() }),
    ).rejects.toThrow(/not signed/);
    server.close();
    await lure.app.close();
  });
});
