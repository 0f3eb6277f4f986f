// Extract: raw logs in, facts out. One way for the head and for the past: vaults that the logs announce, oracles and further contracts that
// they name are made known first (and their own logs fetched, for a vault may be used in the block that deploys it), then every log is decoded in
// chain order, completed, and given its actor.
//
// Nothing is written but the given world, which learns vaults and managers as it goes: when what was extracted could not be
// committed, the world must be thrown away and loaded anew.
import { type Address, zeroAddress } from "viem";
import type { RawLog } from "../../chain/client/client.ts";
import type { KnownVault, Source } from "../../chain/directory.ts";
import type { VaultFact } from "../../chain/facts.ts";
import type { Decoded, Families, FamilyName } from "../../chain/families/family/family.ts";
import { ChainFault, isAboutOneThing } from "../../chain/rpc/fault.ts";
import { actorOf, fetchTransactions, senderOf } from "./actors.ts";
import { discover, type ExtractContext, type FoundVault } from "./discover.ts";
import { type Gap, orGap } from "./gaps.ts";
import { type Sighting, sightingsOf } from "./sightings.ts";
import { contractsNamed, trackedBy, withSubmissions } from "./tracked.ts";
import type { World } from "./world.ts";

export interface ExtractInput {
  /** Logs of the blocks at hand, of all addresses of `sources` that were known when they were fetched. */
  logs: readonly RawLog[];
  sources: ReadonlySet<Source>;
  /** Fetches the logs of further addresses in the same blocks. */
  logsOf(addresses: Address[]): Promise<readonly RawLog[]>;
  /** Unix seconds of a block that has a log. */
  timestampOf(log: RawLog): number;
}

export interface Extracted {
  /** In chain order, each log at most once. */
  facts: VaultFact[];
  found: FoundVault[];
  /** Of what is told of in `facts`; of blocks without their logs the caller knows. */
  gaps: Gap[];
  /** Of vaults that are not followed. */
  sightings: Sighting[];
  /** More addresses are followed than before: what was asked for later blocks lacks theirs. */
  hasNewAddresses: boolean;
}

/** @throws ChainFault when the node fails or contradicts itself */
export async function extract(
  context: ExtractContext,
  world: World,
  input: ExtractInput,
): Promise<Extracted> {
  let logs = ordered(input.logs);
  const gaps: Gap[] = [];
  const sightings: Sighting[] = [];
  const found = await discover(context, world, input, logs, gaps, sightings);
  const further = new Map<string, number>();
  let added: string[] = [
    ...found.flatMap(({ vault }) => addressesOf(vault)),
    ...followOracles(context, world, input.sources, logs),
    ...followContracts(context, world, input, { logs, further }),
  ];
  const hasNewAddresses = added.length > 0;
  // The first logs of a vault may name a contract of it in their turn, as where its deployment names the admin of its proxy.
  while (added.length > 0) {
    const asked = await input.logsOf(added as Address[]);
    const more = asked.filter((log) => log.blockNumber >= (further.get(log.address) ?? 0));
    logs = ordered([...logs, ...more]);
    added = followContracts(context, world, input, { logs: more, further });
  }
  const decoded = await decode(context, world, input, logs, gaps, sightings);
  const transactions = await fetchTransactions(context, decoded, world.directory, gaps);

  const facts: VaultFact[] = [];
  for (let start = 0; start < decoded.length; ) {
    const { blockNumber } = decoded[start]!.log;
    let end = start;
    for (; decoded[end]?.log.blockNumber === blockNumber; end += 1) {
      const fact = factOf(context.client.chainId, world, decoded[end]!, input);
      world.managers.apply(fact);
      facts.push(fact);
    }
    for (; start < end; start += 1) {
      const fact = facts[start]!;
      fact.actorWallet = actorOf(decoded[start]!, transactions, world);
      fact.txFrom = senderOf(decoded[start]!, transactions);
      const vault = fact.vaultAddress && world.directory.vault(fact.vaultAddress);
      if (!vault) continue;
      const changes = trackedBy(context.families, vault.family, fact);
      facts[start] = withSubmissions(fact, world.tracked.submittedBefore(vault.address, changes));
      world.tracked.apply(vault.address, changes, {
        block_number: fact.blockNumber,
        log_index: fact.logIndex,
      });
    }
  }
  return { facts, found, gaps, sightings, hasNewAddresses };
}

