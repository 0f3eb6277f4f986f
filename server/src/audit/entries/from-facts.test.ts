import { describe, expect, it } from "vitest";
import type { ConfirmedFact, StoredBody } from "../../chain/facts.ts";
import { prepare } from "../append/render.ts";
import { A, B, EXPECTED_ENTRIES, ROOT } from "./expected-entries.ts";
import { auditEntriesOf } from "./from-facts.ts";

function entriesOf(body: StoredBody, options: Partial<ConfirmedFact> = {}) {
  return auditEntriesOf({
    chainId: 8453,
    vaultAddress: A,
    actorWallet: B,
    blockNumber: 77,
    blockHash: ROOT,
    blockTimestamp: 1_777_593_600,
    txHash: ROOT,
    txIndex: 0,
    logIndex: 3,
    txFrom: A,
    isHistory: false,
    body,
    ...options,
  });
}

describe("the entries of a fact", () => {
  it.each(
    EXPECTED_ENTRIES.map(
      ([body, actions]) =>
        [body.kind, actions.map(([action]) => action).join(" and "), body, actions] as const,
    ),
  )("%s: %s", (_kind, _actions, body, actions) => {
    const entries = entriesOf(body);
    expect(entries.map((entry) => [entry.action_type, entry.details])).toEqual(actions);
    for (const entry of entries) {
      expect(entry).toMatchObject({
        vault_address: A,
        chain_id: 8453,
        actor_wallet: B,
        block: { number: 77, timestamp: 1_777_593_600, hash: ROOT, txHash: ROOT, logIndex: 3, txFrom: A },
      });
      expect(entry.occurredAt).toBe(undefined);
    }
  });

  it.each([
    { kind: "high_water_mark_updated", newHwmPps: "1", previousPps: "1", profit: "0", feeCollected: "0" },
    { kind: "shares_minted", to: A, shares: "1" },
    {
      kind: "redeem_claimable",
      controller: A,
      requestId: "0",
      assets: "1",
      shares: "1",
      averageWithdrawPrice: null,
    },
    { kind: "ownership_transferred", previousOwner: `0x${"00".repeat(20)}`, newOwner: A },
    { kind: "upkeep_spent", amount: "1", balance: null, claimableUpkeep: null },
    { kind: "other", contract: "vault", event: "Approval", args: {} },
  ] satisfies StoredBody[])("$kind: none", (body) => {
    expect(entriesOf(body)).toEqual([]);
  });

  it("are none of a kind that another release stored", () => {
    expect(entriesOf({ kind: "of_a_later_release", amount: "1" } as never)).toEqual([]);
  });

  it("of a fact that release 0.1 stored have null for what it did not hold", () => {
    const rejected = { kind: "pps_update_rejected", reason: "StaleUpdate", message: null, timestamp: null };
    expect(entriesOf(rejected as never)[0]!.details).toMatchObject({ pps: null });
    const proposed = {
      kind: "pps_expiration_proposed",
      currentProposedThreshold: "0",
      ppsExpiration: "2",
      effectiveTime: "1777593600",
    };
    expect(entriesOf(proposed as never)[0]!.details).toMatchObject({
      current_pps_expiration_seconds: null,
      replaced_pps_expiration_seconds: null,
    });
  });

  it("of a block older than the vault's configuration have the block's time as theirs", () => {
    expect(entriesOf({ kind: "pps_stale" }, { isHistory: true })[0]!.occurredAt).toBe(1_777_593_600);
  });

  it("that concern no known vault stand under the zero address", () => {
    expect(entriesOf({ kind: "pps_stale" }, { vaultAddress: null })[0]!.vault_address).toBe(
      `0x${"0".repeat(40)}`,
    );
  });

  it("of governance are one for each thing that the event did, in its order", () => {
    const args = { caller: B, newWithdrawQueue: [ROOT] };
    const told = { contract: "vault", event: "SetWithdrawQueue", event_arguments: args };
    const entries = entriesOf({
      kind: "governance",
      contract: "vault",
      event: "SetWithdrawQueue",
      args,
      effects: [
        { action: "queue_change", old: ["1", "2", "3"], new: ["1"] },
        { action: "market_remove", id: "2" },
        { action: "market_remove", id: "3" },
      ],
    });
    expect(entries.map(({ action_type, details, block }) => [action_type, details, block?.nth])).toEqual([
      ["queue_change", { ...told, old: ["1", "2", "3"], new: ["1"] }, undefined],
      ["market_remove", { ...told, id: "2" }, undefined],
      ["market_remove", { ...told, id: "3" }, 1],
    ]);
    expect(new Set(entries.map((entry) => prepare(entry).known!.id)).size).toBe(3);
  });

  it("of a submitted call tell what it would do and when, and of junk its bytes", () => {
    const call = { target: A, function: "setCurator", arguments: { newCurator: B }, calldata: ROOT };
    const submitted = (effect: object) =>
      entriesOf({
        kind: "governance",
        contract: "timelock",
        event: "CallScheduled",
        args: {},
        effects: [{ action: "timelock_schedule", ...effect }],
      })[0]!.details;
    const told = { contract: "timelock", event: "CallScheduled", event_arguments: {} };
    expect(submitted({ call, executable_at: "1777593600" })).toEqual({
      ...told,
      ...call,
      executable_at: "2026-05-01T00:00:00.000000Z",
    });
    const junk = { target: A, function: null, arguments: null, calldata: "0x12" };
    expect(submitted({ call: junk, executable_at: null })).toEqual({ ...told, ...junk, executable_at: null });
  });

  it("of governance that is only accounts are none", () => {
    const fact = {
      kind: "governance",
      contract: "vault",
      event: "AccrueInterest",
      args: {},
      effects: [],
    } as const;
    expect(entriesOf({ ...fact, effects: [] })).toEqual([]);
  });
});
