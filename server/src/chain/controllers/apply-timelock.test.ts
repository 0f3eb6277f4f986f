import {
  encodeAbiParameters,
  getAddress,
  type Hex,
  keccak256,
  numberToHex,
  toEventSelector,
  toHex,
  zeroHash,
} from "viem";
import { describe, expect, test } from "vitest";
import type { RawLog } from "../rpc/raw.ts";
import { applyProxyAdmin, applyTimelock, NEW_TIMELOCK } from "./apply-timelock.ts";
import { proxyAdminEvent, timelockEvent } from "./events.ts";
import { ROLE_HASHES } from "./read.ts";
import { type ControllerState, plainState } from "./state.ts";

const [timelock, vault, anne] = Array.from({ length: 3 }, (_, n) =>
  getAddress(numberToHex(0xeeee00 + n, { size: 20 })),
) as [`0x${string}`, `0x${string}`, `0x${string}`];
const id = keccak256(toHex("id"));
const word = (value: bigint | Hex): Hex =>
  typeof value === "bigint" ? numberToHex(value, { size: 32 }) : `0x${value.slice(2).padStart(64, "0")}`;
const happening = {
  timestamp: 1_000,
  by: anne,
  decodeCall: (target: `0x${string}`, calldata: Hex) => ({
    target,
    function: "setCap",
    arguments: {},
    calldata,
  }),
};

function log(signature: string, topics: Hex[], data: Hex = "0x"): RawLog {
  return {
    address: timelock,
    topics: [toEventSelector(signature), ...topics],
    data,
    blockNumber: 1,
    blockHash: zeroHash,
    blockTimestamp: null,
    txHash: zeroHash,
    txIndex: 0,
    logIndex: 0,
  };
}

const scheduled = (index: bigint, predecessor: Hex = zeroHash) =>
  log(
    "CallScheduled(bytes32,uint256,address,uint256,bytes,bytes32,uint256)",
    [id, word(index)],
    encodeAbiParameters(
      [{ type: "address" }, { type: "uint256" }, { type: "bytes" }, { type: "bytes32" }, { type: "uint256" }],
      [vault, 5n, "0x12", predecessor, 60n],
    ),
  );
const executed = log(
  "CallExecuted(bytes32,uint256,address,uint256,bytes)",
  [id, word(0n)],
  encodeAbiParameters([{ type: "address" }, { type: "uint256" }, { type: "bytes" }], [vault, 5n, "0x12"]),
);
const cancelled = log("Cancelled(bytes32)", [id]);

function after(logs: readonly RawLog[]) {
  let state: ControllerState = { ...plainState("timelock"), timelock: NEW_TIMELOCK };
  const effects = logs.flatMap((each) => {
    const applied = applyTimelock(timelock, state, timelockEvent(each)!, happening);
    state = applied.state;
    return applied.effects;
  });
  return { timelock: state.timelock!, effects };
}

describe("an operation", () => {
  test("waits from when it was scheduled, with each of its calls", () => {
    const { timelock: state, effects } = after([scheduled(0n), scheduled(1n)]);
    expect(state.operations).toEqual([
      {
        id,
        calls: [0, 1].map(() => ({
          target: vault,
          function: "setCap",
          arguments: {},
          calldata: "0x12",
          value: "5",
        })),
        predecessor: null,
        scheduledAt: 1_000,
        scheduledBy: anne,
        executableAt: 1_060,
        isBlocked: false,
      },
    ]);
    expect(effects).toMatchObject([
      {
        action: "timelock_schedule",
        controller: timelock,
        id,
        executable_at: "1060",
        call: { target: vault },
      },
      { action: "timelock_schedule" },
    ]);
  });

  test("that names another before it is blocked until it is read not to be", () => {
    expect(after([scheduled(0n, word(7n))]).timelock.operations).toMatchObject([
      { isBlocked: true, predecessor: word(7n) },
    ]);
  });

  test("is gone once executed or cancelled, and what was cancelled is told by name", () => {
    expect(after([scheduled(0n), executed])).toMatchObject({
      timelock: { operations: [] },
      effects: [{}, { action: "timelock_execute", id, call: { function: "setCap" } }],
    });
    expect(after([scheduled(0n), cancelled])).toMatchObject({
      timelock: { operations: [] },
      effects: [{}, { action: "timelock_cancel", id, call: { function: "setCap" } }],
    });
  });

  test("whose delay no clock holds has no time", () => {
    const data = encodeAbiParameters(
      [{ type: "address" }, { type: "uint256" }, { type: "bytes" }, { type: "bytes32" }, { type: "uint256" }],
      [vault, 0n, "0x", zeroHash, 2n ** 255n],
    );
    expect(after([{ ...scheduled(0n), data }]).timelock.operations).toMatchObject([{ executableAt: null }]);
  });
});

describe("a role", () => {
  const topics = (role: Hex) => [role, word(anne), word(timelock)];
  const granted = (role: Hex) => log("RoleGranted(bytes32,address,address)", topics(role));
  const revoked = (role: Hex) => log("RoleRevoked(bytes32,address,address)", topics(role));

  test("is held from its grant to its end", () => {
    const { proposer } = ROLE_HASHES;
    expect(after([granted(proposer)]).timelock.holders).toMatchObject({ proposer: [anne], admin: [] });
    expect(after([granted(proposer), revoked(proposer)])).toMatchObject({
      timelock: { holders: { proposer: [] } },
      effects: [
        { action: "role_grant", role: "proposer", account: anne },
        { action: "role_revoke", role: "proposer", account: anne },
      ],
    });
  });

  test("that no timelock knows is told by its hash, and nobody's", () => {
    expect(after([granted(id)])).toMatchObject({
      timelock: { holders: NEW_TIMELOCK.holders },
      effects: [{ action: "role_grant", role: id }],
    });
  });
});

test("the delay becomes another", () => {
  const data = encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], [60n, 3600n]);
  expect(after([log("MinDelayChange(uint256,uint256)", [], data)])).toMatchObject({
    timelock: { minDelaySeconds: 3600 },
    effects: [{ action: "timelock_delay_change", old: "60", new: "3600" }],
  });
});

test("a proxy's admin gets another owner", () => {
  const event = proxyAdminEvent(log("OwnershipTransferred(address,address)", [word(anne), word(vault)]))!;
  expect(applyProxyAdmin(timelock, plainState("proxy_admin"), event)).toMatchObject({
    state: { owner: vault },
    effects: [{ action: "owner_change", account: vault, old: anne, new: vault }],
  });
});
