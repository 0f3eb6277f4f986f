// The laboratory: a real node with contracts and a little history, and a faulty RPC in front of it. Times of blocks are set, not taken
// from the clock, so that the same seed gives the same blocks. Each seed has a node of its own: one that is put back by snapshots
// loses blocks and states when it has reorganised meanwhile.
import type { Address } from "viem";
import { type Anvil, startAnvil } from "../../../demo/src/anvil.ts";
import { connectChain, mine } from "../../../demo/src/chain.ts";
import { deployErc4626Vault } from "../../../demo/src/deploy.ts";
import { Activity } from "../activity.ts";
import { deployEveryFamily, type EveryFamily } from "./every-family.ts";
import { type FaultyNode, startFaultyNode } from "./faulty-node.ts";

export interface Laboratory {
  anvil: Anvil;
  node: FaultyNode;
  activity: Activity;
  /** An ERC-4626 vault that only the configuration names. */
  plain: Address;
  /** A vault of every family that curators run. */
  curated: EveryFamily;
  /** The newest block of the beginning. What lies below must not be reorganised: the contracts are there. */
  base: number;
  close(): Promise<void>;
}

const GENESIS_SECONDS = 1_700_000_000;

export async function openLaboratory(seed: number): Promise<Laboratory> {
  const anvil = await startAnvil({ genesisTimestamp: GENESIS_SECONDS, persistedStates: 100_000 });
  try {
    await setSecondsBetweenBlocks((await connectChain(anvil.rpcUrl)).client, 1);
    const activity = await Activity.start(anvil.rpcUrl, { seed, confirmations: 0 });
    const { chain, asset } = activity;
    await chain.client.setAutomine(true);
    const plain = await deployErc4626Vault(chain, { asset, name: "Plain", symbol: "PLN" });
    const curated = await deployEveryFamily(chain, asset);
    await chain.client.setAutomine(false);
    for (let index = 0; index < 2; index += 1) await mine(chain);
    const node = await startFaultyNode(anvil.rpcUrl);
    return {
      anvil,
      node,
      activity,
      plain,
      curated,
      base: Number(await activity.chain.client.getBlockNumber({ cacheTime: 0 })),
      async close() {
        await node.close();
        await anvil.stop();
      },
    };
  } catch (error) {
    await anvil.stop();
    throw error;
  }
}

/** Of the blocks that are mined from now on; 0 puts them into one second. */
export async function setSecondsBetweenBlocks(
  client: Activity["chain"]["client"],
  seconds: number,
): Promise<void> {
  await client.request({ method: "anvil_setBlockTimestampInterval", params: [seconds] } as never);
}
