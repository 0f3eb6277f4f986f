// Sampler: which vaults to read at a block of the head, and their states there: those that a fact touched (all of a
// family, where a fact concerns them all), those that could not be read when they should have been, and, a few per block, those not read for
// longer than the sampling interval.
//
// Guarantee: what could not be read holds up no block and passes for no state. Such a vault is told as unread, once, and read again
// after a pause that grows for as long as the node does not answer, so that a node which does badly is asked less, not more.
import type { Address } from "viem";
import { together } from "../../chain/client/together.ts";
import type { KnownVault } from "../../chain/directory.ts";
import type { FactBody, VaultFact } from "../../chain/facts.ts";
import { withManagers } from "../../chain/families/family/access.ts";
import type { FamilyName, OpenRequests, RedeemRequest } from "../../chain/families/family/family.ts";
import { NOT_READ, type ReadingField, type VaultReading } from "../../chain/reading.ts";
import { type ChainFault, isChainFault } from "../../chain/rpc/fault.ts";
import type { BlockHeader } from "../../chain/rpc/raw.ts";
import type { ChainContext } from "../block/context.ts";
import type { World } from "../block/world.ts";
import { Implementations } from "./implementations.ts";
import { Pauses } from "./pauses.ts";

/** Nodes without an archive keep the state of the last 128 blocks. */
const MAX_AGE_BLOCKS = 64;
const MAX_SAMPLES = 50;
/** Of all reading, when the node answers none of it. */
const ALL = "all";

export class Sampler {
  readonly #context: ChainContext;
  /** The block at which a vault was last read; its timestamp is in Unix seconds. */
  readonly #readAt = new Map<Address, { number: number; timestamp: number }>();
  readonly #owed = new Set<Address>();
  /** Told as wholly unread, and not read since. */
  readonly #told = new Set<Address>();
  /** Views that failed when their vault was last read, and the first block at which they did. */
  readonly #failing = new Map<Address, Map<string, number>>();
  /** Vaults of which a view failed for the first time: to be asked once more, a block later. */
  readonly #doubted = new Map<Address, number>();
  /** Read or told of since what was read was last stored. */
  readonly #unstored = new Set<Address>();
  readonly #pauses: Pauses;
  readonly #implementations = new Implementations();

  constructor(context: ChainContext) {
    this.#context = context;
    this.#pauses = new Pauses(context.nowMs);
  }

