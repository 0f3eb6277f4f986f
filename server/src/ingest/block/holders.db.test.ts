// Who acted on vaults whose contracts have roles of their own, where a Safe holds one: named whether it came to the role before the vault was
// followed or afterwards, from its past as at its head. Most of what governs them says in no event who called.
import type { Address, Hex } from "viem";
import { encodeFunctionData, zeroHash } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Anvil, startAnvil } from "../../../../demo/src/anvil.ts";
import { connectChain } from "../../../../demo/src/chain.ts";
import { artifactOf } from "../../../../demo/src/compile.ts";
import { deployToken, ensureMulticall3 } from "../../../../demo/src/deploy.ts";
import { createLagoonVault } from "../../../../demo/src/families/lagoon.ts";
import { ALL_YEARN_ROLES } from "../../../../demo/src/families/yearn-v3.ts";
import { MULTI_SEND, packed } from "../../../test/controllers.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { readRecorded } from "../../../test/ground-truth.ts";
import { type RunningIngest, startIngest } from "../../../test/ingest.ts";
import {
  CONTRACTS,
  CURATED,
  type CuratedFamily,
  deployEveryFamily,
  type EveryFamily,
  heldBy,
  OWNER,
  sourceOf,
} from "../../../test/simulation/every-family.ts";

const CHAIN = 31_337;

let anvil: Anvil;
let database: TestDatabase;
let ingest: RunningIngest;
let world: EveryFamily;
/** Made with the Safe in its seat: no event ever says so. */
let seated: Address;
/** The last block before the Safe does what is looked at. */
let begins: number;

beforeAll(async () => {
  [anvil, database] = await Promise.all([startAnvil({ chainId: CHAIN }), createTestDatabase()]);
  const chain = await connectChain(anvil.rpcUrl);
  await ensureMulticall3(chain);
  const asset = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
  world = await deployEveryFamily(chain, asset);
  const { factories, implementation, safe } = world;
  const system = {
    factory: factories.lagoon,
    beaconFactory: factories.lagoon,
    implementations: { "0.5.1": implementation, "0.6.0": implementation },
  };
  const options = { asset, name: "Seated", symbol: "SEAT", safe };
  seated = (await createLagoonVault(chain, system, options)).vault;
  await seatSafe();
  begins = Number(await chain.client.getBlockNumber({ cacheTime: 0 }));
});
afterAll(async () => {
  await ingest?.stop();
  await database.drop();
  await anvil.stop();
});

const vaultOf = (family: CuratedFamily) => ({ contract: CONTRACTS[family], address: world.vaults[family] });

async function act(
  by: Address,
  on: { contract: string; address: Address },
  functionName: string,
  ...args: readonly unknown[]
): Promise<void> {
  await sent(heldBy(world, by, { ...on, functionName, args }));
}

async function sent(tx: { from: Address; to: Address; data: Hex }): Promise<void> {
  const hash = await world.chain.client.sendUnsignedTransaction({ ...tx, gas: 5_000_000n });
  const { status } = await world.chain.client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
  expect(status).toBe("success");
}

/** The Safe comes to a role that acts without being named, in every family. */
async function seatSafe(): Promise<void> {
  const { safe } = world;
  const morpho = vaultOf("morpho_vault_v2");
  const { abi } = artifactOf(world.chain.artifacts, morpho.contract);
  const data = encodeFunctionData({ abi, functionName: "setIsAllocator", args: [safe, true] });
  await act(OWNER, morpho, "submit", data);
  await act(OWNER, morpho, "setIsAllocator", safe, true);
  for (const family of ["metamorpho", "euler_earn"] as const) {
    await act(OWNER, vaultOf(family), "transferOwnership", safe);
    await act(safe, vaultOf(family), "acceptOwnership");
  }
  await act(OWNER, vaultOf("lagoon"), "updateSafe", safe);
  await act(OWNER, vaultOf("yearn_v3"), "set_role", safe, ALL_YEARN_ROLES);
}

/** What it then does in each, of which no event says who called; `nth` makes it another value each time. */
async function actEverywhere(nth: bigint): Promise<void> {
  const { safe, controllers } = world;
  await act(safe, vaultOf("morpho_vault_v2"), "setMaxRate", nth);
  for (const family of ["metamorpho", "euler_earn"] as const)
    await act(safe, vaultOf(family), "setFeeRecipient", controllers.accounts[Number(nth)]);
  await act(safe, vaultOf("lagoon"), "updateMaxCap", nth);
  await act(safe, vaultOf("yearn_v3"), "set_minimum_total_idle", nth);
  await act(safe, { contract: CONTRACTS.lagoon, address: seated }, "updateMaxCap", nth);
}

