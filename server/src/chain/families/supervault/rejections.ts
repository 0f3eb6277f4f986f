// Whose price updates were rejected by the events that name no strategy, and which price at which time was refused.
//
// The aggregator goes through a batch in order and answers each entry with exactly one outcome, so the entries whose outcome names
// nobody are the batch without those that are named. The batch is known from the oracle's own events, which stand before
// it in the same transaction, or, where an oracle emits none, from the calldata in which every strategy's address stands.
// Where the two do not add up the update stays without a vault rather than be laid at the wrong door.
import { getAddress, type Hex } from "viem";
import type { ChainClient } from "../../client/client.ts";
import type { Directory } from "../../directory.ts";
import type { FactBody } from "../../facts.ts";
import type { RawLog } from "../../rpc/raw.ts";
import { decodeLog } from "../family/decode-log.ts";
import type { EventRule } from "../family/event.ts";
import type { Decoded } from "../family/family.ts";
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
/** What is said of an entry before its outcome. */
const REMARKS = topicsOf(aggregatorRules, "StrategyCheckFailed", "InsufficientUpkeep");

/**
 * The rejections among some facts, each with its vault and what was refused, as far as the transactions tell. Where the oracle is followed,
 * the facts decoded together hold the whole story; else the transaction's own logs are asked for.
 */
export async function completeRejections(
  client: ChainClient,
  decoded: readonly Decoded[],
  directory: Directory,
): Promise<Map<Decoded, Decoded>> {
  const complete = new Map<Decoded, Decoded>();
  const wanting = decoded.filter(({ needs }) => needs === "strategy" || needs === "price");
  const byTransaction = Map.groupBy(wanting, ({ log }) => log.txHash);
  if (byTransaction.size === 0) return complete;
  const together = Map.groupBy(decoded, ({ log }) => log.txHash);
  for (const [txHash, group] of byTransaction) {
    const aggregator = group.find(({ log }) => !FAILED.has(log.topics[0] ?? ""))?.log.address ?? null;
    let logs: readonly RawLog[] = together.get(txHash)!.map(({ log }) => log);
    if (!logs.some(({ topics }) => VALIDATED.has(topics[0] ?? "")))
      logs = await client.logsOfTransaction(txHash);
    const refusals = refusalsByEvents(logs, aggregator);
    let owners = new Map([...refusals].map(([index, { strategy }]) => [index, strategy]));
    const nameless = group.filter(
      ({ needs, log }) => needs === "strategy" && NAMELESS.has(log.topics[0] ?? ""),
    );
    if (aggregator !== null && nameless.some(({ log }) => !owners.has(log.logIndex))) {
      const transaction = (await client.transactions([txHash])).get(txHash);
      if (transaction) owners = ownersByCalldata(logs, aggregator, transaction.input, directory);
    }
    for (const each of group) {
      const { logIndex } = each.log;
      const owner = each.needs === "strategy" ? owners.get(logIndex) : undefined;
      const vault = directory.vaultOfStrategy(owner ?? "");
      const refused = refusals.get(logIndex)?.validated;
      complete.set(each, {
        ...each,
        vaultAddress: vault?.address ?? each.vaultAddress,
        needs: null,
        body: refused ? withRefused(each.body, refused) : each.body,
        ...(owner && !vault ? { stranger: getAddress(owner) } : {}),
      });
    }
  }
  return complete;
}

/** What an outcome answers: whose price, and the oracle's announcement of it where that is sure. */
interface Refusal {
  strategy: string;
  validated: RawLog | null;
}

/** By log index, of every log that tells of a refusal; batch by batch as the oracle announced them. `aggregator` null: there is no outcome. */
export function refusalsByEvents(logs: readonly RawLog[], aggregator: Hex | null): Map<number, Refusal> {
  const refusals = new Map<number, Refusal>();
  let batch: RawLog[] = [];
  let outcomes: RawLog[] = [];
  const settle = () => {
    for (const [index, refusal] of refusalsOfBatch(batch, outcomes)) refusals.set(index, refusal);
    batch = [];
    outcomes = [];
  };
  for (const log of logs) {
    const topic = log.topics[0] ?? "";
    if (VALIDATED.has(topic) && log.topics[1]) {
      // An announcement after outcomes begins another batch.
      if (outcomes.length > 0) settle();
      batch.push(log);
    } else if (FAILED.has(topic)) {
      // A batch of one is that one's; a larger one was refused as a whole.
      if (batch.length === 1) {
        refusals.set(log.logIndex, { strategy: addressIn(batch[0]!.topics[1]!), validated: batch[0]! });
      }
      batch = [];
      outcomes = [];
    } else if (log.address === aggregator && isOutcome(topic)) {
      outcomes.push(log);
    }
  }
  settle();
  return refusals;
}

function isOutcome(topic: string): boolean {
  return NAMELESS.has(topic) || NAMED.has(topic) || REMARKS.has(topic);
}

/** A strategy that is in a batch twice is answered in the order of its announcements. */
function refusalsOfBatch(batch: readonly RawLog[], outcomes: readonly RawLog[]): Map<number, Refusal> {
  const owners = match(
    batch.map((log) => addressIn(log.topics[1]!)),
    outcomes,
  );
  const waiting = Map.groupBy(batch, (log) => addressIn(log.topics[1]!));
  const refusals = new Map<number, Refusal>();
  for (const log of outcomes) {
    const topic = log.topics[0] ?? "";
    const strategy = NAMELESS.has(topic)
      ? owners.get(log.logIndex)
      : log.topics[1] && addressIn(log.topics[1]);
    if (strategy === undefined) continue;
    const announced = waiting.get(strategy) ?? [];
    refusals.set(log.logIndex, { strategy, validated: announced[0] ?? null });
    if (!REMARKS.has(topic)) announced.shift();
  }
  return refusals;
}

function withRefused(body: FactBody, validated: RawLog): FactBody {
  if (body.kind !== "pps_update_rejected") return body;
  const said = decodeLog(validated, oracleRules.get(validated.topics[0]!)!, "oracle", null)?.body;
  if (said?.kind !== "other") return body;
  const { pps, timestamp } = said.args;
  if (typeof pps !== "bigint" || typeof timestamp !== "bigint") return body;
  return { ...body, pps, timestamp: body.timestamp ?? timestamp };
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
