// A Chainlink feed's past: its rounds, from the AnswerUpdated logs of the contracts behind it. No archive node is needed, since logs stay.
//
// A feed is a proxy in front of one aggregator after another (its phases); a contract that has no phases emits the logs itself.
import { type Address, type Hex, hexToBigInt, toEventSelector } from "viem";
import { MAX_SECONDS } from "../../platform/http/time.ts";
import type { ChainClient } from "../client/client.ts";
import { ViewBatch, view } from "../families/family/view.ts";
import { BOUNDS, isAtBound } from "./chainlink.ts";

/** A round as it was answered: it stood from `updatedAt` (Unix seconds) until the next. */
export interface PastPrice {
  usdE18: bigint;
  updatedAt: number;
}

const ANSWER_UPDATED = toEventSelector(
  "AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt)",
);
const VIEWS = {
  decimals: view<number>("decimals() view returns (uint8)"),
  aggregator: view<Address>("aggregator() view returns (address)"),
  phaseId: view<number>("phaseId() view returns (uint16)"),
  phaseAggregators: view<Address>("phaseAggregators(uint16) view returns (address)"),
};
const MOST_PHASES = 32;

/**
 * Positive answers within the bounds of their aggregator in the blocks `fromBlock..toBlock`, in order. Empty for a contract that is no feed.
 * @throws ChainFault when the node fails
 */
export async function chainlinkHistory(
  client: Pick<ChainClient, "multicall" | "logsInRange">,
  feed: Address,
  range: { fromBlock: number; toBlock: number; signal?: AbortSignal },
): Promise<PastPrice[]> {
  const { decimals, emitters } = await describeFeed(client, feed);
  const isWithin = await bounds(client, emitters);
  if (decimals === null) return [];
  const prices: PastPrice[] = [];
  for await (const { logs } of client.logsInRange({
    ...range,
    addresses: emitters,
    topics: [ANSWER_UPDATED],
  })) {
    for (const { address, topics, data } of logs) {
      const [topic, current] = topics;
      if (topic !== ANSWER_UPDATED || current === undefined) continue;
      const answer = hexToBigInt(current, { signed: true });
      const price = isWithin(address, answer) ? roundOf(answer, data, decimals) : null;
      if (price) prices.push(price);
    }
  }
  return prices;
}

async function describeFeed(
  client: Pick<ChainClient, "multicall">,
  feed: Address,
): Promise<{ decimals: number | null; emitters: Address[] }> {
  const first = new ViewBatch();
  const decimals = first.add(feed, VIEWS.decimals);
  const aggregator = first.add(feed, VIEWS.aggregator);
  const phaseId = first.add(feed, VIEWS.phaseId);
  await first.run(client, "latest");
  const phases = Math.min(phaseId() ?? 0, MOST_PHASES);
  const second = new ViewBatch();
  const earlier = Array.from({ length: phases }, (_, n) => second.add(feed, VIEWS.phaseAggregators, n + 1));
  await second.run(client, "latest");
  const behind = [aggregator(), ...earlier.map((each) => each())].filter((each) => each !== null);
  return { decimals: decimals(), emitters: behind.length > 0 ? [...new Set(behind)] : [feed] };
}

async function bounds(
  client: Pick<ChainClient, "multicall">,
  emitters: readonly Address[],
): Promise<(emitter: string, answer: bigint) => boolean> {
  const batch = new ViewBatch();
  const asked = emitters.map((emitter) => ({
    emitter: emitter.toLowerCase(),
    min: batch.add(emitter, BOUNDS.minAnswer),
    max: batch.add(emitter, BOUNDS.maxAnswer),
  }));
  await batch.run(client, "latest");
  const known = new Map(asked.map(({ emitter, min, max }) => [emitter, { min: min(), max: max() }]));
  return (emitter, answer) =>
    !isAtBound(answer, known.get(emitter.toLowerCase()) ?? { min: null, max: null });
}

/** Dollars that a double can hold by far. What goes beyond, or beyond the times that can be written, is no round. */
const MOST_E18 = 10n ** 60n;

function roundOf(answer: bigint, data: Hex, decimals: number): PastPrice | null {
  if (data.length !== 66) return null;
  const updatedAt = hexToBigInt(data);
  const shift = 18 - decimals;
  const usdE18 = shift >= 0 ? answer * 10n ** BigInt(shift) : answer / 10n ** BigInt(-shift);
  if (usdE18 <= 0n || usdE18 > MOST_E18 || updatedAt === 0n || updatedAt > MAX_SECONDS) return null;
  return { usdE18, updatedAt: Number(updatedAt) };
}
