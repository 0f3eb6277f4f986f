// Timestamps: when the blocks of some logs were made; from the logs where the node puts it there, else from the headers.
import type { Hash } from "viem";
import type { ChainClient, RawLog } from "../chain/client.ts";
import { ChainFault } from "../chain/fault.ts";

export class Timestamps {
  readonly #client: ChainClient;
  readonly #byNumber = new Map<number, number>();

  constructor(client: ChainClient) {
    this.#client = client;
  }

  /** @throws ChainFault `inconsistent` when a log is of another block than the one that the node has at its height */
  async learn(logs: readonly RawLog[]): Promise<void> {
    const hashes = new Map<number, Hash>();
    for (const log of logs) {
      if (log.blockTimestamp === null && !this.#byNumber.has(log.blockNumber)) {
        hashes.set(log.blockNumber, log.blockHash);
      }
    }
    if (hashes.size === 0) return;
    for (const header of await this.#client.headers([...hashes.keys()])) {
      if (header.hash !== hashes.get(header.number)) {
        throw new ChainFault(
          "inconsistent",
          `the node gave logs of another block ${header.number} than it has`,
        );
      }
      this.#byNumber.set(header.number, header.timestamp);
    }
  }

  of(log: RawLog): number {
    return log.blockTimestamp ?? this.#byNumber.get(log.blockNumber)!;
  }
}
