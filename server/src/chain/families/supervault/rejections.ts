// Whose price updates were rejected by the two events that name no strategy.
//
// The aggregator goes through a batch in order and answers each entry with exactly one outcome, so the entries whose outcome names
// nobody are the batch without those that are named. The batch is known from the oracle's own events, which stand before
// it in the same transaction, or, where an oracle emits none, from the calldata in which every strategy's address stands.
// Where the two do not add up the update stays without a vault rather than be laid at the wrong door.
import type { Hash, Hex } from "viem";
import type { ChainClient } from "../../client.ts";
import type { Directory, KnownVault } from "../../directory.ts";
import type { RawLog } from "../../raw.ts";
import type { EventRule } from "../event.ts";
import type { Decoded } from "../family.ts";
import { aggregatorRules } from "./aggregator.ts";
import { oracleRules } from "./periphery.ts";

const VALIDATED = topicsOf(oracleRules, "PPSValidated");
const FAILED = topicsOf(oracleRules, "BatchForwardPPSFailed", "BatchForwardPPSFailedLowLevel");
const NAMELESS = topicsOf(aggregatorRules, "UpdateTooFrequent", "TimestampNotMonotonic");
/** One outcome of one entry each. A price too far off ends in StrategyPPSStale, as does upkeep that does not suffice. */
const NAMED = topicsOf(
  aggregatorRules,
  "PPSUpdated",
  "UnknownStrategy",
  "ProvidedTimestampExceedsBlockTimestamp",
  "PPSUpdateRejectedStrategyPaused",
  "StaleUpdate",
  "StaleSignatureAfterUnpause",
  "StrategyPPSStale",
);

/** The same facts with their vaults, as far as the transactions tell. */
export async function assignStrategies(
  client: ChainClient,
  decoded: readonly Decoded[],
  directory: Directory,
): Promise<Decoded[]> {
  const byTransaction = new Map<Hash, Decoded[]>();
  for (const each of decoded) {
    const group = byTransaction.get(each.log.txHash);
    if (group) group.push(each);
    else byTransaction.set(each.log.txHash, [each]);
  }
  const vaults = new Map<Decoded, KnownVault>();
  for (const [txHash, group] of byTransaction) {
    const logs = await client.logsOfTransaction(txHash);
    const aggregator = group[0]!.log.address;
    let owners = ownersByEvents(logs, aggregator);
    if (owners.size < group.length) {
      const transaction = (await client.transactions([txHash])).get(txHash);
      if (transaction) owners = ownersByCalldata(logs, aggregator, transaction.input, directory);
    }
    for (const each of group) {
      const vault = directory.vaultOfStrategy(owners.get(each.log.logIndex) ?? "");
      if (vault) vaults.set(each, vault);
    }
  }
  return decoded.map((each) => ({ ...each, vaultAddress: vaults.get(each)?.address ?? null, needs: null }));
}

/** Strategy (lowercase) by log index of the nameless outcome, batch by batch as the oracle announced them. */
export function ownersByEvents(logs: readonly RawLog[], aggregator: Hex): Map<number, string> {
  const owners = new Map<number, string>();
  let batch: string[] = [];
  let outcomes: RawLog[] = [];
  const settle = () => {
    for (const [index, owner] of match(batch, outcomes)) owners.set(index, owner);
    batch = [];
    outcomes = [];
  };
  for (const log of logs) {
    const topic = log.topics[0] ?? "";
    if (VALIDATED.has(topic) && log.topics[1]) {
      // An announcement after outcomes begins another batch.
      if (outcomes.length > 0) settle();
      batch.push(addressIn(log.topics[1]));
    } else if (FAILED.has(topic)) {
      batch = [];
      outcomes = [];
    } else if (log.address === aggregator && (NAMELESS.has(topic) || NAMED.has(topic))) {
      outcomes.push(log);
    }
  }
  settle();
  return owners;
}

/** The batch read from the calldata: every known strategy's address, in the order in which they stand there. */
export function ownersByCalldata(
  logs: readonly RawLog[],
  aggregator: Hex,
  input: Hex,
  directory: Directory,
): Map<number, string> {
  const places: { at: number; strategy: string }[] = [];
  for (const { strategy } of directory.vaults()) {
    if (!strategy) continue;
    const word = strategy.toLowerCase().slice(2).padStart(64, "0");
    for (let at = input.indexOf(word); at >= 0; at = input.indexOf(word, at + 1)) {
      places.push({ at, strategy: strategy.toLowerCase() });
    }
  }
  places.sort((a, b) => a.at - b.at);
  const outcomes = logs.filter(
    ({ address, topics }) =>
      address === aggregator && (NAMELESS.has(topics[0] ?? "") || NAMED.has(topics[0] ?? "")),
  );
  return match(
    places.map((place) => place.strategy),
    outcomes,
  );
}

function match(batch: readonly string[], outcomes: readonly RawLog[]): Map<number, string> {
  const nameless = outcomes.filter((log) => NAMELESS.has(log.topics[0] ?? ""));
  const left = [...batch];
  for (const log of outcomes) {
    const topic = log.topics[1];
    if (!NAMED.has(log.topics[0] ?? "") || topic === undefined) continue;
    const at = left.indexOf(addressIn(topic));
    if (at >= 0) left.splice(at, 1);
  }
  const owners = new Map<number, string>();
  const only = new Set(batch).size === 1 ? batch[0] : undefined;
  for (const [index, log] of nameless.entries()) {
    const owner = only ?? (left.length === nameless.length ? left[index] : undefined);
    if (owner) owners.set(log.logIndex, owner);
  }
  return owners;
}

function addressIn(topic: string): string {
  return `0x${topic.slice(26)}`;
}

function topicsOf(rules: ReadonlyMap<string, EventRule>, ...names: string[]): ReadonlySet<string> {
  return new Set([...rules.values()].filter((rule) => names.includes(rule.name)).map((rule) => rule.topic));
}
