import { expect, it } from "vitest";
import { type Known, needsOf } from "./attention.ts";
import type { Redeems, Service, SessionKey, Shard, VaultState } from "./queries.ts";

const NOW = Date.parse("2026-05-09T10:00:00Z");
const at = (seconds: number) => new Date(NOW + seconds * 1000).toISOString();

const WELL = {
  emergency_exit: { is_armed: false, since: null, by: null },
  is_paused: false,
  is_pps_stale: false,
  pps_expires_at: at(86_400),
  pps_expiration_seconds: 86_400,
  upkeep_info: { balance: "5", token: null, threshold: { required_balance: "1", shortfall: "0" } },
  activation: { is_active: true, status: "active", reason: null },
  merkle: null,
  pending_changes: [],
} as unknown as VaultState;

const ids = (known: Partial<Known>) =>
  needsOf({ vault: WELL, ...known }, NOW).map(({ id, tone }) => [id, tone]);

it("finds nothing where all is well", () => {
  expect(ids({})).toEqual([]);
  expect(ids({ vault: { ...WELL, upkeep_info: null, activation: null, pps_expires_at: null } })).toEqual([]);
});

it("names the worst first", () => {
  const vault = {
    ...WELL,
    is_paused: true,
    emergency_exit: { is_armed: true, since: at(-60), by: null },
    pending_changes: [
      { kind: "primary_manager", current: "0x1", proposed: "0x2", proposer: null, effective_at: at(60) },
    ],
  } as unknown as VaultState;
  expect(ids({ vault })).toEqual([
    ["exit", "critical"],
    ["paused", "critical"],
    ["pending-primary_manager", "warning"],
  ]);
});

it("warns of a price an hour before it goes stale, or at a quarter of its expiry; it is critical at ten minutes, or a tenth", () => {
  const left = (seconds: number, expiry: number) =>
    ids({ vault: { ...WELL, pps_expires_at: at(seconds), pps_expiration_seconds: expiry } });
  expect(left(3601, 86_400)).toEqual([]);
  expect(left(3600, 86_400)).toEqual([["stale", "warning"]]);
  expect(left(600, 86_400)).toEqual([["stale", "critical"]]);
  expect(left(301, 1200)).toEqual([]);
  expect(left(300, 1200)).toEqual([["stale", "warning"]]);
  expect(left(120, 1200)).toEqual([["stale", "critical"]]);
  expect(ids({ vault: { ...WELL, is_pps_stale: true, pps_expires_at: at(-1) } })).toEqual([
    ["stale", "critical"],
  ]);
});

it("says how much upkeep is missing, in its token", () => {
  const upkeep_info = {
    balance: "0",
    token: "0x1",
    threshold: { required_balance: "2", shortfall: "1500000" },
  };
  const needs = needsOf({ vault: { ...WELL, upkeep_info }, upkeepToken: { symbol: "UP", decimals: 6 } }, NOW);
  expect(needs).toMatchObject([{ id: "upkeep", tone: "critical" }]);
  expect(needs[0]?.detail).toContain("1.5 UP");
});

it("reads the engine's reports: locks, silence, the session key, services, redemptions that wait", () => {
  const shard = {
    emergency_locks: [{ strategy_id: "s", target_address: "0x1", started_at: at(-9), reason: "r" }],
    is_stale: true,
    reported_at: at(-99),
  } as unknown as Shard;
  const sessionKey = {
    is_ready: true,
    is_expired: false,
    pending_rotation: false,
    expires_at: at(3600),
    reason: null,
  } as unknown as SessionKey;
  const services = [
    { name: "a", display_name: "A", status: "critical", is_paused: false, last_error: "boom" },
    { name: "b", display_name: "B", status: "healthy", is_paused: false },
    { name: "c", display_name: "C", status: "paused", is_paused: true, paused_reason: "by hand" },
  ] as unknown as Service[];
  const redeems = {
    redeems: [{ age_seconds: 90_000, requested_at: at(-90_000) }, { age_seconds: null }],
    total: 2,
  } as unknown as Redeems;
  expect(ids({ shard, sessionKey, services, redeems })).toEqual([
    ["locks", "critical"],
    ["service-a", "critical"],
    ["shard", "warning"],
    ["session-key", "warning"],
    ["redeems", "warning"],
    ["service-c", "warning"],
  ]);
});

it("takes a session key that nobody has reported on for no trouble, and one that is not ready or expired for critical", () => {
  const key = (more: object) =>
    ({
      is_ready: null,
      is_expired: null,
      pending_rotation: null,
      expires_at: null,
      reason: null,
      reported_at: null,
      ...more,
    }) as SessionKey;
  expect(ids({ sessionKey: key({}) })).toEqual([]);
  expect(ids({ sessionKey: key({ is_ready: false }) })).toEqual([["session-key", "critical"]]);
  expect(ids({ sessionKey: key({ is_ready: true, is_expired: true }) })).toEqual([
    ["session-key", "critical"],
  ]);
});
