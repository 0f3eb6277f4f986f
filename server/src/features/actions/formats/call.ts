// A call as every format needs it: where it goes, what it carries, and the function that it means.
import type { AbiFunction, Address, Hex } from "viem";

export interface FormattedCall {
  to: Address;
  value: bigint;
  data: Hex;
  /** The function and its arguments in order, for what is shown; `data` alone is what is executed. */
  abi: AbiFunction;
  arguments: readonly unknown[];
}
