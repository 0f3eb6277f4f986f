// The hashes and batches that are foretold for a Safe, by what the published Safes 1.4.1 and 1.5.0 say and execute.
import {
  type Address,
  concat,
  encodeFunctionData,
  getAddress,
  type Hex,
  numberToHex,
  pad,
  parseAbi,
  size,
  zeroAddress,
} from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Controllers,
  deployControllers,
  FALLBACK_HANDLER,
  SAFE_150_SINGLETON,
  SAFE_ABI,
  SAFE_SINGLETON,
  safeArtifact,
} from "../../../../test/controllers.ts";
import { startTestChain, type TestChain } from "../../../../test/node.ts";
import { findMultiSend, type SafeVersion } from "./multi-send.ts";
import { safeMessageOf } from "./safe-message.ts";
import { approvalOf, type SafeTransaction, safeHashesOf, safeTransactionOf } from "./safe-transaction.ts";

const MNEMONIC = "test test test test test test test test test test test junk";
const owners = [0, 1, 2].map((addressIndex) => mnemonicToAccount(MNEMONIC, { addressIndex }));
const [anne, ben, carl] = owners as [Owner, Owner, Owner];
type Owner = ReturnType<typeof mnemonicToAccount>;

const TOKENS: Address = "0x00000000000000000000000000000000000000aa";
const TRANSFER = parseAbi(["function transfer(address to, uint256 value)"]);
const call = (value: bigint) => ({
  to: TOKENS,
  value: 0n,
  data: encodeFunctionData({ abi: TRANSFER, args: [anne.address, value] }),
});

let chain: TestChain;
let ground: Controllers;
beforeAll(async () => {
  chain = await startTestChain();
  ground = await deployControllers(chain);
  for (const version of ["1.4.1", "1.5.0"] as const)
    await chain.client.setCode({
      address: (
        {
          "1.4.1": "0x9641d764fc13c8B624c04430C7356C1C7C8102e2",
          "1.5.0": "0xA83c336B20401Af773B6219BA5027174338D1836",
        } as const
      )[version],
      bytecode: safeArtifact("libraries/MultiSendCallOnly", version).deployedBytecode,
    });
});
afterAll(() => chain.stop());

const codeOf = async (address: Address) => (await chain.client.getCode({ address })) ?? "0x";
const nonceOf = (safe: Address) =>
  chain.client.readContract({ abi: SAFE_ABI, address: safe, functionName: "nonce" }) as Promise<bigint>;

function refundless({ to, value, data, operation }: SafeTransaction) {
  return [to, value, data, operation, 0n, 0n, 0n, zeroAddress, zeroAddress] as const;
}
function hashOnChain(safe: Address, transaction: SafeTransaction) {
  return chain.client.readContract({
    abi: SAFE_ABI,
    address: safe,
    functionName: "getTransactionHash",
    args: [...refundless(transaction), transaction.nonce],
  });
}
async function execute(safe: Address, transaction: SafeTransaction, signatures: Hex) {
  const args = [...refundless(transaction), signatures];
  const data = encodeFunctionData({ abi: SAFE_ABI, functionName: "execTransaction", args });
  return await ground.send(anne.address, safe, data);
}
/** Signatures over the hash itself, by the addresses' order. */
async function signed(hash: Hex, signers: readonly Owner[]) {
  const sorted = signers.toSorted((a, b) => (a.address.toLowerCase() < b.address.toLowerCase() ? -1 : 1));
  return concat(await Promise.all(sorted.map((owner) => owner.sign({ hash }))));
}
/** One owner that is a contract, whose signature is checked by EIP-1271. */
function signedBy(contract: Address, signature: Hex): Hex {
  const head = concat([pad(contract), numberToHex(65, { size: 32 }), "0x00"]);
  return concat([head, numberToHex(size(signature), { size: 32 }), signature]);
}

const VERSIONS: [SafeVersion, Address][] = [
  ["1.4.1", SAFE_SINGLETON],
  ["1.5.0", SAFE_150_SINGLETON],
];

describe.each(VERSIONS)("a Safe %s", (version, singleton) => {
  const place = (safe: Address) => ({ chainId: chain.chainId, safe });

  test("knows one call and several by the same hash, and executes what its owners sign over it", async () => {
    const safe = await ground.deploySafe([anne.address, ben.address, carl.address], 2, singleton);
    const multiSend = await findMultiSend(version, codeOf);
    for (const calls of [[call(1n)], [call(2n), call(3n)]]) {
      const transaction = safeTransactionOf(calls, await nonceOf(safe), multiSend)!;
      expect(transaction.operation).toBe(calls.length - 1);
      const { safeTxHash, domain } = safeHashesOf(place(safe), transaction);
      expect(safeTxHash).toBe(await hashOnChain(safe, transaction));
      expect(domain).toBe(
        await chain.client.readContract({ abi: SAFE_ABI, address: safe, functionName: "domainSeparator" }),
      );
      await execute(safe, transaction, await signed(safeTxHash, [anne, carl]));
    }
    expect(await nonceOf(safe)).toBe(2n);
  });

  test("that another Safe owns executes what that one approves by a transaction of its own", async () => {
    const outer = await ground.deploySafe([anne.address, ben.address], 2, singleton);
    const safe = await ground.deploySafe([outer], 1, singleton);
    const transaction = safeTransactionOf([call(4n), call(5n)], 0n, await findMultiSend(version, codeOf))!;
    const { safeTxHash } = safeHashesOf(place(safe), transaction);
    const approval = approvalOf(safe, safeTxHash, await nonceOf(outer));
    const own = safeHashesOf(place(outer), approval).safeTxHash;
    expect(own).toBe(await hashOnChain(outer, approval));
    await execute(outer, approval, await signed(own, [anne, ben]));
    await execute(safe, transaction, concat([pad(outer), pad("0x"), "0x01"]));
    expect(await nonceOf(safe)).toBe(1n);
  });

  test("that another Safe owns executes what that one's owners sign as a message", async () => {
    const handler = version === "1.4.1" ? FALLBACK_HANDLER : await placedHandler();
    const outer = await ground.deploySafe([anne.address, ben.address], 2, singleton, handler);
    const safe = await ground.deploySafe([outer], 1, singleton);
    const transaction = safeTransactionOf([call(6n)], 0n, null)!;
    const message = safeMessageOf(place(outer), safeHashesOf(place(safe), transaction), version);
    const signature = await signed(message.hashes.safeTxHash, [anne, ben]);
    await execute(safe, transaction, signedBy(outer, signature));
    expect(await nonceOf(safe)).toBe(1n);
  });
});

async function placedHandler(): Promise<Address> {
  const address = getAddress("0x3EfCBb83A4A7AfcB4F68D501E2c2203a38be77f4");
  const { deployedBytecode } = safeArtifact("handler/CompatibilityFallbackHandler", "1.5.0");
  await chain.client.setCode({ address, bytecode: deployedBytecode });
  return address;
}