  async read(
    world: World,
    block: BlockHeader,
    facts: readonly VaultFact[],
    { nodeHead, isNewest }: { nodeHead: number; isNewest: boolean },
  ): Promise<Map<Address, VaultReading>> {
    const touched = new Set<Address>();
    for (const { vaultAddress, body } of facts) {
      if (vaultAddress !== null) touched.add(vaultAddress);
      else for (const vault of this.#concerned(world, body)) this.#owed.add(vault);
    }
    if (nodeHead - block.number > MAX_AGE_BLOCKS) {
      for (const vault of touched) this.#owed.add(vault);
      return new Map();
    }
    if (isNewest) {
      for (const vault of this.#ready()) touched.add(vault);
      for (const [vault, number] of this.#doubted) if (number < block.number) touched.add(vault);
      for (const vault of this.#due(world, block.timestamp)) touched.add(vault);
    }
    return await this.readAll(world, vaultsOf(world, touched), block, facts);
  }

  /** Those that could not be read when they should have been, and whose pause is over, at a block that is stored already. */
  async readOwed(world: World, block: BlockHeader): Promise<Map<Address, VaultReading>> {
    return await this.readAll(world, vaultsOf(world, this.#ready()), block);
  }

  /** Whether `readOwed` would ask for anything. */
  get isOwing(): boolean {
    return !this.#pauses.isOn(ALL) && this.#ready().length > 0;
  }

  /** What is stored of them is no longer all that is known: they are read again, and at once, for the node has just answered about them. */
  owe(vaults: readonly Address[]): void {
    this.#pauses.end(ALL);
    for (const vault of vaults) {
      this.#owed.add(vault);
      this.#pauses.end(vault);
    }
  }

  /** What was read so far is stored. */
  stored(): void {
    this.#unstored.clear();
  }

  /** What was read since was not stored, and is read again. */
  lost(): void {
    for (const address of this.#unstored) {
      this.#owed.add(address);
      this.#told.delete(address);
    }
    this.#unstored.clear();
  }

  /** Many vaults at once, so at the newest block alone. */
  #concerned(world: World, body: FactBody): Address[] {
    const { families } = this.#context;
    const names = Object.values(families).filter((family) => family.concernsAll?.(body));
    if (names.length === 0) return [];
    return [...world.directory.vaults()]
      .filter((vault) => names.includes(families[vault.family]))
      .map(({ address }) => address);
  }

  /** Requests of vaults whose settlements may go unannounced: those known from the tables, and those that this block makes. */
  async #openRequests(vaults: readonly KnownVault[], facts: readonly VaultFact[]): Promise<OpenRequests> {
    const { projections, store } = this.#context;
    const asked = vaults
      .filter(({ capabilities }) => capabilities.erc7540_redeem)
      .map(({ address }) => address);
    const open = new Map<Address, readonly RedeemRequest[]>();
    if (asked.length === 0) return open;
    for (const projection of projections) {
      const known = await projection.openRequests?.(store.db, store.chainId, asked);
      for (const [vault, requests] of known ?? []) open.set(vault, requests);
    }
    for (const { vaultAddress, body } of facts) {
      if (body.kind !== "redeem_requested" || vaultAddress === null || !asked.includes(vaultAddress))
        continue;
      const { controller, requestId } = body;
      const own = open.get(vaultAddress) ?? [];
      if (!own.some((each) => each.controller === controller && each.requestId === requestId))
        open.set(vaultAddress, [...own, { controller, requestId }]);
    }
    return open;
  }

  /** Blocks above one are undone: what was read there is gone, and is read again. */
  undo(ancestor: number): void {
    for (const [address, { number }] of this.#readAt) {
      if (number > ancestor) this.#owed.add(address);
    }
    this.#told.clear();
    this.#implementations.undo();
  }

  /** States at that block, which is the world's. A vault that could not be read is owed, and its reading says so where none has. */
  async readAll(
    world: World,
    vaults: readonly KnownVault[],
    block: BlockHeader,
    facts: readonly VaultFact[] = [],
  ): Promise<Map<Address, VaultReading>> {
    const readings = new Map<Address, VaultReading>();
    const groups = Map.groupBy(vaults, (vault) => vault.family) as Map<FamilyName, KnownVault[]>;
    const startedAtMs = performance.now();
    const answers = this.#pauses.isOn(ALL)
      ? null
      : await together(
          this.#context.client,
          [...groups].map(
            ([family, group]) =>
              (client) =>
                this.#ask({ ...this.#context, client }, world, family, group, block, facts),
          ),
        );
    const faults = (answers ?? []).flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
    for (const fault of faults) if (!isChainFault(fault) || fault.code === "wrong_chain") throw fault;
    for (const [nth, group] of [...groups.values()].entries()) {
      const told = answers?.[nth];
      for (const [index, vault] of group.entries()) {
        this.#unstored.add(vault.address);
        if (told?.status === "fulfilled")
          readings.set(vault.address, this.#taken(vault.address, told.value[index]!, block));
        else this.#missed(vault.address, readings);
      }
    }
    if (faults.length > 0)
      this.#pause(faults[0], block, { vaults: vaults.length, tookMs: performance.now() - startedAtMs });
    else if (answers && vaults.length > 0) this.#pauses.end(ALL);
    return readings;
  }

  /** Of a node that answers none of it. */
  #pause(
    error: ChainFault,
    block: BlockHeader,
    { vaults, tookMs }: { vaults: number; tookMs: number },
  ): void {
    const { client, log, metrics } = this.#context;
    const pauseMs = this.#pauses.begin(ALL, { tookMs });
    metrics.unread.inc({ chain_id: client.chainId, reason: error.code });
    log.warn(
      { err: error, block: block.number, vaults, again_in_ms: Math.round(pauseMs) },
      "vaults could not be read at this block; their last state is kept",
    );
  }

  /** @throws ChainFault where the node answers none of it */
  async #ask(
    context: ChainContext,
    world: World,
    family: FamilyName,
    group: readonly KnownVault[],
    block: BlockHeader,
    facts: readonly VaultFact[],
  ): Promise<VaultReading[]> {
    const { client, families } = context;
    const { number, hash, timestamp } = block;
    // An aggregator's vaults announce every settlement.
    const requests = family === "supervault" ? undefined : await this.#openRequests(group, facts);
    const at = { number, hash, timestamp };
    const { access, read } = families[family];
    const answers = await read(client, group, at, requests, world.tracked.all);
    const readings =
      access === undefined
        ? answers
        : answers.map((each, index) => withManagers(each, access, group[index]!.configuredPrimary));
    const implementations = await this.#implementations.read(context, group, block, facts);
    return readings.map((reading, index) =>
      withImplementation(reading, implementations.get(group[index]!.address)),
    );
  }

  #taken(address: Address, reading: VaultReading, { number, timestamp }: BlockHeader): VaultReading {
    this.#readAt.set(address, { number, timestamp });
    this.#told.delete(address);
    if (reading.unread.some((field) => field !== "implementation")) {
      this.#pauses.begin(address);
      this.#owed.add(address);
    } else {
      this.#pauses.end(address);
      this.#owed.delete(address);
    }
    const doubted = this.#doubts(address, reading, number);
    if (doubted.length > 0) this.#doubted.set(address, number);
    else this.#doubted.delete(address);
    return { ...reading, doubted };
  }

  /** The fields of which a view failed that had not at an earlier block. */
  #doubts(address: Address, { failed }: VaultReading, number: number): ReadingField[] {
    const before = this.#failing.get(address);
    const now = new Map<string, number>();
    const doubted: ReadingField[] = [];
    for (const [field, views] of Object.entries(failed) as [ReadingField, readonly string[]][]) {
      for (const view of views) now.set(view, before?.get(view) ?? number);
      if (views.some((view) => now.get(view) === number)) doubted.push(field);
    }
    if (now.size > 0) this.#failing.set(address, now);
    else this.#failing.delete(address);
    return doubted;
  }

  #missed(address: Address, readings: Map<Address, VaultReading>): void {
    this.#owed.add(address);
    if (this.#told.has(address)) return;
    this.#told.add(address);
    readings.set(address, NOT_READ);
  }

  #ready(): Address[] {
    return [...this.#owed].filter((address) => !this.#pauses.isOn(address));
  }

  /** Those whose last reading is the oldest, a few per block, so that many vaults do not fall due together. */
  #due(world: World, timestamp: number): Address[] {
    const before = timestamp - this.#context.settings.pps_sample_seconds;
    const due: { address: Address; readAt: number }[] = [];
    for (const { address } of world.directory.vaults()) {
      const readAt = this.#readAt.get(address)?.timestamp ?? 0;
      if (readAt <= before && !this.#owed.has(address)) due.push({ address, readAt });
    }
    return due
      .sort((a, b) => a.readAt - b.readAt)
      .slice(0, MAX_SAMPLES)
      .map(({ address }) => address);
  }
}

/** One that the node does not tell is asked for with the next reading, and hurries none. */
function withImplementation(reading: VaultReading, implementation: Address | null | undefined): VaultReading {
  return implementation === undefined
    ? { ...reading, unread: [...reading.unread, "implementation"] }
    : { ...reading, implementation };
}

function vaultsOf(world: World, addresses: Iterable<Address>): KnownVault[] {
  return [...addresses].flatMap((address) => world.directory.vault(address) ?? []);
}