/** Makes known the oracles that these logs name; answers those that are new. */
function followOracles(
  context: ExtractContext,
  world: World,
  sources: ReadonlySet<Source>,
  logs: readonly RawLog[],
): Address[] {
  return logs.flatMap((log) => {
    const contract = world.directory.contract(log.address);
    if (contract?.role !== "governor" || !sources.has(contract.source)) return [];
    const family = context.families[contract.source.family];
    const body = family.decode(log, world.directory)?.body;
    const named = body === undefined ? [] : (family.oraclesNamed?.(body) ?? []);
    return named.filter((oracle) => world.directory.addOracle(contract.source, oracle));
  });
}

/**
 * Makes known the further contracts of vaults that these logs name; answers those that are new. `further` learns the blocks from which they are
 * followed.
 */
function followContracts(
  context: ExtractContext,
  world: World,
  input: ExtractInput,
  { logs, further }: { logs: readonly RawLog[]; further: Map<string, number> },
): Address[] {
  const added: Address[] = [];
  for (const log of logs) {
    const contract = world.directory.contract(log.address);
    if (!contract?.vault || !input.sources.has(contract.source)) continue;
    const { family } = contract.vault;
    if (!context.families[family].track) continue;
    const decoded = context.families[family].decode(log, world.directory);
    const vault = decoded?.vaultAddress && world.directory.vault(decoded.vaultAddress);
    if (!vault) continue;
    const fact = factOf(context.client.chainId, world, decoded, input);
    for (const { address, role } of contractsNamed(trackedBy(context.families, family, fact))) {
      const key = address.toLowerCase();
      const isNew = world.directory.addContract(vault, address, role);
      // Named earlier by a vault whose logs came later: what it did from there on is asked for too.
      if (!isNew && log.blockNumber >= (further.get(key) ?? 0)) continue;
      further.set(key, log.blockNumber);
      added.push(address);
    }
  }
  return added;
}

function factOf(chainId: number, world: World, decoded: Decoded, input: ExtractInput): VaultFact {
  const { log } = decoded;
  // What was announced as a vault and is none has no row to refer to.
  const isKnown = world.directory.vaultNamedBy(log.address, decoded.vaultAddress) !== undefined;
  return {
    chainId,
    blockNumber: log.blockNumber,
    blockHash: log.blockHash,
    blockTimestamp: input.timestampOf(log),
    txHash: log.txHash,
    txIndex: log.txIndex,
    logIndex: log.logIndex,
    vaultAddress: isKnown ? decoded.vaultAddress : null,
    actorWallet: decoded.actor ?? zeroAddress,
    txFrom: null,
    body: decoded.body,
  };
}

/** What a factory says of a vault that is not followed. */
function isPassedOver(family: Families[FamilyName], world: World, log: RawLog): boolean {
  if (!family.access || world.listed.size === 0) return false;
  const vault = family.discover(log, world.directory);
  return vault !== null && world.listed.has(vault.source.address) && !world.directory.vault(vault.address);
}

