/** The Safe of three and the timelock to which it proposes: how they come to own a vault, and what they do with it. */
import type { Address } from "viem";
import { addressOf } from "../accounts.ts";
import { type DemoChain, execute, read, type Transaction } from "../chain.ts";
import {
  type ContractCall,
  callTo,
  deploySafe,
  deployTimelock,
  OWNERS_HEAD,
  throughSafe,
  timelockOperation,
} from "../families/controllers.ts";
import type { Grounds } from "./grounds.ts";

export type CouncilParts = Pick<Grounds, "council" | "desk" | "timelock">;

const [ONE, TWO, THREE] = [
  addressOf("primaryManager"),
  addressOf("secondaryManager"),
  addressOf("otherManager"),
];
export const FOURTH = addressOf("formerManager");
/** What the timelock's operations wait for, once it owns the vault. */
export const COUNCIL_DELAY_SECONDS = 86_400;

export async function raiseCouncil(chain: DemoChain): Promise<CouncilParts> {
  const council = await deploySafe(chain, [ONE, TWO, THREE], 2);
  const desk = await deploySafe(chain, [TWO, ONE], 1);
  // Nothing waits yet, so that it can take over at once.
  const timelock = await deployTimelock(chain, council, 0);
  return { council, desk, timelock };
}

/** What makes the council call something; two sign. */
export function byCouncil(chain: DemoChain, { council }: Pick<CouncilParts, "council">, call: ContractCall) {
  return throughSafe(chain, council, call, [ONE, TWO]);
}

/** What makes the desk's Safe call something. */
export function byDesk(chain: DemoChain, { desk }: Pick<CouncilParts, "desk">, call: ContractCall) {
  return throughSafe(chain, desk, call, [TWO]);
}

/** A fourth signer comes; two must still sign. */
export function addSigner(chain: DemoChain, parts: Pick<CouncilParts, "council">) {
  const call = callTo(chain, "Safe", parts.council, "addOwnerWithThreshold", [FOURTH, 2n]);
  return byCouncil(chain, parts, call);
}

/** Who came last stands first in a Safe's list. */
export function removeSigner(chain: DemoChain, parts: Pick<CouncilParts, "council">) {
  const call = callTo(chain, "Safe", parts.council, "removeOwner", [OWNERS_HEAD, FOURTH, 2n]);
  return byCouncil(chain, parts, call);
}

export function hasFourthSigner(chain: DemoChain, { council }: Pick<CouncilParts, "council">) {
  const view = { contract: "Safe", address: council, functionName: "isOwner", args: [FOURTH] };
  return read<boolean>(chain, view);
}

export async function executeAll(chain: DemoChain, transactions: readonly Transaction[]): Promise<void> {
  for (const transaction of transactions) await execute(chain, transaction);
}

/** The timelock takes over a vault that its owner offers it; after that its operations wait. */
export async function handOver(
  chain: DemoChain,
  parts: CouncilParts,
  { contract, vault, owner }: { readonly contract: string; readonly vault: Address; readonly owner: Address },
): Promise<void> {
  const { timelock } = parts;
  await execute(chain, {
    contract,
    address: vault,
    functionName: "transferOwnership",
    args: [timelock],
    from: owner,
  });
  for (const call of [
    callTo(chain, contract, vault, "acceptOwnership"),
    callTo(chain, "TimelockController", timelock, "updateDelay", [BigInt(COUNCIL_DELAY_SECONDS)]),
  ]) {
    const operation = timelockOperation(chain, timelock, call, 0);
    await executeAll(chain, await byCouncil(chain, parts, operation.schedule));
    await execute(chain, operation.execute);
  }
}
