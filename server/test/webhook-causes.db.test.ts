// Every type of webhook event from its cause: a chain, the service as an operator runs it, reports of an engine, time that passes. What
// arrives is verified by the public library over the raw bytes and held against the type's published schema.
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { Value } from "typebox/value";
import type { Address, Hex } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addressOf, demoAccount } from "../../demo/src/accounts.ts";
import { type Anvil, startAnvil } from "../../demo/src/anvil.ts";
import { connectChain, type DemoChain, execute, passTime } from "../../demo/src/chain.ts";
import {
  createTrio,
  deployAggregator,
  deployToken,
  emitRawLog,
  enableRawLogs,
  ensureMulticall3,
  type Trio,
  type VaultSystem,
} from "../../demo/src/deploy.ts";
import { encodeEvent, readEventTable } from "../../demo/src/events.ts";
import { tokenCommand } from "../src/cli/sign-in.ts";
import { EVENT_TYPES, type WebhookEventType } from "../src/events/types.ts";
import { payloadSchema } from "../src/features/webhooks/openapi.ts";
import { type Received, type Receiver, startReceiver } from "./receiver.ts";
import { startWholeService, TO_THIS_MACHINE, type WholeService } from "./whole-service.ts";

const CHAIN = 84_531;
const SOURCE = "/engine/test";
const INGEST_TOKEN = "a-token-of-the-engine-for-this-test-alone";
const [DAY_SECONDS, HOUR_SECONDS] = [86_400, 3_600];
const MANAGER = addressOf("primaryManager");
const HASH: Hex = `0x${"ab".repeat(32)}`;
/** The greatest number there is onchain. */
const MOST = 2n ** 256n - 1n;

let node: Anvil;
let chain: DemoChain;
let system: VaultSystem;
let trio: Trio;
let asset: Address;
let service: WholeService;
let receiver: Receiver;
let token: string;
let secret: string;
let webhookId: string;

beforeAll(async () => {
  receiver = await startReceiver();
  const nowSeconds = Math.floor(Date.now() / 1000);
  node = await startAnvil({ chainId: CHAIN, genesisTimestamp: nowSeconds - 2 * DAY_SECONDS });
  chain = await connectChain(node.rpcUrl);
  await ensureMulticall3(chain);
  system = await deployAggregator(chain);
  asset = await deployToken(chain, { name: "USD Coin", symbol: "USDC", decimals: 6 });
  trio = await createTrio(chain, system, {
    asset,
    name: "Ünïcode \u2028 Vault",
    symbol: "ONE",
    minUpdateIntervalSeconds: 1,
    maxStalenessSeconds: DAY_SECONDS,
  });
  for (const contract of [trio.strategy, trio.vault, system.aggregator]) await enableRawLogs(chain, contract);
  service = await startWholeService({
    chains: [
      {
        chain_id: CHAIN,
        rpc_urls: [node.rpcUrl],
        confirmations: 0,
        sources: [{ family: "supervault", aggregator: system.aggregator }],
      },
    ],
    env: {
      ...TO_THIS_MACHINE,
      VAULTOPS_INGEST__TOKENS: JSON.stringify([
        { source: SOURCE, token_sha256: createHash("sha256").update(INGEST_TOKEN).digest("hex") },
      ]),
    },
  });
  token = await tokenCommand({ baseUrl: service.url, privateKey: demoAccount(0).privateKey });
  const isManager = async () => (await api("GET", "/api/v1/auth/me")).is_manager === true;
  while (!(await isManager())) await sleep(50);
  const made = await api("POST", "/api/v1/webhooks", {
    url: receiver.url,
    event_types: Object.keys(EVENT_TYPES),
  });
  secret = made.secret;
  webhookId = made.id;
  // What the chain did before the service knew of it is history. A fast node may give its next blocks the second of the start.
  await passTime(chain, 2 * DAY_SECONDS + 60);
}, 300_000);

