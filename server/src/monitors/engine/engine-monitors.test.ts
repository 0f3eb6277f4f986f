// Tables of cases of the monitors that judge what engines report.
import { describe, expect, it } from "vitest";
import { heard, NOW, REF, RULES, service } from "../../../test/monitor-states.ts";
import type { Judged } from "../base/finding.ts";
import { emergencyExit } from "./emergency-exit.ts";
import { execution } from "./execution.ts";
import { keeperRun, type ServiceState } from "./keeper-run.ts";
import { merkleJobs } from "./merkle.ts";
import { type SessionKeyState, sessionKey } from "./session-key.ts";

const iso = (ms: number) => new Date(ms).toISOString().replace("Z", "000Z");
const severityOf = ({ findings }: Judged) => findings[0]?.severity ?? null;

describe("keeper run", () => {
  const judge = (...rows: ServiceState[]) => keeperRun.judge({ ...REF, rows }, RULES.keeper_run, heard(NOW));
  const one = (more: Partial<ServiceState>) => judge(service(more));

  it.each<[string, Partial<ServiceState>, string | null, string[]]>([
    ["all is well", {}, null, []],
    ["two failures in a row", { recentSuccess: 98, recentFailed: 2, consecutiveFailures: 2 }, null, []],
    [
      "three in a row",
      { recentSuccess: 97, recentFailed: 3, consecutiveFailures: 3 },
      "warning",
      ["failing"],
    ],
    ["a rate of 0.95", { recentSuccess: 95, recentFailed: 5 }, null, []],
    ["a rate of 0.94", { recentSuccess: 94, recentFailed: 6 }, "warning", ["rate_low"]],
    ["a rate of 0.80", { recentSuccess: 80, recentFailed: 20 }, "warning", ["rate_low"]],
    ["a rate of 0.79", { recentSuccess: 79, recentFailed: 21 }, "critical", ["rate_low", "rate_very_low"]],
    [
      "four runs of which all failed",
      { recentSuccess: 0, recentFailed: 4, consecutiveFailures: 2 },
      null,
      [],
    ],
    ["a run 119.999 s ago", { lastRunMs: NOW - 119_999 }, null, []],
    ["a run two schedules ago", { lastRunMs: NOW - 120_000 }, "warning", ["late"]],
    ["a run three schedules ago", { lastRunMs: NOW - 180_000 }, "critical", ["late", "silent"]],
    ["no schedule", { lastRunMs: 0, scheduleSeconds: null }, null, []],
    [
      "never ran, told of three schedules ago",
      { lastRunMs: null, lastRun: null, firstStateMs: NOW - 180_000 },
      "critical",
      ["late", "silent"],
    ],
    ["paused, though silent and failing", { isPaused: true, lastRunMs: 0, recentFailed: 90 }, null, []],
    ["switched off", { isEnabled: false, lastRunMs: 0 }, null, []],
  ])("%s", (_, more, severity, conditions) => {
    const judged = one(more);
    expect(severityOf(judged)).toBe(severity);
    expect(judged.findings[0]?.conditions ?? []).toEqual(conditions);
  });

  it("judges a vault's own row and that of no vault together, by the worse", () => {
    const own = service({ recentSuccess: 94, recentFailed: 6 });
    const shared = service({ lastRunMs: NOW - 180_000 });
    const { findings } = judge(own, shared);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({
      subject: "fulfill_redeems",
      severity: "critical",
      conditions: ["rate_low", "late", "silent"],
    });
  });

  it("says when silence will begin and get worse", () => {
    expect(one({ lastRunMs: NOW - 1000 }).wakeMs).toBe(NOW + 119_000);
    expect(one({ lastRunMs: NOW - 120_000 }).wakeMs).toBe(NOW + 60_000);
    expect(one({ lastRunMs: NOW - 180_000 }).wakeMs).toBeNull();
    expect(one({ lastRunMs: NOW, isPaused: true }).wakeMs).toBeNull();
  });

  it("gives webhooks service.degraded for the rate alone, service.late for lateness, service.down for silence", () => {
    const [finding] = one({ lastRunMs: NOW - 180_000, recentSuccess: 79, recentFailed: 21 }).findings;
    const types = (added: string[]) => keeperRun.events?.(finding!, added, NOW).map(({ type }) => type);
    expect(types(["failing"])).toEqual([]);
    expect(types(["rate_low"])).toEqual(["service.degraded"]);
    expect(types(["rate_very_low"])).toEqual(["service.degraded"]);
    expect(types(["late"])).toEqual(["service.late"]);
    expect(types(["silent"])).toEqual(["service.down"]);
    expect(types(["rate_low", "late", "silent"])).toEqual(["service.degraded", "service.down"]);
    expect(keeperRun.events?.(finding!, ["silent"], NOW)[0]?.data).toEqual({
      service: "fulfill_redeems",
      status: "critical",
      success_rate: 0.79,
      last_run: "2027-01-15T08:00:00.000000Z",
      last_error: null,
    });
  });

  it("shows an engine's error as what somebody else wrote, cleaned and cut", () => {
    const lastError = `a\r\nb\u202ec${"x".repeat(500)}`;
    const [finding] = one({ consecutiveFailures: 3, recentFailed: 3, lastError }).findings;
    expect(finding?.message).toContain(`: “a bc${"x".repeat(296)}”.`);
  });
});

