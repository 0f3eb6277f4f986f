// What of a prepared action Safes take.
import { type Address, type Hex, hashStruct, hashTypedData } from "viem";
import { describe, expect, test } from "vitest";
import { type Formattable, formatsOf } from "./formatted.ts";

const SAFE: Address = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const VAULT: Address = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
const MULTI_SEND: Address = "0x9641d764fc13c8B624c04430C7356C1C7C8102e2";
const call = (data: Hex) => ({ to: VAULT, value: 0n, data });
const action = (more: Partial<Formattable> = {}): Formattable => ({
  chainId: 1,
  title: "Pause",
  from: SAFE,
  isSafe: true,
  version: "1.4.1",
  safeNonce: 7n,
  ownerSafes: [],
  ownerNonce: null,
  createdAtMs: 0,
  calls: [call("0x12345678")],
  multiSend: null,
  ...more,
});
const safeOf = (more?: Partial<Formattable>) => formatsOf(action(more), new Map()).safe;
const types = {
  SafeTx: [
    ["address", "to"],
    ["uint256", "value"],
    ["bytes", "data"],
    ["uint8", "operation"],
    ["uint256", "safeTxGas"],
    ["uint256", "baseGas"],
    ["uint256", "gasPrice"],
    ["address", "gasToken"],
    ["address", "refundReceiver"],
    ["uint256", "nonce"],
  ].map(([type, name]) => ({ type: type!, name: name! })),
};

describe("the Safe's transaction", () => {
  test("is served as it is signed: its members give the hashes beside it", () => {
    for (const more of [{}, { calls: [call("0x12"), call("0x34")], multiSend: MULTI_SEND }]) {
      const { transaction, message, safe_tx_hash } = safeOf(more)!;
      expect(hashStruct({ primaryType: "SafeTx", types, data: transaction })).toBe(message);
      const domain = { chainId: 1, verifyingContract: SAFE };
      expect(hashTypedData({ primaryType: "SafeTx", types, domain, message: transaction })).toBe(
        safe_tx_hash,
      );
    }
    expect(safeOf()!.transaction).toMatchObject({ to: VAULT, data: "0x12345678", operation: 0, nonce: "7" });
  });

  test("is not there without a nonce, for another account, or where several calls cannot be put together", () => {
    expect(safeOf({ safeNonce: null })).toBeUndefined();
    expect(safeOf({ isSafe: false })).toBeUndefined();
    expect(safeOf({ calls: [call("0x12"), call("0x34")] })).toBeUndefined();
  });

  test("has beside it how a Safe that owns the Safe agrees: by a transaction of its own, or by a message", () => {
    const owner: Address = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
    const { safe_tx_hash, owner_safes } = safeOf({ ownerSafes: [owner], ownerNonce: 4n })!;
    const [{ safe, approval, signature }] = owner_safes as [(typeof owner_safes)[number]];
    expect(safe).toBe(owner);
    expect(approval!.transaction).toMatchObject({ to: SAFE, operation: 0, nonce: "4" });
    expect(approval!.transaction.data).toBe(`0xd4d9bdcd${safe_tx_hash.slice(2)}`);
    const domain = { chainId: 1, verifyingContract: owner };
    const { transaction: message } = approval!;
    expect(hashTypedData({ primaryType: "SafeTx", types, domain, message })).toBe(approval!.safe_tx_hash);
    expect(
      hashTypedData({
        primaryType: "SafeMessage",
        types: { SafeMessage: [{ name: "message", type: "bytes" }] },
        domain,
        message: { message: signature!.content },
      }),
    ).toBe(signature!.safe_message_hash);
    const unknown = safeOf({ ownerSafes: [owner], version: null })!;
    expect(unknown.owner_safes).toEqual([{ safe: owner, approval: null, signature: null }]);
  });
});
