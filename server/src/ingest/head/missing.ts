// Missing: what the nodes did not answer when they were asked (vaults' descriptions, blocks' logs, what facts lack, samples of the past), asked for again once
// they may. What is not told yet is left alone for longer each time; the first that is told starts again.
import type { ChainContext } from "../block/context.ts";
import { completeVaults } from "./complete.ts";
import { type Filled, Filler } from "./fill.ts";
import { fillSamples } from "./fill-samples.ts";
import { Pauses } from "./pauses.ts";

/** Between two tries at states that no node has had so far, at most. */
const MOST_STATES_PAUSE_MS = 3_600_000;

export class Missing {
  readonly #pauses: Pauses;
  readonly #kinds: readonly { name: string; mostMs?: number; fill(signal: AbortSignal): Promise<Filled> }[];

  constructor(context: ChainContext) {
    this.#pauses = new Pauses(context.nowMs);
    const filler = (lane: ConstructorParameters<typeof Filler>[1]) => {
      const own = new Filler(context, lane);
      return { name: lane, fill: (signal: AbortSignal) => own.fill(signal) };
    };
    this.#kinds = [
      { name: "vaults", fill: (signal) => completeVaults(context, signal) },
      filler("logs"),
      filler("details"),
      { ...filler("states"), mostMs: MOST_STATES_PAUSE_MS },
      { name: "samples", fill: (signal) => fillSamples(context, signal) },
    ];
  }

  /** `onFilled` is told what has come, before anything else is asked for. */
  async fill(signal: AbortSignal, onFilled: (filled: Filled) => Promise<void>): Promise<void> {
    for (const { name, mostMs, fill } of this.#kinds) {
      if (this.#pauses.isOn(name)) continue;
      this.#pauses.begin(name, { mostMs });
      const filled = await fill(signal);
      if (!filled.isWaiting || filled.isAny) {
        this.#pauses.end(name);
        this.#pauses.begin(name);
      }
      if (filled.isAny) await onFilled(filled);
    }
  }
}
