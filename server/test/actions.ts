// For tests: a node whose vaults are followed, and actions that are prepared on them, sent, mined and held against what was foretold.
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { sql } from "kysely";
import { type Address, createWalletClient, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { expect } from "vitest";
import { demoAccounts } from "../../demo/src/accounts.ts";
import type { DemoChain } from "../../demo/src/chain.ts";
import type { ChainClient } from "../src/chain/client/client.ts";
import { createFamilies } from "../src/chain/families/registry.ts";
import { loadConfig } from "../src/config/load.ts";
import { actionsFeature } from "../src/features/actions/api/feature.ts";
import { type Change, changesOf } from "../src/features/actions/prepare/outcome.ts";
import { prepare } from "../src/features/actions/prepare/prepare.ts";
import type { PreparedAction } from "../src/features/actions/prepared.ts";
import { recordIn } from "../src/features/vaults/foretold.ts";
import type { SourceSettings } from "../src/ingest/block/settings.ts";
import { systemClock } from "../src/platform/clock.ts";
import { silentLogger } from "../src/platform/log.ts";
import { createForeteller } from "../src/service/foretelling.ts";
import { buildTestApp } from "./app.ts";
import { plainTokenGuard } from "./caller.ts";
import { testClientFor } from "./chain-client.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";
import { untilJoined } from "./followed.ts";
import { type RunningIngest, settingsOf, startIngest } from "./ingest.ts";

const log = silentLogger();

interface Outcome {
  ok: boolean;
  error: unknown;
  changes: { field: string; before: unknown; after: unknown; moves_with_time: boolean }[];
  entries: {
    action_type: string;
    vault_address: string;
    actor_wallet: string | null;
    details: Record<string, unknown>;
  }[];
  alerts: { category: string; severity: string }[];
}

export interface ToldSimulation extends Outcome {
  method: string;
  at_execution: Outcome | null;
}

const CONFIRMATIONS = 1;
const HOUR_MS = 3_600_000;

export class Ground {
  readonly chain: DemoChain;
  readonly database: TestDatabase;
  readonly client: ChainClient;
  readonly families = createFamilies(log);
  readonly #ingest: RunningIngest;
  readonly #foretelling: Parameters<typeof createForeteller>[0];
  readonly #foreteller: ReturnType<typeof createForeteller>;
  foretold = 0;
  came = 0;

  private constructor(
    chain: DemoChain,
    database: TestDatabase,
    client: ChainClient,
    sources: SourceSettings[],
  ) {
    this.chain = chain;
    this.database = database;
    this.client = client;
    const { chainId, rpcUrl } = chain;
    const settings = { chainId, rpcUrls: [rpcUrl], confirmations: CONFIRMATIONS, sources };
    this.#ingest = startIngest(database.db, [settings]);
    const { alerts } = loadConfig({ env: {} });
    this.#foretelling = {
      config: { chains: [settingsOf(settings)] as never, alerts },
      db: database.db,
      clients: new Map([[chainId, client]]),
      clock: systemClock,
      log,
    };
    this.#foreteller = createForeteller(this.#foretelling);
  }

  static async start(chain: DemoChain, sources: SourceSettings[]): Promise<Ground> {
    const client = testClientFor(chain);
    const ground = new Ground(chain, await createTestDatabase(), client, sources);
    await ground.settle();
    return ground;
  }

  async stop(): Promise<void> {
    await this.#ingest.stop();
    await this.client.close();
    await this.database.drop();
  }

  /** Everything that was sent stands in the log. */
  async settle(): Promise<void> {
    await this.chain.client.mine({ blocks: CONFIRMATIONS });
    await this.#atHead();
    await untilJoined(this.database);
  }

  /** The node's newest block is stored, and no other of its number. */
  async #atHead(): Promise<void> {
    const { number, hash } = await this.chain.client.getBlock();
    const head = Number(number);
    await this.#ingest.until(
      `stored ${head}`,
      (status) =>
        status.head === head &&
        status.confirmed === head - CONFIRMATIONS &&
        status.backfill === null &&
        status.error === null,
    );
    const { rows } = await this.database.db.pool.query("select head_hash from chains");
    if (rows[0].head_hash === hash) return;
    await sleep(20);
    await this.#atHead();
  }

  /** The routes, as whoever may ask them; `client` asks another node. */
  async app(client: ChainClient = this.client, nodeMs?: number): Promise<FastifyInstance> {
    const { db } = this.database;
    const { chainId } = this.chain;
    const clients = new Map([[chainId, client]]);
    const feature = actionsFeature({
      db,
      clock: systemClock,
      log,
      families: this.families,
      foreteller: createForeteller({ ...this.#foretelling, clients }),
      clients,
      notifier: { listen: () => {} } as never,
      ...(nodeMs !== undefined && { nodeMs }),
    });
    return await buildTestApp({ features: [feature], guard: plainTokenGuard(db) });
  }

  async prepare(
    vault: Address,
    wallet: Address,
    action: string,
    parameters: Record<string, unknown> = {},
    from: Address | null = null,
  ): Promise<PreparedAction> {
    return await prepare(
      {
        db: this.database.db,
        foreteller: this.#foreteller,
        families: this.families,
        log,
        nowMs: () => Date.now(),
        nodeMs: 60_000,
      },
      {
        chainId: this.chain.chainId,
        vaultAddress: vault,
        wallet,
        account: wallet,
        action,
        parameters,
        from,
        safeNonce: null,
      },
    );
  }

  /** Has its calls signed by the key for which they are, and sends them. A contract has none: the node is told to let it. */
  async send({ from, calls }: Pick<PreparedAction, "from" | "calls">): Promise<void> {
    const { client, rpcUrl } = this.chain;
    const key = demoAccounts().find(({ address }) => address === from)?.privateKey;
    const signer = key && createWalletClient({ account: privateKeyToAccount(key), transport: http(rpcUrl) });
    if (!signer) await client.impersonateAccount({ address: from });
    await client.setBalance({ address: from, value: 10n ** 20n });
    for (const { target, value, data } of calls) {
      const transaction = { to: target, value, data, gas: 5_000_000n, chain: null };
      const hash = signer
        ? await signer.sendTransaction(transaction)
        : await client.sendTransaction({ account: from, ...transaction });
      const { status } = await client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
      expect(status).toBe("success");
    }
    if (!signer) await client.stopImpersonatingAccount({ address: from });
  }

  /** How vaults stand at the node; `client` asks another one. */
  standAt(client: ChainClient = this.client): ReturnType<typeof createForeteller>["stand"] {
    const clients = new Map([[this.chain.chainId, client]]);
    return createForeteller({ ...this.#foretelling, clients }).stand;
  }

  /** Waits for what ingestion finds out beside the blocks. */
  async until(isSo: () => Promise<boolean>): Promise<void> {
    while (!(await isSo())) {
      await this.chain.client.mine({ blocks: 1 });
      await this.settle();
    }
  }

  async record(vault: Address, laterMs = 0): Promise<Record<string, unknown>> {
    const place = { chainId: this.chain.chainId, address: vault };
    const block = await this.chain.client.getBlock();
    const ms = Math.max(Date.now(), Number(block.timestamp) * 1000) + laterMs;
    return (await this.database.db.transaction((tx) => recordIn(tx, place, ms)))!;
  }

  /** The id of what was submitted last and waits. */
  async newestPending(vault: Address): Promise<string | undefined> {
    const pending = (await this.record(vault)).pending_changes as { id: string; submitted_at: string }[];
    return pending.toSorted((a, b) => (a.submitted_at < b.submitted_at ? -1 : 1)).at(-1)?.id;
  }

  async newestSeq(): Promise<number> {
    const { rows } = await sql<{
      seq: number;
    }>`select coalesce(max(seq), 0)::float8 as seq from audit_entries`.execute(this.database.db.kysely);
    return rows[0]!.seq;
  }

  async entriesAfter(seq: number): Promise<Outcome["entries"]> {
    const { rows } = await sql<{ body: string }>`
      select body from audit_entries where seq > ${seq} order by seq`.execute(this.database.db.kysely);
    return rows.map(({ body }) => JSON.parse(body));
  }

  /**
   * Prepares, sends, mines, and holds what came against what was foretold, field by field; where it is to be reorganised, once in a block that
   * is undone before it is confirmed, and then in another. What was prepared.
   */
  async proves(
    vault: Address,
    wallet: Address,
    action: string,
    parameters: Record<string, unknown> = {},
    { from = null, isReorganised = false }: { from?: Address | null; isReorganised?: boolean } = {},
  ): Promise<PreparedAction> {
    const prepared = await this.prepare(vault, wallet, action, parameters, from);
    const simulation = prepared.simulation as unknown as ToldSimulation;
    expect(simulation, `${action}: ${prepared.simulationUnavailableReason}`).toMatchObject({
      method: "eth_simulateV1",
      ok: true,
      error: null,
    });
    const before = await this.record(vault);
    // What the clock alone moves is no change of the action's, unless it was foretold.
    const drifting = new Set(
      changesOf(before, await this.record(vault, HOUR_MS), null).map(({ field }) => field),
    );
    const changed = async () =>
      changesOf(before, await this.record(vault), null).filter(
        ({ field }) => !drifting.has(field) || simulation.changes.some((change) => change.field === field),
      );
    const seq = await this.newestSeq();
    if (isReorganised) {
      const id = await this.chain.client.snapshot();
      await this.send(prepared);
      await this.#atHead();
      expectChanges(simulation, await changed(), action);
      await this.chain.client.revert({ id });
      await this.chain.client.mine({ blocks: 1 });
      await this.#atHead();
      const left = (await changed()).filter(({ field }) => !drifting.has(field));
      const moving = simulation.changes.filter(({ moves_with_time: moves }) => moves);
      const kept = left.filter(({ field }) => !moving.some((change) => change.field === field));
      expect(kept, `${action}: undone, and still there`).toEqual([]);
    }
    await this.send(prepared);
    await this.settle();
    const entries = await this.entriesAfter(seq);
    this.foretold += simulation.entries.length;
    this.came += Math.min(entries.length, simulation.entries.length);
    expect(
      entries.map(({ action_type }) => action_type),
      action,
    ).toEqual(simulation.entries.map(({ action_type }) => action_type));
    for (const [index, told] of simulation.entries.entries())
      expectTold(told, entries[index]!, `${action} entry ${index}`);
    expectChanges(simulation, await changed(), action);
    return prepared;
  }
}

/** All that changed was foretold, and became what was foretold, but for what moves with time; and all that was foretold changed. */
function expectChanges({ changes }: ToldSimulation, came: readonly Change[], action: string): void {
  const told = new Map(changes.map((change) => [change.field, change]));
  for (const { field, after: value } of came) {
    const change = told.get(field);
    const where = `${action}: ${field} became ${JSON.stringify(value)}, of which nothing was foretold`;
    expect(change, where).toBeDefined();
    if (change?.moves_with_time === false)
      expect({ field, after: value }, action).toEqual({ field, after: change.after });
  }
  const changed = new Set(came.map(({ field }) => field));
  const missing = changes.filter((change) => !change.moves_with_time && !changed.has(change.field));
  expect(missing, `${action}: foretold and did not come`).toEqual([]);
}

/** Every member but those that only the mined block knows, which are null. */
export function expectTold(told: unknown, came: unknown, where: string): void {
  if (told === null) return;
  if (typeof told !== "object") {
    expect(came, where).toBe(told);
    return;
  }
  expect(typeof came, where).toBe("object");
  if (Array.isArray(told)) expect((came as unknown[]).length, where).toBe(told.length);
  for (const [name, member] of Object.entries(told))
    expectTold(member, (came as Record<string, unknown>)[name], `${where}.${name}`);
}
