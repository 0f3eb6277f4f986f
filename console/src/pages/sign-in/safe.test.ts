import { encodeAbiParameters, encodeFunctionData, parseAbi } from "viem";
import { expect, test } from "vitest";
import { signMessageOf } from "./safe.ts";

test("the Safe's call is signMessage(bytes) with the hash as 32 bytes", () => {
  const hash = `0x${"5e".repeat(32)}` as const;
  expect(signMessageOf(hash)).toBe(
    encodeFunctionData({
      abi: parseAbi(["function signMessage(bytes data)"]),
      args: [encodeAbiParameters([{ type: "bytes32" }], [hash])],
    }),
  );
});
