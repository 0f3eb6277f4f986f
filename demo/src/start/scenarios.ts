/** Things that are made to happen on demand, on a demo that runs. */
import { setTimeout as sleep } from "node:timers/promises";
import { encodeFunctionData, type Hash, type Hex, numberToHex } from "viem";
import { accountAddress, addressOf } from "../accounts.ts";
import { readPositions } from "../actors/vault-state.ts";
import type { WorkQueue } from "../actors/work-queue.ts";
import { connectChain, type DemoChain, execute, mine, read, send, setClock } from "../chain.ts";
import { artifactOf } from "../compile.ts";
import type { TrioKey } from "../deployment.ts";
import type { Engine } from "../engine/engine.ts";
import type { Relay } from "../engine/relay.ts";
import type { DemoDeployment } from "../saved/deployment.ts";
import { curatedIncident } from "./curated-incident.ts";

/** Names, with what each does. */
export const SCENARIOS = {
  incident:
    "for over a minute a vault is paused, its price stale, its emergency exit armed, and payouts fail; of the curated vaults a cap is to be raised, a Safe gets a signer, a settlement cannot be paid, a strategy loses, a large holder leaves; then all recovers",
  outage:
    "for 30 s the engine cannot reach the service and some of its services are silent; then it catches up",
  reorg:
    "the last blocks are replaced: a deposit and a fill in them are gone, and another deposit takes their place",
} as const;

export type ScenarioName = keyof typeof SCENARIOS;

export interface ScenarioOptions {
  readonly rpcUrl: string;
  readonly deployment: DemoDeployment;
  readonly signal?: AbortSignal;
  readonly engine: Pick<Engine, "armExit" | "stopExit" | "silence" | "nextFill">;
  readonly relay: Pick<Relay, "cut" | "mend">;
  readonly workQueue: WorkQueue;
  /** How long an incident or an outage lasts, and a fill is waited for; their own time where left out. */
  readonly lastsMs?: number;
  /** How many blocks a reorganisation may replace so that a fill is among them; where left out, few. */
  readonly maxDepth?: number;
}

const INCIDENT_VAULT: TrioKey = "prime";
const INCIDENT_MS = 75_000;
const OUTAGE_MS = 30_000;
// Long enough for those who should run every few seconds to be missed, and for time alone to tell.
const SILENT_MS = 120_000;
// Who does not see a fill within this time goes without; the service needs a moment to see its transaction in a block.
const FILL_WITHIN_MS = 90_000;
const FOLLOWED_WITHIN_MS = 2_500;
const FEW_BLOCKS = 6;
const SILENT_SERVICES = ["fulfill_redeems", "redemption_queue_engine", "tx_manager"];

/** Makes a scenario happen, and resolves once it has. */
export async function runScenario(name: ScenarioName, options: ScenarioOptions): Promise<void> {
  const chain = await connectChain(options.rpcUrl);
  const run = {
    incident: () => incident(chain, options),
    outage: () => outage(options),
    reorg: () => reorgWithFill(chain, options),
  }[name];
  await run();
}

/**
 * Someone asks to redeem; then a manager pauses the vault, which turns its price stale, and arms the emergency exit. The engine
 * goes on trying to pay out and is refused, while it empties the yield sources. What befalls the curated vaults meanwhile is told in
 * `curated-incident.ts`. In the end all of it is taken back.
 */
export async function incident(chain: DemoChain, options: ScenarioOptions): Promise<void> {
  const { deployment, engine, workQueue } = options;
  const trio = deployment.trios[INCIDENT_VAULT];
  const manager = addressOf("secondaryManager");
  const aggregate = (functionName: string) =>
    execute(chain, {
      contract: "SuperVaultAggregator",
      address: deployment.system.aggregator,
      functionName,
      args: [trio.strategy],
      from: manager,
    });
  workQueue.reserved.add(INCIDENT_VAULT).add("curated");
  const ofCurated = await curatedIncident(chain, deployment.curated);
  try {
    await ofCurated.strike();
    // In one turn, so that nobody is paid before the pause.
    await workQueue.run(async () => {
      await askToRedeem(chain, deployment);
      if (!(await isPaused(chain, deployment))) await aggregate("pauseStrategy");
      engine.armExit(INCIDENT_VAULT, "an incident at a yield source is looked into", manager);
    });
    await wait(options.lastsMs ?? INCIDENT_MS, options.signal);
  } finally {
    await workQueue.run(async () => {
      if (await isPaused(chain, deployment)) await aggregate("unpauseStrategy");
    });
    engine.stopExit(INCIDENT_VAULT, manager);
    workQueue.reserved.delete(INCIDENT_VAULT);
    await ofCurated.recover();
    workQueue.reserved.delete("curated");
  }
}

/** Cuts the wire between engine and service for a while; some services of the engine stay silent longer. */
async function outage({ engine, relay, signal, lastsMs }: ScenarioOptions): Promise<void> {
  engine.silence(SILENT_SERVICES, lastsMs ?? SILENT_MS);
  relay.cut();
  try {
    await wait(lastsMs ?? OUTAGE_MS, signal);
  } finally {
    relay.mend();
  }
}

