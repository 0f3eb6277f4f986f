import { type AbiFunction, encodeFunctionData, type Hex, parseAbiItem } from "viem";
import { describe, expect, test } from "vitest";
import fc from "../../../../test/fast-check.ts";
import { callTable, decodeCall } from "./call.ts";

const TARGET = "0x1111111111111111111111111111111111111111";
const WHO = "0x2222222222222222222222222222222222222222";
const SIGNATURES = [
  "setIsAllocator(address account, bool isAllocator)",
  "increaseAbsoluteCap(bytes idData, uint256 newCap)",
  "submitCap((address loan, address collateral, uint256 lltv) market, uint256 cap)",
  "setName(string name)",
  "setQueue(uint32[] ids, (uint8, address)[] pairs)",
  "pause()",
];
const TABLE = callTable(SIGNATURES);

function call(index: number, args: readonly unknown[]): Hex {
  const abi = parseAbiItem(`function ${SIGNATURES[index]!}`) as AbiFunction;
  return encodeFunctionData({ abi: [abi], args });
}

describe("a call in an event", () => {
  test.each([
    [0, [WHO, true], "setIsAllocator", { account: WHO, isAllocator: true }],
    [1, ["0x1234", 2n ** 255n], "increaseAbsoluteCap", { idData: "0x1234", newCap: (2n ** 255n).toString() }],
    [
      2,
      [{ loan: WHO, collateral: TARGET, lltv: 5n }, 7n],
      "submitCap",
      { market: { loan: WHO, collateral: TARGET, lltv: "5" }, cap: "7" },
    ],
    [3, ["Va\u0000ult\u202e"], "setName", { name: "Vault" }],
    [4, [[1, 2], [[3, WHO]]], "setQueue", { ids: ["1", "2"], pairs: [{ 0: "3", 1: WHO }] }],
    [5, [], "pause", {}],
  ] as const)("of function %i is told with its arguments", (index, args, name, told) => {
    const calldata = call(index, args);
    expect(decodeCall(TABLE, TARGET, calldata)).toEqual({
      target: TARGET,
      function: name,
      arguments: told,
      calldata,
    });
  });

  test("is told with what comes after its arguments, which the function does not look at", () => {
    const calldata: Hex = `${call(0, [WHO, true])}ff`;
    expect(decodeCall(TABLE, TARGET, calldata)).toMatchObject({ function: "setIsAllocator", calldata });
  });

  test.each([
    ["nothing", "0x"],
    ["less than a selector", "0x12"],
    ["another function", `0xffffffff${"0".repeat(64)}`],
    ["arguments cut short", call(0, [WHO, true]).slice(0, -2)],
    ["an address wider than 20 bytes", call(0, [WHO, true]).replace(/0{24}2/, `${"1".repeat(24)}2`)],
    ["a bool of 2", `${call(0, [WHO, true]).slice(0, -1)}2`],
    ["an offset outside the data", call(1, ["0x12", 1n]).replace(/40/, "ff")],
  ])("that is junk stays as its bytes: %s", (_what, calldata) => {
    expect(decodeCall(TABLE, TARGET, calldata as Hex)).toEqual({
      target: TARGET,
      function: null,
      arguments: null,
      calldata,
    });
  });

  test("never throws, and is always JSON", () => {
    const selector = fc.constantFrom(...TABLE.keys());
    fc.assert(
      fc.property(selector, fc.uint8Array({ maxLength: 200 }), (name, bytes) => {
        const told = decodeCall(TABLE, TARGET, `${name}${Buffer.from(bytes).toString("hex")}` as Hex);
        expect(JSON.parse(JSON.stringify(told))).toEqual(told);
      }),
    );
  });
});
