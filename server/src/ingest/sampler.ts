// Sampler: which vaults to read at a block of the head, and their states there: those that a fact touched, those that could
// not be read when they should have been, and, a few per block, those not read for longer than the sampling interval.
import type { Address } from "viem";
import type { Block } from "../chain/client.ts";
import type { KnownVault } from "../chain/directory.ts";
import type { VaultFact } from "../chain/facts.ts";
import type { FamilyName } from "../chain/families/family.ts";
import { isChainFault } from "../chain/fault.ts";
import type { VaultReading } from "../chain/reading.ts";
import type { ChainContext } from "./context.ts";
import type { World } from "./world.ts";

/** Nodes without an archive keep the state of the last 128 blocks. */
const MAX_AGE_BLOCKS = 64;
const MAX_SAMPLES = 50;

export class Sampler {
  readonly #context: ChainContext;
  /** The block at which a vault was last read; its timestamp is in Unix seconds. */
  readonly #readAt = new Map<Address, { number: number; timestamp: number }>();
  readonly #owed = new Set<Address>();

  constructor(context: ChainContext) {
    this.#context = context;
  }

  async read(
    world: World,
    block: Block,
    facts: readonly VaultFact[],
    { nodeHead, isNewest }: { nodeHead: number; isNewest: boolean },
  ): Promise<Map<Address, VaultReading>> {
    const touched = new Set<Address>();
    for (const { vaultAddress } of facts) if (vaultAddress !== null) touched.add(vaultAddress);
    if (nodeHead - block.number > MAX_AGE_BLOCKS) {
      for (const vault of touched) this.#owed.add(vault);
      return new Map();
    }
    if (isNewest) {
      for (const vault of this.#owed) touched.add(vault);
      for (const vault of this.#due(world, block.timestamp)) touched.add(vault);
    }
    const vaults = [...touched].flatMap((address) => world.directory.vault(address) ?? []);
    return await this.readAll(vaults, block);
  }

  /** Blocks above one are undone: what was read there is gone, and is read again. */
  undo(ancestor: number): void {
    for (const [address, { number }] of this.#readAt) {
      if (number > ancestor) this.#owed.add(address);
    }
  }

  /** States at that block; a vault whose state the node does not have is owed, and read at a later block. */
  async readAll(vaults: readonly KnownVault[], block: Block): Promise<Map<Address, VaultReading>> {
    const readings = new Map<Address, VaultReading>();
    const { client, families, log } = this.#context;
    for (const [family, group] of Map.groupBy(vaults, (vault) => vault.family) as Map<
      FamilyName,
      KnownVault[]
    >) {
      try {
        const answers = await families[family].read(client, group, {
          number: block.number,
          hash: block.hash,
        });
        for (const [index, { address }] of group.entries()) {
          readings.set(address, answers[index]!);
          this.#readAt.set(address, { number: block.number, timestamp: block.timestamp });
          this.#owed.delete(address);
        }
      } catch (error) {
        if (!isChainFault(error, "state_missing", "refused")) throw error;
        log.warn(
          { err: error, block: block.number, vaults: group.length },
          "vaults could not be read at this block",
        );
        for (const { address } of group) this.#owed.add(address);
      }
    }
    return readings;
  }

  /** Those whose last reading is the oldest, a few per block, so that many vaults do not fall due together. */
  #due(world: World, timestamp: number): Address[] {
    const before = timestamp - this.#context.settings.pps_sample_seconds;
    const due: { address: Address; readAt: number }[] = [];
    for (const { address } of world.directory.vaults()) {
      const readAt = this.#readAt.get(address)?.timestamp ?? 0;
      if (readAt <= before) due.push({ address, readAt });
    }
    return due
      .sort((a, b) => a.readAt - b.readAt)
      .slice(0, MAX_SAMPLES)
      .map(({ address }) => address);
  }
}