afterAll(async () => {
  await service?.stop();
  await node?.stop();
  await receiver?.close();
});

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
async function api(method: string, path: string, body?: unknown): Promise<any> {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

let batches = 0;

async function reports(...events: { type: string; data: Record<string, unknown> }[]): Promise<void> {
  batches += 1;
  const response = await fetch(`${service.url}/api/v1/ingest/events`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${INGEST_TOKEN}`,
      "content-type": "application/cloudevents-batch+json",
    },
    body: JSON.stringify(
      events.map((event, index) => ({
        specversion: "1.0",
        id: `${batches}-${index}`,
        source: SOURCE,
        subject: `${CHAIN}:${trio.vault}`,
        time: new Date().toISOString(),
        ...event,
      })),
    ),
  });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  const { results } = JSON.parse(text) as { results: { status: string }[] };
  expect(results.map(({ status }) => status)).toEqual(events.map(() => "accepted"));
}

const aggregator = (functionName: string, args: readonly unknown[]) =>
  execute(chain, {
    contract: "SuperVaultAggregator",
    address: system.aggregator,
    functionName,
    args,
    from: MANAGER,
  });

/** The contract that says such an event of a vault says this one, with these arguments. */
async function emitted(name: string, ...args: readonly unknown[]): Promise<void> {
  const event = readEventTable().find(({ signature }) => signature.startsWith(`${name}(`));
  if (event === undefined) throw new Error(`no contract emits ${name}`);
  const from = { SuperVaultStrategy: trio.strategy, SuperVault: trio.vault }[event.section];
  await emitRawLog(chain, from ?? system.aggregator, encodeEvent(event.signature, args));
}

function run(service: string, status: "success" | "failed", n: number, more: object = {}) {
  const at = new Date(Date.now() - 10_000 + n * 10).toISOString();
  const data = { service, run_id: `${service}-${n}`, status, started_at: at, finished_at: at, ...more };
  return { type: "vaultops.service.run", data };
}

const action = (action_type: string) => ({
  type: "vaultops.action",
  data: { action_type, actor_wallet: MANAGER, details: { reason: "drill \u2028 🏦", amount: String(MOST) } },
});

/** What makes each type happen, in this order. `alert.*` come of the pause and its end, if not of something before; a service that is late falls silent. */
const CAUSES: [WebhookEventType, () => Promise<unknown>][] = [
  ["webhook.test", () => api("POST", `/api/v1/webhooks/${webhookId}/test`)],
  ["pps.updated", () => price(DAY_SECONDS - HOUR_SECONDS + 600)],
  ["deposit.fulfilled", deposit],
  ["redemption.fulfilled", () => emitted("RedeemRequestsFulfilled", [MANAGER], MOST, 1_000_000n)],
  ["yield_source.added", () => emitted("YieldSourceAdded", MANAGER, system.oracle)],
  ["yield_source.removed", () => emitted("YieldSourceRemoved", MANAGER)],
  ["merkle.synced", merkle],
  // A pause makes the contract call its price stale, whatever its age.
  ["pps.stale", expire],
  ["vault.paused", () => aggregator("pauseStrategy", [trio.strategy])],
  ["alert.firing", () => fired("emergency_pause")],
  ["alert.dispatch", async () => {}],
  ["vault.unpaused", () => aggregator("unpauseStrategy", [trio.strategy])],
  ["alert.resolved", async () => {}],
  ["emergency_exit.armed", () => reports(action("emergency_exit_arm"))],
  ["emergency_exit.stopped", () => reports(action("emergency_exit_stop"))],
  ["service.degraded", () => reports(...[1, 2, 3, 4, 5].map((n) => run("fulfill_redeems", "failed", n)))],
  ["service.late", () => reports(run("fulfill_deposits", "success", 1000, { schedule_seconds: 6 }))],
  ["service.down", async () => {}],
];

/**
 * A price that has an hour and some seconds left, then time. One that was looked at too late, when less was left already, told nothing: the
 * next has more.
 */
async function expire(): Promise<void> {
  const isTold = () => receiver.received.some((each) => typeOf(each) === "pps.stale");
  for (let seconds = 5; !isTold(); seconds *= 2) {
    await price(DAY_SECONDS - HOUR_SECONDS - seconds);
    for (const askedAt = Date.now(); !isTold() && Date.now() - askedAt < (seconds + 15) * 1000; )
      await sleep(50);
  }
}

async function deposit(): Promise<void> {
  const from = demoAccount(10).address;
  const paid = { contract: "Token", address: asset, from };
  await execute(chain, { ...paid, functionName: "mint", args: [from, 5_000_000n] });
  await execute(chain, { ...paid, functionName: "approve", args: [trio.vault, 5_000_000n] });
  await execute(chain, {
    contract: "Erc4626Vault",
    address: trio.vault,
    functionName: "deposit",
    args: [5_000_000n, from],
    from,
  });
}

/** A price of so many seconds ago by the machine's clock, by which the service judges. */
async function price(ageSeconds: number): Promise<void> {
  const at = BigInt(Math.floor(Date.now() / 1000) - ageSeconds);
  await execute(chain, {
    contract: "PPSOracle",
    address: system.oracle,
    functionName: "updatePPS",
    args: [{ strategies: [trio.strategy], proofsArray: [[]], ppss: [1_034_211n], timestamps: [at] }],
    from: addressOf("ppsKeeper"),
  });
}

/** Other categories fire too: of what governance did before, for one. */
async function fired(category: string): Promise<void> {
  const isOfIt = (each: Received) =>
    typeOf(each) === "alert.firing" && JSON.parse(each.body.toString("utf8")).data.category === category;
  while (!receiver.received.some(isOfIt)) await sleep(50);
}

async function merkle(): Promise<void> {
  await emitted("StrategyHooksRootUpdated", trio.strategy, `0x${"00".repeat(32)}`, HASH);
}

const typeOf = ({ body }: Received): string => JSON.parse(body.toString("utf8")).event_type;

test("all types are caused here", () => {
  expect(CAUSES.map(([type]) => type).sort()).toEqual(Object.keys(EVENT_TYPES).sort());
});

test.each(CAUSES)(
  "%s arrives from its cause, as its schema says, and the public library verifies its bytes",
  async (type, cause) => {
    await cause();
    while (!receiver.received.some((each) => typeOf(each) === type)) await sleep(50);
    const received = receiver.received.find((each) => typeOf(each) === type) as Received;
    const payload = new Webhook(secret).verify(received.body, received.headers as Record<string, string>);
    const errors = [...Value.Errors(payloadSchema(type), payload)];
    expect(errors).toEqual([]);
    expect(payload).toMatchObject({
      event_id: received.headers["webhook-id"],
      event_type: type,
      ...(type !== "webhook.test" && { chain_id: CHAIN, vault_address: trio.vault }),
    });
  },
  300_000,
);

test("the greatest integer and text beyond ASCII arrive whole", () => {
  const data = (type: WebhookEventType) =>
    JSON.parse(receiver.received.find((each) => typeOf(each) === type)?.body.toString("utf8") as string).data;
  expect(data("redemption.fulfilled").processed_shares).toBe(String(MOST));
  expect(data("emergency_exit.armed").details).toEqual({ reason: "drill \u2028 🏦", amount: String(MOST) });
});
