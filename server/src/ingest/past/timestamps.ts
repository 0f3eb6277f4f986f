// Timestamps: when the blocks of some logs were made. The headers decide. Where the node puts the time on its logs too, most headers
// need not be asked for: three are, and times that agree with them and do not run backwards are believed.
import type { Hash } from "viem";
import type { Block, ChainClient, RawLog } from "../../chain/client/client.ts";
import { ChainFault } from "../../chain/rpc/fault.ts";

export class Timestamps {
  readonly #client: Pick<ChainClient, "headers">;
  readonly #byNumber = new Map<number, number>();

  constructor(client: Pick<ChainClient, "headers">) {
    this.#client = client;
  }

  /**
   * `logs` are in chain order.
   * @throws ChainFault `inconsistent` when a log is of another block than the one that the node has at its height
   */
  async learn(logs: readonly RawLog[]): Promise<void> {
    const blocks = new Map<number, { hash: Hash; told: number | null }>();
    for (const { blockNumber, blockHash: hash, blockTimestamp } of logs) {
      if (this.#byNumber.has(blockNumber)) continue;
      const before = blocks.get(blockNumber);
      const told = before === undefined || before.told === blockTimestamp ? blockTimestamp : null;
      blocks.set(blockNumber, { hash, told });
    }
    if (blocks.size === 0) return;
    const numbers = [...blocks.keys()];
    const looked = new Set([numbers[0]!, numbers[numbers.length >> 1]!, numbers.at(-1)!]);
    const headers = await this.#headers([...looked], blocks);
    const isBelieved = headers.every(({ number, timestamp }) => blocks.get(number)!.told === timestamp);
    if (!isBelieved || !isRising([...blocks.values()].map(({ told }) => told))) {
      await this.#headers(
        numbers.filter((number) => !looked.has(number)),
        blocks,
      );
      return;
    }
    for (const [number, { told }] of blocks) this.#byNumber.set(number, told!);
  }

  of(log: RawLog): number {
    return this.#byNumber.get(log.blockNumber)!;
  }

  async #headers(numbers: number[], blocks: ReadonlyMap<number, { hash: Hash }>): Promise<Block[]> {
    if (numbers.length === 0) return [];
    const headers = await this.#client.headers(numbers);
    for (const { number, hash, timestamp } of headers) {
      if (hash !== blocks.get(number)?.hash) {
        throw new ChainFault("inconsistent", `the node gave logs of another block ${number} than it has`);
      }
      this.#byNumber.set(number, timestamp);
    }
    return headers;
  }
}

function isRising(times: readonly (number | null)[]): boolean {
  return times.every((time, index) => time !== null && (index === 0 || (times[index - 1] ?? time) <= time));
}
