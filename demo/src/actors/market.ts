/** Chance and prices of the demo: the same seed gives the same market, in integers throughout. */

export interface Random {
  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number;
  /** True in `percent` of a hundred cases. */
  chance(percent: number): boolean;
  pick<T>(list: readonly T[]): T;
}

const PPB = 1_000_000_000n;

/** A generator (mulberry32) that repeats itself for the same seed. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  };
  const below = (limit: number): number => next() % limit;
  return {
    below,
    chance: (percent) => below(100) < percent,
    pick: (list) => {
      const item = list[below(list.length)];
      if (item === undefined) throw new Error("nothing to pick from");
      return item;
    },
  };
}

/** A price after one step that grows by `growthPpb` parts per billion, give or take half of that. */
export function grow(price: bigint, growthPpb: bigint, random: Random): bigint {
  const spread = Number(growthPpb < 0n ? -growthPpb : growthPpb);
  const noise = spread === 0 ? 0n : BigInt(random.below(spread + 1)) - BigInt(spread >> 1);
  return (price * (PPB + growthPpb + noise)) / PPB;
}

/** Parts per billion that one of `stepsPerYear` steps adds so that a year of them comes near `apyBps`; not compounded. */
export function growthPerStep(apyBps: number, stepsPerYear: number): bigint {
  return (BigInt(apyBps) * (PPB / 10_000n)) / BigInt(stepsPerYear);
}
