/**
 * Hook roots: now and then a merkle tree over what a strategy may do is generated, its root is proposed onchain, and put into
 * force once the time lock has passed. Jobs are named by their root, so that a restart goes on with the one under way.
 */
import { concat, type Hex, keccak256, toHex } from "viem";
import { addressOf } from "../accounts.ts";
import { now, type Transaction } from "../chain.ts";
import type { TrioKey } from "../deployment.ts";
import { viewOfTrio } from "../operate.ts";
import { type EngineContext, readTrio, vaultIdOf } from "./engine-context.ts";
import { faultOf } from "./fault.ts";
import { transact } from "./transactions.ts";
import type { Outcome, VaultKey } from "./types.ts";

const MANAGER = addressOf("primaryManager");
// Of the looks at a vault whose root is in force, so many in a hundred find that what it allows has changed.
const NEW_ROOT_PERCENT = 15;

/** Goes on with a vault's root: into force when it is due, else perhaps a new one is generated and proposed. */
export async function publishHookRoots(context: EngineContext, key: VaultKey): Promise<Outcome> {
  const trio = key as TrioKey;
  const [root, effectiveTime] = await viewOfTrio<readonly [Hex, bigint]>(
    context,
    trio,
    "getProposedStrategyHooksRoot",
  );
  if (effectiveTime === 0n) {
    // The first vault's is made at once, so that a new demo has one under way.
    const isFirst = key === "prime" && !context.memory.hasMadeRoot;
    if (!isFirst && !context.random.chance(NEW_ROOT_PERCENT)) return "success";
    context.memory.hasMadeRoot = true;
    context.memory.save();
    await propose(context, trio, await generate(context, trio));
    return "success";
  }
  tell(context, trio, "publish", "running", root);
  if (effectiveTime > (await now(context.chain))) return "success";
  await publish(context, trio, root, "executeStrategyHooksRootUpdate", []);
  tell(context, trio, "publish", "success", root);
  return "success";
}

/** The root of a merkle tree over leaves, pairs hashed in order of size (as OpenZeppelin's MerkleProof expects). */
export function merkleRoot(leaves: readonly Hex[]): Hex {
  if (leaves.length === 0) throw new Error("there is nothing to hash");
  let level = [...leaves].sort();
  while (level.length > 1) {
    const next: Hex[] = [];
    for (let i = 0; i < level.length; i += 2) {
      const [a, b] = [level[i] as Hex, level[i + 1]];
      next.push(b === undefined ? a : keccak256(concat(a < b ? [a, b] : [b, a])));
    }
    level = next;
  }
  return level[0] as Hex;
}

async function generate(context: EngineContext, key: TrioKey): Promise<Hex> {
  const { trio, state } = await readTrio(context, key);
  const version = toHex((await context.chain.client.getBlock()).number);
  const leaves = state.sourcesInUse.flatMap((source) =>
    ["allocate", "deallocate"].map((hook) =>
      keccak256(keccak256(concat([toHex(hook), source, trio.strategy, version]))),
    ),
  );
  const root = merkleRoot(leaves.length > 0 ? leaves : [keccak256(version)]);
  tell(context, key, "generate", "running", root);
  tell(context, key, "generate", "success", root);
  return root;
}

async function propose(context: EngineContext, key: TrioKey, root: Hex): Promise<void> {
  await publish(context, key, root, "proposeStrategyHooksRoot", [root]);
  tell(context, key, "publish", "running", root);
}

async function publish(
  context: EngineContext,
  key: TrioKey,
  root: Hex,
  functionName: string,
  more: readonly unknown[],
): Promise<void> {
  const { system, trios } = context.deployment;
  const transaction: Transaction = {
    contract: "SuperVaultAggregator",
    address: system.aggregator,
    functionName,
    args: [trios[key].strategy, ...more],
    from: MANAGER,
  };
  try {
    await transact(context, transaction);
  } catch (error) {
    tell(context, key, "publish", "failed", root, faultOf(error).message);
    throw error;
  }
}

function tell(
  context: EngineContext,
  key: TrioKey,
  kind: "generate" | "publish",
  status: "running" | "success" | "failed",
  root: Hex,
  error?: string,
): void {
  const jobId = `${kind}-${key}-${root.slice(2, 18)}`;
  context.reporter.report("vaultops.merkle.job", {
    vault: vaultIdOf(context.deployment, key),
    id: `merkle:${jobId}:${status}`,
    data: { job_id: jobId, kind, status, root, actor_wallet: MANAGER, ...(error !== undefined && { error }) },
  });
}
