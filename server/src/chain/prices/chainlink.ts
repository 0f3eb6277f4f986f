// Prices from Chainlink feeds (AggregatorV3Interface). A round counts when its answer is positive and it is no older than allowed:
// a feed that has gone quiet answers with its last round for ever. An answer at the bound of what the aggregator behind the feed may
// say (minAnswer, maxAnswer of OffchainAggregator) is no price either: the market's may lie anywhere beyond it.
import type { Address } from "viem";
import type { Clock } from "../../platform/clock.ts";
import type { ChainClient } from "../client/client.ts";
import { ViewBatch, view } from "../families/family/view.ts";
import { isChainFault } from "../rpc/fault.ts";
import type { NoPrice, Price, PriceSource } from "./price.ts";

export interface ChainlinkFeed {
  chainId: number;
  /** The token. */
  address: Address;
  /** Its feed in US dollars, on the same chain. */
  feed: Address;
  maxAgeSeconds: number;
}

const VIEWS = {
  aggregator: view<Address>("aggregator() view returns (address)"),
  decimals: view<number>("decimals() view returns (uint8)"),
  latestRoundData: view<readonly [bigint, bigint, bigint, bigint, bigint]>(
    "latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)",
  ),
};

/** What an aggregator may answer, both ends inclusive; null where it tells of no bound. The two are fixed when it is deployed. */
export const BOUNDS = {
  minAnswer: view<bigint>("minAnswer() view returns (int192)"),
  maxAnswer: view<bigint>("maxAnswer() view returns (int192)"),
};

export function isAtBound(answer: bigint, { min, max }: { min: bigint | null; max: bigint | null }): boolean {
  return (min !== null && answer <= min) || (max !== null && answer >= max);
}

/** How far a round may lie ahead of this clock: clocks differ, and a block's time may run ahead of the wall's. */
const MAX_AHEAD_SECONDS = 900;

export function chainlinkSource(
  feed: ChainlinkFeed,
  client: Pick<ChainClient, "multicall">,
  clock: Clock,
): PriceSource {
  return {
    name: "chainlink",
    covers: (token) =>
      token.chainId === feed.chainId && token.address.toLowerCase() === feed.address.toLowerCase(),
    async prices(tokens) {
      const price = await readFeed(feed, client, clock);
      return tokens.map(() => price);
    },
  };
}

async function readFeed(
  { feed, maxAgeSeconds }: ChainlinkFeed,
  client: Pick<ChainClient, "multicall">,
  clock: Clock,
): Promise<Price | NoPrice> {
  const batch = new ViewBatch();
  const aggregator = batch.add(feed, VIEWS.aggregator);
  const decimals = batch.add(feed, VIEWS.decimals);
  const round = batch.add(feed, VIEWS.latestRoundData);
  const behind = new ViewBatch();
  let answers: ReturnType<typeof round>;
  let scale: number | null;
  let bounds: { min: bigint | null; max: bigint | null };
  try {
    await batch.run(client, "latest");
    const min = behind.add(aggregator() ?? feed, BOUNDS.minAnswer);
    const max = behind.add(aggregator() ?? feed, BOUNDS.maxAnswer);
    await behind.run(client, "latest");
    [scale, answers] = [decimals(), round()];
    bounds = { min: min(), max: max() };
  } catch (error) {
    if (!isChainFault(error)) throw error;
    return { unavailable: "chainlink: the chain's node does not answer" };
  }
  if (scale === null || answers === null) return { unavailable: "chainlink: the feed does not answer" };
  const [, answer, , updatedAt] = answers;
  if (answer <= 0n) return { unavailable: "chainlink: the feed's answer is not positive" };
  if (isAtBound(answer, bounds))
    return { unavailable: "chainlink: the answer is at the limit of the feed's range" };
  if (updatedAt === 0n) return { unavailable: "chainlink: the feed's round is not complete" };
  const age = BigInt(Math.floor(clock.now() / 1000)) - updatedAt;
  if (age > BigInt(maxAgeSeconds))
    return { unavailable: `chainlink: the feed's round is ${age} s old, ${maxAgeSeconds} s are allowed` };
  if (age < -BigInt(MAX_AHEAD_SECONDS))
    return { unavailable: "chainlink: the feed's round lies in the future" };
  const shift = 18 - scale;
  const usdE18 = shift >= 0 ? answer * 10n ** BigInt(shift) : answer / 10n ** BigInt(-shift);
  if (usdE18 === 0n) return { unavailable: "chainlink: the feed's answer amounts to zero" };
  return { usdE18, updatedAt: Number(updatedAt), source: "chainlink" };
}
