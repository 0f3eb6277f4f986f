// A chain with a vault of every family that is driven through its governance in lockstep: a step of each vault in each block, followed by real
// ingestion, served by the real routes.
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { Address, Hash } from "viem";
import { expect } from "vitest";
import { type Anvil, startAnvil } from "../../../demo/src/anvil.ts";
import { connectChain, deploy, execute } from "../../../demo/src/chain.ts";
import { deployToken, ensureMulticall3 } from "../../../demo/src/deploy.ts";
import { authFeature } from "../../src/auth/routes.ts";
import { vaultsFeature } from "../../src/features/vaults/feature.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { silentLogger } from "../../src/platform/log.ts";
import { buildTestApp } from "../app.ts";
import { as, plainTokenGuard } from "../caller.ts";
import { createTestDatabase, type TestDatabase } from "../database.ts";
import { readRecorded } from "../ground-truth.ts";
import { NO_CODE_FLOW } from "../identity.ts";
import { type RunningIngest, startIngest } from "../ingest.ts";
import {
  CURATED,
  type CuratedFamily,
  deployEveryFamily,
  type EveryFamily,
  heldBy,
  KEEPER,
  OWNER,
  sourceOf,
} from "../simulation/every-family.ts";
import { curatedDrive } from "./curated-steps.ts";
import { lagoonDrive } from "./lagoon-steps.ts";
import { morphoDrive } from "./morpho-steps.ts";
import { DEPOSITOR, type Drive, type Step, TREASURY } from "./steps.ts";
import { yearnDrive } from "./yearn-steps.ts";

const CHAIN = 31_337;
const CONFIRMATIONS = 2;

/** An entry as it stands, or as a step says that it has to. */
export interface Told {
  action: string;
  actor: Address;
  details: Readonly<Record<string, unknown>>;
}

export class DrivenWorld {
  readonly world: EveryFamily;
  readonly drives: Readonly<Record<CuratedFamily, Drive>>;
  readonly #anvil: Anvil;
  readonly #database: TestDatabase;
  readonly #ingest: RunningIngest;
  readonly #app: FastifyInstance;
  #begins = 0;

  private constructor(
    parts: { anvil: Anvil; database: TestDatabase; ingest: RunningIngest; app: FastifyInstance },
    world: EveryFamily,
    drives: DrivenWorld["drives"],
  ) {
    this.#anvil = parts.anvil;
    this.#database = parts.database;
    this.#ingest = parts.ingest;
    this.#app = parts.app;
    this.world = world;
    this.drives = drives;
  }

  static async open(): Promise<DrivenWorld> {
    const [anvil, database] = await Promise.all([
      startAnvil({ chainId: CHAIN, persistedStates: 10_000 }),
      createTestDatabase(),
    ]);
    const chain = await connectChain(anvil.rpcUrl);
    await ensureMulticall3(chain);
    const asset = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
    const world = await deployEveryFamily(chain, asset);
    const accountant = await deploy(chain, "YearnAccountant", [1_000n]);
    await giveMoney(world);
    await chain.client.setAutomine(false);
    await chain.client.mine({ blocks: CONFIRMATIONS + 1 });
    const { db } = database;
    const ingest = startIngest(db, [
      {
        chainId: CHAIN,
        // New heads are heard rather than asked for: the drive waits for each block.
        rpcUrls: [anvil.rpcUrl, anvil.rpcUrl.replace("http", "ws")],
        confirmations: CONFIRMATIONS,
        sources: CURATED.map((family) => sourceOf(world, family)),
      },
    ]);
    const app = await buildTestApp({
      guard: plainTokenGuard(db),
      features: [
        vaultsFeature({
          publicUrl: "https://vaults.example",
          db,
          clock: systemClock,
          log: silentLogger(),
          notifier: { listen() {} },
          maxAgeMs: 0,
        }),
        authFeature({ issuers: [], embedded: null, codeFlow: NO_CODE_FLOW }),
      ],
    });
    const driven = new DrivenWorld({ anvil, database, ingest, app }, world, {
      morpho_vault_v2: morphoDrive(world),
      metamorpho: curatedDrive(world, "metamorpho"),
      euler_earn: curatedDrive(world, "euler_earn"),
      lagoon: lagoonDrive(world),
      yearn_v3: yearnDrive(world, accountant),
    });
    await driven.caughtUp();
    driven.#begins = await driven.head();
    return driven;
  }