const DEEDS = ["max_rate_change", "fee_recipient_change", "cap_change", "parameter_change"];

/** By vault, who did those. */
async function actors(): Promise<Record<string, Address[]>> {
  await world.chain.client.mine({ blocks: 2 });
  const head = Number(await world.chain.client.getBlockNumber({ cacheTime: 0 }));
  await ingest.until(
    `at ${head}`,
    ({ head: at, confirmed, backfill, error }) =>
      at === head && (confirmed ?? -1) >= head - 1 && backfill === null && error === null,
  );
  await expect
    .poll(
      async () => (await database.db.pool.query("select from sources where next_block is not null")).rowCount,
    )
    .toBe(0);
  const { entries } = await readRecorded(database.owner, CHAIN);
  const names = new Map<string, string>(CURATED.map((family) => [world.vaults[family], family]));
  names.set(seated, "seated");
  const told: Record<string, Address[]> = {};
  for (const { vault_address, action_type, actor_wallet, block_number } of entries) {
    if (!DEEDS.includes(action_type) || block_number <= begins) continue;
    const name = names.get(vault_address!)!;
    told[name] = [...(told[name] ?? []), actor_wallet];
  }
  return told;
}

const bySafe = (times: number) =>
  Object.fromEntries([...CURATED, "seated"].map((name) => [name, Array(times).fill(world.safe)]));

describe("a Safe that holds a role is who acted", () => {
  test("in the past of vaults that a factory made, at their head, and by a process that begins anew", async () => {
    await actEverywhere(1n);
    const sources = CURATED.map((family) => sourceOf(world, family));
    const begin = () =>
      startIngest(database.db, [{ chainId: CHAIN, rpcUrls: [anvil.rpcUrl], confirmations: 1, sources }]);
    ingest = begin();
    expect(await actors()).toEqual(bySafe(1));
    await actEverywhere(2n);
    expect(await actors()).toEqual(bySafe(2));
    await ingest.stop();
    await actEverywhere(3n);
    ingest = begin();
    expect(await actors()).toEqual(bySafe(3));
  });

  test("beside a timelock in one MultiSend: what follows the timelock's call is the Safe's; what stands before it is taken for the call's own", async () => {
    const { safe, timelock, controllers } = world;
    const lagoon = vaultOf("lagoon");
    await act(OWNER, lagoon, "transferOwnership", timelock);
    const abi = controllers.artifacts.TimelockController!.abi;
    const vaultAbi = artifactOf(world.chain.artifacts, lagoon.contract).abi;
    const onVault = (functionName: string, args: readonly unknown[]) =>
      encodeFunctionData({ abi: vaultAbi, functionName, args });
    const onTimelock = (functionName: string, data: Hex, ...rest: unknown[]) => ({
      from: OWNER,
      to: timelock,
      data: encodeFunctionData({
        abi,
        functionName,
        args: [lagoon.address, 0n, data, zeroHash, zeroHash, ...rest],
      }),
    });
    const accept = onVault("acceptOwnership", []);
    const name = onVault("updateFeeReceiver", [controllers.accounts[5]]);
    for (const data of [accept, name]) await sent(onTimelock("schedule", data, 5n));
    await world.chain.client.increaseTime({ seconds: 6 });
    await sent(onTimelock("execute", accept));
    const cap = (nth: bigint) => ({ to: lagoon.address, data: onVault("updateMaxCap", [nth]) });
    const calls = [cap(11n), onTimelock("execute", name), cap(12n)];
    const multiSend = encodeFunctionData({
      abi: [
        {
          type: "function",
          name: "multiSend",
          inputs: [{ type: "bytes" }],
          outputs: [],
          stateMutability: "payable",
        },
      ],
      args: [packed(calls)],
    });
    await controllers.execute(safe, { to: MULTI_SEND, data: multiSend, operation: 1 }, [OWNER]);
    const told = (await actors()).lagoon!;
    expect(told.slice(-3)).toEqual([timelock, timelock, safe]);
  });
});
