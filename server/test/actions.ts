// For tests: a node whose vaults are followed, and actions that are prepared on them, sent, mined and held against what was foretold.

import type { FastifyInstance } from "fastify";
import { sql } from "kysely";
import type { Address } from "viem";
import { expect } from "vitest";
import type { DemoChain } from "../../demo/src/chain.ts";
import type { ChainClient } from "../src/chain/client/client.ts";
import { createFamilies } from "../src/chain/families/registry.ts";
import { loadConfig } from "../src/config/load.ts";
import { actionsFeature } from "../src/features/actions/api/feature.ts";
import { changesOf } from "../src/features/actions/prepare/outcome.ts";
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
    const settings = { chainId, rpcUrls: [rpcUrl], confirmations: 0, sources };
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

  /** Everything up to the node's newest block stands in the log. */
  async settle(): Promise<void> {
    const head = Number(await this.chain.client.getBlockNumber({ cacheTime: 0 }));
    await this.#ingest.until(
      `settled at ${head}`,
      (status) =>
        status.head === head &&
        status.confirmed === head &&
        status.backfill === null &&
        status.error === null,
    );
    await untilJoined(this.database);
  }

  /** The routes, as whoever may ask them; `client` asks another node. */
  async app(client: ChainClient = this.client): Promise<FastifyInstance> {
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

  /** Sends its calls from whom they are for. Where it is a contract, the node is told to let it. */
  async send({ from, calls }: Pick<PreparedAction, "from" | "calls">): Promise<void> {
    const { client } = this.chain;
    await client.impersonateAccount({ address: from });
    await client.setBalance({ address: from, value: 10n ** 20n });
    for (const { target, value, data } of calls) {
      const hash = await client.sendTransaction({
        account: from,
        to: target,
        value,
        data,
        gas: 5_000_000n,
        chain: null,
      });
      const { status } = await client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
      expect(status).toBe("success");
    }
    await client.stopImpersonatingAccount({ address: from });
    await this.settle();
  }

  /** Waits for what ingestion finds out beside the blocks. */
  async until(isSo: () => Promise<boolean>): Promise<void> {
    while (!(await isSo())) {
      await this.chain.client.mine({ blocks: 1 });
      await this.settle();
    }
  }

  async record(vault: Address): Promise<Record<string, unknown>> {
    const place = { chainId: this.chain.chainId, address: vault };
    const block = await this.chain.client.getBlock();
    const ms = Math.max(Date.now(), Number(block.timestamp) * 1000);
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

  /** Prepares, sends, mines, and holds what came against what was foretold, field by field. What was prepared. */
  async proves(
    vault: Address,
    wallet: Address,
    action: string,
    parameters: Record<string, unknown> = {},
    from: Address | null = null,
  ): Promise<PreparedAction> {
    const prepared = await this.prepare(vault, wallet, action, parameters, from);
    const simulation = prepared.simulation as unknown as ToldSimulation;
    expect(simulation, `${action}: ${prepared.simulationUnavailableReason}`).toMatchObject({
      method: "eth_simulateV1",
      ok: true,
      error: null,
    });
    const before = await this.record(vault);
    const seq = await this.newestSeq();
    await this.send(prepared);
    const entries = await this.entriesAfter(seq);
    this.foretold += simulation.entries.length;
    this.came += Math.min(entries.length, simulation.entries.length);
    expect(
      entries.map(({ action_type }) => action_type),
      action,
    ).toEqual(simulation.entries.map(({ action_type }) => action_type));
    for (const [index, told] of simulation.entries.entries())
      expectTold(told, entries[index]!, `${action} entry ${index}`);
    const came = changesOf(before, await this.record(vault), null);
    const told = new Map(simulation.changes.map((change) => [change.field, change]));
    for (const { field, after } of came) {
      const change = told.get(field);
      expect(
        change,
        `${action}: ${field} became ${JSON.stringify(after)}, of which nothing was foretold`,
      ).toBeDefined();
      if (change?.moves_with_time === false)
        expect({ field, after }, action).toEqual({ field, after: change.after });
    }
    const changed = new Set(came.map(({ field }) => field));
    const missing = simulation.changes.filter(
      ({ field, moves_with_time }) => !moves_with_time && !changed.has(field),
    );
    expect(missing, `${action}: foretold and did not come`).toEqual([]);
    return prepared;
  }
}

/** Every member but those that only the mined block knows, which are null. */
function expectTold(told: unknown, came: unknown, where: string): void {
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
