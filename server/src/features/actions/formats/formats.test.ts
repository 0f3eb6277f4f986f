// What is handed to wallets and to Safes, against vectors that others published.
import { type Address, encodeFunctionData, type Hex, parseAbiItem } from "viem";
import { describe, expect, test } from "vitest";
import type { FormattedCall } from "./call.ts";
import { sendCallsOf } from "./eip-5792.ts";
import { findMultiSend, safeVersionOf } from "./multi-send.ts";
import { builderChecksum, builderFileOf } from "./safe-builder.ts";
import { safeMessageOf } from "./safe-message.ts";
import { approvalOf, safeHashesOf, safeTransactionOf } from "./safe-transaction.ts";

const VAULT: Address = "0xdd13E55209Fd76AfE204dBda4007C227904f0a81";
const FEES = parseAbiItem(
  "function setFees((uint256 share, address recipient)[] fees, uint64 from, bytes data) payable",
);
const call: FormattedCall = {
  to: VAULT,
  value: 3n,
  data: encodeFunctionData({
    abi: [FEES],
    args: [[{ share: 10n ** 30n, recipient: VAULT }], 7n, "0x12"],
  }),
  abi: FEES,
  arguments: [[{ share: 10n ** 30n, recipient: VAULT }], 7n, "0x12"],
};

describe("wallet_sendCalls", () => {
  test("one call goes to every wallet; several must be atomic", () => {
    expect(sendCallsOf(8453, VAULT, [call])).toEqual({
      version: "2.0.0",
      chainId: "0x2105",
      from: VAULT,
      atomicRequired: false,
      calls: [{ to: VAULT, value: "0x3", data: call.data }],
    });
    expect(sendCallsOf(1, VAULT, [call, call])).toMatchObject({ chainId: "0x1", atomicRequired: true });
  });
});

describe("the Transaction Builder's file", () => {
  const owner = "0x49d4450977E2c95362C13D3a31a09311E0Ea26A6";
  const method = (name: string, input: string, type: string) => ({
    inputs: [{ internalType: type, name: input, type }],
    name,
    payable: false,
  });
  // The builder's own test has this file and this checksum.
  const published = {
    version: "1.0",
    chainId: "4",
    createdAt: 1646321521061,
    meta: {
      name: "test batch file",
      txBuilderVersion: "1.4.0",
      checksum: "",
      createdFromSafeAddress: "0xDF8a1Ce35c9a6ACE153B4e0767942f1E2291a1Aa",
      createdFromOwnerAddress: owner,
    },
    transactions: [
      {
        to: owner,
        value: "0",
        contractMethod: method("testAddress", "paramAddress", "address"),
        contractInputsValues: { paramAddress: owner },
      },
      {
        to: owner,
        value: "0",
        contractMethod: method("testBool", "paramBool", "bool"),
        contractInputsValues: { paramAddress: "", paramBool: "false" },
      },
      {
        to: owner,
        value: "2000000000000000000",
        data: "0x42f4579000000000000000000000000049d4450977e2c95362c13d3a31a09311e0ea26a6",
      },
    ],
  };

  test("has the published checksum, whatever its name and the order of its keys", () => {
    const checksum = "0x4ecbfd364aa6759983915644e73f8bd411e85a2dc306f252a387c2728c4db64c";
    expect(builderChecksum(published)).toBe(checksum);
    const { meta, ...others } = published;
    expect(builderChecksum({ meta: { ...meta, name: "renamed" }, ...others })).toBe(checksum);
    expect(builderChecksum({ ...published, transactions: published.transactions.toReversed() })).not.toBe(
      checksum,
    );
  });

  test("says what is called and carries its exact bytes; the checksum is that of the file without it", () => {
    const file = builderFileOf({
      chainId: 8453,
      createdAtMs: 1,
      name: "Change fees",
      description: "",
      safe: VAULT,
      calls: [call],
    });
    const { checksum, ...meta } = file.meta;
    expect(checksum).toBe(builderChecksum({ ...file, meta }));
    expect(meta.createdFromSafeAddress).toBe(VAULT);
    expect(file.transactions).toEqual([
      {
        to: VAULT,
        value: "3",
        data: call.data,
        contractMethod: {
          name: "setFees",
          payable: true,
          inputs: [
            {
              internalType: "tuple[]",
              name: "fees",
              type: "tuple[]",
              components: [
                { internalType: "uint256", name: "share", type: "uint256" },
                { internalType: "address", name: "recipient", type: "address" },
              ],
            },
            { internalType: "uint64", name: "from", type: "uint64" },
            { internalType: "bytes", name: "data", type: "bytes" },
          ],
        },
        contractInputsValues: {
          fees: `[{"share":"${10n ** 30n}","recipient":"${VAULT}"}]`,
          from: "7",
          data: "0x12",
        },
      },
    ]);
  });
});

