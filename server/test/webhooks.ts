// Webhooks whole: the feature's routes under the real guard, its fan-out and its dispatcher over a real database, a receiver, and a clock
// that stands where the test puts it. Nothing runs by itself: `deliver()` hands out what was emitted and sends what is due.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { createVaultAccess } from "../src/auth/vaults.ts";
import { emit } from "../src/events/emit.ts";
import { FanOut } from "../src/events/fan-out.ts";
import type { DomainEvent } from "../src/events/types.ts";
import { webhooksFeature } from "../src/features/webhooks/feature.ts";
import { createEgress, type EgressSettings } from "../src/platform/egress/egress.ts";
import { createIdempotency } from "../src/platform/http/idempotency.ts";
import { type Logger, silentLogger } from "../src/platform/log.ts";
import { openSecretBox, type SecretBox } from "../src/platform/secret-box.ts";
import { buildTestApp } from "./app.ts";
import { as, plainTokenGuard } from "./caller.ts";
import { acceptAll, addBlocks, addChain, addVault, confirm, testAddress } from "./chain-rows.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";
import { emptyOutbox, FakeClock, testDispatcher } from "./delivery.ts";
import { type Receiver, startReceiver, status } from "./receiver.ts";

export const CHAIN = 8453;
export const VAULT = testAddress(0x100);
export const OTHER_VAULT = testAddress(0x200);
/** Manages VAULT and OTHER_VAULT. */
export const MANAGER = testAddress(1);
/** Manages OTHER_VAULT alone. */
export const OTHER_MANAGER = testAddress(2);
/** Sees VAULT. */
export const VIEWER = testAddress(3);
export const STRANGER = testAddress(4);
export const VAULT_ID = `${CHAIN}:${VAULT}`;
export const OTHER_ID = `${CHAIN}:${OTHER_VAULT}`;

/** What an answer's body holds, whatever that is. */
type Json = ReturnType<typeof JSON.parse>;

export interface WebhookWorld {
  database: TestDatabase;
  app: FastifyInstance;
  clock: FakeClock;
  receiver: Receiver;
  box: SecretBox;
  /** Asks the API; `by` null: without a token. */
  ask(
    method: "GET" | "POST" | "PATCH" | "DELETE",
    path: string,
    by?: typeof MANAGER | null,
    options?: { body?: unknown; headers?: Record<string, string>; scope?: "read" },
  ): Promise<{ status: number; body: Json; headers: Record<string, unknown> }>;
  /** Makes an endpoint at the receiver, by MANAGER. */
  create(options?: Record<string, unknown>): Promise<Json>;
  emit(...events: DomainEvent[]): Promise<void>;
  /** Hands out what was emitted and sends what is due at the clock's now; how many sends that were. */
  deliver(): Promise<number>;
  close(): Promise<void>;
}

export async function createWebhookWorld(
  options: { log?: Logger; egress?: Partial<EgressSettings>; timeoutMs?: number } = {},
): Promise<WebhookWorld> {
  const database = await createTestDatabase();
  const { db } = database;
  const dir = await mkdtemp(join(tmpdir(), "vaultops-webhooks-"));
  const log = options.log ?? silentLogger();
  const clock = new FakeClock();
  const box = openSecretBox({ keys: null, file: join(dir, "keys") });
  const egressSettings = { allowedNetworks: ["127.0.0.0/8"], allowHttp: true, ...options.egress };
  const egress = createEgress(egressSettings);
  const feature = webhooksFeature({
    db,
    clock,
    log,
    egress,
    egressSettings,
    box,
    idempotency: createIdempotency({ db, box, clock }),
    vaults: createVaultAccess(db),
    random: () => 0,
    // No answer is too late for a busy machine, but where a test says so.
    timeoutMs: options.timeoutMs ?? 100_000,
  });
  await addPlaces(database);
  const app = await buildTestApp({ features: [feature], guard: plainTokenGuard(db, []), clock, log });
  const receiver = await startReceiver();
  const notifier = { listen() {}, close: async () => {} };
  const fanOut = new FanOut({ db, log, notifier, subscribers: [feature.subscriber] });
  const dispatcher = testDispatcher(db, feature.queue, clock);

  const ask: WebhookWorld["ask"] = async (method, path, by = MANAGER, { body, headers, scope } = {}) => {
    const response = await app.inject({
      method,
      url: path,
      headers: { ...as(by, scope), ...headers },
      ...(body === undefined ? {} : { payload: body as object }),
    });
    return {
      status: response.statusCode,
      body: response.body === "" ? null : response.json(),
      headers: response.headers,
    };
  };
  return {
    database,
    app,
    clock,
    receiver,
    box,
    ask,
    async create(wish = {}) {
      const { status, body } = await ask("POST", "/api/v1/webhooks", MANAGER, {
        body: { url: receiver.url, ...wish },
      });
      if (status !== 201) throw new Error(`no endpoint was made: ${JSON.stringify(body)}`);
      return body;
    },
    emit: (...events) => db.transaction((tx) => emit(tx, events)),
    async deliver() {
      await fanOut.drain();
      return dispatcher.drain();
    },
    async close() {
      await app.close();
      await receiver.close();
      await egress.close();
      await database.drop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Puts the world back to where it was when it was made, endpoints and all that went out to them aside. */
export async function emptyWebhooks({ database, receiver, clock }: WebhookWorld): Promise<void> {
  await emptyOutbox(database.db);
  await database.db.pool.query("delete from webhooks");
  await database.db.pool.query("delete from stored_quotas");
  receiver.received.length = 0;
  receiver.answer = status(204);
  clock.at(0);
}

/** An event of VAULT, unless told of another; its `n` is to be found in `data.block_number`. */
export function paused(n = 1, vaultAddress = VAULT): DomainEvent {
  return {
    type: "vault.paused",
    chainId: CHAIN,
    vaultAddress,
    at: "2026-05-09T10:00:00.000000Z",
    data: {
      account: MANAGER,
      block_number: n,
      block_hash: `0x${"5e".repeat(32)}`,
      tx_hash: `0x${"a7".repeat(32)}`,
      log_index: 0,
    },
  };
}

async function addPlaces({ db }: TestDatabase): Promise<void> {
  await addChain(db, CHAIN, 5);
  await addBlocks(db, CHAIN, 1, 9);
  for (const vault of [VAULT, OTHER_VAULT]) await addVault(db, CHAIN, vault);
  await confirm(db, CHAIN, 5);
  for (const [vault, wallet, role] of [
    [VAULT, MANAGER, "primary_manager"],
    [OTHER_VAULT, MANAGER, "secondary_manager"],
    [OTHER_VAULT, OTHER_MANAGER, "primary_manager"],
  ]) {
    await db.pool.query(
      "insert into vault_roles (chain_id, vault_address, wallet, role, from_block) values ($1, $2, $3, $4, 1)",
      [CHAIN, vault, wallet, role],
    );
  }
  await db.pool.query(
    "insert into members (chain_id, vault_address, wallet, granted_by) values ($1, $2, $3, $4)",
    [CHAIN, VAULT, VIEWER, MANAGER],
  );
  await acceptAll(db);
}
