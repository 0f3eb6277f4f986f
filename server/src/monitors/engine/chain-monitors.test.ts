// Tables of cases of the monitors that judge what a chain's contracts answer.
import { describe, expect, it } from "vitest";
import { chainVault, heard, NOW, NOW_SECONDS, RULES } from "../../../test/monitor-states.ts";
import type { Judged } from "../base/finding.ts";
import type { ChainVault, UpkeepReading } from "./chain-vaults.ts";
import { emergencyPause } from "./emergency-pause.ts";
import { merkleRoot } from "./merkle.ts";
import { ppsStaleness } from "./pps-staleness.ts";
import { upkeep } from "./upkeep.ts";

const HASH = `0x${"ab".repeat(32)}` as const;
const severityOf = ({ findings }: Judged) => findings[0]?.severity ?? null;
const unread = chainVault({ isKnown: false });

describe("upkeep", () => {
  const reading = (balance: bigint, block: number | null = null): UpkeepReading => ({
    balance,
    required: 100n,
    block: block === null ? null : { number: block, hash: HASH },
  });
  const judge = (readings: UpkeepReading[], reserve = "0") =>
    upkeep.judge(
      chainVault({ upkeep: { decimals: 1, symbol: "UP", readings } }),
      { ...RULES.upkeep, reserve },
      heard(NOW),
    );

  it.each([
    [100n, "0", null],
    [99n, "0", "critical"],
    [0n, "0", "critical"],
    [149n, "50", "warning"],
    [150n, "50", null],
    [99n, "50", "critical"],
  ])("with a balance of %d of 100 and a reserve of %s it is %s", (balance, reserve, severity) => {
    expect(severityOf(judge([reading(balance)], reserve))).toBe(severity);
  });

  it("says how much is missing in the token's units", () => {
    const [finding] = judge([reading(75n)]).findings;
    expect(finding?.message).toBe(
      "Alpha (0x0000…0100 on Base) has 7.5 UP of upkeep, 2.5 UP less than an update of its price costs. Updates are refused until it is topped up.",
    );
    expect(finding?.details).toEqual({
      balance: "75",
      required_balance: "100",
      shortfall: "25",
      reserve: "0",
    });
  });

  it.each<[string, UpkeepReading[], number | null]>([
    ["only a confirmed reading", [reading(1n)], null],
    ["a confirmed reading and newer ones", [reading(1n), reading(0n, 9), reading(2n, 10)], null],
    ["the newest reading alone", [reading(100n), reading(1n, 10)], 10],
    ["the readings since one", [reading(100n), reading(1n, 9), reading(2n, 10)], 9],
    ["readings with a good one between", [reading(1n), reading(100n, 9), reading(2n, 10)], 10],
    ["no confirmed reading at all", [reading(1n, 9), reading(2n, 10)], 9],
  ])("stands on %s", (_, readings, block) => {
    const [finding] = judge(readings).findings;
    expect(finding?.block?.number ?? null).toBe(block);
    expect(finding?.isUnconfirmed).toBe(block !== null);
  });

  it("finds nothing where nothing is missing, and knows nothing where nothing was read", () => {
    expect(upkeep.judge(chainVault(), RULES.upkeep, heard(NOW))).toEqual({ findings: [] });
    expect(upkeep.judge(unread, RULES.upkeep, heard(NOW))).toEqual({ findings: [], unknown: ["upkeep"] });
    expect(upkeep.judge(chainVault({ upkeep: "unknown" }), RULES.upkeep, heard(NOW)).unknown).toEqual([
      "upkeep",
    ]);
  });
});

