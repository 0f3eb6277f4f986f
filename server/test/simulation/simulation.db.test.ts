// Whatever happens to the chain, to its node, to the database and to the service, what is stored is what the chain says.
//
// Every seed is one life of a chain and of the service that follows it (world.ts), and the verdict at its end (verdict.ts).
//   VAULTOPS_SEEDS=500        so many seeds;  12 unless told, 1,000 with VAULTOPS_FULL=1
//   VAULTOPS_SEED=17          that one alone, its story told, the service's log with it
import { describe, expect, it } from "vitest";
import { createLogger } from "../../src/platform/log.ts";
import { createTestDatabase } from "../database.ts";
import { openLaboratory } from "./laboratory.ts";
import { NOTABLE_SEEDS } from "./seeds.ts";
import { expectTruth } from "./verdict.ts";
import { live, worldOf } from "./world.ts";

const ONE = process.env.VAULTOPS_SEED;
const COUNT = Number(process.env.VAULTOPS_SEEDS ?? (process.env.VAULTOPS_FULL === "1" ? 1_000 : 12));
const SEEDS = ONE === undefined ? seedsUpTo(COUNT) : [Number(ONE)];

const faultsDone = new Set<string>();

describe("a simulated world ends with exactly what the chain says", () => {
  it.concurrent.each(SEEDS)("seed %i", { timeout: 900_000 }, async (seed) => {
    const [laboratory, database] = await Promise.all([openLaboratory(seed), createTestDatabase()]);
    const world = worldOf(seed, laboratory, database);
    if (ONE !== undefined) world.log = createLogger({ level: "debug" });
    try {
      await live(world);
      await expectTruth(world);
    } catch (error) {
      throw new Error(story(seed, world.trace, error), { cause: error });
    } finally {
      if (ONE !== undefined) console.log(story(seed, world.trace, "told because it was asked for"));
      for (const name of laboratory.node.done.keys()) faultsDone.add(name);
      await Promise.all([database.drop(), laboratory.close()]);
    }
  });

  // How many depends on how often a machine comes to ask while the weather is bad; that each kind is lived through is in faults.db.test.ts.
  it("in which faults of many kinds took place", () => {
    if (SEEDS.length < 12) return;
    expect(faultsDone.size).toBeGreaterThan(5);
  });
});

function seedsUpTo(count: number): number[] {
  const notable = Object.keys(NOTABLE_SEEDS).map(Number);
  const others = Array.from({ length: count }, (_, index) => index + 1).filter(
    (seed) => !notable.includes(seed),
  );
  return [...notable, ...others].slice(0, count);
}

function story(seed: number, trace: readonly string[], error: unknown): string {
  return [
    `seed ${seed}: ${error instanceof Error ? error.message : String(error)}`,
    "",
    ...trace.map((line) => `  ${line}`),
    "",
    `again with: VAULTOPS_SEED=${seed} npm test -- server/test/simulation`,
  ].join("\n");
}