describe("session key", () => {
  const key: SessionKeyState = {
    ...REF,
    isReady: true,
    keyAddress: "0x0000000000000000000000000000000000000007",
    expiresAt: iso(NOW + 30 * 86_400_000),
    isRotationPending: false,
    reason: null,
    reportedMs: NOW - 60_000,
  };
  const judge = (more: Partial<SessionKeyState>) =>
    sessionKey.judge({ ...key, ...more }, RULES.session_key, heard(NOW));

  it.each<[string, Partial<SessionKeyState>, string | null, string[]]>([
    ["all is well", {}, null, []],
    ["not ready", { isReady: false }, "critical", ["not_ready"]],
    ["a day and a millisecond left", { expiresAt: iso(NOW + 86_400_001) }, null, []],
    ["a day left", { expiresAt: iso(NOW + 86_400_000) }, "warning", ["expires_soon"]],
    ["a millisecond left", { expiresAt: iso(NOW + 1) }, "warning", ["expires_soon"]],
    ["expired", { expiresAt: iso(NOW) }, "critical", ["expired"]],
    ["a rotation is pending", { isRotationPending: true }, "info", ["rotation_pending"]],
    [
      "expired, with a rotation pending",
      { expiresAt: iso(NOW), isRotationPending: true },
      "critical",
      ["expired", "rotation_pending"],
    ],
    ["not ready and expired", { isReady: false, expiresAt: iso(NOW) }, "critical", ["not_ready", "expired"]],
  ])("%s", (_, more, severity, conditions) => {
    const judged = judge(more);
    expect(severityOf(judged)).toBe(severity);
    expect(judged.findings[0]?.conditions ?? []).toEqual(conditions);
  });

  it("says when it will begin to expire and expire", () => {
    expect(judge({}).wakeMs).toBe(NOW + 29 * 86_400_000);
    expect(judge({ expiresAt: iso(NOW + 86_400_000) }).wakeMs).toBe(NOW + 86_400_000);
    expect(judge({ expiresAt: iso(NOW) }).wakeMs).toBeNull();
  });

  it("tells the engine's reason", () => {
    expect(judge({ isReady: false, reason: "not granted" }).findings[0]?.message).toContain(
      "The key is not ready: “not granted”.",
    );
  });
});

describe("emergency exit", () => {
  it("is critical while armed", () => {
    const armed = { ...REF, since: iso(NOW), by: REF.address };
    expect(emergencyExit.judge(armed, RULES.emergency_exit, heard(NOW)).findings).toMatchObject([
      {
        severity: "critical",
        message: expect.stringContaining("has been armed since 2027-01-15 08:00:00 UTC, by 0x"),
      },
    ]);
    expect(
      emergencyExit.judge({ ...armed, since: null, by: null }, RULES.emergency_exit, heard(NOW)).findings[0]
        ?.message,
    ).toMatch(/has been armed\.$/);
  });
});

describe("merkle jobs", () => {
  it.each(["generate", "publish"] as const)("a failed %s is a warning of its own", (kind) => {
    const job = { ...REF, kind, jobId: "job-1", failedAt: iso(NOW), error: "out of gas" };
    expect(merkleJobs.judge(job, RULES.merkle, heard(NOW)).findings).toMatchObject([
      {
        subject: kind,
        severity: "warning",
        message: expect.stringContaining(": “out of gas”."),
        details: { job_id: "job-1" },
      },
    ]);
  });
});

describe("execution", () => {
  const judge = (agesMs: number[], strategyId = "s-1") =>
    execution.judge(
      {
        ...REF,
        strategyId,
        failures: agesMs.map((age, index) => ({
          intentId: `i-${index}`,
          atMs: NOW - age,
          errorCode: "SLIPPAGE",
        })),
      },
      RULES.execution,
      heard(NOW),
    );

  it.each<[number[], string | null]>([
    [[0, 1], null],
    [[0, 1, 2], "warning"],
    [[0, 1, 899_999], "warning"],
    [[0, 1, 900_000], null],
    [[0, 1, 2, 3, 4], "warning"],
    [[0, 1, 2, 3, 4, 5], "critical"],
    [[-200_000, 0, 1], "warning"],
    [[], null],
  ])("failures %j ms ago are %s", (ages, severity) => {
    expect(severityOf(judge(ages))).toBe(severity);
  });

  it("looks again when the oldest failure leaves the window", () => {
    expect(judge([0, 1, 899_999]).wakeMs).toBe(NOW + 1);
    expect(judge([5]).wakeMs).toBe(NOW + 899_995);
    expect(judge([]).wakeMs).toBeNull();
  });

  it("names the strategy, or that there is none", () => {
    expect(judge([0, 1, 2]).findings[0]).toMatchObject({
      subject: "s-1",
      message: expect.stringContaining(
        "3 intents failed or were aborted within 15 min (strategy s-1): “SLIPPAGE”.",
      ),
    });
    expect(judge([0, 1, 2], "").findings[0]).toMatchObject({ subject: "", details: { strategy_id: null } });
  });
});
