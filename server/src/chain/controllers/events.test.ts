import {
  type AbiEvent,
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
  parseAbiItem,
  zeroAddress,
  zeroHash,
} from "viem";
import { describe, expect, test } from "vitest";
import type { RawLog } from "../rpc/raw.ts";
import { proxyAdminEvent, safeEvent, timelockEvent } from "./events.ts";

/** By hand: the published topics, and how many topics a log has in each version that emits it. */
const SAFE: [topic: Hex, topics: number, name: string][] = [
  ["0x442e715f626346e8c54381002da614f62bee8d27386535b2521ec8540898556e", 2, "ExecutionSuccess"],
  ["0x442e715f626346e8c54381002da614f62bee8d27386535b2521ec8540898556e", 1, "ExecutionSuccess"],
  ["0x23428b18acfb3ea64b08dc0c1d296ea9c09702c09083ca5272e64d115b687d23", 2, "ExecutionFailure"],
  ["0x23428b18acfb3ea64b08dc0c1d296ea9c09702c09083ca5272e64d115b687d23", 1, "ExecutionFailure"],
  ["0x9465fa0c962cc76958e6373a993326400c1c94f8be2fe3a952adfa7f60b2ea26", 2, "AddedOwner"],
  ["0x9465fa0c962cc76958e6373a993326400c1c94f8be2fe3a952adfa7f60b2ea26", 1, "AddedOwner"],
  ["0xf8d49fc529812e9a7c5c50e69c20f0dccc0db8fa95c98bc58cc9a4f1c1299eaf", 2, "RemovedOwner"],
  ["0xf8d49fc529812e9a7c5c50e69c20f0dccc0db8fa95c98bc58cc9a4f1c1299eaf", 1, "RemovedOwner"],
  ["0x610f7ff2b304ae8903c3de74c60c6ab1f7d6226b3f52c5161905bb5ad4039c93", 1, "ChangedThreshold"],
  ["0xecdf3a3effea5783a3c4c2140e677577666428d44ed9d474a0b3a4c9943f8440", 2, "EnabledModule"],
  ["0xecdf3a3effea5783a3c4c2140e677577666428d44ed9d474a0b3a4c9943f8440", 1, "EnabledModule"],
  ["0xaab4fa2b463f581b2b32cb3b7e3b704b9ce37cc209b5fb4d77e593ace4054276", 2, "DisabledModule"],
  ["0xaab4fa2b463f581b2b32cb3b7e3b704b9ce37cc209b5fb4d77e593ace4054276", 1, "DisabledModule"],
  ["0x1151116914515bc0891ff9047a6cb32cf902546f83066499bcf8ba33d2353fa2", 2, "ChangedGuard"],
  ["0x1151116914515bc0891ff9047a6cb32cf902546f83066499bcf8ba33d2353fa2", 1, "ChangedGuard"],
  ["0x6895c13664aa4f67288b25d7a21d7aaa34916e355fb9b6fae0a139a9085becb8", 2, "ExecutionFromModuleSuccess"],
];

const TIMELOCK: [Hex, number, string][] = [
  ["0x4cf4410cc57040e44862ef0f45f3dd5a5e02db8eb8add648d4b0e236f1d07dca", 3, "CallScheduled"],
  ["0xc2617efa69bab66782fa219543714338489c4e9e178271560a91b82c3f612b58", 3, "CallExecuted"],
  ["0xbaa1eb22f2a492ba1a5fea61b8df4d27c6c8b5f3971e63bb58fa14ff72eedb70", 2, "Cancelled"],
  ["0x11c24f4ead16507c69ac467fbd5e4eed5fb5c699626d2cc6d66421df253886d5", 1, "MinDelayChange"],
];

const word = `0x${"0".repeat(62)}aa` as const;

