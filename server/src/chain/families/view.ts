// Views of contracts, read many at a time. A view that reverts, is not there, or answers something that is not what its
// signature promises, is null: contracts differ, and one that lies about its type must not cost the others their reading.
import {
  type AbiFunction,
  type Address,
  decodeAbiParameters,
  encodeAbiParameters,
  type Hex,
  parseAbiItem,
  toFunctionSelector,
} from "viem";
import type { ReadOptions } from "../calls.ts";
import type { ChainClient } from "../client.ts";
import type { BlockRef, Call, CallResult } from "../raw.ts";

export interface View<R> {
  readonly name: string;
  encode(args: readonly unknown[]): Hex;
  /** null where the answer is none. */
  decode(result: CallResult): R | null;
}

/**
 * A view by its signature, e.g. `getPPS(address) view returns (uint256)`. R is the value that viem decodes to, or a tuple of
 * them where there are several.
 */
export function view<R>(signature: string): View<R> {
  const abi = parseAbiItem(`function ${signature}`) as AbiFunction;
  const selector = toFunctionSelector(abi);
  return {
    name: abi.name,
    encode: (args) => `${selector}${encodeAbiParameters(abi.inputs, args).slice(2)}`,
    decode({ success, data }) {
      if (!success || data === "0x") return null;
      try {
        const values = decodeAbiParameters(abi.outputs, data);
        return (values.length === 1 ? values[0] : values) as R;
      } catch {
        return null;
      }
    },
  };
}

/** Collects views, asks for them together, and hands out what each answered. */
export class ViewBatch {
  readonly #calls: Call[] = [];
  #results: CallResult[] = [];

  /** What the view answers, once `run` has been awaited. */
  add<R>(to: Address, view: View<R>, ...args: unknown[]): () => R | null {
    const index = this.#calls.push({ to, data: view.encode(args) }) - 1;
    return () => {
      const result = this.#results[index];
      if (result === undefined) throw new Error(`${view.name} was read before it was asked for`);
      return view.decode(result);
    };
  }

  async run(client: Pick<ChainClient, "multicall">, at: BlockRef, options?: ReadOptions): Promise<void> {
    if (this.#calls.length > 0) this.#results = await client.multicall(this.#calls, at, options);
  }
}

/** A number for what Unix seconds, durations and decimals are read into; null where it is beyond what a number holds. */
export function toSeconds(value: bigint | null): number | null {
  return value === null || value > 9_007_199_254_740_991n ? null : Number(value);
}
