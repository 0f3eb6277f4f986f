// Safes and timelocks on a node, for tests: the published Safes 1.4.1 and 1.5.0 at their published addresses, with a factory's proxies, and
// OpenZeppelin's timelock.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import {
  type Abi,
  type Address,
  concat,
  encodeDeployData,
  encodeFunctionData,
  encodePacked,
  getAddress,
  type Hex,
  pad,
  size,
  type TransactionReceipt,
  zeroAddress,
  zeroHash,
} from "viem";
import type { DemoChain } from "../../demo/src/chain.ts";
import type { Artifacts } from "../../demo/src/compile.ts";
import { compileForeignContracts } from "./foreign-contracts.ts";
import { deployArtifact } from "./node.ts";

export const SAFE_SINGLETON: Address = "0x41675C099F32341bf84BFc5382aF534df5C7461a";
export const SAFE_L2_SINGLETON: Address = "0x29fcB43b46531BcA003ddC8FCB67FFE91900C762";
export const SAFE_130_SINGLETON: Address = "0xd9Db270c1B5E3Bd161E8c8503c55cEABeE709552";
export const SAFE_150_SINGLETON: Address = "0xFf51A5898e281Db6DfC7855790607438dF2ca44b";
export const MULTI_SEND_150: Address = "0x218543288004CD07832472D464648173c77D7eB7";
export const MULTI_SEND: Address = "0x38869bf66a61cF6bDB996A6aE40D5853Fd43B526";
export const SIGN_MESSAGE_LIB: Address = "0xd53cd0aB83D845Ac265BE939c57F53AD838012c9";
export const FALLBACK_HANDLER: Address = "0xfd0732Dc9E303f09fCEf3a7388Ad10A83459Ec99";

interface SafeArtifact {
  abi: Abi;
  bytecode: Hex;
  deployedBytecode: Hex;
}

const require = createRequire(import.meta.url);

const PACKAGES = {
  "1.4.1": "@safe-global/safe-contracts",
  "1.5.0": "@safe-global/safe-smart-account",
} as const;

/** As it was published with a version: deployed as the singletons were, this code gets the very addresses above. */
export function safeArtifact(path: string, version: keyof typeof PACKAGES = "1.4.1"): SafeArtifact {
  const name = path.split("/").at(-1);
  const file = require.resolve(`${PACKAGES[version]}/build/artifacts/contracts/${path}.sol/${name}.json`);
  return JSON.parse(readFileSync(file, "utf8"));
}

export const SAFE_ABI = safeArtifact("Safe").abi;

export interface SafeCall {
  to: Address;
  data?: Hex;
  value?: bigint;
  operation?: 0 | 1;
}

export interface Controllers {
  artifacts: Artifacts;
  accounts: readonly Address[];
  send(from: Address, to: Address, data: Hex): Promise<TransactionReceipt>;
  deploySafe(
    owners: readonly Address[],
    threshold?: number,
    singleton?: Address,
    fallbackHandler?: Address,
  ): Promise<Address>;
  /** Executes with the signatures of these owners, the first of whom sends. */
  execute(safe: Address, call: SafeCall, signers: readonly Address[]): Promise<TransactionReceipt>;
  /** The data of a call of `execTransaction` that these owners have approved, which the first of them sends, or, relayed, anybody. */
  approved(safe: Address, call: SafeCall, signers: readonly Address[], isRelayed?: boolean): Promise<Hex>;
  ownersOf(safe: Address): Promise<readonly Address[]>;
  deployTimelock(
    minDelay: number,
    proposers: readonly Address[],
    executors?: readonly Address[],
  ): Promise<Address>;
}

