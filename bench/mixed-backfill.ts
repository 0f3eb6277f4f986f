// How fast the past of vaults of every family is filled in, against that of as many events of one family.
//
//   VAULTOPS_BENCH_MIXED_EVENTS   how many events each past holds, in place of 100,000; quick, always 5,000
import { CURATED } from "../server/test/simulation/every-family.ts";
import { fillIn } from "./backfill.ts";
import { startDatabases } from "./support/databases.ts";
import { type Figure, interleave } from "./support/figure.ts";
import { startMixedChain } from "./support/mixed-chain.ts";

export const figure: Figure = {
  name: "backfill of every family's vaults",
  against: "as many events of one family's",
  aim: 0.8,
  async run({ quick }) {
    const events = quick ? 5_000 : Number(process.env.VAULTOPS_BENCH_MIXED_EVENTS ?? 100_000);
    const databases = await startDatabases();
    const mixed = await startMixedChain(events, CURATED);
    const one = await startMixedChain(events, ["yearn_v3"]);
    const rateOf = async (chain: typeof one) => (await fillIn(chain, databases)).rate;
    try {
      const result = await interleave({
        rounds: 3,
        unit: "events/s",
        ours: () => rateOf(mixed),
        limit: () => rateOf(one),
      });
      return { ...result, notes: { events } };
    } finally {
      await Promise.all([mixed.anvil.stop(), one.anvil.stop()]);
      await databases.stop();
    }
  },
};
