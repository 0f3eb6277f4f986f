// Dispatch whole, on a node: an account that nobody knows submits a change to a Morpho Vault V2, and a bot gets the call that revokes it, which is
// mined as it came; then the role that may is gone, and it gets the reason.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { type Address, decodeFunctionData, type Hex, parseAbi } from "viem";
import { afterAll, beforeAll, expect, it } from "vitest";
import { addressOf } from "../../demo/src/accounts.ts";
import { execute } from "../../demo/src/chain.ts";
import { deployToken, ensureMulticall3 } from "../../demo/src/deploy.ts";
import {
  callOf,
  createMorphoVault,
  deployMorphoSystem,
  submit,
} from "../../demo/src/families/morpho-vault-v2.ts";
import { createVaultAccess } from "../src/auth/vaults.ts";
import { loadConfig } from "../src/config/load.ts";
import { FanOut } from "../src/events/fan-out.ts";
import { dispatchRound } from "../src/features/alerts/dispatch/task.ts";
import { alertsFeature } from "../src/features/alerts/feature.ts";
import { evaluateArea } from "../src/features/alerts/judge/evaluation.ts";
import { webhooksFeature } from "../src/features/webhooks/feature.ts";
import { areaOfChain } from "../src/monitors/engine/chain-vaults.ts";
import { createEgress } from "../src/platform/egress/egress.ts";
import { createIdempotency } from "../src/platform/http/idempotency.ts";
import { silentLogger } from "../src/platform/log.ts";
import { openSecretBox } from "../src/platform/secret-box.ts";
import { Ground } from "./actions.ts";
import { buildTestApp } from "./app.ts";
import { as, plainTokenGuard } from "./caller.ts";
import { testClientFor } from "./chain-client.ts";
import { testDispatcher } from "./delivery.ts";
import { testDispatchCalls } from "./dispatch-calls.ts";
import { startTestChain, type TestChain } from "./node.ts";
import { startOlderNode } from "./node-proxy.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

const OWNER = addressOf("primaryManager");
const CURATOR = addressOf("otherManager");
const SENTINEL = addressOf("viewer");
const KNOWN = addressOf("stranger");
const log = silentLogger();

interface Dispatched {
  alert: { category: string; severity: string; subject: string };
  calls: {
    action: string;
    from: Address;
    to: Address;
    value: string;
    data: Hex;
    function: string;
    valid_until: string;
  }[];
  unprepared: { action: string; reason: string }[];
}

let chain: TestChain;
let ground: Ground;
let vault: Address;
let app: FastifyInstance;
let receiver: Receiver;
let dir: string;
let deliver: () => Promise<void>;
const clock = { now: () => Date.now() };
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  chain = await startTestChain();
  await ensureMulticall3(chain);
  const asset = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
  const names = { name: "Prime", symbol: "P", owner: OWNER, curator: CURATOR };
  ({ vault } = await createMorphoVault(chain, await deployMorphoSystem(chain), { asset, ...names }));
  await sentinel(true);
  ground = await Ground.start(chain, [
    { family: "morpho_vault_v2", factory: null, vaults: [{ address: vault, start_block: null }] },
  ]);
  const { db } = ground.database;
  receiver = await startReceiver();
  dir = await mkdtemp(join(tmpdir(), "vaultops-dispatch-"));
  const box = openSecretBox({ keys: null, file: join(dir, "keys") });
  const egressSettings = { allowedNetworks: ["127.0.0.0/8"], allowHttp: true };
  const egress = createEgress(egressSettings);
  const vaults = createVaultAccess(db);
  const common = { db, clock, log, vaults };
  const webhooks = webhooksFeature({
    ...common,
    egress,
    egressSettings,
    box,
    idempotency: createIdempotency({ db, box, clock }),
    random: () => 0,
    timeoutMs: 100_000,
  });
  const defaults = loadConfig({ env: {} }).alerts.rules;
  const publicUrl = "https://vaultops.example";
  const chains = [{ chainId: chain.chainId, maxLagSeconds: 1e9, confirmations: 0 }];
  const notifier = { listen() {}, async close() {} };
  const calls = testDispatchCalls(db, ground.standAt());
  const alerts = alertsFeature({
    ...common,
    notifier,
    metrics: undefined as never,
    publicUrl,
    rules: defaults,
    chains,
    calls,
    historyDays: 400,
  });
  app = await buildTestApp({ features: [alerts, webhooks], guard: plainTokenGuard(db) });
  ends.push(
    () => app.close(),
    () => egress.close(),
    () => receiver.close(),
    () => rm(dir, { recursive: true, force: true }),
  );
  const fanOut = new FanOut({ db, log, notifier, subscribers: [webhooks.subscriber] });
  const dispatcher = testDispatcher(db, webhooks.queue, clock);
  deliver = async () => {
    await ground.settle();
    // What was mined at once has times ahead of the clock.
    const nowMs = Math.max(Date.now(), Number((await chain.client.getBlock()).timestamp) * 1000);
    await db.pool.query(
      `insert into heartbeats (subject, last_at) values ($1, to_timestamp($2::float8 / 1000))
       on conflict (subject) do update set last_at = excluded.last_at`,
      [areaOfChain(chain.chainId), nowMs],
    );
    await evaluateArea(
      { db, defaults, chains, publicUrl, holder: "00000000-0000-4000-8000-000000000001", leaseMs: 600_000 },
      { chainId: chain.chainId },
      nowMs,
    );
    await dispatchRound({ db, clock: { now: () => nowMs }, log, calls });
    await fanOut.drain();
    await dispatcher.drain();
  };
  const ask = async (method: "PUT" | "POST", url: string, payload: object) => {
    const answer = await app.inject({ method, url, headers: as(OWNER), payload });
    expect(answer.statusCode, answer.body).toBeLessThan(300);
    return answer.json();
  };
  await ask("POST", "/api/v1/webhooks", {
    url: receiver.url,
    event_types: ["alert.dispatch"],
    vaults: [`${chain.chainId}:${vault}`],
  });
  await ask("PUT", `/api/v1/vaults/${chain.chainId}/${vault}/alert-rules`, {
    rules: { governance: { known_actors: [KNOWN] } },
    dispatch: [{ category: "governance", action: "revoke", from: SENTINEL }],
  });
});
afterAll(async () => {
  for (const end of ends) await end();
  await ground?.stop();
  await chain?.stop();
});

