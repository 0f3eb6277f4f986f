/** Who stands behind a vault's roles: Safes and timelocks, deployed from their makers' own code, and what is done through them. */
import {
  type Address,
  concat,
  encodeFunctionData,
  getAddress,
  type Hex,
  pad,
  zeroAddress,
  zeroHash,
} from "viem";
import { addressOf } from "../accounts.ts";
import { type DemoChain, deploy, execute, read, type Transaction } from "../chain.ts";
import { artifactOf } from "../compile.ts";

/** Where Safe 1.4.1 stands on every public chain: only what lies before a published singleton counts as a Safe. */
const SAFE_SINGLETON: Address = "0x41675C099F32341bf84BFc5382aF534df5C7461a";
/** Before the first owner in a Safe's list. */
export const OWNERS_HEAD: Address = "0x0000000000000000000000000000000000000001";
// Ample for any call through a Safe here, which may be one of a timelock.
const EXECUTION_GAS = 2_000_000n;

export interface ContractCall {
  readonly to: Address;
  readonly data: Hex;
}

export async function deploySafe(
  chain: DemoChain,
  owners: readonly Address[],
  threshold: number,
): Promise<Address> {
  const { runtimeBytecode } = artifactOf(chain.artifacts, "Safe");
  await chain.client.setCode({ address: SAFE_SINGLETON, bytecode: runtimeBytecode });
  const safe = await deploy(chain, "SafeProxy", [SAFE_SINGLETON]);
  await execute(chain, {
    contract: "Safe",
    address: safe,
    functionName: "setup",
    args: [owners, BigInt(threshold), zeroAddress, "0x", zeroAddress, zeroAddress, 0n, zeroAddress],
    from: addressOf("deployer"),
  });
  return getAddress(safe);
}

/** A timelock to which one account proposes, and of which anyone executes what has waited. */
export function deployTimelock(chain: DemoChain, proposer: Address, delaySeconds: number): Promise<Address> {
  return deploy(chain, "TimelockController", [BigInt(delaySeconds), [proposer], [zeroAddress], zeroAddress]);
}

/** A call of a contract by name. */
export function callTo(
  chain: DemoChain,
  contract: string,
  to: Address,
  functionName: string,
  args: readonly unknown[] = [],
): ContractCall {
  const { abi } = artifactOf(chain.artifacts, contract);
  return { to, data: encodeFunctionData({ abi, functionName, args }) };
}

/** What makes a Safe call: the others of the signers approve the hash, the first one executes. To be mined in this order. */
export async function throughSafe(
  chain: DemoChain,
  safe: Address,
  { to, data }: ContractCall,
  signers: readonly [Address, ...Address[]],
): Promise<readonly Transaction[]> {
  const call = [to, 0n, data, 0, 0n, 0n, 0n, zeroAddress, zeroAddress] as const;
  const [sender, ...others] = signers;
  const ofSafe = { contract: "Safe", address: safe, gas: EXECUTION_GAS };
  const approvals: Transaction[] = [];
  if (others.length > 0) {
    const nonce = await read<bigint>(chain, { ...ofSafe, functionName: "nonce" });
    const hash = await read<Hex>(chain, {
      ...ofSafe,
      functionName: "getTransactionHash",
      args: [...call, nonce],
    });
    for (const from of others) approvals.push({ ...ofSafe, functionName: "approveHash", args: [hash], from });
  }
  const sorted = signers.toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1));
  const signatures = concat(sorted.map((owner) => concat([pad(owner), zeroHash, "0x01"])));
  return [
    ...approvals,
    { ...ofSafe, functionName: "execTransaction", args: [...call, signatures], from: sender },
  ];
}

/** What is scheduled in a timelock and executed there later: the same arguments, but for the delay. */
export function timelockOperation(
  chain: DemoChain,
  timelock: Address,
  { to, data }: ContractCall,
  delaySeconds: number,
): { readonly schedule: ContractCall; readonly execute: Transaction; readonly cancelId: () => Promise<Hex> } {
  const args = [to, 0n, data, zeroHash, zeroHash] as const;
  const call = { contract: "TimelockController", address: timelock };
  return {
    schedule: callTo(chain, call.contract, timelock, "schedule", [...args, BigInt(delaySeconds)]),
    execute: {
      ...call,
      functionName: "execute",
      args,
      from: addressOf("redeemKeeper"),
      gas: EXECUTION_GAS,
    },
    cancelId: () => read<Hex>(chain, { ...call, functionName: "hashOperation", args }),
  };
}
