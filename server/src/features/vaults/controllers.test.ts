import { getAddress, type Hex, keccak256, numberToHex, toHex } from "viem";
import { describe, expect, test } from "vitest";
import type { NEW_TIMELOCK } from "../../chain/controllers/apply-timelock.ts";
import { type Operation, plainState } from "../../chain/controllers/state.ts";
import { controllersOf, scheduledChangesOf } from "./controllers.ts";

const [vault, strategy, safe, timelock, anne, stranger] = Array.from({ length: 6 }, (_, n) =>
  getAddress(numberToHex(0xabcd00 + n, { size: 20 })),
) as [`0x${string}`, `0x${string}`, `0x${string}`, `0x${string}`, `0x${string}`, `0x${string}`];
const id = keccak256(toHex("operation"));
const call = (target: `0x${string}`, calldata: Hex = "0x") => ({
  target,
  function: null,
  arguments: null,
  calldata,
  value: "0",
});

function places(operations: Operation[], holders: typeof NEW_TIMELOCK.holders = null) {
  const state = { ...plainState("timelock"), timelock: { minDelaySeconds: 60, holders, operations } };
  return {
    address: vault,
    strategy_address: strategy,
    escrow_address: null,
    controllers: [{ address: timelock, level: 1 as const, roles: ["owner"], state }],
  };
}

const waiting: Operation = {
  id,
  calls: [call(vault, "0x12345678")],
  predecessor: null,
  scheduledAt: 1_700_000_000,
  scheduledBy: safe,
  executableAt: 1_700_000_060,
  isBlocked: false,
};

describe("controllers", () => {
  test("tell of a Safe what it was read to have, and leave out whoever was not read", () => {
    const state = {
      ...plainState("safe"),
      owners: [anne],
      threshold: 1,
      singleton: stranger,
      version: "1.4.1",
    };
    const controllers = [
      { address: safe, level: 1 as const, roles: ["owner", "curator"], state },
      { address: stranger, level: 1 as const, roles: ["allocator"], state: null },
    ];
    expect(controllersOf({ ...places([]), controllers })).toEqual([
      {
        address: safe,
        kind: "safe",
        roles: ["owner", "curator"],
        owners: [anne],
        threshold: 1,
        modules: [],
        guard: null,
        module_guard: null,
        fallback_handler: null,
        singleton: stranger,
        min_delay_seconds: null,
        proposers: null,
        version: "1.4.1",
      },
    ]);
  });

  test("of a timelock are its proposers once they are known; until then null, and nobody", () => {
    expect(controllersOf(places([]))).toMatchObject([{ min_delay_seconds: 60, proposers: null, owners: [] }]);
    const holders = { proposer: [safe], executor: [], canceller: [], admin: [] };
    expect(controllersOf(places([], holders))).toMatchObject([{ proposers: [safe], owners: [safe] }]);
  });
});

describe("an operation that waits in a timelock", () => {
  test("is a pending change of the vault that it calls", () => {
    const holders = { proposer: [safe], executor: [], canceller: [anne], admin: [] };
    expect(scheduledChangesOf(places([waiting], holders))).toEqual([
      {
        kind: "call",
        current: null,
        proposed: { function: null, arguments: null },
        proposer: safe,
        effective_at: "2023-11-14T22:14:20.000000Z",
        id,
        target: vault,
        function: null,
        arguments: null,
        calldata: "0x12345678",
        submitted_at: "2023-11-14T22:13:20.000000Z",
        submitted_by: safe,
        executable_at: "2023-11-14T22:14:20.000000Z",
        earliest_effect_at: "2023-11-14T22:14:20.000000Z",
        is_blocked: false,
        revocable_by: [anne],
      },
    ]);
  });

  test("and of one that it names to another contract, but not of others", () => {
    const naming: Hex = `0xaabbccdd${strategy.slice(2).toLowerCase().padStart(64, "0")}`;
    const operations = [
      { ...waiting, calls: [call(stranger, naming)] },
      { ...waiting, calls: [call(stranger)] },
    ];
    expect(scheduledChangesOf(places(operations)).map(({ target }) => target)).toEqual([stranger]);
  });

  test("of several calls is a change for each of them, told apart", () => {
    const operations = [{ ...waiting, calls: [call(vault), call(stranger), call(strategy)] }];
    expect(scheduledChangesOf(places(operations)).map((change) => change.id)).toEqual([`${id}:0`, `${id}:2`]);
  });

  test("that must wait for another has no moment at which it could be had", () => {
    expect(scheduledChangesOf(places([{ ...waiting, isBlocked: true }]))).toMatchObject([
      { is_blocked: true, earliest_effect_at: null },
    ]);
  });
});