describe("staleness of the price", () => {
  const rule = RULES.pps_staleness;
  const aged = (ageSeconds: number, life: number, more: { isFlagged?: boolean } = {}) => ({
    lastUpdate: NOW_SECONDS - ageSeconds,
    expirationSeconds: life,
    isFlagged: false,
    flaggedAt: more.isFlagged ? NOW_SECONDS - 60 : null,
    ...more,
  });
  const judge = (confirmed: ReturnType<typeof aged>, head = confirmed, vault: Partial<ChainVault> = {}) =>
    ppsStaleness.judge(chainVault({ staleness: { confirmed, head }, ...vault }), rule, heard(NOW));

  // A day: warning at 3600 s, critical at 600 s. An hour: warning at a quarter (900 s), critical at a tenth (360 s).
  it.each([
    [86_400, 86_400 - 3601, null],
    [86_400, 86_400 - 3600, "warning"],
    [86_400, 86_400 - 601, "warning"],
    [86_400, 86_400 - 600, "critical"],
    [86_400, 86_400, "critical"],
    [86_400, 86_401, "critical"],
    [3600, 3600 - 901, null],
    [3600, 3600 - 900, "warning"],
    [3600, 3600 - 361, "warning"],
    [3600, 3600 - 360, "critical"],
    [3600, 3600, "critical"],
    [3600, 999_999, "critical"],
  ])("of a price that lives %d s, after %d s, is %s", (life, age, severity) => {
    expect(severityOf(judge(aged(age, life)))).toBe(severity);
  });

  it("is said by the contract's flag, whatever the time", () => {
    const [finding] = judge(aged(0, 3600, { isFlagged: true })).findings;
    expect(finding).toMatchObject({ severity: "critical", title: "Price per share is stale" });
    expect(finding?.message).toContain("is flagged as stale by the contract");
  });

  it("counts by the chain's clock where that is ahead", () => {
    const ahead = judge(aged(0, 3600), undefined, { headSeconds: NOW_SECONDS + 3600 });
    expect(severityOf(ahead)).toBe("critical");
  });

  it("is none without a rule or an update, and unknown without a reading", () => {
    const never = { lastUpdate: null, expirationSeconds: null, isFlagged: null, flaggedAt: null };
    expect(judge(never as never).findings).toEqual([]);
    expect(ppsStaleness.judge(chainVault(), rule, heard(NOW)).unknown).toEqual(["pps"]);
    expect(ppsStaleness.judge(unread, rule, heard(NOW)).unknown).toEqual(["pps"]);
  });

  it("neither opens nor gets worse while a newer price stands at the head", () => {
    expect(judge(aged(3600, 3600), aged(0, 3600)).findings).toMatchObject([{ opens: false }]);
    expect(judge(aged(3600, 3600), aged(3000, 3600)).findings).toMatchObject([{ opens: false }]);
    expect(judge(aged(3600, 3600), aged(3600, 3600)).findings).toMatchObject([{ opens: true }]);
  });

  it("says when time alone will change it: at each threshold, and never after the last", () => {
    const expiresMs = NOW + 86_400_000;
    const at = (ms: number) => ppsStaleness.judge(chainVault({ staleness: fresh }), rule, heard(ms)).wakeMs;
    const fresh = { confirmed: aged(0, 86_400), head: aged(0, 86_400) };
    expect(at(NOW)).toBe(expiresMs - 3_600_000);
    expect(at(expiresMs - 3_600_000)).toBe(expiresMs - 600_000);
    expect(at(expiresMs - 600_000)).toBe(expiresMs + 1000);
    expect(at(expiresMs + 1000)).toBeNull();
  });

  it("changes exactly when it said, neither a millisecond earlier nor later", () => {
    const staleness = { confirmed: aged(0, 86_399), head: aged(0, 86_399) };
    const odd = { ...rule, warning_fraction: 0.0333, critical_fraction: 0.00777 };
    const levelAt = (ms: number) => {
      const [finding] = ppsStaleness.judge(
        chainVault({ staleness, headSeconds: 0 }),
        odd,
        heard(ms),
      ).findings;
      return finding?.conditions.length ?? 0;
    };
    let ms = NOW;
    for (const level of [1, 2, 3]) {
      ms = ppsStaleness.judge(chainVault({ staleness, headSeconds: 0 }), odd, heard(ms)).wakeMs as number;
      expect([levelAt(ms - 1), levelAt(ms)]).toEqual([level - 1, level]);
    }
  });

  it("gives webhooks the seconds that remain and the last update", () => {
    const [finding] = judge(aged(3060, 3600)).findings;
    expect(ppsStaleness.events?.(finding!, ["expires_soon"], NOW)).toEqual([
      {
        type: "pps.stale",
        data: {
          remaining_seconds: 540,
          last_update: "2027-01-15T07:09:00.000000Z",
          is_stale: false,
          staleness_reason: null,
          pps_expires_at: "2027-01-15T08:09:00.000000Z",
          pps_would_expire_at: "2027-01-15T08:09:00.000000Z",
        },
      },
    ]);
    const [stale] = judge(aged(3601, 3600)).findings;
    expect(ppsStaleness.events?.(stale!, ["stale"], NOW)).toMatchObject([
      { data: { remaining_seconds: 0, is_stale: true } },
    ]);
  });
});

describe("emergency pause", () => {
  const judge = (vault: ChainVault) => emergencyPause.judge(vault, RULES.emergency_pause, heard(NOW));

  it("is critical while the vault is paused, with who, since when and by which transaction", () => {
    const pause = {
      since: "2027-01-15T07:00:00.000000Z",
      by: "0x0000000000000000000000000000000000000009" as const,
      txHash: HASH,
      block: { number: 7, hash: HASH },
      isUnconfirmed: true,
    };
    expect(judge(chainVault({ pause })).findings).toMatchObject([
      {
        severity: "critical",
        message:
          "Alpha (0x0000…0100 on Base) has been paused since 2027-01-15 07:00:00 UTC, by 0x0000000000000000000000000000000000000009. Prices, deposits and redemptions are stopped.",
        isUnconfirmed: true,
        block: { number: 7 },
        txHash: HASH,
      },
    ]);
  });

  it("is none otherwise, and unknown before a reading", () => {
    expect(judge(chainVault()).findings).toEqual([]);
    expect(judge(unread)).toEqual({ findings: [], unknown: ["vault"] });
  });
});

describe("merkle root", () => {
  const judge = (vault: ChainVault) => merkleRoot.judge(vault, RULES.merkle, heard(NOW));

  it("is critical while vetoed", () => {
    expect(judge(chainVault({ veto: { root: "0x01", txHash: HASH } })).findings).toMatchObject([
      { subject: "root", severity: "critical", details: { root: "0x01" }, txHash: HASH },
    ]);
    expect(judge(chainVault()).findings).toEqual([]);
    expect(judge(unread).unknown).toEqual(["root", "global_root"]);
  });

  it("of the aggregator, which every vault falls back on, is critical while vetoed too", () => {
    expect(judge(chainVault({ isGlobalRootVetoed: true })).findings).toMatchObject([
      { subject: "global_root", severity: "critical", conditions: ["global_root_vetoed"] },
    ]);
  });
});