describe("a Safe's hashes", () => {
  const transfer: Hex =
    "0xa9059cbb00000000000000000000000036bffa3048d89fad48509c83fdb6a3410232f3d300000000000000000000000000000000000000000000000000038d7ea4c68000";
  const outer: Address = "0x5031f5E2ed384978dca63306dc28A68a6Fc33e81";
  const inner = { chainId: 11155111, safe: "0xbC7977C6694Ae2Ae8Ad96bb1C100a281D928b7DB" } as const;
  const hashes = safeHashesOf(
    inner,
    safeTransactionOf([{ to: VAULT, value: 0n, data: transfer }], 0n, null)!,
  );

  // Cyfrin/safe-hash-rs, issue 38
  test("are those that were published for a transaction", () => {
    expect(hashes).toEqual({
      domain: "0x90318ce95110d65a9b34b62af48c7ea93cd63d2284c84653a8425aa2454b2bd5",
      message: "0x05f69b6d363fa6efda5a0fce2ce45ff0b73fe3d11cc87d97209fad7b9a2c9020",
      safeTxHash: "0x2aa2feb008064ccb8d6a31c43a6812d288107501505a04095ecdb2ebbeeaaffc",
    });
  });

  test("of a Safe that owns a Safe are of its own domain, nonce and call", () => {
    const approval = approvalOf(inner.safe, hashes.safeTxHash, 1n);
    expect(approval).toEqual({
      to: inner.safe,
      value: 0n,
      data: `0xd4d9bdcd${hashes.safeTxHash.slice(2)}`,
      operation: 0,
      nonce: 1n,
    });
    expect(safeHashesOf({ chainId: 11155111, safe: outer }, approval).domain).toBe(
      "0xf0276c332cd121de246e945fa8624ceeb62c7bb0d2ba58900263bef583f974df",
    );
    const place = { chainId: 11155111, safe: outer };
    expect(safeMessageOf(place, hashes, "1.4.1").content).toBe(
      `0x1901${hashes.domain.slice(2)}${hashes.message.slice(2)}`,
    );
    expect(safeMessageOf(place, hashes, "1.5.0").content).toBe(hashes.safeTxHash);
  });

  test("several calls without a known MultiSendCallOnly are no Safe transaction", async () => {
    expect(safeTransactionOf([call, call], 0n, null)).toBeNull();
    expect(safeTransactionOf([], 0n, VAULT)).toBeNull();
    expect(await findMultiSend("1.4.1", async () => "0x6000")).toBeNull();
    expect(await findMultiSend("1.3.0", async () => "0x")).toBeNull();
  });

  test("are made for the versions whose hashes are known", () => {
    expect(["1.3.0", "1.4.1+L2", "1.5.0", "1.1.1", "2.0.0", ""].map(safeVersionOf)).toEqual([
      "1.3.0",
      "1.4.1",
      "1.5.0",
      null,
      null,
      null,
    ]);
  });
});
