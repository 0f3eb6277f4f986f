// HistorySampler: states of vaults in the past, for families whose price per share stands in no event. Sparse (one reading per
// vault and hour at most, at blocks with a fact), and only where the node still has the state: without an archive the past
// simply has no samples.
//
// Guarantee: what is there is taken. A state that is missing costs its own sample alone, and so does one that the node answers with
// another block's state; an error that may pass holds the past up for a while, and is then a gap: the sample is asked for again later.
import { setTimeout as sleep } from "node:timers/promises";
import type { Address, Hash } from "viem";
import type { KnownVault } from "../../chain/directory.ts";
import type { VaultFact } from "../../chain/facts.ts";
import { withManagers } from "../../chain/families/family/access.ts";
import type { Tracked, TrackedOf } from "../../chain/governance.ts";
import type { VaultReading } from "../../chain/reading.ts";
import { isChainFault } from "../../chain/rpc/fault.ts";
import type { ChainContext } from "../block/context.ts";
import type { Gap } from "../block/gaps.ts";
import { type TrackedBook, trackedBy } from "../block/tracked.ts";
import type { World } from "../block/world.ts";

const MIN_INTERVAL_SECONDS = 3_600;
/** Its price stands in events. */
const TOLD_FAMILY = "supervault";
/** Read at once. So many missing in a row, and what is older still is not asked for: a node keeps the newest states. */
const AT_ONCE = 16;
/** Pauses between tries of a sample that failed for a reason that may pass. */
const AGAIN_AFTER_MS = [250, 1_000, 4_000];
const SAMPLES = "samples of the past";

interface Due {
  fact: VaultFact;
  vaults: KnownVault[];
  /** As of the fact's block. */
  tracked: Map<Address, Tracked>;
}

export class HistorySampler {
  readonly #context: ChainContext;
  readonly #world: World;
  /** As of the facts that were sampled: the world is ahead of them. */
  readonly #tracked: TrackedBook;
  /** Unix seconds of the last sample, by vault. */
  readonly #sampledAt = new Map<Address, number>();
  /** What was told already of why samples are missing. */
  readonly #told = new Set<string>();

  constructor(context: ChainContext, world: World) {
    this.#context = context;
    this.#world = world;
    this.#tracked = world.tracked.clone();
  }

  /** Adds readings at the blocks of these facts, by block number, and gaps. @throws ChainFault when the node does not answer */
  async sample(
    facts: readonly VaultFact[],
    { readings, gaps }: { readings: Map<number, Map<Address, VaultReading>>; gaps: Gap[] },
  ): Promise<void> {
    const due = this.#due(facts);
    for (let end = due.length; end > 0; end -= AT_ONCE) {
      const group = due.slice(Math.max(0, end - AT_ONCE), end);
      const found = await Promise.all(group.map((each) => this.#read(each, readings, gaps)));
      if (group.length === AT_ONCE && !found.includes(true)) return;
    }
  }

  #due(facts: readonly VaultFact[]): Due[] {
    const due: Due[] = [];
    for (const fact of facts) {
      const vault = fact.vaultAddress === null ? undefined : this.#world.directory.vault(fact.vaultAddress);
      if (vault === undefined || vault.family === TOLD_FAMILY) continue;
      this.#track(vault, fact, due.at(-1));
      const last = this.#sampledAt.get(vault.address);
      if (last !== undefined && fact.blockTimestamp - last < this.#intervalSeconds()) continue;
      this.#sampledAt.set(vault.address, fact.blockTimestamp);
      const same = due.at(-1);
      const now = this.#tracked.copyOf(vault.address);
      if (same?.fact.blockNumber === fact.blockNumber) {
        same.vaults.push(vault);
        same.tracked.set(vault.address, now);
      } else due.push({ fact, vaults: [vault], tracked: new Map([[vault.address, now]]) });
    }
    return due;
  }

  /** What comes later in a block that is due counts for it too. */
  #track(vault: KnownVault, fact: VaultFact, last: Due | undefined): void {
    const changes = trackedBy(this.#context.families, vault.family, fact);
    if (changes.length === 0) return;
    this.#tracked.apply(vault.address, changes);
    if (last?.fact.blockNumber === fact.blockNumber && last.tracked.has(vault.address))
      last.tracked.set(vault.address, this.#tracked.copyOf(vault.address));
  }

  #intervalSeconds(): number {
    return Math.max(MIN_INTERVAL_SECONDS, this.#context.settings.pps_sample_seconds);
  }

  /** False where the node has not that state. */
  async #read(
    { fact, vaults, tracked }: Due,
    readings: Map<number, Map<Address, VaultReading>>,
    gaps: Gap[],
  ): Promise<boolean> {
    const { patience } = this.#context;
    const { blockNumber: number, blockHash: hash, blockTimestamp: timestamp } = fact;
    for (let tries = 0; ; tries += 1) {
      try {
        const own = await readAsOf(this.#context, vaults, { number, hash, timestamp }, tracked);
        readings.set(number, new Map([...(readings.get(number) ?? []), ...own]));
        patience.end(SAMPLES);
        return true;
      } catch (error) {
        if (isChainFault(error, "state_missing", "other_block")) {
          this.#tell(error.code, error, number);
          return false;
        }
        if (!isChainFault(error, "unread", "refused")) throw error;
        const isOver = patience.isOver(SAMPLES);
        const pauseMs = AGAIN_AFTER_MS[tries];
        if (!isOver && pauseMs !== undefined) {
          await sleep(pauseMs);
          continue;
        }
        // The whole past waits and comes here again, until patience is over.
        if (!isOver) throw error;
        for (const { address } of vaults)
          gaps.push({ blockNumber: number, subject: address, lacks: "sample", reason: error.code });
        this.#tell(error.code, error, number);
        return true;
      }
    }
  }

  #tell(code: string, error: Error, block: number): void {
    this.#context.metrics.unread.inc({ chain_id: this.#context.client.chainId, reason: code });
    if (this.#told.has(code)) return;
    this.#told.add(code);
    const { log } = this.#context;
    if (code === "other_block")
      log.error(
        { err: error, block },
        "the node answers old blocks with another block's state: no samples of the past are taken from it",
      );
    else log.info({ err: error, block }, "the node lacks some past states: samples are left out there");
  }
}

/** Vaults' states at one block of the past. @throws ChainFault when the node does not answer, or has not that state */
export async function readAsOf(
  { client, families }: Pick<ChainContext, "client" | "families">,
  vaults: readonly KnownVault[],
  at: { number: number; hash: Hash; timestamp: number },
  tracked: TrackedOf,
): Promise<Map<Address, VaultReading>> {
  const readings = new Map<Address, VaultReading>();
  for (const [family, own] of Map.groupBy(vaults, (vault) => vault.family)) {
    const { access, read } = families[family];
    const answers = await read(client, own, at, undefined, tracked);
    for (const [index, vault] of own.entries()) {
      const answer = answers[index]!;
      readings.set(vault.address, access ? withManagers(answer, access, vault.configuredPrimary) : answer);
    }
  }
  return readings;
}