async function decode(
  context: ExtractContext,
  world: World,
  input: ExtractInput,
  logs: readonly RawLog[],
  gaps: Gap[],
  sightings: Sighting[],
): Promise<Decoded[]> {
  const decoded: Decoded[] = [];
  const incomplete = new Set<FamilyName>();
  for (const log of logs) {
    const contract = world.directory.contract(log.address);
    if (!contract || !input.sources.has(contract.source)) continue;
    const family = context.families[contract.source.family];
    if (isPassedOver(family, world, log)) continue;
    const fact = family.decode(log, world.directory);
    if (!fact) {
      context.unknownEvents?.see(log, contract, family);
      continue;
    }
    const list = world.listed.get(contract.source.address);
    if (fact.stranger && list) {
      const place = { source: contract.source.address, strategy: fact.stranger, log };
      // What an announcement says of managers has been looked at when it was found.
      if (fact.needs !== "managers")
        sightings.push(...sightingsOf({ ...place, blockTimestamp: input.timestampOf(log) }, fact.body, list));
      continue;
    }
    if (fact.needs) incomplete.add(contract.source.family);
    decoded.push(fact);
  }
  if (incomplete.size === 0) return decoded;
  // Each family completes its own, in their order; the places of the others stay.
  const familyOf = (each: Decoded) => world.directory.contract(each.log.address)!.source.family;
  for (const name of incomplete) {
    const own = decoded.flatMap((each, index) => (familyOf(each) === name ? [index] : []));
    const complete = (some: readonly Decoded[]) =>
      context.families[name].complete(context.client, some, world.directory);
    const asked = own.map((index) => decoded[index]!);
    const all = await complete(asked).catch(async (error: unknown) => {
      if (!isAboutOneThing(error)) throw error;
      // Which of them it is, and whether it is to be waited for.
      const each: Decoded[] = [];
      for (const one of asked) each.push(await completeOne(context, gaps, one, asked, complete));
      return each;
    });
    for (const [position, index] of own.entries()) {
      const { needs } = asked[position]!;
      decoded[index] = all[position]!;
      // Nothing is waited for: a state that a node has forgotten does not come back to it.
      if (all[position]!.isPartial && needs !== null)
        gaps.push({ ...placeOf(asked[position]!, needs), reason: "state_missing" });
    }
  }
  return decoded.filter(({ log, stranger }) => {
    const source = stranger && world.directory.contract(log.address)?.source;
    return !source || !world.listed.has(source.address);
  });
}

const LACKS = {
  managers: "managers",
  strategy: "rejected_vault",
  price: "rejected_price",
  expiration: "pps_expiration",
  shares: "cancelled_shares",
  state: "governance_state",
} as const satisfies Record<NonNullable<Decoded["needs"]>, Gap["lacks"]>;

function placeOf({ log }: Decoded, needs: keyof typeof LACKS): Omit<Gap, "reason"> {
  return { blockNumber: log.blockNumber, subject: String(log.logIndex), lacks: LACKS[needs] };
}

/** One fact with what its log does not say, in the light of those decoded with it; without, once the node has been waited for. */
async function completeOne(
  context: ExtractContext,
  gaps: Gap[],
  one: Decoded,
  all: readonly Decoded[],
  complete: (some: readonly Decoded[]) => Promise<Decoded[]>,
): Promise<Decoded> {
  if (one.needs === null) return one;
  const place = placeOf(one, one.needs);
  const settled = all.map((each) =>
    each === one || each.log.txHash === one.log.txHash ? each : { ...each, needs: null },
  );
  return await orGap(
    context,
    gaps,
    place,
    async () => (await complete(settled))[all.indexOf(one)]!,
    () => ({ ...one, needs: null }),
  );
}

function addressesOf(vault: KnownVault): Address[] {
  return [vault.address, vault.strategy, vault.escrow, vault.share].filter((address) => address !== null);
}

/**
 * In chain order, a log that was given twice once.
 * @throws ChainFault `inconsistent` when two different blocks or logs claim the same place
 */
function ordered(logs: readonly RawLog[]): readonly RawLog[] {
  // As the client gives them; only what was fetched in several parts must be put together.
  if (isOrdered(logs)) return logs;
  const sorted = [...logs].sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);
  return sorted.filter((log, index) => {
    const before = sorted[index - 1];
    if (before?.blockNumber !== log.blockNumber) return true;
    if (before.blockHash !== log.blockHash) throw contradiction(log, "two blocks at the same height");
    if (before.logIndex !== log.logIndex) return true;
    if (before.address === log.address && before.txHash === log.txHash) return false;
    throw contradiction(log, "two logs in the same place");
  });
}

/** Strictly, and no height has two blocks. */
function isOrdered(logs: readonly RawLog[]): boolean {
  for (let index = 1; index < logs.length; index += 1) {
    const before = logs[index - 1]!;
    const log = logs[index]!;
    if (before.blockNumber > log.blockNumber) return false;
    if (before.blockNumber < log.blockNumber) continue;
    if (before.logIndex >= log.logIndex || before.blockHash !== log.blockHash) return false;
  }
  return true;
}

function contradiction(log: RawLog, what: string): ChainFault {
  return new ChainFault(
    "inconsistent",
    `the node gave ${what} (block ${log.blockNumber}, log ${log.logIndex})`,
  );
}
