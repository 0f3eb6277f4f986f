// A figure: something this project claims to be fast at, measured as a ratio to its limit or peer in the same run.

export interface FigureResult {
  /** ours ÷ limit, so that more is better: 1 means as fast as the limit itself. */
  ratio: number;
  ours: number;
  limit: number;
  /** What `ours` and `limit` are counted in, e.g. "requests/s", "events/s", "ms". */
  unit: string;
  /** Relative spread of the rounds' ratios: (max − min) ÷ median. */
  spread: number;
  /** Anything else worth keeping: peak memory, percentiles. */
  notes?: Record<string, string | number>;
}

export interface Figure {
  name: string;
  /** The limit or peer it is measured against. */
  against: string;
  /** The ratio aimed at; a guide, never asserted. */
  aim: number;
  run(options: { quick: boolean }): Promise<FigureResult>;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * Interleaves `rounds` of ours and limit and sums them up. Both return a rate (more is better) in `unit`.
 * One round of each runs first, unmeasured, to warm caches and compilers.
 */
export async function interleave(options: {
  rounds: number;
  unit: string;
  ours: () => Promise<number>;
  limit: () => Promise<number>;
}): Promise<FigureResult> {
  await options.limit();
  await options.ours();
  const ours: number[] = [];
  const limit: number[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    limit.push(await options.limit());
    ours.push(await options.ours());
  }
  const ratios = ours.map((value, index) => value / limit[index]!);
  return {
    ratio: median(ratios),
    ours: median(ours),
    limit: median(limit),
    unit: options.unit,
    spread: (Math.max(...ratios) - Math.min(...ratios)) / median(ratios),
  };
}
