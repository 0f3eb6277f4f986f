// The channels feature over a real database with vaults and managers, its receiver, and the machinery that sends, driven by hand: events
// are handed out and deliveries sent when the test says so, by a clock that stands where the test puts it.
import { randomBytes, randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { Registry } from "prom-client";
import type { Address } from "viem";
import { createGrants } from "../src/auth/grants.ts";
import { linkedCaller } from "../src/auth/linked-caller.ts";
import { Dispatcher } from "../src/delivery/dispatch.ts";
import { deliveryMetrics } from "../src/delivery/metrics.ts";
import type { DeliveryQueue } from "../src/delivery/types.ts";
import { type Alert, EXAMPLE_ALERT } from "../src/events/alert.ts";
import { emit } from "../src/events/emit.ts";
import { FanOut } from "../src/events/fan-out.ts";
import type { DomainEvent } from "../src/events/types.ts";
import { alertsById } from "../src/features/alerts/api/alert-store.ts";
import { answerAlert } from "../src/features/alerts/api/answers.ts";
import { channelsFeature } from "../src/features/channels/feature.ts";
import { type EscalationParts, escalate } from "../src/features/channels/send/escalation.ts";
import { createEgress, type Egress } from "../src/platform/egress/egress.ts";
import { createIdempotency } from "../src/platform/http/idempotency.ts";
import { timestampOfMs } from "../src/platform/http/time.ts";
import { type Logger, silentLogger } from "../src/platform/log.ts";
import { openSecretBox } from "../src/platform/secret-box.ts";
import { buildTestApp } from "./app.ts";
import { as, plainTokenGuard } from "./caller.ts";
import { addBlocks, addChain, addVault, testAddress } from "./chain-rows.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";
import { FakeClock } from "./delivery.ts";
import { type HttpProviderName, type ProviderReceiver, startProviderReceiver } from "./provider-receiver.ts";

export const CHAIN = 8453;
export const [VAULT, OTHER_VAULT] = [0x100, 0x200].map(testAddress) as [Address, Address];
/** Anne manages both vaults, Ben the first, Carl the other; Vera views the first; Nick has no role. Mia may read all. */
export const [ANNE, BEN, CARL, VERA, NICK, MIA] = [1, 2, 3, 4, 5, 6].map(testAddress) as [
  Address,
  Address,
  Address,
  Address,
  Address,
  Address,
];
export const ALL_CATEGORIES = [
  "upkeep",
  "pps_staleness",
  "keeper_run",
  "session_key",
  "emergency_pause",
  "emergency_exit",
  "merkle",
  "execution",
  "price",
  "losses",
  "liquidity",
  "flows",
  "tvl",
  "governance",
  "allocation",
  "system",
];

export interface Answer {
  status: number;
  headers: Record<string, unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
  body: any;
}

export interface ChannelGround {
  /** Opens the channels' secrets in another process. */
  secretKey: string;
  database: TestDatabase;
  app: FastifyInstance;
  receiver: ProviderReceiver;
  clock: FakeClock;
  metrics: Registry;
  ask(method: string, url: string, by: Address | null, options?: AskOptions): Promise<Answer>;
  /** Makes a channel that comes to the receiver, and binds it to the first vault unless told otherwise. Returns its id. */
  channel(
    provider: HttpProviderName,
    options?: { name?: string; by?: Address; vaults?: Address[]; wish?: object },
  ): Promise<string>;
  /** Takes back what tests have made over the API. */
  clear(): Promise<void>;
  /** The audit log, oldest first. */
  entries(): Promise<{ action_type: string; actor_wallet: string; chain_id: number; details: object }[]>;
  emit(...events: DomainEvent[]): Promise<void>;
  /** Hands out all events that wait. */
  handOut(): Promise<void>;
  /** Sends all that is due. */
  send(): Promise<void>;
  /** Both. */
  deliver(): Promise<void>;
  /** Tells the channels that waited for an alert to be taken, and sends. */
  escalate(): Promise<void>;
  close(): Promise<void>;
}

export interface AskOptions {
  body?: unknown;
  scope?: "full" | "read";
  headers?: Record<string, string>;
}

export interface GroundOptions {
  systemChannels?: readonly string[];
  collectSeconds?: number;
  smtp?: { url: string | null; from: string | null };
  /** Mail domains that need no confirmation; those of examples unless told. */
  allowedDomains?: readonly string[];
  log?: Logger;
  /** Default: the loopback is allowed. */
  allowedNetworks?: readonly string[];
  allowHttp?: boolean;
  egress?: Egress;
  /** One of its own unless told; either goes with the ground. */
  database?: TestDatabase;
}

export async function openChannelGround(options: GroundOptions = {}): Promise<ChannelGround> {
  const database = options.database ?? (await createTestDatabase());
  const { db } = database;
  await addChain(db, CHAIN, 5);
  await addBlocks(db, CHAIN, 1, 6);
  for (const vault of [VAULT, OTHER_VAULT]) await addVault(db, CHAIN, vault);
  await db.pool.query(
    `insert into vault_roles (chain_id, vault_address, wallet, role, from_block) values
      ($1, $2, $4, 'primary_manager', 1), ($1, $3, $4, 'primary_manager', 1),
      ($1, $2, $5, 'secondary_manager', 1), ($1, $3, $6, 'secondary_manager', 1)`,
    [CHAIN, VAULT, OTHER_VAULT, ANNE, BEN, CARL],
  );
  await db.pool.query(
    "insert into members (chain_id, vault_address, wallet, granted_by) values ($1, $2, $3, $4)",
    [CHAIN, VAULT, VERA, ANNE],
  );
  const receiver = await startProviderReceiver();
  const clock = new FakeClock();
  const log = options.log ?? silentLogger();
  const egressSettings = {
    allowedNetworks: options.allowedNetworks ?? ["127.0.0.0/8"],
    allowHttp: options.allowHttp ?? true,
  };
  const egress = options.egress ?? createEgress(egressSettings);
  const secretKey = randomBytes(32).toString("base64");
  const box = openSecretBox({ keys: secretKey, file: "" });
  const metrics = new Registry();
  const feature = channelsFeature({
    db,
    clock,
    log,
    box,
    idempotency: createIdempotency({ db, box, clock }),
    egress,
    egressSettings,
    publicUrl: "https://vaults.example",
    smtp: {
      ...(options.smtp ?? { url: null, from: null }),
      allowed_domains: options.allowedDomains ?? ["example.org", "b.example"],
    },
    systemChannels: options.systemChannels ?? [],
    collectSeconds: options.collectSeconds ?? 0,
    chainNames: new Map([[CHAIN, "Base"]]),
    random: () => 0,
    answerAlert: (tx, asked) => answerAlert(tx, "https://vaults.example", asked),
    alertsById: (tx, ids) => alertsById(tx, ids, "https://vaults.example"),
    callerOf: (linked) => linkedCaller(createGrants(db), linked),
  });
  const app = await buildTestApp({ features: [feature], guard: plainTokenGuard(db, [MIA]), clock, log });
  const notifier = { listen() {}, close: async () => {} };
  const fanOut = new FanOut({ db, log, notifier, subscribers: [feature.subscriber] });
  const dispatcher = new Dispatcher(feature.queue as DeliveryQueue, {
    db,
    clock,
    log,
    notifier,
    metrics: deliveryMetrics(metrics),
  });

  const ground: ChannelGround = {
    secretKey,
    database,
    app,
    receiver,
    clock,
    metrics,
    async ask(method, url, by, asked = {}) {
      const response = await app.inject({
        method: method as "GET",
        url,
        headers: { ...as(by, asked.scope), ...asked.headers },
        ...(asked.body === undefined ? {} : { payload: asked.body as object }),
      });
      return {
        status: response.statusCode,
        headers: response.headers,
        body: response.body === "" ? null : response.json(),
      };
    },
    async channel(provider, { name = "main", by = ANNE, vaults = [VAULT], wish = {} } = {}) {
      const body = { provider, name, config: receiver.configOf(provider, name) };
      const made = await ground.ask("POST", CHANNELS, by, { body });
      if (made.status !== 201) throw new Error(JSON.stringify(made.body));
      for (const vault of vaults) {
        const bound = await ground.ask("POST", `${boundTo(vault)}/${made.body.id}`, by, { body: wish });
        if (bound.status !== 201) throw new Error(JSON.stringify(bound.body));
      }
      return made.body.id;
    },
    async clear() {
      for (const table of [
        "channel_alerts",
        "notification_channels",
        "idempotency_keys",
        "mail_addresses",
        "stored_quotas",
      ])
        await db.pool.query(`delete from ${table}`);
      receiver.received.length = 0;
    },
    async entries() {
      const { rows } = await db.pool.query("select body from audit_entries order by seq");
      return rows.map(({ body }) => JSON.parse(body));
    },
    emit: (...events) => db.transaction((tx) => emit(tx, events)),
    handOut: async () => {
      await fanOut.drain();
    },
    send: async () => {
      await dispatcher.drain();
    },
    async deliver() {
      await ground.handOut();
      await ground.send();
    },
    async escalate() {
      const parts = { db, clock, collectMs: 0, chainNames: new Map([[CHAIN, "Base"]]) };
      const read: EscalationParts["alertsById"] = (tx, ids) => alertsById(tx, ids, "https://vaults.example");
      await escalate({ ...parts, alertsById: read });
      await ground.send();
    },
    async close() {
      await app.close();
      await receiver.stop();
      await egress.close();
      await database.drop();
    },
  };
  return ground;
}

export const CHANNELS = "/api/v1/notification-channels";
export const boundTo = (vault: Address) => `/api/v1/vaults/${CHAIN}/${vault}/notification-channels`;

/** An alert of the first vault with an id of its own. */
export function testAlert(changes: Partial<Alert> = {}): Alert {
  const id = changes.id ?? randomUUID();
  return {
    ...EXAMPLE_ALERT,
    id,
    vault_address: VAULT,
    chain_id: CHAIN,
    severity: "critical",
    title: "Vault paused",
    category: "emergency_pause",
    console_url: `https://vaults.example/alerts/${id}`,
    ...changes,
  };
}

/** An event of the alert. */
export function alertEvent(
  type: "alert.firing" | "alert.updated" | "alert.resolved" | "alert.withdrawn",
  alert: Alert,
): DomainEvent {
  const isOver = type === "alert.resolved" || type === "alert.withdrawn";
  const at = timestampOfMs(FakeClock.BEGIN_MS);
  return {
    type,
    chainId: alert.chain_id,
    vaultAddress: alert.vault_address,
    at,
    data: isOver ? { ...alert, status: "resolved", resolved_at: at } : alert,
  };
}
