// How many addresses one log filter may name. Nodes differ (a few dozen to a thousand and more), and say so only by refusing; so the
// bound is learned from refusals. The range that was asked for stays: fewer addresses are asked for, more often.
import type { Address } from "viem";
import { RpcError } from "../rpc/rpc-error.ts";

export class AddressGroups {
  #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** Calls `ask` with the addresses in groups, with smaller ones each time that the node takes fewer. @throws what `ask` throws else */
  async ask<T>(addresses: readonly Address[], ask: (groups: Address[][]) => Promise<T>): Promise<T> {
    for (;;) {
      const size = Math.min(this.#most, addresses.length);
      try {
        return await ask(grouped(addresses, size));
      } catch (error) {
        const isAboutAddresses = error instanceof RpcError && error.kind === "too_many_addresses";
        if (!isAboutAddresses || size <= 1) throw error;
        this.#most = Math.min(this.#most, fewer(size, error.message));
      }
    }
  }
}

const ALLOWED =
  /(?:only|max(?:imum)?|at most|up to|limit(?:ed)?)(?: (?:of|to|is|addresses|allowed))*\W{0,3}(\d{1,6})\b/i;

/** What the refusal names, where that is fewer than were asked for, else half. */
function fewer(size: number, message: string): number {
  const named = Number(ALLOWED.exec(message)?.[1] ?? 0);
  return named >= 1 && named < size ? named : size >> 1;
}

function grouped(addresses: readonly Address[], size: number): Address[][] {
  const groups: Address[][] = [];
  for (let at = 0; at < addresses.length; at += size) groups.push(addresses.slice(at, at + size));
  return groups;
}
