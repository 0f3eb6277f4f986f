import {
  type Address,
  encodeFunctionData,
  encodePacked,
  getAddress,
  type Hex,
  numberToHex,
  parseAbi,
  size,
  zeroAddress,
} from "viem";
import { describe, expect, test } from "vitest";
import fc from "../../../test/fast-check.ts";
import { executionsIn, innerCalls } from "./executions.ts";

const MULTI_SEND: Address = "0x38869bf66a61cF6bDB996A6aE40D5853Fd43B526";
const [safe, inner, vault] = [1, 2, 3].map((n) => getAddress(numberToHex(0xabc0 + n, { size: 20 }))) as [
  Address,
  Address,
  Address,
];
const isSafe = (address: Address) => address === safe || address === inner;
const abi = parseAbi([
  "function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)",
  "function multiSend(bytes transactions)",
]);

function exec(to: Address, data: Hex, operation = 0): Hex {
  const args = [to, 7n, data, operation, 0n, 0n, 0n, zeroAddress, zeroAddress, "0x"] as const;
  return encodeFunctionData({ abi, functionName: "execTransaction", args });
}

function multi(calls: readonly { to: Address; data: Hex; operation?: number }[]): Hex {
  const packed = calls.map(({ to, data, operation = 0 }) =>
    encodePacked(
      ["uint8", "address", "uint256", "uint256", "bytes"],
      [operation, to, 0n, BigInt(size(data)), data],
    ),
  );
  const transactions: Hex = `0x${packed.map((each) => each.slice(2)).join("")}`;
  return encodeFunctionData({ abi, functionName: "multiSend", args: [transactions] });
}

describe("a transaction to a Safe", () => {
  test("is an execution, with target, value, data and operation", () => {
    expect(executionsIn({ to: safe, data: exec(vault, "0x1234") }, isSafe)).toEqual([
      { safe, to: vault, value: "7", data: "0x1234", operation: 0 },
    ]);
  });

  test("that executes another Safe is both executions, the outer one first", () => {
    const data = exec(inner, exec(vault, "0x12"));
    expect(executionsIn({ to: safe, data }, isSafe).map((each) => [each.safe, each.to])).toEqual([
      [safe, inner],
      [inner, vault],
    ]);
  });

  test("that goes on within itself for ever is followed only so far", () => {
    let data = exec(vault, "0x");
    for (let depth = 0; depth < 20; depth += 1) data = exec(safe, data);
    expect(executionsIn({ to: safe, data }, isSafe).length).toBeLessThan(20);
  });

  test("through MultiSend is followed into it", () => {
    const data = exec(
      MULTI_SEND,
      multi([
        { to: vault, data: "0x01" },
        { to: inner, data: exec(vault, "0x02") },
      ]),
      1,
    );
    expect(executionsIn({ to: safe, data }, isSafe).map((each) => [each.safe, each.to])).toEqual([
      [safe, MULTI_SEND],
      [inner, vault],
    ]);
  });

  test("of anything else is none", () => {
    expect(executionsIn({ to: safe, data: "0x12345678" }, isSafe)).toEqual([]);
    expect(executionsIn({ to: vault, data: exec(vault, "0x") }, isSafe)).toEqual([]);
    expect(executionsIn({ to: safe, data: exec(vault, "0x", 2) }, isSafe)).toEqual([]);
  });
});

describe("MultiSend", () => {
  const execution = (data: Hex, operation: 0 | 1 = 1) => ({ to: MULTI_SEND, value: "0", data, operation });

  test("is taken apart, each call with its operation", () => {
    const calls = [
      { to: vault, data: "0x01" as Hex },
      { to: inner, data: "0x" as Hex, operation: 1 },
    ];
    expect(innerCalls(execution(multi(calls)))).toEqual([
      { to: vault, value: "0", data: "0x01", operation: 0 },
      { to: inner, value: "0", data: "0x", operation: 1 },
    ]);
  });

  test("that is called rather than delegated to, or not taken apart to the end, is one call", () => {
    const data = multi([{ to: vault, data: "0x01" }]);
    expect(innerCalls(execution(data, 0))).toEqual([execution(data, 0)]);
    const cut = encodeFunctionData({ abi, functionName: "multiSend", args: ["0x00112233"] });
    expect(innerCalls(execution(cut))).toEqual([execution(cut)]);
  });

  test("holds whatever bytes without a throw", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        const args: [Hex] = [`0x${Buffer.from(bytes).toString("hex")}`];
        const data = encodeFunctionData({ abi, functionName: "multiSend", args });
        expect(innerCalls(execution(data)).length).toBeGreaterThan(0);
        executionsIn({ to: safe, data: args[0] }, isSafe);
      }),
    );
  });
});
