// Views of contracts, read many at a time. A view that reverts, is not there, or answers something that is not what its
// signature promises, is null: contracts differ, and one that lies about its type must not cost the others their reading.
// A view that was not read is no null: asking for what it answered throws, and `readEach` tells it apart field by field.
import {
  type AbiFunction,
  type Address,
  decodeAbiParameters,
  encodeAbiParameters,
  type Hex,
  parseAbiItem,
  toFunctionSelector,
} from "viem";
import type { ReadOptions } from "../../client/calls.ts";
import type { ChainClient } from "../../client/client.ts";
import { ChainFault, isChainFault } from "../../rpc/fault.ts";
import type { BlockRef, Call, CallResult } from "../../rpc/raw.ts";

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

/** The views that failed while the fields of a reading are made of them. One at a time: nothing here waits. */
let failing: string[] | null = null;

/** Collects views, asks for them together, and hands out what each answered. */
export class ViewBatch {
  readonly #calls: Call[] = [];
  #results: CallResult[] = [];

  /** What the view answers, once `run` has been awaited. @throws ChainFault `unread` where the node did not answer it */
  add<R>(to: Address, view: View<R>, ...args: unknown[]): () => R | null {
    const call = { to, data: view.encode(args) };
    const index = this.#calls.push(call) - 1;
    return () => {
      const result = this.#results[index];
      if (result === undefined) throw new Error(`${view.name} was read before it was asked for`);
      if (result.isUnread) throw new ChainFault("unread", `the node did not answer ${view.name} of ${to}`);
      const answer = view.decode(result);
      if (answer === null) failing?.push(`${call.to}:${call.data}`);
      return answer;
    };
  }

  async run(client: Pick<ChainClient, "multicall">, at: BlockRef, options?: ReadOptions): Promise<void> {
    if (this.#calls.length > 0) this.#results = await client.multicall(this.#calls, at, options);
  }
}

/**
 * The fields of a reading, each made of what views answered; those left out are as in `nothing`. `unread` names those of which one
 * was not read, which are as in `nothing` too. `failed` names, by field, the views that answered nothing, so that a first failure can be told from a lasting one.
 */
export function readEach<T extends object>(
  nothing: T,
  fields: { [K in keyof T]?: () => T[K] },
): T & { unread: (keyof T & string)[]; failed: Partial<Record<keyof T & string, string[]>> } {
  const values = { ...nothing };
  const unread: (keyof T & string)[] = [];
  const failed: Partial<Record<keyof T & string, string[]>> = {};
  for (const name of Object.keys(fields) as (keyof T & string)[]) {
    const views: string[] = [];
    failing = views;
    try {
      values[name] = fields[name]!();
      if (views.length > 0) failed[name] = views;
    } catch (error) {
      if (!isChainFault(error, "unread")) throw error;
      unread.push(name);
    } finally {
      failing = null;
    }
  }
  return { ...values, unread, failed };
}

/** What a view answered, or null where it was not read either: for what is only asked further with it. */
export function ifRead<R>(answer: () => R | null): R | null {
  try {
    return answer();
  } catch (error) {
    if (!isChainFault(error, "unread")) throw error;
    return null;
  }
}

/** A number for what Unix seconds, durations and decimals are read into; null where it is beyond what a number holds. */
export function toSeconds(value: bigint | null): number | null {
  return value === null || value > 9_007_199_254_740_991n ? null : Number(value);
}
