import { describe, expect, it } from "vitest";
import { type Actor, type Cell, type CountedRow, CountsCheck } from "./verify-tally.ts";

const cell = (action: string, vault: string, chain: string): Cell => ({
  action,
  vault,
  chain,
  tallies: null,
});
const CELLS = [cell("deposit", "0xA", "1"), cell("deposit", "0xB", "8453"), cell("pps_update", "0xA", "1")];
const ALL = new Map<string, Actor>();
function actorOf(name: string): Actor {
  const actor = ALL.get(name) ?? { name, tally: null };
  ALL.set(name, actor);
  return actor;
}
const DAY_US = 86_400e6;

/** Some in the order of time and some not, some moved by block time, some before 1970. */
function rowsOf(count: number): CountedRow[] {
  return Array.from({ length: count }, (_, n) => {
    const timestamp = (n % 50 === 0 ? -3 : 20_000) * DAY_US + (n % 7 === 0 ? (n * 977) % count : n) * 300e6;
    return {
      timestamp,
      occurredAt: n % 3 === 0 ? timestamp - (n % 40) * DAY_US : timestamp,
      cell: CELLS[(n * 31) % 3]!,
      actor: actorOf(n % 4 === 0 ? "0xbusy" : `0x${n}`),
    };
  });
}

/** As the migration's audit_count says it, one entry after the other. */
function countsOf(rows: readonly CountedRow[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { cell, actor, timestamp, occurredAt } of rows) {
    const served = Math.floor(timestamp / 1e6 / 8192);
    const happened = Math.floor(occurredAt / 1e6 / 8192);
    for (const who of actor.name === "0xbusy" ? ["", actor.name] : [""]) {
      for (const [axis, bucket, n] of [
        [0, served, 1],
        ...(served === happened
          ? []
          : [
              [1, happened, 1],
              [1, served, -1],
            ]),
      ] as [number, number, number][]) {
        for (const [chain, vault, fine] of [
          [cell.chain, cell.vault, 16],
          ...(who === ""
            ? [
                [cell.chain, "*", 13],
                ["-1", "*", 13],
              ]
            : []),
        ] as [string, string, number][]) {
          for (const level of [fine, 20, 63]) {
            const at = level === 63 ? (bucket < 0 ? -1 : 0) : Math.floor(bucket / 2 ** (level - 13));
            const name = [who, level, chain, vault, axis, at, cell.action].join("\t");
            counts.set(name, (counts.get(name) ?? 0) + n);
          }
        }
      }
    }
  }
  return counts;
}

const ROWS = rowsOf(9_000);
const COUNTS = [...countsOf(ROWS)].filter(([, n]) => n !== 0);
const ACTORS = new Map<string, number>();
for (const { actor } of ROWS) ACTORS.set(actor.name, (ACTORS.get(actor.name) ?? 0) + 1);

function holds(counts = COUNTS, actors = [...ACTORS], isCounted = (n: number) => n > 1024): boolean {
  const check = new CountsCheck(new Set(["0xbusy"]));
  for (const row of ROWS) check.add(row);
  for (const [name, n] of counts) check.addStoredCount(name, n);
  for (const [actor, n] of actors) check.addStoredActor(actor, n, isCounted(n));
  return check.holds();
}

describe("the check of the counts", () => {
  it("holds for the counts of the entries, whatever their order", () => {
    expect(holds()).toBe(true);
    expect(holds(COUNTS.toReversed())).toBe(true);
  });

  it("does not hold with one count changed, missing, twice or too many", () => {
    for (const at of [0, 1, Math.floor(COUNTS.length / 2), COUNTS.length - 1]) {
      const [name, n] = COUNTS[at]!;
      const others = COUNTS.toSpliced(at, 1);
      for (const forged of [n + 1, n - 1, n + 1024, n + 2 ** 31, n + 2 ** 32, n + 2 ** 40]) {
        expect(holds([...others, [name, forged]])).toBe(false);
      }
      expect(holds(others)).toBe(false);
      expect(holds([...COUNTS, [name, n]])).toBe(false);
    }
    expect(holds([...COUNTS, ["\t63\t777\t0x1\t0\t0\tdeposit", 3]])).toBe(false);
  });

  it("does not hold with two counts exchanged", () => {
    const [a, b] = [COUNTS[0]!, COUNTS.find(([, n]) => n !== COUNTS[0]![1])!];
    const others = COUNTS.filter((each) => each !== a && each !== b);
    expect(holds([...others, [a[0], b[1]], [b[0], a[1]]])).toBe(false);
  });

  it("does not hold with an actor's number changed, missing, or counted when he should not be", () => {
    const actors = [...ACTORS];
    expect(holds(COUNTS, [["0xbusy", ACTORS.get("0xbusy")! + 5], ...actors.slice(1)])).toBe(false);
    expect(holds(COUNTS, actors.slice(0, -1))).toBe(false);
    expect(holds(COUNTS, [...actors, ["0xnobody", 0]])).toBe(false);
    expect(holds(COUNTS, actors, () => false)).toBe(false);
    expect(holds(COUNTS, actors, () => true)).toBe(false);
  });
});
