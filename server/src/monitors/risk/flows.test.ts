// What flows tell, case by case and to the unit.
import { expect, it } from "vitest";
import { heard, NOW, REF, RULES } from "../../../test/monitor-states.ts";
import { flows } from "./flows.ts";
import type { Flow } from "./recent-flows.ts";

const HASH = `0x${"5e".repeat(32)}` as const;
const HOUR = 3_600_000;
/** One dollar. */
const DOLLAR = 10n ** 18n;

function flow(more: Partial<Flow> = {}): Flow {
  return {
    block: { number: 7, hash: HASH },
    atMs: NOW,
    txHash: HASH,
    actor: REF.address,
    deposited: { assets: 0n, shares: 0n },
    withdrawn: { assets: 0n, shares: 0n },
    unexplainedShares: 0n,
    supply: 10n ** 18n,
    priceE18: DOLLAR,
    ...more,
  };
}

const judge = (of: readonly Flow[], nowMs = NOW) =>
  flows.judge(
    { ...REF, asset: { decimals: 6, symbol: "USDC" }, shareDecimals: 6, flows: of },
    RULES.flows,
    heard(nowMs),
  );
const told = (more: Partial<Flow>) =>
  judge([flow(more)]).findings.map(({ subject, severity }) => [subject.slice(67), severity]);
const moved = (dollars: bigint, more = 0n) => ({
  assets: dollars * 10n ** 6n + more,
  shares: dollars * 10n ** 6n + more,
});

it("a flow of more than so many dollars is told, once, whichever way it goes", () => {
  expect(told({ deposited: moved(500_000n) })).toEqual([]);
  expect(told({ deposited: moved(500_000n, 1n) })).toEqual([["deposit", "info"]]);
  expect(told({ withdrawn: moved(500_000n, 1n), deposited: moved(500_000n, 1n) })).toEqual([
    ["deposit", "info"],
    ["withdrawal", "info"],
  ]);
  expect(judge([flow({ deposited: moved(600_000n), supply: 10n ** 13n })]).findings).toMatchObject([
    {
      isOnce: true,
      message: expect.stringMatching(/deposited 600000 USDC \(600,000 USD\), 6 % of the shares before it/),
    },
  ]);
});

it("a flow of more than its part of the supply before it is a warning, from 50,000 dollars on", () => {
  const part = (dollars: bigint, supply: bigint | null, priceE18: bigint | null = DOLLAR) =>
    told({ deposited: moved(dollars), supply, priceE18 });
  const supply = 100_000n * 10n ** 7n;
  expect(part(100_000n, supply)).toEqual([]);
  expect(part(100_000n, supply - 1n)).toEqual([["deposit", "warning"]]);
  expect(part(50_000n, 1n)).toEqual([]);
  expect(part(50_001n, 1n)).toEqual([["deposit", "warning"]]);
  // Without a price the part alone decides; without shares before it there is no part.
  expect(part(1n, 1n, null)).toEqual([["deposit", "warning"]]);
  expect([part(100_000n, null), part(100_000n, 0n), part(10n ** 9n, null, null)]).toEqual([[], [], []]);
});

it("shares that were made for nothing within an hour are critical, and the first that are too many stand for all", () => {
  const made = (atMs: number, unexplainedShares: bigint, supply = 1000n) =>
    flow({ atMs, unexplainedShares, supply, txHash: `0x${atMs.toString(16).padStart(64, "0")}` });
  const subjects = (...of: Flow[]) => judge(of, NOW + 10 * HOUR).findings.map(({ subject }) => subject);
  expect(subjects(made(NOW, 50n))).toEqual([]);
  expect(subjects(made(NOW, 51n))).toHaveLength(1);
  expect(subjects(made(NOW, 50n), made(NOW + HOUR, 50n))).toEqual([]);
  const second = made(NOW + HOUR - 1, 1n);
  expect(subjects(made(NOW, 50n), second)).toEqual([`${second.txHash}:supply`]);
  const first = made(NOW, 51n);
  expect(subjects(first, made(NOW + HOUR - 1, 51n), made(NOW + 2 * HOUR - 2, 51n))).toEqual([
    `${first.txHash}:supply`,
  ]);
  expect(subjects(first, made(NOW + HOUR, 51n))).toHaveLength(2);
  expect(subjects(made(NOW, 51n, 0n))).toHaveLength(1);
});

it("is over after its time, to the millisecond", () => {
  const large = [flow({ deposited: moved(600_000n) })];
  expect(judge(large, NOW + 86_399_999)).toMatchObject({ findings: [{}], wakeMs: NOW + 86_400_000 });
  expect(judge(large, NOW + 86_400_000)).toEqual({ findings: [], wakeMs: null });
});