async function askToRedeem(chain: DemoChain, deployment: DemoDeployment): Promise<void> {
  const trio = deployment.trios[INCIDENT_VAULT];
  const able = (await readPositions(chain, trio)).find(
    ({ shares, pendingShares }) => shares > 0n && pendingShares === 0n,
  );
  if (!able || (await isPaused(chain, deployment))) return;
  const { owner } = able;
  await execute(chain, {
    contract: "SuperVault",
    address: trio.vault,
    functionName: "requestRedeem",
    args: [able.shares / 10n, owner, owner],
    from: owner,
  });
}

function isPaused(chain: DemoChain, { system, trios }: DemoDeployment): Promise<boolean> {
  return read<boolean>(chain, {
    contract: "SuperVaultAggregator",
    address: system.aggregator,
    functionName: "isStrategyPaused",
    args: [trios[INCIDENT_VAULT].strategy],
  });
}

async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(ms, undefined, signal ? { signal } : {}).catch(() => undefined);
}

/** Waits for a fill to be in one of the last blocks and seen there by the service, then replaces them. Nobody else acts meanwhile. */
async function reorgWithFill(
  chain: DemoChain,
  { deployment, engine, workQueue, signal, lastsMs = FILL_WITHIN_MS, maxDepth = FEW_BLOCKS }: ScenarioOptions,
): Promise<Reorg> {
  const timeout = AbortSignal.timeout(lastsMs);
  const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
  for (;;) {
    const fill = await engine.nextFill(either);
    const done = await workQueue.run(async () => {
      if (fill) await wait(FOLLOWED_WITHIN_MS, signal);
      // Its intent may have had more to do: then the fill lies too deep by now.
      const head = await chain.client.getBlockNumber({ cacheTime: 0 });
      if (fill && Number(head - fill.blockNumber) + 2 > maxDepth) return null;
      return reorg(chain, deployment, 3, fill?.blockNumber);
    });
    if (done) return done;
  }
}

export interface Reorg {
  /** Of the last block that both branches share. */
  readonly ancestor: bigint;
  readonly depth: number;
  /** A deposit that the old branch held and the new one does not. */
  readonly droppedTx: Hash;
  readonly oldHead: Hash;
  readonly newHead: Hash;
}

/**
 * Replaces the last blocks by others of the same heights: at least so many, and down to a height. The old ones end with a deposit
 * into the plain vault, the new ones begin with a deposit of someone else and are one more; whatever else stood in the old ones is gone too.
 */
export async function reorg(
  chain: DemoChain,
  deployment: DemoDeployment,
  atLeast = 3,
  downTo?: bigint,
): Promise<Reorg> {
  // A block that is mined after the head has been looked at would shift the branch by one.
  const seconds = await chain.client.request({ method: "anvil_getIntervalMining" } as never);
  if (typeof seconds !== "number") return reorgAtRest(chain, deployment, atLeast, downTo);
  await chain.client.setIntervalMining({ interval: 0 });
  try {
    return await reorgAtRest(chain, deployment, atLeast, downTo);
  } finally {
    await chain.client.setIntervalMining({ interval: seconds });
  }
}

async function reorgAtRest(
  chain: DemoChain,
  deployment: DemoDeployment,
  atLeast: number,
  downTo: bigint | undefined,
): Promise<Reorg> {
  const { vault } = deployment.plain;
  const one = 1_000_000n;
  const [from, other] = [accountAddress(10), accountAddress(11)];
  const droppedTx = await send(chain, {
    contract: "Erc4626Vault",
    address: vault,
    functionName: "deposit",
    args: [5_000n * one, from],
    from,
  });
  await mine(chain);
  const head = await chain.client.getBlock();
  const depth = Math.max(atLeast, downTo === undefined ? 0 : Number(head.number - downTo) + 1);
  const { abi } = artifactOf(chain.artifacts, "Erc4626Vault");
  const data = encodeFunctionData({ abi, functionName: "deposit", args: [7_000n * one, other] });
  const replacement = await replacementTransaction(
    chain,
    { from: other, to: vault, data },
    head.number - BigInt(depth),
  );
  await chain.client.request({ method: "anvil_reorg", params: [depth, [[replacement, 0]]] } as never);
  // What still waits was made for accounts as they stood on the old branch; left there, it would block all that they send next.
  await chain.client.request({ method: "anvil_dropAllTransactions" } as never);
  // The node's clock goes back with its blocks; left there, every later block would be late by as much.
  await setClock(chain, Number(head.timestamp) + 1);
  await mine(chain);
  const newBlock = await chain.client.getBlock({ blockNumber: head.number });
  return {
    ancestor: head.number - BigInt(depth),
    depth,
    droppedTx,
    oldHead: head.hash,
    newHead: newBlock.hash,
  };
}

// The nonce is to be right at the block from which the new branch grows, and the fees are not filled in by the node.
async function replacementTransaction(
  chain: DemoChain,
  tx: { from: Hex; to: Hex; data: Hex },
  ancestor: bigint,
): Promise<Record<string, string>> {
  const nonce = await chain.client.getTransactionCount({ address: tx.from, blockNumber: ancestor });
  const gasPrice = (await chain.client.getGasPrice()) * 2n;
  return { ...tx, nonce: numberToHex(nonce), gas: numberToHex(1_000_000), gasPrice: numberToHex(gasPrice) };
}
