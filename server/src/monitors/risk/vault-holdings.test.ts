// What a vault holds, owes and lost tells, case by case and to the unit.
import { describe, expect, it } from "vitest";
import { heard, NOW, REF, RULES } from "../../../test/monitor-states.ts";
import type { StoredBody } from "../../chain/facts.ts";
import type { Json } from "../../chain/governance.ts";
import { allocation } from "./allocation.ts";
import { liquidity } from "./liquidity.ts";
import { badDebt, losses } from "./losses.ts";
import type { Held, VaultHoldings } from "./vault-holdings.ts";

const HASH = `0x${"5e".repeat(32)}` as const;

function holdings(more: Partial<VaultHoldings> = {}): VaultHoldings {
  return {
    ...REF,
    isKnown: true,
    unread: new Set(),
    asset: { decimals: 6, symbol: "USDC" },
    shareDecimals: 18,
    totalAssets: 1_000_000n,
    totalSupply: 1_000_000n,
    liquidity: { idle: 0n, withdrawable: 1_000_000n, isExitImmediate: true },
    owedAssets: null,
    allocations: [],
    pending: null,
    leastIdle: {},
    badDebts: [],
    ...more,
  };
}

function held(assets: bigint | null, more: Partial<Held> = {}): Held {
  return {
    id: "0xa",
    label: "Alpha",
    assets: assets?.toString() ?? null,
    absolute_cap: null,
    is_absolute_capped: false,
    relative_cap_e18: null,
    is_relative_capped: false,
    ...more,
  };
}

describe("liquidity", () => {
  const judge = (more: Partial<VaultHoldings>) =>
    liquidity.judge(holdings(more), RULES.liquidity, heard(NOW));
  const withdrawable = (amount: bigint | null, isExitImmediate = true) =>
    judge({ liquidity: { idle: 0n, withdrawable: amount, isExitImmediate } }).findings.map(
      ({ severity }) => severity,
    );

  it("is judged to the unit, where exit is immediate", () => {
    expect([withdrawable(20_000n), withdrawable(19_999n), withdrawable(5000n), withdrawable(4999n)]).toEqual([
      [],
      ["warning"],
      ["warning"],
      ["critical"],
    ]);
    expect([withdrawable(0n, false), withdrawable(null)]).toEqual([[], []]);
  });

  it("a settlement that owes more than is idle is critical", () => {
    const owed = (owedAssets: bigint) =>
      judge({ owedAssets, liquidity: { idle: 100n, withdrawable: null, isExitImmediate: false } }).findings;
    expect(owed(100n)).toEqual([]);
    expect(owed(101n)).toMatchObject([{ subject: "settlement", severity: "critical" }]);
  });

  it("of which nothing was read stays as it is", () => {
    expect(judge({ unread: new Set(["liquidity"]) })).toEqual({
      findings: [],
      unknown: ["withdrawable", "utilisation", "settlement"],
      wakeMs: null,
    });
    expect(judge({ totalAssets: null }).unknown).toEqual(["withdrawable", "utilisation"]);
    expect(judge({ isKnown: false }).unknown).toHaveLength(5);
  });

  it("tells of utilisation and of what waits to leave where a rule asks, beyond its part alone", () => {
    const told = (more: Partial<VaultHoldings>) =>
      liquidity
        .judge(
          holdings(more),
          { ...RULES.liquidity, max_utilisation_fraction: 0.9, max_pending_fraction: 0.1 },
          heard(NOW),
        )
        .findings.map(({ subject }) => subject);
    const free = (withdrawable: bigint) => ({ liquidity: { idle: 0n, withdrawable, isExitImmediate: true } });
    expect([told(free(100_000n)), told(free(99_999n))]).toEqual([[], ["utilisation"]]);
    const waits = (shares: bigint) => ({ pending: { shares, count: 2, sinceMs: NOW } });
    expect([told(waits(100_000n)), told(waits(100_001n))]).toEqual([[], ["pending"]]);
    expect(judge(waits(1_000_000n)).findings).toEqual([]);
  });

  it("tells of a request that waits, by the millisecond after its time", () => {
    const at = (nowMs: number) => {
      const pending = { shares: 1n, count: 1, sinceMs: NOW };
      const { findings, wakeMs } = liquidity.judge(holdings({ pending }), RULES.liquidity, heard(nowMs));
      return [findings.map(({ subject, severity }) => [subject, severity]), wakeMs];
    };
    expect(at(NOW + 86_400_000)).toEqual([[], NOW + 86_400_001]);
    expect(at(NOW + 86_400_001)).toEqual([[["request_age", "warning"]], null]);
  });
});

