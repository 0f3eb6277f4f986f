/** Things that are made to happen on demand, on a demo that runs. */
import { encodeFunctionData, type Hash, type Hex, numberToHex } from "viem";
import { accountAddress } from "./accounts.ts";
import { connectChain, type DemoChain, mine, send, setClock } from "./chain.ts";
import { artifactOf } from "./compile.ts";
import type { DemoDeployment } from "./deployment.ts";

/** Names, with what each does. */
export const SCENARIOS = {
  reorg: "the last blocks are replaced: a deposit in them is gone, another stands there instead",
} as const;

export type ScenarioName = keyof typeof SCENARIOS;

export interface ScenarioOptions {
  readonly rpcUrl: string;
  readonly deployment: DemoDeployment;
  readonly signal?: AbortSignal;
}

/** Makes a scenario happen, and resolves once it has. */
export async function runScenario(name: ScenarioName, options: ScenarioOptions): Promise<void> {
  const chain = await connectChain(options.rpcUrl);
  const run = { reorg: () => reorg(chain, options.deployment) }[name];
  await run();
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
 * Replaces the last `depth` blocks by others of the same heights. The old ones end with a deposit into the plain vault,
 * the new ones begin with a deposit of someone else and are one more; whatever else stood in the old ones is gone too.
 */
export async function reorg(chain: DemoChain, deployment: DemoDeployment, depth = 3): Promise<Reorg> {
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
  const { abi } = artifactOf(chain.artifacts, "Erc4626Vault");
  const data = encodeFunctionData({ abi, functionName: "deposit", args: [7_000n * one, other] });
  const replacement = await replacementTransaction(
    chain,
    { from: other, to: vault, data },
    head.number - BigInt(depth),
  );
  await chain.client.request({ method: "anvil_reorg", params: [depth, [[replacement, 0]]] } as never);
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
