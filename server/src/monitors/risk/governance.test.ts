// What governance tells, case by case.
import { describe, expect, it } from "vitest";
import { heard, NOW, REF, RULES } from "../../../test/monitor-states.ts";
import type { StoredBody } from "../../chain/facts.ts";
import type { GovernanceEffect } from "../../chain/governance.ts";
import { governance } from "./governance.ts";
import type { RecentFacts, WaitingCall } from "./recent-facts.ts";

const ACTOR = "0x000000000000000000000000000000000000aaaa";
const TX = `0x${"5e".repeat(32)}` as const;
const CALL = {
  target: REF.address,
  function: "setFee(uint256)",
  arguments: { fee: "5" },
  calldata: "0x69fe0e2d",
} as const;

function state(more: Partial<RecentFacts> = {}): RecentFacts {
  return {
    ...REF,
    facts: [],
    waiting: [],
    isWaitingKnown: true,
    watchedSinceMs: 0,
    asset: { decimals: 6, symbol: "USDC" },
    totalAssets: 1_000_000n,
    ...more,
  };
}

const fact = (body: object, atMs = NOW - 60_000) => ({
  block: { number: 7, hash: TX },
  atMs,
  txHash: TX,
  logIndex: 3,
  actor: ACTOR as `0x${string}`,
  body: body as StoredBody,
});

const effect = (one: GovernanceEffect) => ({
  kind: "governance",
  contract: "vault",
  event: "E",
  args: {},
  effects: [one],
});

const judge = (vault: RecentFacts, rule: Partial<(typeof RULES)["governance"]> = {}, nowMs = NOW) =>
  governance.judge(vault, { ...RULES.governance, ...rule }, heard(nowMs));

const told = (body: object, rule: Partial<(typeof RULES)["governance"]> = {}) =>
  judge(state({ facts: [fact(body)] }), rule).findings.map(({ severity, conditions }) => [
    severity,
    ...conditions,
  ]);

