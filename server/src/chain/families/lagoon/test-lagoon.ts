// Lagoon's contracts on a node of a test, their vaults followed, and what the tests do with them. Started once a file.
import type { Address } from "viem";
import { expect } from "vitest";
import { addressOf, demoAccount } from "../../../../../demo/src/accounts.ts";
import { execute, read as view } from "../../../../../demo/src/chain.ts";
import { deployToken, ensureMulticall3 } from "../../../../../demo/src/deploy.ts";
import {
  callLagoon,
  createLagoonVault,
  deployLagoon,
  type LagoonOptions,
  type LagoonSystem,
  type LagoonVault,
  readLagoon,
  requestLagoonDeposit,
  settleLagoon,
} from "../../../../../demo/src/families/lagoon.ts";
import { mintTokens } from "../../../../../demo/src/operate.ts";
import { silentLog } from "../../../../test/chain-client.ts";
import { Follower, knownVault } from "../../../../test/family-follower.ts";
import { startTestChain, type TestChain } from "../../../../test/node.ts";
import { type ChainClient, createChainClient } from "../../client/client.ts";
import type { KnownVault, Source } from "../../directory.ts";
import type { VaultReading } from "../../reading.ts";
import { lagoonFamily } from "./family.ts";

export const [alice, bob] = [demoAccount(10).address, demoAccount(11).address];
export const [owner, safe, valuer] = [
  addressOf("primaryManager"),
  addressOf("secondaryManager"),
  addressOf("ppsKeeper"),
];
export const [lister, council, feeReceiver] = [
  addressOf("otherManager"),
  addressOf("formerManager"),
  addressOf("feeRecipient"),
];
export const stranger = addressOf("stranger");
export const DAY = 86_400;
export const USD = 1_000_000n;
export const SHARE = 10n ** 18n;

export let chain: TestChain;
export let client: ChainClient;
export let system: LagoonSystem;
export let dollar: Address;
export let sources: Source[];
export let follower: Follower;

export async function startLagoon(): Promise<void> {
  chain = await startTestChain();
  await ensureMulticall3(chain);
  client = createChainClient({
    chainId: chain.chainId,
    name: "Test",
    rpcUrls: [chain.rpcUrl],
    log: silentLog,
    maxAnswerBytes: 600_000,
  });
  dollar = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
  system = await deployLagoon(chain);
  sources = [system.factory, system.beaconFactory].map((address) => ({
    family: "lagoon",
    address,
    isFactory: true,
    governor: null,
    oracles: [],
  }));
  follower = new Follower(chain, client, lagoonFamily(silentLog), sources);
}

export async function stopLagoon(): Promise<void> {
  await client?.close();
  await chain?.stop();
}

export const ZERO: Address = "0x0000000000000000000000000000000000000000";

/** They share one Safe, which begins with nothing. */
export async function make(options: Partial<LagoonOptions> = {}): Promise<LagoonVault> {
  const token = { contract: "Token", address: dollar };
  const held = await view<bigint>(chain, { ...token, functionName: "balanceOf", args: [safe] });
  await execute(chain, { ...token, functionName: "burn", args: [safe, held], from: safe });
  return createLagoonVault(chain, system, { asset: dollar, name: "Lagoon", symbol: "LGN", ...options });
}

/** A call, and the entries that follow of it. */
export async function told(
  made: LagoonVault,
  from: Address,
  functionName: string,
  args: readonly unknown[],
  ...expected: [string, object][]
): Promise<void> {
  await callLagoon(chain, made, from, functionName, ...args);
  expect(await entries(), functionName).toMatchObject(
    expected.map(([action, details]) => [from, { action, ...details }]),
  );
}

export async function entries() {
  return (await follower.governance()).flatMap(({ actor, body }) =>
    body.effects.map((effect) => [actor, effect] as const),
  );
}

/** Deposited at the price of one, claimed. */
export async function giveShares(made: LagoonVault, to: Address, shares: bigint): Promise<void> {
  await mintTokens(chain, dollar, to, 0n);
  await execute(chain, {
    contract: made.contract,
    address: made.vault,
    functionName: "transfer",
    args: [to, shares * SHARE],
    from: await holderOf(made),
  });
}

/** Who has shares to give. */
export async function holderOf(made: LagoonVault): Promise<Address> {
  if ((await readLagoon<bigint>(chain, made, "totalSupply")) === 0n) {
    await requestLagoonDeposit(chain, made, alice, 1000n * USD);
    await settleLagoon(chain, made, 0n);
    await callLagoon(chain, made, alice, "deposit", 1000n * USD, alice);
  }
  return alice;
}

export function rolesOf(reading: VaultReading): string[] {
  return reading.contractRoles.map(({ role, account }) => `${role} ${account}`);
}

export function known(made: LagoonVault, address = made.vault): KnownVault {
  return knownVault(sources[0]!, address, dollar, {
    capabilities: { erc7540_deposit: true, erc7540_redeem: true, erc7575: true },
  });
}
