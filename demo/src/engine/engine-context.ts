/** What every part of the demo's engine works with: the chain, the reporter, and what the engine has under way. */
import type { Address, Hash } from "viem";
import type { Reporter } from "../../../sdk/src/report.ts";
import type { Flow } from "../actors/flows.ts";
import type { Random } from "../actors/market.ts";
import { readTrios, type TrioState } from "../actors/vault-state.ts";
import type { WorkQueue } from "../actors/work-queue.ts";
import type { DemoChain, Transaction } from "../chain.ts";
import { type DeployedTrio, LIVE_TRIOS, type TrioKey } from "../deployment.ts";
import type { DemoDeployment } from "../saved/deployment.ts";
import type { Memory } from "./memory.ts";
import type { Exit, VaultKey } from "./types.ts";

/** A transaction that was sent and has not been seen in a block. */
export interface Outstanding {
  readonly title: string;
  readonly sentAtMs: number;
}

export interface EngineContext {
  readonly chain: DemoChain;
  readonly deployment: DemoDeployment;
  readonly reporter: Reporter;
  readonly random: Random;
  readonly workQueue: WorkQueue;
  readonly memory: Memory;
  readonly outstanding: Map<Hash, Outstanding>;
  /** Redeem requests that are to be fulfilled next, as the queue's keeper last saw them. */
  readonly dueRedeems: Map<TrioKey, readonly Address[]>;
  /** How many wait in all, by vault. */
  readonly queueLengths: Map<TrioKey, number>;
  readonly exits: Map<TrioKey, Exit>;
  /** Told of each fill that was reported. */
  readonly onFill: Set<(fill: Fill) => void>;
}

/** A transaction that filled an intent, and where it stands. */
export interface Fill {
  readonly hash: Hash;
  readonly blockNumber: bigint;
}

/** The vault id under which reports name a vault. */
export function vaultIdOf(deployment: DemoDeployment, key: VaultKey): string {
  const { vault } = key === "async" ? deployment.async : deployment.trios[key];
  return `${deployment.chainId}:${vault}`;
}

export async function readTrio(
  context: EngineContext,
  key: TrioKey,
): Promise<{ trio: DeployedTrio; state: TrioState }> {
  const trio = context.deployment.trios[key];
  const [state] = await readTrios(context.chain, context.deployment.system.aggregator, [trio]);
  if (!state) throw new Error(`no state of ${key} could be read`);
  return { trio, state };
}

/** The live trios with their state, in their order. */
export async function readLiveTrios(
  context: Pick<EngineContext, "chain" | "deployment">,
): Promise<readonly { key: TrioKey; trio: DeployedTrio; state: TrioState }[]> {
  const { trios, system } = context.deployment;
  const states = await readTrios(
    context.chain,
    system.aggregator,
    LIVE_TRIOS.map((key) => trios[key]),
  );
  return LIVE_TRIOS.flatMap((key, index) => {
    const state = states[index];
    return state ? [{ key, trio: trios[key], state }] : [];
  });
}

/** The transactions that a flow would send, in its order. */
export async function gather(
  context: EngineContext,
  work: (flow: Flow) => Promise<unknown>,
): Promise<readonly Transaction[]> {
  const transactions: Transaction[] = [];
  const submit = async (transaction: Transaction) => {
    transactions.push(transaction);
  };
  await work({ random: context.random, submit });
  return transactions;
}