const sentinel = (isOne: boolean) =>
  execute(chain, {
    contract: "MorphoVaultV2",
    address: vault,
    functionName: "setIsSentinel",
    args: [SENTINEL, isOne],
    from: OWNER,
  });

/** The curator submits that somebody becomes an allocator; what the bot got of it. */
async function submitted(account: Address): Promise<Dispatched> {
  const timelocked = { contract: "MorphoVaultV2", address: vault, curator: CURATOR } as const;
  await submit(chain, timelocked, callOf(chain, "MorphoVaultV2", "setIsAllocator", [account, true]));
  receiver.received.length = 0;
  // An alert that is not confirmed yet is dispatched once it is, and confirming follows the head.
  for (let round = 0; round < 20 && receiver.received.length === 0; round += 1) await deliver();
  const bodies = receiver.received.map(({ body }) => JSON.parse(body.toString()));
  expect(bodies.map(({ event_type }) => event_type)).toEqual(["alert.dispatch"]);
  return bodies[0].data;
}

it("hands out the call that revokes what an unknown account submitted, which is mined as it came", async () => {
  const { alert, calls, unprepared } = await submitted(addressOf("secondaryManager"));
  expect(alert).toMatchObject({ category: "governance", severity: "critical" });
  expect(unprepared).toEqual([]);
  expect(calls).toMatchObject([
    { action: "revoke", from: SENTINEL, to: vault, value: "0", function: "revoke" },
  ]);
  const [call] = calls as [Dispatched["calls"][number]];
  const abi = parseAbi(["function revoke(bytes data)"]);
  expect(decodeFunctionData({ abi, data: call.data }).args[0].toLowerCase()).toContain(
    addressOf("secondaryManager").slice(2).toLowerCase(),
  );
  await ground.until(async () => (await ground.newestPending(vault)) === alert.subject);
  await ground.send({
    from: call.from,
    calls: [
      { target: call.to, value: BigInt(call.value), data: call.data, function: "revoke", arguments: {} },
    ],
  });
  // What a busy node did not tell at its block is told by a later one.
  await ground.until(async () => (await ground.newestPending(vault)) === undefined);
});

it("says why there is no call once the role that may is gone", async () => {
  await sentinel(false);
  const { alert, calls, unprepared } = await submitted(addressOf("viewer"));
  expect(alert.severity).toBe("critical");
  expect(calls).toEqual([]);
  expect(unprepared).toEqual([
    { action: "revoke", reason: expect.stringContaining(`${SENTINEL} is not curator or sentinel`) },
  ]);
});

it("asks a node that does not simulate whether the one call succeeds", async () => {
  await sentinel(true);
  await ground.settle();
  const node = await startOlderNode(chain.rpcUrl);
  const client = testClientFor({ chainId: chain.chainId, rpcUrl: node.url });
  const calls = testDispatchCalls(ground.database.db, ground.standAt(client));
  const id = (await ground.newestPending(vault))!;
  const handed = await calls.prepare({
    place: { chainId: chain.chainId, vaultAddress: vault },
    wallet: OWNER,
    setting: { category: "price", action: "revoke", parameters: { id }, from: SENTINEL },
    alert: { subject: "drop", details: {} },
  });
  expect(handed).toMatchObject({
    calls: [{ action: "revoke", simulation: { method: "eth_call", ok: true } }],
  });
  await client.close();
  await node.stop();
});