export async function deployControllers(chain: DemoChain): Promise<Controllers> {
  const artifacts = await compileForeignContracts();
  const accounts = (await chain.client.getAddresses()).map((each) => getAddress(each));
  const place = (address: Address, bytecode: Hex) => chain.client.setCode({ address, bytecode });
  await place(SAFE_SINGLETON, safeArtifact("Safe").deployedBytecode);
  await place(SAFE_L2_SINGLETON, safeArtifact("SafeL2").deployedBytecode);
  await place(SAFE_130_SINGLETON, artifacts.SafeOf130!.runtimeBytecode);
  await place(SIGN_MESSAGE_LIB, safeArtifact("libraries/SignMessageLib").deployedBytecode);
  await place(FALLBACK_HANDLER, safeArtifact("handler/CompatibilityFallbackHandler").deployedBytecode);
  await place(MULTI_SEND, safeArtifact("libraries/MultiSend").deployedBytecode);

  const send = async (from: Address, to: Address, data: Hex) => {
    const hash = await chain.client.sendTransaction({
      account: from,
      to,
      data,
      gas: 5_000_000n,
      chain: null,
    });
    return await chain.client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
  };
  const sendWell = async (from: Address, to: Address, data: Hex) => {
    const receipt = await send(from, to, data);
    if (receipt.status !== "success") throw new Error(`a transaction to ${to} reverted`);
    return receipt;
  };
  const approved: Controllers["approved"] = async (
    safe,
    { to, data = "0x", value = 0n, operation = 0 },
    signers,
    isRelayed = false,
  ) => {
    const call = [to, value, data, operation, 0n, 0n, 0n, zeroAddress, zeroAddress] as const;
    const read = (functionName: string, args: readonly unknown[] = []) =>
      chain.client.readContract({ abi: SAFE_ABI, address: safe, functionName, args });
    const nonce = await read("nonce");
    const hash = (await read("getTransactionHash", [...call, nonce])) as Hex;
    const [, ...others] = signers;
    for (const owner of isRelayed ? signers : others)
      await sendWell(
        owner,
        safe,
        encodeFunctionData({ abi: SAFE_ABI, functionName: "approveHash", args: [hash] }),
      );
    const sorted = signers.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
    const signatures = concat(sorted.map((owner) => concat([pad(owner), zeroHash, "0x01"])));
    return encodeFunctionData({
      abi: SAFE_ABI,
      functionName: "execTransaction",
      args: [...call, signatures],
    });
  };
  return {
    artifacts,
    accounts,
    send: sendWell,
    approved,
    async deploySafe(owners, threshold = 1, singleton = SAFE_SINGLETON, fallbackHandler = zeroAddress) {
      const version = singleton === SAFE_150_SINGLETON ? "1.5.0" : "1.4.1";
      if (version === "1.5.0") {
        await place(SAFE_150_SINGLETON, safeArtifact("Safe", version).deployedBytecode);
        await place(MULTI_SEND_150, safeArtifact("libraries/MultiSend", version).deployedBytecode);
      }
      const { abi, bytecode } = safeArtifact("proxies/SafeProxy", version);
      const data = encodeDeployData({ abi, bytecode, args: [singleton] });
      const hash = await chain.client.sendTransaction({
        account: accounts[0]!,
        data,
        gas: 3_000_000n,
        chain: null,
      });
      const receipt = await chain.client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
      const safe = getAddress(receipt.contractAddress!);
      const setup =
        singleton === SAFE_130_SINGLETON
          ? encodeFunctionData({ abi: artifacts.SafeOf130!.abi, functionName: "setup", args: [owners[0]] })
          : encodeFunctionData({
              abi: SAFE_ABI,
              functionName: "setup",
              args: [
                owners,
                BigInt(threshold),
                zeroAddress,
                "0x",
                fallbackHandler,
                zeroAddress,
                0n,
                zeroAddress,
              ],
            });
      await sendWell(accounts[0]!, safe, setup);
      return safe;
    },
    async execute(safe, call, signers) {
      return await sendWell(signers[0]!, safe, await approved(safe, call, signers));
    },
    async ownersOf(safe) {
      return (await chain.client.readContract({
        abi: SAFE_ABI,
        address: safe,
        functionName: "getOwners",
      })) as readonly Address[];
    },
    deployTimelock: (minDelay, proposers, executors = [zeroAddress]) =>
      deployArtifact(chain, artifacts, "TimelockController", [
        BigInt(minDelay),
        proposers,
        executors,
        accounts[0],
      ]),
  };
}

/** What MultiSend takes. */
export function packed(calls: readonly SafeCall[]): Hex {
  return concat(
    calls.map(({ to, data = "0x", value = 0n, operation = 0 }) =>
      encodePacked(
        ["uint8", "address", "uint256", "uint256", "bytes"],
        [operation, to, value, BigInt(size(data)), data],
      ),
    ),
  );
}
