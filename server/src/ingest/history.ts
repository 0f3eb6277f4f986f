// HistorySampler: states of vaults in the past, for families whose price per share stands in no event. Sparse (one reading per
// vault and hour at most, at blocks with a fact), and only where the node still has the state: without an archive the past
// simply has no samples.
import type { Address } from "viem";
import type { KnownVault } from "../chain/directory.ts";
import type { VaultFact } from "../chain/facts.ts";
import { isChainFault } from "../chain/fault.ts";
import type { VaultReading } from "../chain/reading.ts";
import type { ChainContext } from "./context.ts";
import type { World } from "./world.ts";

const MIN_INTERVAL_SECONDS = 3_600;
const SAMPLED_FAMILY = "erc4626";

export class HistorySampler {
  readonly #context: ChainContext;
  readonly #world: World;
  /** Unix seconds of the last sample, by vault. */
  readonly #sampledAt = new Map<Address, number>();
  #hasArchive = true;

  constructor(context: ChainContext, world: World) {
    this.#context = context;
    this.#world = world;
  }

  /** Adds readings at the blocks of these facts, by block number. */
  async sample(
    facts: readonly VaultFact[],
    readings: Map<number, Map<Address, VaultReading>>,
  ): Promise<void> {
    const due: { fact: VaultFact; vaults: KnownVault[] }[] = [];
    for (const fact of facts) {
      const vault = fact.vaultAddress === null ? undefined : this.#world.directory.vault(fact.vaultAddress);
      if (vault?.family !== SAMPLED_FAMILY) continue;
      const last = this.#sampledAt.get(vault.address);
      if (last !== undefined && fact.blockTimestamp - last < this.#intervalSeconds()) continue;
      this.#sampledAt.set(vault.address, fact.blockTimestamp);
      const same = due.at(-1);
      if (same?.fact.blockNumber === fact.blockNumber) same.vaults.push(vault);
      else due.push({ fact, vaults: [vault] });
    }
    await Promise.all(due.map(({ fact, vaults }) => this.#read(fact, vaults, readings)));
  }

  #intervalSeconds(): number {
    return Math.max(MIN_INTERVAL_SECONDS, this.#context.settings.pps_sample_seconds);
  }

  async #read(
    { blockNumber, blockHash }: VaultFact,
    vaults: KnownVault[],
    readings: Map<number, Map<Address, VaultReading>>,
  ): Promise<void> {
    if (!this.#hasArchive) return;
    const { client, families, log } = this.#context;
    try {
      const answers = await families[SAMPLED_FAMILY].read(client, vaults, {
        number: blockNumber,
        hash: blockHash,
      });
      const atBlock = readings.get(blockNumber) ?? new Map<Address, VaultReading>();
      for (const [index, vault] of vaults.entries()) atBlock.set(vault.address, answers[index]!);
      readings.set(blockNumber, atBlock);
    } catch (error) {
      if (!isChainFault(error, "state_missing", "refused")) throw error;
      if (!this.#hasArchive) return;
      this.#hasArchive = false;
      log.info(
        { err: error, block: blockNumber },
        "the node has no state of the past: it is filled in without samples",
      );
    }
  }
}
