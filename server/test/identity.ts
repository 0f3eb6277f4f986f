// A service with the embedded identity provider and nothing else, for tests that sign wallets in.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FastifyInstance, InjectOptions } from "fastify";
import type { Address, Hex, TypedDataDefinition } from "viem";
import { createGrants } from "../src/auth/grants.ts";
import { createGuard } from "../src/auth/guard.ts";
import type { SignInTypedData } from "../src/auth/issuer/challenge.ts";
import { type EmbeddedIssuer, openEmbeddedIssuer } from "../src/auth/issuer/embedded.ts";
import type { VerifyOnChain } from "../src/auth/issuer/signature.ts";
import { authFeature } from "../src/auth/routes.ts";
import type { CodeFlow } from "../src/auth/tokens/code-flow.ts";
import { createVerifier } from "../src/auth/tokens/verify.ts";
import { createVaultAccess } from "../src/auth/vaults.ts";
import { type Clock, systemClock } from "../src/platform/clock.ts";
import type { Feature } from "../src/platform/lifecycle/feature.ts";
import { silentLogger } from "../src/platform/log.ts";
import { buildTestApp } from "./app.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";

/** What stands for a service's lasting parts; several services may share it. */
export interface IdentityGround {
  database: TestDatabase;
  /** The folder of the signing keys. */
  keysDir: string;
  remove(): Promise<void>;
}

export async function layIdentityGround(): Promise<IdentityGround> {
  const [database, dir] = await Promise.all([createTestDatabase(), mkdtemp(join(tmpdir(), "identity-"))]);
  return {
    database,
    keysDir: join(dir, "identity"),
    async remove() {
      await Promise.all([database.drop(), rm(dir, { recursive: true })]);
    },
  };
}

export interface IdentityService {
  app: FastifyInstance;
  embedded: EmbeddedIssuer;
  post(path: "challenge" | "token", body: unknown): Promise<Answer>;
  challengeFor(address: Address, chainId?: number): Promise<ChallengeAnswer>;
  /** GET /api/v1/auth/me with the token. */
  me(token: string): Promise<Answer>;
}

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a JSON answer, looked at by assertions
  body: any;
  headers: Record<string, unknown>;
}

export interface ChallengeAnswer {
  challenge_id: string;
  typed_data: SignInTypedData;
  hash: Hex;
  expires_at: string;
}

export interface Signer {
  address: Address;
  signTypedData(data: TypedDataDefinition): Promise<Hex>;
}

/** Signs what a challenge asks to be signed. */
export function sign(typedData: unknown, by: Signer): Promise<Hex> {
  return by.signTypedData(typedData as TypedDataDefinition);
}

/** Of a service with whose console no outside provider signs anybody in. */
export const NO_CODE_FLOW: CodeFlow = {
  providerOf: async () => null,
  exchange: () => Promise.reject(new Error("there is no provider")),
};

export const TEST_CHAIN = 31337;

/** The service at that URL. By default the chain accepts no contract's signature. */
export async function buildIdentityService(options: {
  ground: IdentityGround;
  publicUrl: string;
  clock?: Clock;
  chainIds?: number[];
  verifyOnChain?: VerifyOnChain;
  features?: Feature[];
}): Promise<IdentityService> {
  const { ground, publicUrl, clock = systemClock, chainIds = [TEST_CHAIN] } = options;
  const { db } = ground.database;
  const embedded = await openEmbeddedIssuer({
    authUrl: `${publicUrl}/identity`,
    audience: publicUrl,
    dir: ground.keysDir,
    chainIds,
    db,
    clock,
    log: silentLogger(),
    verifyOnChain: options.verifyOnChain ?? (async () => false),
  });
  const verifier = createVerifier({ issuers: [embedded.trusted], clock, codeOnChains: async () => [] });
  const guard = createGuard({
    verifier,
    grants: createGrants(db),
    vaults: createVaultAccess(db),
    maintainers: [],
  });
  const features = [
    embedded.feature,
    authFeature({ issuers: [], embedded, codeFlow: NO_CODE_FLOW }),
    ...(options.features ?? []),
  ];
  const app = await buildTestApp({ features, guard, clock, http: { publicUrl } });

  async function inject(request: InjectOptions): Promise<Answer> {
    const response = await app.inject(request);
    return { status: response.statusCode, body: response.json(), headers: response.headers };
  }
  const post: IdentityService["post"] = (path, body) =>
    inject({ method: "POST", url: `/identity/${path}`, payload: body as object });
  return {
    app,
    embedded,
    post,
    async challengeFor(address, chainId = chainIds[0] ?? TEST_CHAIN) {
      const { status, body } = await post("challenge", { address, chain_id: chainId });
      if (status !== 200) throw new Error(`the challenge was refused: ${JSON.stringify(body)}`);
      return body;
    },
    me: (token) => inject({ url: "/api/v1/auth/me", headers: { authorization: `Bearer ${token}` } }),
  };
}