/** A log with so many topics and ample data, every word of it a small address, number or flag. */
function logOf(topic: Hex, topics: number, data: Hex = `0x${word.slice(2).repeat(8)}`): RawLog {
  return {
    address: zeroAddress,
    topics: [topic, ...Array.from({ length: topics - 1 }, () => word as Hex)],
    data,
    blockNumber: 1,
    blockHash: zeroHash,
    blockTimestamp: null,
    txHash: zeroHash,
    txIndex: 0,
    logIndex: 0,
  };
}

function encoded(signature: string, args: readonly unknown[]): RawLog {
  const abi = parseAbiItem(`event ${signature}`) as AbiEvent;
  const named = Object.fromEntries(abi.inputs.map((input, index) => [input.name, args[index]]));
  const [topic, ...topics] = encodeEventTopics({ abi: [abi], args: named } as never) as Hex[];
  const plain = abi.inputs.filter(({ indexed }) => !indexed);
  const data = encodeAbiParameters(
    plain,
    plain.map(({ name }) => named[name!]),
  );
  return { ...logOf(topic!, 1, data), topics: [topic!, ...topics] };
}

describe("a Safe's log", () => {
  test.each(SAFE)("with topic %s and %i topics is %s", (topic, topics, name) => {
    expect(safeEvent(logOf(topic, topics))?.name).toBe(name);
  });

  test("tells the same whether its parameter is indexed (1.4.1, 1.5.0) or not (1.3.0)", () => {
    const owner = "0x00000000000000000000000000000000000000AA";
    const events = ["AddedOwner(address indexed owner)", "AddedOwner(address owner)"].map((signature) =>
      safeEvent(encoded(signature, [owner])),
    );
    expect(events.map((event) => event?.values)).toEqual([
      ["0x00000000000000000000000000000000000000AA"],
      ["0x00000000000000000000000000000000000000AA"],
    ]);
  });

  test.each([
    ["ChangedModuleGuard(address indexed moduleGuard)"],
    ["ChangedFallbackHandler(address indexed handler)"],
    ["ChangedFallbackHandler(address handler)"],
    ["ChangedMasterCopy(address singleton)"],
  ])("%s is known too", (signature) => {
    expect(safeEvent(encoded(signature, [zeroAddress]))?.name).toBe(signature.split("(")[0]);
  });

  test("with another number of topics, too little data or an address that is none is nothing", () => {
    const [topic] = SAFE[4]!;
    expect(safeEvent(logOf(topic, 3))).toBeNull();
    expect(safeEvent(logOf(topic, 1, "0x"))).toBeNull();
    expect(safeEvent({ ...logOf(topic, 2), topics: [topic, `0x${"f".repeat(64)}`] })).toBeNull();
    expect(safeEvent(logOf(zeroHash, 1))).toBeNull();
  });
});

describe("a timelock's log", () => {
  test.each(TIMELOCK)("with topic %s and %i topics is %s", (topic, topics, name) => {
    const data =
      name === "CallScheduled"
        ? encodeAbiParameters(
            [
              { type: "address" },
              { type: "uint256" },
              { type: "bytes" },
              { type: "bytes32" },
              { type: "uint256" },
            ],
            [zeroAddress, 0n, "0x1234", zeroHash, 5n],
          )
        : encodeAbiParameters(
            [{ type: "address" }, { type: "uint256" }, { type: "bytes" }],
            [zeroAddress, 0n, "0x1234"],
          );
    expect(timelockEvent(logOf(topic, topics, data))?.name).toBe(name);
  });

  test("whose data ends outside itself is nothing", () => {
    const [topic] = TIMELOCK[0]!;
    expect(timelockEvent(logOf(topic, 3, `0x${"f".repeat(64 * 5)}`))).toBeNull();
  });
});

test("a proxy admin tells who owns it", () => {
  const topic = "0x8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e0";
  expect(proxyAdminEvent(logOf(topic, 3))?.name).toBe("OwnershipTransferred");
  expect(safeEvent(logOf(topic, 3))).toBeNull();
});
