// The engine on a real node, its reports taken in by a receiver that holds each to the published schemas.
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Address, Hash } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addressOf, depositors } from "../accounts.ts";
import { createWorkQueue } from "../actors/work-queue.ts";
import { passTime, read } from "../chain.ts";
import type { DeployedTrio } from "../deployment.ts";
import { requestRedeem } from "../operate.ts";
import { incident, runScenario } from "../start/scenarios.ts";
import { type Engine, type EngineOptions, startEngine } from "./engine.ts";
import { openRelay } from "./relay.ts";
import { type SmallChain, startSmallChain, units } from "./test-deployment.ts";
import { type Receiver, startReceiver } from "./test-receiver.ts";

const PACE = 20;

const PATIENCE_MS = 240_000;

let small: SmallChain;
let dir: string;
let receiver: Receiver;
let engine: Engine;
const lines: string[] = [];
const workQueue = createWorkQueue();

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "vaultops-engine-"));
  small = await startSmallChain();
  receiver = await startReceiver();
  engine = await start();
});

afterAll(async () => {
  await engine?.stop();
  await receiver?.close();
  await small?.node.stop();
  await rm(dir, { recursive: true, force: true });
});

describe("the engine", () => {
  it("carries a redeem from the request to the payout, and reports the transactions that did it", async () => {
    const trio = small.deployment.trios.prime;
    const [owner] = depositors() as [Address];
    const shares = units("usdc", 400n);
    await requestRedeem(small.chain, trio, owner, shares);
    const vault = idOf(trio);
    const done = await until(() =>
      receiver
        .of("vaultops.redemption.execution")
        .find((report) => report.vault === vault && report.data.status === "success"),
    );
    expect(done.data).toMatchObject({ controllers_count: 1, total_shares_fulfilled: shares.toString() });
    const payout = await small.chain.client.getTransactionReceipt({ hash: done.data.tx_hash as Hash });
    expect(payout.status).toBe("success");
    const intent = await until(() =>
      receiver
        .of("vaultops.intent.event")
        .find(({ data }) => data.execution_id === done.data.execution_id && data.state === "COMPLETED"),
    );
    const fills = receiver
      .of("vaultops.intent.fill")
      .filter(({ data }) => data.intent_id === intent.data.intent_id);
    expect(fills.at(-1)?.data).toMatchObject({
      tx_hash: done.data.tx_hash,
      token_in: trio.vault,
      token_out: trio.asset,
      amount_in: shares.toString(),
      amount_out: done.data.total_assets_out,
    });
    // Claimed as well: the assets are with the one who asked.
    await until(async () => (await claimable(trio, owner)) === 0n);
  });

  it("takes an intent through its states in order, and never past the end", async () => {
    await until(() =>
      receiver
        .of("vaultops.intent.event")
        .some(({ data }) => data.action === "allocate" && data.state === "COMPLETED"),
    );
    const byIntent = Map.groupBy(receiver.of("vaultops.intent.event"), ({ data }) => data.intent_id);
    for (const events of byIntent.values()) {
      expect(events.map(({ data }) => data.seq)).toEqual(events.map((_, index) => index));
      const states = events.map(({ data }) => data.state);
      if (states.at(-1) === "COMPLETED")
        expect(states).toEqual(["RECEIVED", "ACKED", "STAGED", "PLANNED", "EXECUTING", "COMPLETED"]);
    }
  });

  it("reports every service with its schedule, and runs with their true times", async () => {
    await until(
      () => new Set(receiver.of("vaultops.service.run").map(({ data }) => data.service)).size === 11,
    );
    const states = receiver.of("vaultops.service.state");
    for (const name of [
      "fulfill_deposits",
      "fulfill_redeems",
      "fulfill_claims",
      "fulfill_swaps",
      "redemption_queue_engine",
      "cleanup_processed_redeems",
      "tx_manager",
    ]) {
      expect(states.some(({ data }) => data.service === name && (data.schedule_seconds ?? 0) > 0)).toBe(true);
    }
    const paused = states.filter(({ data }) => data.is_paused);
    expect(paused.map(({ vault }) => vault)).toEqual([idOf(small.deployment.trios.paused)]);
    for (const { data } of receiver.of("vaultops.service.run"))
      expect(Date.parse(data.finished_at)).toBeGreaterThanOrEqual(Date.parse(data.started_at));
  });

  it("pushes the price that it reports", async () => {
    const vault = idOf(small.deployment.trios.drawdown);
    await pastUpdateInterval();
    await until(() => receiver.of("vaultops.pps.report").some((report) => report.vault === vault));
    const [report] = receiver.of("vaultops.pps.report").filter((each) => each.vault === vault);
    expect(BigInt(report?.data.value ?? 0)).toBeGreaterThan(0n);
    await until(() =>
      receiver
        .of("vaultops.service.run")
        .some(
          (run) => run.vault === vault && run.data.service === "update_pps" && run.data.status === "success",
        ),
    );
  });

  it("pushes no price that the aggregator would refuse for its time, however often it runs", async () => {
    const runs = () =>
      receiver.of("vaultops.service.run").filter(({ data }) => data.service === "update_pps");
    const { length } = runs();
    await until(() => runs().length >= length + 40);
    const reasons = runs().flatMap(({ data }) => (data.status === "failed" ? [data.error ?? ""] : []));
    // Now and then it pushes an old price, as real keepers do: that is refused for another reason.
    expect(
      reasons.filter((reason) => /^(UpdateTooFrequent|StaleSignatureAfterUnpause)/.test(reason)),
    ).toEqual([]);
  });

  it("locks the sources of the vault under an emergency exit, and empties them by transactions", async () => {
    const vault = idOf(small.deployment.trios.exiting);
    const shard = await until(() =>
      receiver
        .of("vaultops.shard.state")
        .find((report) => report.vault === vault && report.data.emergency_locks.length > 0),
    );
    expect(shard.data.emergency_locks[0]?.target_address).toBe(
      small.deployment.trios.exiting.yieldSources[0],
    );
    const [arm] = receiver.of("vaultops.action").filter((report) => report.vault === vault);
    expect(arm?.data).toMatchObject({
      action_type: "emergency_exit_arm",
      actor_wallet: addressOf("secondaryManager"),
    });
  });

  it("generates a hook root and proposes that root onchain", async () => {
    const published = await until(() =>
      receiver.of("vaultops.merkle.job").find(({ data }) => data.kind === "publish"),
    );
    expect(published.data.status).toBe("running");
    const [root] = await read<readonly [string, bigint]>(small.chain, {
      contract: "SuperVaultAggregator",
      address: small.deployment.system.aggregator,
      functionName: "getProposedStrategyHooksRoot",
      args: [trioOf(published.vault).strategy],
    });
    expect(published.data.root).toBe(root);
  });

  it("fails the runs and intents of a vault under an incident, and recovers", async () => {
    const vault = idOf(small.deployment.trios.prime);
    const over = new AbortController();
    const lasting = incident(small.chain, {
      rpcUrl: small.node.rpcUrl,
      deployment: small.deployment,
      engine,
      workQueue,
      lastsMs: PATIENCE_MS,
      signal: over.signal,
      relay: { cut: () => {}, mend: () => {} },
    });
    const refused = await until(() =>
      receiver
        .of("vaultops.intent.event")
        .find((report) => report.vault === vault && report.data.error_code === "STRATEGY_PAUSED"),
    );
    await until(() =>
      receiver
        .of("vaultops.service.run")
        .some(({ data }) => data.status === "failed" && data.error?.startsWith("STRATEGY_PAUSED")),
    );
    over.abort();
    await lasting;
    await pastUpdateInterval();
    await until(() =>
      receiver
        .of("vaultops.redemption.execution")
        .some(
          (report) =>
            report.vault === vault && report.data.status === "success" && report.time > refused.time,
        ),
    );
    const actions = receiver.of("vaultops.action").filter((report) => report.vault === vault);
    expect(actions.map(({ data }) => data.action_type).slice(-2)).toEqual([
      "emergency_exit_arm",
      "emergency_exit_stop",
    ]);
  });

  it("loses nothing of what happened while the service could not be reached", async () => {
    const relay = await openRelay(receiver.url);
    const separate = await start({ serviceUrl: relay.url, spoolDir: join(dir, "separate") });
    await until(() => separate.stats().sent > 0);
    const over = new AbortController();
    let isCut = false;
    const cut = () => {
      relay.cut();
      isCut = true;
    };
    const outage = runScenario("outage", {
      rpcUrl: small.node.rpcUrl,
      deployment: small.deployment,
      engine: separate,
      relay: { cut, mend: relay.mend },
      workQueue,
      lastsMs: PATIENCE_MS,
      signal: over.signal,
    });
    await until(() => isCut);
    const { waitingBytes } = separate.stats();
    await until(() => separate.stats().waitingBytes > waitingBytes + 2_000);
    const atLeast = separate.stats();
    over.abort();
    await outage;
    // They go out in order, and none has less than 200 bytes. How much waits at a moment is nothing to go by: more is told all the time.
    await until(() => separate.stats().sent >= atLeast.sent + atLeast.waitingBytes / 200);
    expect(separate.stats()).toMatchObject({ rejected: 0, dropped: 0 });
    await separate.stop();
    await relay.close();
  });

  it("tells what must be told once no more than once over a restart, and keeps what it remembers to its owner", async () => {
    const before = receiver.events.length;
    await engine.stop();
    engine = await start();
    await until(() => receiver.events.length > before + 60);
    const arms = receiver
      .of("vaultops.action")
      .filter(
        ({ vault, data }) =>
          vault === idOf(small.deployment.trios.exiting) && data.action_type === "emergency_exit_arm",
      );
    expect(arms).toHaveLength(1);
    expect(receiver.doubled.map(({ type }) => type)).toContain("vaultops.action");
    const grants = receiver
      .of("vaultops.action")
      .filter(({ data }) => data.action_type === "session_key_grant");
    expect(new Set(grants.map(({ vault }) => vault)).size).toBe(grants.length);
    for (const name of await readdir(dir))
      if (name.endsWith(".json")) expect((await stat(join(dir, name))).mode & 0o077).toBe(0);
  });

  it("reports nothing that a schema refuses, and no transaction that the node does not know", async () => {
    await engine.stop();
    expect(receiver.faults).toEqual([]);
    const hashes = new Set(
      receiver.events.flatMap(({ data }) => {
        const { tx_hash } = data as { tx_hash?: Hash };
        return tx_hash ? [tx_hash] : [];
      }),
    );
    expect(hashes.size).toBeGreaterThan(3);
    for (const hash of hashes) expect(await small.chain.client.getTransactionReceipt({ hash })).toBeTruthy();
    const types = new Set(receiver.events.map(({ type }) => type));
    expect([...types].sort()).toEqual([
      "vaultops.action",
      "vaultops.intent.event",
      "vaultops.intent.fill",
      "vaultops.merkle.job",
      "vaultops.pps.report",
      "vaultops.redemption.execution",
      "vaultops.service.run",
      "vaultops.service.state",
      "vaultops.session_key.readiness",
      "vaultops.shard.state",
    ]);
    // A token that is bound to a chain may not report on every vault at once.
    expect(receiver.events.filter(({ subject }) => subject === undefined)).toEqual([]);
    expect(lines.filter((line) => !line.includes("cannot be reached"))).toEqual([]);
  });
});

