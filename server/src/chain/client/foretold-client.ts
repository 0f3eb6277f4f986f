// The client of a block that is not there yet: what calls would leave behind, asked as any block is. Whoever decodes and reads blocks does the
// same with it as with one that was mined.
//
// Views come out of simulations: those that were asked for beforehand are at hand, others cost one more. What stands below the simulated blocks is
// asked of the chain itself.
import { type Address, getAddress, type Hash, type Hex, keccak256, zeroAddress } from "viem";
import { ChainFault } from "../rpc/fault.ts";
import type { BlockHeader, BlockRef, Call, CallResult, RawLog, TxSummary } from "../rpc/raw.ts";
import type { ChainClient } from "./client.ts";
import type { SimulatedBlock, SimulatedCall, SimulationBlock } from "./simulate.ts";

export interface ForetoldBlock extends BlockHeader {
  logsBloom: null;
  logs: RawLog[];
  transactions: TxSummary[];
}

/** A client that notes the calls it is asked to make at a block. */
export function recording(client: ChainClient): { client: ChainClient; calls: Call[] } {
  const calls = new Map<string, Call>();
  return {
    client: {
      ...client,
      multicall(list, at, options) {
        for (const call of list) calls.set(keyOf(call), call);
        return client.multicall(list, at, options);
      },
    },
    get calls() {
      return [...calls.values()];
    },
  };
}

/** Calls that a contract makes by a transaction of its own kind. */
export interface Execution {
  input: Hex;
  /** What it says afterwards. */
  log: Pick<RawLog, "address" | "topics" | "data">;
}

export interface ForetoldParts {
  client: ChainClient;
  base: BlockHeader;
  blocks: readonly SimulationBlock[];
  simulated: readonly SimulatedBlock[];
  /** Runs the same blocks with other views. */
  again(views: readonly Call[]): Promise<readonly SimulatedBlock[]>;
  /** Whether the sender is a contract: who sends its transaction is not known then. */
  isContract(sender: Address): boolean;
  /** How it makes these calls, by a transaction of that hash; null where it is not known. */
  executionBy(sender: Address, calls: readonly SimulatedCall[], hash: Hash): Execution | null;
}

/** The blocks as they would be, in order, and the client that tells of them. */
export function foretold(parts: ForetoldParts): { client: ChainClient; blocks: ForetoldBlock[] } {
  const { client, base, again } = parts;
  const blocks: ForetoldBlock[] = [];
  const answers: Map<string, CallResult>[] = [];
  let parentHash = base.hash;
  for (const [index, asked] of parts.blocks.entries()) {
    const { number, timestamp, views } = asked;
    // Another for each time, as everything that is named by it.
    const place = [number, timestamp].map((each) => each.toString(16).padStart(16, "0"));
    const hash = keccak256(`0x${parentHash.slice(2)}${place.join("")}`);
    const block = {
      number,
      hash,
      parentHash,
      timestamp,
      logsBloom: null,
      ...contentOf(parts, index, number, hash),
    };
    blocks.push(block);
    answers.push(new Map(views.map((view, nth) => [keyOf(view), parts.simulated[index]!.views[nth]!])));
    parentHash = hash;
  }
  const indexOf = (at: BlockRef) =>
    at === "latest" ? blocks.length - 1 : blocks.findIndex(({ number }) => number === at.number);
  const byHash = (hash: Hash) => blocks.find((block) => block.hash === hash);
  const transactions = new Map(
    blocks.flatMap((block) => block.transactions.map((each) => [each.hash, each] as const)),
  );
  const logs = blocks.flatMap((block) => block.logs);

  const multicall: ChainClient["multicall"] = async (list, at, options) => {
    const index = indexOf(at);
    if (index < 0) return await client.multicall(list, at, options);
    const known = answers[index]!;
    const missing = list.filter((call) => !known.has(keyOf(call)));
    if (missing.length > 0) {
      const more = await again(missing);
      for (const [each, block] of more.entries())
        for (const [nth, call] of missing.entries()) answers[each]!.set(keyOf(call), block.views[nth]!);
    }
    return list.map((call) => known.get(keyOf(call))!);
  };
  // What is there before the calls: no action makes code or moves what is read by slot alone.
  const below = (at: BlockRef): BlockRef => (indexOf(at) < 0 ? at : { number: base.number, hash: base.hash });
  return {
    blocks,
    client: {
      ...client,
      multicall,
      call: async (call, at) => (await multicall([call], at))[0]!,
      getCode: (address, at) => client.getCode(address, below(at)),
      storage: (slots, at) => client.storage(slots, below(at)),
      head: async () => blocks.at(-1)!,
      logsOfBlock: async (block, addresses) => logsOf(byHash(block.hash)?.logs ?? [], addresses),
      logsOfTransaction: async (hash) => logs.filter(({ txHash }) => txHash === hash),
      transactions: async (hashes) =>
        new Map(
          hashes.flatMap((hash) =>
            transactions.has(hash) ? [[hash, transactions.get(hash)!] as const] : [],
          ),
        ),
      blockWithTransactions: async (hash) => {
        const block = byHash(hash);
        if (block === undefined) throw new ChainFault("block_missing", "no such block is foretold");
        return block;
      },
    },
  };
}

/** Its transactions, with a number in place of a hash, and their logs. The calls of a contract come in one, of whose sender nothing is known. */
function contentOf(
  { blocks, simulated, isContract, executionBy }: ForetoldParts,
  index: number,
  number: number,
  blockHash: Hash,
): Pick<ForetoldBlock, "logs" | "transactions"> {
  const transactions: TxSummary[] = [];
  const logs: RawLog[] = [];
  const emit = (log: Execution["log"], { hash, index: txIndex }: TxSummary) =>
    logs.push({
      ...log,
      blockNumber: number,
      blockHash,
      blockTimestamp: null,
      txHash: hash,
      txIndex,
      logIndex: logs.length,
    });
  const { calls } = blocks[index]!;
  const executions = new Map<Hash, Execution>();
  for (const [nth, call] of calls.entries()) {
    const isOfContract = isContract(call.from);
    if (!isOfContract || nth === 0) {
      const hash = keccak256(`0x${blockHash.slice(2)}${transactions.length.toString(16).padStart(8, "0")}`);
      const execution = isOfContract ? executionBy(call.from, calls, hash) : null;
      if (execution) executions.set(hash, execution);
      const input = execution?.input ?? "0x";
      transactions.push({
        ...{ hash, index: transactions.length },
        ...(isOfContract
          ? { from: zeroAddress, to: getAddress(call.from), input }
          : { from: getAddress(call.from), to: getAddress(call.to), input: call.data }),
      });
    }
    for (const log of simulated[index]!.calls[nth]!.logs) emit(log, transactions.at(-1)!);
  }
  for (const transaction of transactions) {
    const execution = executions.get(transaction.hash);
    if (execution) emit(execution.log, transaction);
  }
  return { logs, transactions };
}

function logsOf(logs: readonly RawLog[], addresses: readonly Address[]): RawLog[] {
  const wanted = new Set(addresses.map((address) => address.toLowerCase()));
  return logs.filter(({ address }) => wanted.has(address));
}

function keyOf({ to, data }: Call): Hex {
  return `${to.toLowerCase()}${data.slice(2)}` as Hex;
}
