// What an id of caps is about. The vault keeps caps by the hash of some bytes, which its events carry: an adapter, a collateral token
// (over all adapters), or a market in an adapter. Adapters of another kind may have ids of their own, of which nothing is known.
import {
  type Address,
  decodeAbiParameters,
  encodeAbiParameters,
  type Hex,
  keccak256,
  parseAbiParameters,
} from "viem";
import { checksum } from "../../address.ts";

export type CapId =
  | { kind: "adapter"; adapter: Address }
  | { kind: "collateral"; token: Address }
  | { kind: "market"; adapter: Address; marketId: Hex; collateral: Address; lltvE18: bigint }
  | { kind: "unknown" };

const NAMED = parseAbiParameters("string, address");
const MARKET_PARAMS = parseAbiParameters(
  "(address loanToken, address collateralToken, address oracle, address irm, uint256 lltv)",
);
const MARKET = [...NAMED, ...MARKET_PARAMS] as const;
/** Of a market's parameters, encoded: five words. */
const MARKET_HEX = 2 + 5 * 64;

export function capIdOf(idData: Hex): CapId {
  const named = exactly(NAMED, idData);
  if (named?.[0] === "this") return { kind: "adapter", adapter: checksum(named[1].slice(2)) };
  if (named?.[0] === "collateralToken") return { kind: "collateral", token: checksum(named[1].slice(2)) };
  const market = exactly(MARKET, idData);
  if (market?.[0] !== "this/marketParams") return { kind: "unknown" };
  const { collateralToken, lltv } = market[2];
  return {
    kind: "market",
    adapter: checksum(market[1].slice(2)),
    marketId: keccak256(encodeAbiParameters(MARKET_PARAMS, [market[2]])),
    collateral: checksum(collateralToken.slice(2)),
    lltvE18: lltv,
  };
}

/** The id of what an adapter holds in all. */
export function adapterId(adapter: Address): Hex {
  return keccak256(encodeAbiParameters(NAMED, ["this", adapter]));
}

/** The market that an adapter's data names; null where it is no market's parameters. */
export function marketIdOf(data: Hex): Hex | null {
  return data.length === MARKET_HEX && exactly(MARKET_PARAMS, data) ? keccak256(data) : null;
}

/** The values of bytes that are the encoding of nothing else: an id is the hash of all of them. */
function exactly<const P extends typeof NAMED | typeof MARKET | typeof MARKET_PARAMS>(
  parameters: P,
  data: Hex,
) {
  try {
    const values = decodeAbiParameters(parameters, data);
    return encodeAbiParameters(parameters, values as never) === data ? values : null;
  } catch {
    return null;
  }
}