function start(more: Partial<EngineOptions> = {}): Promise<Engine> {
  return startEngine({
    rpcUrl: small.node.rpcUrl,
    deployment: small.deployment,
    serviceUrl: receiver.url,
    token: "secret-token",
    spoolDir: join(dir, "spool"),
    log: (line) => lines.push(line),
    workQueue,
    pace: PACE,
    ...more,
  });
}

/** Vaults take one price in 30 s, and the engine runs far faster here. */
function pastUpdateInterval(): Promise<void> {
  return workQueue.run(() => passTime(small.chain, 40));
}

function idOf(trio: DeployedTrio): string {
  return `${small.deployment.chainId}:${trio.vault}`;
}

function trioOf(vault: string | undefined): DeployedTrio {
  const trio = Object.values(small.deployment.trios).find((each) => idOf(each) === vault);
  if (!trio) throw new Error(`no trio is ${vault}`);
  return trio;
}

function claimable(trio: DeployedTrio, owner: Address): Promise<bigint> {
  const call = { contract: "SuperVaultStrategy", address: trio.strategy, args: [owner] };
  return read<bigint>(small.chain, { ...call, functionName: "claimableWithdraw" });
}

async function until<T>(find: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(50)) {
    const found = await find();
    if (found) return found;
  }
  throw new Error("it did not come to hold in time");
}
