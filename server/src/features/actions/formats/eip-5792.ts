// The one parameter of `wallet_sendCalls` (EIP-5792), as a wallet takes it.
import { type Address, type Hex, numberToHex } from "viem";
import type { FormattedCall } from "./call.ts";

export interface SendCalls {
  version: "2.0.0";
  chainId: Hex;
  from: Address;
  /** Several calls are one action: half of it is worse than none. One call is atomic anyway, and wallets that batch nothing take it. */
  atomicRequired: boolean;
  calls: { to: Address; value: Hex; data: Hex }[];
}

export function sendCallsOf(
  chainId: number,
  from: Address,
  calls: readonly Pick<FormattedCall, "to" | "value" | "data">[],
): SendCalls {
  return {
    version: "2.0.0",
    chainId: numberToHex(chainId),
    from,
    atomicRequired: calls.length > 1,
    calls: calls.map(({ to, value, data }) => ({ to, value: numberToHex(value), data })),
  };
}