describe("governance", () => {
  it.each([
    ["timelock_submit", "info", "submitted"],
    ["timelock_schedule", "info", "submitted"],
    ["upgrade_propose", "info", "submitted"],
    ["timelock_accept", "info", "executed"],
    ["timelock_execute", "info", "executed"],
    ["timelock_revoke", "info", "revoked"],
    ["timelock_cancel", "info", "revoked"],
    ["owner_change", "critical", "changed"],
    ["signer_add", "critical", "changed"],
    ["signer_remove", "critical", "changed"],
    ["threshold_change", "critical", "changed"],
    ["module_enable", "critical", "changed"],
    ["singleton_change", "critical", "changed"],
    ["upgrade", "critical", "changed"],
    ["role_grant", "warning", "changed"],
    ["fee_config_update", "warning", "changed"],
    ["guard_change", "warning", "changed"],
    ["gate_change", "warning", "changed"],
  ] as const)("%s is %s, %s", (action, severity, life) => {
    expect(told(effect({ action }))).toEqual([[severity, life]]);
  });

  it.each(["allocation_change", "settle", "nav_propose", "strategy_report", "safe_execute"] as const)(
    "%s is daily work and not told",
    (action) => {
      expect(told(effect({ action }))).toEqual([]);
    },
  );

  it("a valuation that took effect is daily work and not told, as another parameter is", () => {
    expect(told(effect({ action: "parameter_change", id: "total_assets", new: "7" }))).toEqual([]);
    expect(told(effect({ action: "parameter_change", id: "guardrails_activated", new: true }))).toEqual([
      ["info", "executed"],
    ]);
  });

  it.each([
    [
      { kind: "primary_manager_proposed", newManager: ACTOR, effectiveTime: "1800000100" },
      "info",
      "submitted",
    ],
    [{ kind: "primary_manager_changed", newManager: ACTOR }, "critical", "changed"],
    [{ kind: "secondary_manager_added", manager: ACTOR }, "warning", "changed"],
    [{ kind: "fee_config_updated", recipient: ACTOR }, "warning", "changed"],
    [{ kind: "pps_expiration_proposal_cancelled" }, "info", "revoked"],
    [{ kind: "min_update_interval_changed" }, "info", "executed"],
  ])("of a vault with an aggregator: %j", (body, severity, life) => {
    expect(told(body)).toEqual([[severity, life]]);
  });

  it("names who acted, when, the decoded call and from when on it can be executed", () => {
    const body = effect({ action: "timelock_submit", call: CALL, executable_at: "1800000600" });
    expect(judge(state({ facts: [fact(body)] })).findings).toMatchObject([
      {
        subject: `${TX}:3`,
        isOnce: true,
        block: { number: 7 },
        txHash: TX,
        message: `Alpha (0x0000…0100 on Base): a call was submitted to the vault's own timelock, by ${ACTOR} at 2027-01-15 07:59:00 UTC. The call: setFee(fee: 5). It can be executed from 2027-01-15 08:10:00 UTC on.`,
      },
    ]);
  });

  it("a proposal of an account that is not known is critical, in whatever case it is written", () => {
    const body = effect({ action: "timelock_submit" });
    const known = ACTOR.toUpperCase().replace("0X", "0x") as `0x${string}`;
    expect(told(body, { known_actors: [known] })).toEqual([["info", "submitted"]]);
    expect(told(body, { known_actors: [REF.address] })).toEqual([["critical", "submitted", "unknown_actor"]]);
    expect(told(effect({ action: "timelock_revoke" }), { known_actors: [REF.address] })).toEqual([
      ["info", "revoked"],
    ]);
  });

  it("is over exactly when its time has passed", () => {
    const facts = [fact(effect({ action: "owner_change" }), NOW - 60_000)];
    const rule = { resolve_after_seconds: 61 };
    expect(judge(state({ facts }), rule)).toMatchObject({ findings: [{}], wakeMs: NOW + 1000 });
    expect(judge(state({ facts }), rule, NOW + 999).findings).toHaveLength(1);
    expect(judge(state({ facts }), rule, NOW + 1000).findings).toEqual([]);
  });

  it("time in which the chain was not heard does not count", () => {
    const facts = [fact(effect({ action: "owner_change" }), NOW - 60_000)];
    const gaps = [{ fromMs: NOW - 50_000, toMs: NOW - 10_000 }];
    const rule = { ...RULES.governance, resolve_after_seconds: 30 };
    expect(governance.judge(state({ facts }), rule, { ...heard(NOW), gaps }).findings).toHaveLength(1);
  });

  it("what concerns another vault alone is not told of this one", () => {
    expect(told(effect({ action: "signer_add", vaults: [ACTOR] }))).toEqual([]);
    expect(told(effect({ action: "signer_add", vaults: [REF.address] }))).toHaveLength(1);
  });
});

describe("a change that waits", () => {
  const waiting = (seconds: number, more: Partial<WaitingCall> = {}): WaitingCall => ({
    kind: "call",
    proposed: null,
    proposer: null,
    effective_at: null,
    id: "c1",
    function: "setFee(uint256)",
    arguments: { fee: "5" },
    calldata: "0x69fe0e2d",
    executable_at: new Date(NOW + seconds * 1000).toISOString(),
    ...more,
  });

  it.each([
    [86_401, 0],
    [86_400, 1],
    [0, 1],
    [-5, 1],
  ])("executable in %i s: told %i times", (seconds, times) => {
    const { findings } = judge(state({ waiting: [waiting(seconds)] }));
    expect(findings).toHaveLength(times);
    if (times > 0)
      expect(findings).toMatchObject([{ subject: "ready:c1", severity: "warning", opens: true }]);
  });

  it("wakes at the moment at which it is due", () => {
    expect(judge(state({ waiting: [waiting(86_460)] })).wakeMs).toBe(NOW + 60_000);
  });

  it("opens nothing by a reading that is not the newest, nor where it was due before it was watched for", () => {
    expect(judge(state({ waiting: [waiting(60)], isWaitingKnown: false })).findings).toMatchObject([
      { opens: false },
    ]);
    expect(judge(state({ waiting: [waiting(60)], watchedSinceMs: NOW })).findings).toMatchObject([
      { opens: false },
    ]);
  });

  it("that can never be executed is not told", () => {
    expect(judge(state({ waiting: [waiting(60, { is_blocked: true })] })).findings).toEqual([]);
  });
});
