import type { Address } from "viem";
import { describe, expect, test } from "vitest";
import {
  allocationsOf,
  contractRolesOf,
  feesOf,
  liquidityOf,
  pendingChangesOf,
  pendingJson,
} from "./record-governance.ts";
import type { PendingChangeState, VaultRow } from "./store.ts";

const A = "0x1111111111111111111111111111111111111111" as Address;
const B = "0x2222222222222222222222222222222222222222" as Address;
const DUE = "2026-05-01T00:00:00.000000Z";
const DUE_SECOND = 1_777_593_600;

function rowOf(fields: Partial<VaultRow>): VaultRow {
  const nothing = {
    intervals: [],
    pending_changes: [],
    controllers: [],
    fee_rates: null,
    roles_since: {},
    created_at: null,
  };
  return { ...nothing, ...fields } as VaultRow;
}

const CALL: PendingChangeState = {
  kind: "call",
  current: "ignored",
  proposed: null,
  proposer: null,
  effective_at: null,
  id: "0x12:7",
  target: A,
  function: "addAdapter",
  arguments: { account: B },
  calldata: "0x1234",
  submitted_at: "2026-04-28T00:00:00.000000Z",
  submitted_by: B,
  executable_at: DUE,
  earliest_effect_at: "2026-04-30T00:00:00.000000Z",
  is_blocked: false,
  revocable_by: [A],
};

function shown(change: PendingChangeState, second: number) {
  return JSON.parse(
    pendingJson(pendingChangesOf(rowOf({ pending_changes: [change] }), null), second).json,
  )[0];
}

describe("a change that waits in a timelock", () => {
  test("is ready in the second from which it can be executed, and not before", () => {
    expect(shown(CALL, DUE_SECOND - 1).status).toBe("pending");
    expect(shown(CALL, DUE_SECOND).status).toBe("ready");
    const changes = pendingChangesOf(rowOf({ pending_changes: [CALL] }), null);
    expect(pendingJson(changes, DUE_SECOND - 1).tag).not.toBe(pendingJson(changes, DUE_SECOND).tag);
  });

  test("that is a call says what it would do, who submitted it and when it can run", () => {
    const { is_blocked: _, ...members } = CALL;
    expect(shown(CALL, 0)).toEqual({
      ...members,
      current: null,
      proposed: { function: "addAdapter", arguments: { account: B } },
      proposer: B,
      effective_at: DUE,
      status: "pending",
    });
  });

  test("of which the function was given up is blocked for good, and has no earliest effect", () => {
    expect(shown({ ...CALL, is_blocked: true }, DUE_SECOND + 1)).toMatchObject({
      status: "blocked",
      earliest_effect_at: null,
      executable_at: DUE,
    });
  });

  test("without a time waits for somebody", () => {
    expect(shown({ ...CALL, executable_at: null }, DUE_SECOND)).toMatchObject({ status: "pending" });
  });

  test("that a contract holds one of is another change when anything of it is", () => {
    const { id: _, ...plain } = { ...CALL, kind: "pps_expiration", proposed: "1" };
    const ids = [plain, { ...plain, proposed: "2" }, { ...plain, effective_at: DUE }].map(
      (change) => shown(change, 0).id,
    );
    expect(new Set(ids).size).toBe(3);
    expect(shown(plain, 0).id).toBe(ids[0]);
  });
});

describe("caps, fees and shares", () => {
  const allocation = {
    id: "0xab",
    kind: "market",
    address: null,
    label: "USDC/WETH",
    assets: "250",
    absolute_cap: null,
    is_absolute_capped: false,
    relative_cap_e18: "150000000000000000",
    is_relative_capped: true,
  };

  test("a relative cap is an exact decimal, a share a number", () => {
    const row = rowOf({ allocations: [allocation], total_assets: 1_000n });
    expect(allocationsOf(row, [])).toEqual([
      {
        id: "0xab",
        kind: "market",
        address: null,
        label: "USDC/WETH",
        assets: "250",
        absolute_cap: null,
        is_absolute_capped: false,
        relative_cap: "0.15",
        is_relative_capped: true,
        share: 0.25,
      },
    ]);
  });

  test("yield sources are allocations; what is not known has no share", () => {
    const row = rowOf({ allocations: [], total_assets: 0n });
    const sources = [
      { address: A, allocation_assets: "5" },
      { address: B, allocation_assets: null },
    ];
    expect(allocationsOf(row, sources)).toMatchObject([
      { id: A, kind: "strategy", assets: "5", share: null, is_absolute_capped: false },
      { id: B, assets: null, share: null },
    ]);
  });

  test.each([
    [10n ** 17n, "0.1"],
    [1n, "0.000000000000000001"],
    [10n ** 18n, "1"],
    [0n, "0"],
    [3n * 10n ** 18n + 5n, "3.000000000000000005"],
  ])("a fee of %s × 10^-18 is %s", (value, told) => {
    const rates = {
      performance_fee_e18: value.toString(),
      performance_fee_recipient: A,
      management_fee_e18: null,
      management_fee_recipient: null,
    };
    expect(feesOf(rowOf({ fee_rates: rates }))).toEqual({
      performance_fee: told,
      performance_fee_recipient: A,
      management_fee: null,
      management_fee_recipient: null,
    });
  });

  test("fees in basis points are told as the same decimals", () => {
    const row = rowOf({ performance_fee_bps: 1_025n, management_fee_bps: 0n, fee_recipient: A });
    expect(feesOf(row)).toMatchObject({ performance_fee: "0.1025", management_fee: "0" });
  });

  test("utilisation is what could not be paid at once, and is not told where nobody is", () => {
    const liquidity = { idle_assets: "100", withdrawable_assets: "300", is_exit_immediate: true };
    expect(liquidityOf(rowOf({ liquidity, total_assets: 1_000n }))).toEqual({
      idle_assets: "100",
      withdrawable_assets: "300",
      utilisation: 0.7,
    });
    const asked = { ...liquidity, is_exit_immediate: false };
    expect(liquidityOf(rowOf({ liquidity: asked, total_assets: 1_000n }))!.utilisation).toBeNull();
    expect(liquidityOf(rowOf({ liquidity, total_assets: 200n }))!.utilisation).toBe(0);
  });

  test("since when a role is held: its last event, else the vault's beginning", () => {
    const row = rowOf({
      contract_roles: [
        { role: "curator", account: A },
        { role: "owner", account: B },
      ],
      roles_since: { [`curator:${A}`]: DUE },
      created_at: "2026-01-01T00:00:00.000000Z",
    });
    expect(contractRolesOf(row).map(({ since }) => since)).toEqual([DUE, "2026-01-01T00:00:00.000000Z"]);
  });
});
