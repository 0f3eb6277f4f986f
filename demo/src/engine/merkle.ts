/**
 * Hook roots: now and then a merkle tree over what a strategy may do is generated, its root is proposed onchain, and put into
 * force once the time lock has passed. Jobs are named by their root, so that a restart goes on with the one under way.
 */
import { concat, type Hex, keccak256, toHex } from "viem";
import { addressOf } from "../accounts.ts";
import { now, read, type Transaction } from "../chain.ts";
import type { TrioKey } from "../deployment.ts";
import { type Desk, readTrio, vaultIdOf } from "./desk.ts";
import { faultOf } from "./fault.ts";
import type { Outcome, VaultKey } from "./terms.ts";
import { transact } from "./transactions.ts";

const MANAGER = addressOf("primaryManager");
// Of the looks at a vault whose root is in force, so many in a hundred find that what it allows has changed.
const NEW_ROOT_PERCENT = 15;

/** Goes on with a vault's root: into force when it is due, else perhaps a new one is generated and proposed. */
export async function publishHookRoots(desk: Desk, key: VaultKey): Promise<Outcome> {
  const trio = key as TrioKey;
  const [root, effectiveTime] = await view<readonly [Hex, bigint]>(
    desk,
    trio,
    "getProposedStrategyHooksRoot",
  );
  if (effectiveTime === 0n) {
    // The first vault's is made at once, so that a new demo has one under way.
    const isFirst = key === "prime" && !desk.memory.hasMadeRoot;
    if (!isFirst && !desk.random.chance(NEW_ROOT_PERCENT)) return "success";
    desk.memory.hasMadeRoot = true;
    desk.memory.save();
    await propose(desk, trio, await generate(desk, trio));
    return "success";
  }
  tell(desk, trio, "publish", "running", root);
  if (effectiveTime > (await now(desk.chain))) return "success";
  await publish(desk, trio, root, "executeStrategyHooksRootUpdate", []);
  tell(desk, trio, "publish", "success", root);
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

async function generate(desk: Desk, key: TrioKey): Promise<Hex> {
  const { trio, state } = await readTrio(desk, key);
  const version = toHex((await desk.chain.client.getBlock()).number);
  const leaves = state.sourcesInUse.flatMap((source) =>
    ["allocate", "deallocate"].map((hook) =>
      keccak256(keccak256(concat([toHex(hook), source, trio.strategy, version]))),
    ),
  );
  const root = merkleRoot(leaves.length > 0 ? leaves : [keccak256(version)]);
  tell(desk, key, "generate", "running", root);
  tell(desk, key, "generate", "success", root);
  return root;
}

async function propose(desk: Desk, key: TrioKey, root: Hex): Promise<void> {
  await publish(desk, key, root, "proposeStrategyHooksRoot", [root]);
  tell(desk, key, "publish", "running", root);
}

async function publish(
  desk: Desk,
  key: TrioKey,
  root: Hex,
  functionName: string,
  more: readonly unknown[],
): Promise<void> {
  const { system, trios } = desk.deployment;
  const transaction: Transaction = {
    contract: "SuperVaultAggregator",
    address: system.aggregator,
    functionName,
    args: [trios[key].strategy, ...more],
    from: MANAGER,
  };
  try {
    await transact(desk, transaction);
  } catch (error) {
    tell(desk, key, "publish", "failed", root, faultOf(error).message);
    throw error;
  }
}

function tell(
  desk: Desk,
  key: TrioKey,
  kind: "generate" | "publish",
  status: "running" | "success" | "failed",
  root: Hex,
  error?: string,
): void {
  const jobId = `${kind}-${key}-${root.slice(2, 18)}`;
  desk.reporter.report("vaultops.merkle.job", {
    vault: vaultIdOf(desk.deployment, key),
    id: `merkle:${jobId}:${status}`,
    data: { job_id: jobId, kind, status, root, actor_wallet: MANAGER, ...(error !== undefined && { error }) },
  });
}

function view<T>(desk: Desk, key: TrioKey, functionName: string): Promise<T> {
  const { system, trios } = desk.deployment;
  const args = [trios[key].strategy];
  return read<T>(desk.chain, {
    contract: "SuperVaultAggregator",
    address: system.aggregator,
    functionName,
    args,
  });
}