  async close(): Promise<void> {
    await this.#app.close();
    await this.#ingest.stop();
    await this.#database.drop();
    await this.#anvil.stop();
  }

  async head(): Promise<number> {
    return Number(await this.world.chain.client.getBlockNumber({ cacheTime: 0 }));
  }

  /** So many steps of each vault at most. */
  get rounds(): number {
    return Math.max(...Object.values(this.drives).map(({ steps }) => steps.length));
  }

  /** One block with a step of each vault that has one left. @returns its number */
  async play(round: number): Promise<number> {
    const { client } = this.world.chain;
    const steps = CURATED.flatMap((family) => this.drives[family].steps[round] ?? []);
    const seconds = Math.max(...steps.map(({ after }) => after));
    if (seconds > 0) await client.increaseTime({ seconds });
    const hashes = await Promise.all(steps.map((step) => this.#send(step)));
    await client.mine({ blocks: 1 });
    const receipts = await Promise.all(hashes.map((hash) => client.getTransactionReceipt({ hash })));
    for (const [index, { status }] of receipts.entries()) {
      const { contract, call, args } = steps[index]!;
      expect([`${contract}.${call}`, args, status]).toEqual([`${contract}.${call}`, args, "success"]);
    }
    return await this.head();
  }

  /** What a reorganisation then undoes is what came since. */
  remember(): Promise<`0x${string}`> {
    return this.world.chain.client.snapshot();
  }

  async undo(id: `0x${string}`): Promise<void> {
    await this.world.chain.client.revert({ id });
    await this.mine(1);
  }

  async mine(blocks: number): Promise<void> {
    await this.world.chain.client.mine({ blocks });
    await this.caughtUp();
  }

  async caughtUp(): Promise<void> {
    const { number, hash } = await this.world.chain.client.getBlock({ blockTag: "latest" });
    for (const deadline = Date.now() + 240_000; Date.now() < deadline; await sleep(15)) {
      const { rows } = await this.#database.db.pool.query<{ is_there: boolean }>(
        `select head_hash = $1 and confirmed_number >= $2 and not exists (select from sources where next_block is not null)
           as is_there from chains`,
        [hash, Number(number) - CONFIRMATIONS],
      );
      if (rows[0]?.is_there) return;
    }
    throw new Error(`not at block ${number}: ${JSON.stringify(this.#ingest.status())}`);
  }

  /** What stands in the audit log of each vault since the drive began, who stands behind its roles aside; in chain order. */
  async entries(): Promise<Record<CuratedFamily, Told[]>> {
    const { entries } = await readRecorded(this.#database.owner, CHAIN);
    const since = entries.filter(({ block_number }) => block_number > this.#begins);
    const behind: unknown[] = [this.world.safe, this.world.timelock];
    const of = (vault: Address) =>
      since
        .filter(
          ({ vault_address, details }) => vault_address === vault && !behind.includes(details.controller),
        )
        .sort((a, b) => a.block_number - b.block_number || a.log_index - b.log_index)
        .map(({ action_type, actor_wallet, details }) => ({
          action: action_type,
          actor: actor_wallet,
          details,
        }));
    const { vaults } = this.world;
    return Object.fromEntries(CURATED.map((family) => [family, of(vaults[family])])) as Record<
      CuratedFamily,
      Told[]
    >;
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
  async get(url: string, wallet: Address): Promise<any> {
    const response = await this.#app.inject({ method: "GET", url, headers: as(wallet) });
    expect(response.statusCode, response.body).toBe(200);
    return JSON.parse(response.body);
  }

  record(family: CuratedFamily) {
    return this.get(`/api/v1/vaults/${CHAIN}/${this.world.vaults[family]}`, OWNER);
  }

  async #send({ contract, address, call, args, by }: Step): Promise<Hash> {
    const tx = heldBy(this.world, by, { contract, address, functionName: call, args });
    return await this.world.chain.client.sendUnsignedTransaction({ ...tx, gas: 5_000_000n });
  }
}

/** Whoever pays in has enough, and lets every vault take it. */
async function giveMoney({ chain, asset, vaults }: EveryFamily): Promise<void> {
  const token = { contract: "Token", address: asset };
  for (const holder of [DEPOSITOR, KEEPER]) {
    await execute(chain, { ...token, functionName: "mint", args: [holder, 10n ** 12n], from: TREASURY });
    for (const vault of Object.values(vaults))
      await execute(chain, {
        ...token,
        functionName: "approve",
        args: [vault, 2n ** 256n - 1n],
        from: holder,
      });
  }
}