describe("allocation", () => {
  const ASKED = {
    ...RULES.allocation,
    max_idle_fraction: 0.1,
    targets: { "0xa": 0.5 },
    drift_fraction: 0.05,
    cap_fraction: 0.9,
  };
  const told = (more: Partial<VaultHoldings>, rule: typeof RULES.allocation = ASKED) =>
    allocation
      .judge(holdings(more), rule, heard(NOW))
      .findings.map(({ subject, severity }) => [subject, severity]);

  it("is off until a rule asks", () => {
    const full = held(1n, { absolute_cap: "1", is_absolute_capped: true });
    const least = { 86400: { idle: 1n, total: 1n } };
    expect(told({ allocations: [full], leastIdle: least }, RULES.allocation)).toEqual([]);
  });

  it("tells of what was idle all the time, beyond its part alone", () => {
    const idle = (amount: bigint) =>
      told({ allocations: [held(500_000n)], leastIdle: { 86400: { idle: amount, total: 1_000_000n } } });
    expect([idle(100_000n), idle(100_001n)]).toEqual([[], [["idle", "warning"]]]);
    // Not watched for so long yet.
    expect(told({ allocations: [held(500_000n)] })).toEqual([]);
  });

  it("tells of a position that is away from its target on either side, and of one that is not there", () => {
    const drift = (assets: bigint) => told({ allocations: [held(assets)] }).length;
    expect([450_000n, 449_999n, 550_000n, 550_001n].map(drift)).toEqual([0, 1, 0, 1]);
    expect(told({})).toEqual([["drift:0xa", "warning"]]);
    expect(told({ totalAssets: 0n })).toEqual([]);
  });

  it("tells of a cap that is nearly full, of the lower of two, and of none that lets nothing in", () => {
    const cap = (assets: bigint, more: Partial<Held>) =>
      told({ allocations: [held(assets, { id: "0xb", ...more }), held(500_000n)] });
    const absolute = { absolute_cap: "100000", is_absolute_capped: true };
    const relative = { relative_cap_e18: String(5n * 10n ** 16n), is_relative_capped: true };
    expect([cap(90_000n, absolute), cap(90_001n, absolute)]).toEqual([[], [["cap:0xb", "info"]]]);
    expect([cap(45_000n, relative), cap(45_001n, relative)]).toEqual([[], [["cap:0xb", "info"]]]);
    expect(cap(45_001n, { ...absolute, ...relative })).toEqual([["cap:0xb", "info"]]);
    expect(cap(1n, { absolute_cap: "0", is_absolute_capped: true })).toEqual([]);
    expect(cap(10n ** 30n, { absolute_cap: null, is_absolute_capped: false })).toEqual([]);
  });

  it("of which something was not read leaves that as it is", () => {
    const unknown = (more: Partial<VaultHoldings>) =>
      allocation.judge(holdings({ allocations: [held(1n)], ...more }), ASKED, heard(NOW)).unknown;
    expect(unknown({ isKnown: false })).toEqual(["idle", "drift:0xa", "cap:0xa"]);
    expect(unknown({ unread: new Set(["liquidity"]) })).toEqual(["idle"]);
    expect(unknown({ unread: new Set(["allocations"]) })).toEqual(["drift:0xa", "cap:0xa"]);
    expect(unknown({ allocations: [held(null)] })).toEqual(["drift:0xa", "cap:0xa"]);
  });
});

describe("bad debt", () => {
  const debt = (after: bigint, totalAssets: bigint | null = 1_000_000n) => ({
    block: { number: 7, hash: HASH },
    atMs: NOW,
    before: 5n,
    after,
    totalAssets,
  });
  const judge = (after: bigint, total?: bigint | null, nowMs = NOW) =>
    badDebt.judge(holdings({ badDebts: [debt(after, total)] }), RULES.losses, heard(nowMs));

  it("that grew by more than the fraction is critical, once, and over after its time", () => {
    expect(judge(15n).findings).toEqual([]);
    expect(judge(16n).findings).toMatchObject([
      { subject: "bad_debt:7", severity: "critical", isOnce: true, details: { lost_assets: "11" } },
    ]);
    expect(judge(6n, null).findings).toHaveLength(1);
    expect(judge(16n, 1_000_000n, NOW + 86_399_999).findings).toHaveLength(1);
    expect(judge(16n, 1_000_000n, NOW + 86_400_000)).toEqual({ findings: [], unknown: [], wakeMs: null });
  });
});

describe("losses", () => {
  const judge = (effect: { old?: Json; new?: Json; id?: string }, totalAssets: bigint | null = 1_000_000n) =>
    losses.judge(
      {
        ...REF,
        facts: [
          {
            block: { number: 7, hash: HASH },
            atMs: NOW - 60_000,
            txHash: HASH,
            logIndex: 3,
            actor: REF.address,
            body: {
              kind: "governance",
              contract: "vault",
              event: "E",
              args: {},
              effects: [{ action: "loss", ...effect }],
            } as StoredBody,
          },
        ],
        waiting: [],
        isWaitingKnown: true,
        watchedSinceMs: 0,
        asset: { decimals: 6, symbol: "USDC" },
        totalAssets,
      },
      RULES.losses,
      heard(NOW),
    );

  it("of more than the fraction of what there was are critical, once", () => {
    // 10 of 1,000,000 is the fraction.
    expect(judge({ new: "10" }, 999_990n).findings).toEqual([]);
    expect(judge({ new: "11" }, 999_989n).findings).toMatchObject([{ severity: "critical", isOnce: true }]);
    expect(judge({ old: "1000000", new: "900000" }, 900_000n).findings).toMatchObject([
      { message: expect.stringContaining("lost 0.1 USDC, 10 % of its assets") },
    ]);
  });

  it("without an amount are told; without total assets nothing is said", () => {
    expect(judge({ id: "0x01", old: "5", new: "0" }).findings).toHaveLength(1);
    expect(judge({ new: "11" }, null)).toMatchObject({ findings: [], unknown: [`${HASH}:3`] });
  });
});
