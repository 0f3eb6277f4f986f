// The lines of a curated vault: the markets or strategies among which it spreads its assets. What a family has to say of them, so that the
// rest is read alike.
import type { Address } from "viem";
import type { ChainClient } from "../../client/client.ts";
import type { KnownVault } from "../../directory.ts";
import type { Allocation } from "../../reading.ts";
import type { BlockRef } from "../../rpc/raw.ts";
import type { CallTable } from "../family/call.ts";
import type { ViewBatch } from "../family/view.ts";
import type { LineViews } from "./views.ts";

/** What one line holds for a vault, once its batches have run. */
export interface LineAnswers {
  /** Adds what the answers so far leave open. */
  follow(batch: ViewBatch): void;
  /** What the vault holds there is worth, interest up to the block included. */
  assets(): bigint | null;
  /** What of that could be taken out at once. */
  withdrawable(): bigint | null;
  label(): string | null;
  /** That what is pending of the line could not be accepted as things stand. */
  isBarred(): boolean;
  /** How calls of the vault name the line; null where that is not known. */
  argument(): unknown;
}

export interface Lines {
  kind: Allocation["kind"];
  views: LineViews;
  /** What stands for "unlimited". */
  unlimited: bigint;
  calls: CallTable;
  /** Asks, of vaults that are new to it, what has to be known before anything else. */
  prepare(client: ChainClient, vaults: readonly KnownVault[], at: BlockRef): Promise<void>;
  /** `time` is the block's. */
  ask(batch: ViewBatch, client: ChainClient, vault: KnownVault, id: string, time: number): LineAnswers;
  /** Asks for the names of what the lines are made of, where they are not known yet. */
  learnNames(client: ChainClient, lines: readonly LineAnswers[], at: BlockRef): Promise<void>;
  addressOf(id: string): Address | null;
}
