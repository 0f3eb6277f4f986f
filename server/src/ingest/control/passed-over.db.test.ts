// A service that was stopped for so long that it fills in the blocks in between: what the Safe and the timelock behind its vaults did in them is
// told anyway, and they stand as they are.
import { sql } from "kysely";
import { type Address, encodeFunctionData, zeroHash } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deployErc4626Vault, deployToken, ensureMulticall3 } from "../../../../demo/src/deploy.ts";
import { type Controllers, deployControllers, SAFE_ABI } from "../../../test/controllers.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { untilJoined } from "../../../test/followed.ts";
import { readRecorded } from "../../../test/ground-truth.ts";
import { type RunningIngest, startIngest } from "../../../test/ingest.ts";
import { startTestChain, type TestChain } from "../../../test/node.ts";
import type { ControllerState } from "../../chain/controllers/state.ts";

const CONFIRMATIONS = 2;

let chain: TestChain;
let ground: Controllers;
let database: TestDatabase;
let ingest: RunningIngest | undefined;
let vaults: Address[];

beforeAll(async () => {
  [chain, database] = await Promise.all([startTestChain(), createTestDatabase()]);
  await ensureMulticall3(chain);
  ground = await deployControllers(chain);
  const asset = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
  vaults = [];
  for (const symbol of ["ONE", "TWO"])
    vaults.push(await deployErc4626Vault(chain, { asset, name: symbol, symbol, owner: ground.accounts[1]! }));
});
afterAll(async () => {
  await ingest?.stop();
  await database?.drop();
  await chain?.stop();
});

async function follow(): Promise<void> {
  const named = vaults.map((address) => ({ address, primary_manager: null }));
  ingest ??= startIngest(database.db, [
    {
      chainId: chain.chainId,
      rpcUrls: [chain.rpcUrl],
      confirmations: CONFIRMATIONS,
      sources: [{ family: "erc4626", vaults: named }],
    },
  ]);
  await chain.client.mine({ blocks: CONFIRMATIONS + 1 });
  const head = Number(await chain.client.getBlockNumber({ cacheTime: 0 }));
  await ingest.until(
    `at ${head}`,
    (status) => status.head === head && status.confirmed === head - CONFIRMATIONS && status.error === null,
  );
  await untilJoined(database);
}

async function stateOf(account: Address): Promise<ControllerState | undefined> {
  const { rows } = await sql<{ state: ControllerState }>`
    select state from controller_states where address = ${account} order by block_number desc limit 1`.execute(
    database.db.kysely,
  );
  return rows[0]?.state;
}

async function signersOf(vault: Address): Promise<Address[]> {
  const { rows } = await sql<{ wallet: Address }>`
    select wallet from vault_signers where vault_address = ${vault} and to_block is null order by id`.execute(
    database.db.kysely,
  );
  return rows.map(({ wallet }) => wallet);
}

test("tells what happened meanwhile, once to each vault, and knows who signs and what waits", async () => {
  const [one, two] = vaults as [Address, Address];
  const [, anne, ben, carl] = ground.accounts as [Address, Address, Address, Address];
  const transfer = (to: Address) =>
    encodeFunctionData({
      abi: chain.artifacts.Erc4626Vault!.abi,
      functionName: "transferOwnership",
      args: [to],
    });
  const safe = await ground.deploySafe([anne, ben]);
  const timelock = await ground.deployTimelock(60, [anne]);
  await ground.send(anne, one, transfer(safe));
  await ground.send(anne, two, transfer(timelock));
  await follow();
  await expect.poll(() => signersOf(one)).toEqual([anne, ben]);
  await expect.poll(() => signersOf(two)).toEqual([anne]);

  await ingest!.stop();
  ingest = undefined;
  const own = (functionName: string, args: readonly unknown[]) => ({
    to: safe,
    data: encodeFunctionData({ abi: SAFE_ABI, functionName, args }),
  });
  await ground.execute(safe, own("addOwnerWithThreshold", [carl, 1n]), [anne]);
  const { abi } = ground.artifacts.TimelockController!;
  const args = [two, 0n, transfer(carl), zeroHash, zeroHash, 60n] as const;
  await ground.send(anne, timelock, encodeFunctionData({ abi, functionName: "schedule", args }));
  await chain.client.mine({ blocks: 700 });
  await follow();

  await expect.poll(() => signersOf(one)).toEqual([anne, ben, carl]);
  expect((await stateOf(safe))?.owners).toContain(carl);
  await expect
    .poll(async () => (await stateOf(timelock))?.timelock)
    .toMatchObject({
      holders: { proposer: [anne] },
      operations: [{ scheduledBy: anne, calls: [{ target: two, function: "transferOwnership" }] }],
    });
  await follow();
  expect(await signersOf(two)).toEqual([anne]);
  const { entries } = await readRecorded(database.owner, chain.chainId);
  expect(
    entries
      .filter(({ details }) => "controller" in details)
      .map(({ vault_address, action_type, actor_wallet, details }) => [
        vault_address,
        action_type,
        actor_wallet,
        details.account ?? details.function,
      ]),
  ).toEqual([
    [one, "signer_add", safe, carl],
    [one, "safe_execute", safe, "addOwnerWithThreshold"],
    [two, "timelock_schedule", anne, "transferOwnership"],
  ]);
});
