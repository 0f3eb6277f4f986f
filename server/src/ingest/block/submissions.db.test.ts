// What a vault's own timelock lets through names the entry of its submission, on a node, with vaults in the shapes of Morpho V2 and MetaMorpho.
import { sql } from "kysely";
import type { Address } from "viem";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { addressOf } from "../../../../demo/src/accounts.ts";
import { type Anvil, startAnvil } from "../../../../demo/src/anvil.ts";
import { connectChain, type DemoChain, execute, mine, passTime } from "../../../../demo/src/chain.ts";
import { deployToken, ensureMulticall3 } from "../../../../demo/src/deploy.ts";
import { createMarket, createMetaMorpho, deployMorpho } from "../../../../demo/src/families/metamorpho.ts";
import {
  createMorphoVault,
  deployMorphoSystem,
  type MorphoVault,
  submitAndRun,
} from "../../../../demo/src/families/morpho-vault-v2.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { type RunningIngest, startIngest } from "../../../test/ingest.ts";

const DAY = 86_400;
const ALLOCATOR = addressOf("otherManager");

let anvil: Anvil;
let chain: DemoChain;
let database: TestDatabase;
let ingest: RunningIngest;
let morpho: MorphoVault;
let curated: Address;

beforeAll(async () => {
  [anvil, database] = await Promise.all([startAnvil(), createTestDatabase()]);
  chain = await connectChain(anvil.rpcUrl);
  await ensureMulticall3(chain);
  const asset = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
  morpho = await createMorphoVault(chain, await deployMorphoSystem(chain), { asset, name: "A", symbol: "A" });
  const system = await deployMorpho(chain);
  const market = await createMarket(chain, system, { loanToken: asset, collateralToken: asset, lltv: 1n });
  const timelockSeconds = DAY;
  curated = await createMetaMorpho(chain, system, { asset, name: "B", symbol: "B", timelockSeconds });
  follow();
  await settle();
  await allocate(true);
  await govern("submitCap", [market.params, 5n]);
  await settle();
  await ingest.stop();
  follow();
  // The same bytes once more are another submission.
  await allocate(false);
  await allocate(true);
  await passTime(chain, DAY + 1);
  await govern("acceptCap", [market.params]);
  // A lower cap waits for nothing.
  await govern("submitCap", [market.params, 4n]);
  await settle();
}, 120_000);
afterAll(async () => {
  await ingest?.stop();
  await database?.drop();
  await anvil?.stop();
});

function follow(): void {
  const of = (family: "morpho_vault_v2" | "metamorpho", address: Address) => ({
    family,
    factory: null,
    vaults: [{ address, start_block: null }],
  });
  ingest = startIngest(database.db, [
    {
      rpcUrls: [anvil.rpcUrl],
      confirmations: 1,
      sources: [of("morpho_vault_v2", morpho.vault), of("metamorpho", curated)],
    },
  ]);
}

async function settle(): Promise<void> {
  for (let block = 0; block < 3; block += 1) await mine(chain);
  const head = Number(await chain.client.getBlockNumber({ cacheTime: 0 }));
  await ingest.until(`at ${head}`, (status) => status.head === head && status.confirmed === head - 1);
  const behind = sql<{ n: number }>`select count(*)::int as n from sources where next_block is not null`;
  await vi.waitFor(async () => expect((await behind.execute(database.db.kysely)).rows[0]!.n).toBe(0), 60_000);
}

const allocate = (isAllocator: boolean) =>
  submitAndRun(
    chain,
    { contract: "MorphoVaultV2", address: morpho.vault, curator: morpho.curator },
    "setIsAllocator",
    [ALLOCATOR, isAllocator],
  );

const govern = (functionName: string, args: unknown[]) =>
  execute(chain, {
    contract: "MetaMorphoV1_1",
    address: curated,
    functionName,
    args,
    from: addressOf("primaryManager"),
  });

interface Entry {
  id: string;
  action_type: string;
  details: { accepted?: true; submit_entry_id?: string; event_arguments: { newIsAllocator?: boolean } };
}

async function entriesOf(vault: Address, ...actions: string[]): Promise<Entry[]> {
  const { rows } = await sql<{ body: string }>`
    select body from audit_entries where vault_address = ${vault} order by seq`.execute(database.db.kysely);
  return rows
    .map(({ body }) => JSON.parse(body) as Entry)
    .filter(({ action_type }) => actions.includes(action_type));
}

test("a call of Morpho V2's timelock, each generation its own, also where both come in one block or over a restart", async () => {
  const entries = await entriesOf(morpho.vault, "timelock_submit", "role_grant", "role_revoke");
  const of = (action: string) => entries.filter(({ action_type }) => action_type === action);
  const submissions = of("timelock_submit").map(({ id }) => id);
  const changes = entries.filter(({ details }) => details.event_arguments.newIsAllocator !== undefined);
  expect(changes.map(({ details }) => details.event_arguments.newIsAllocator)).toEqual([true, false, true]);
  expect(changes.map(({ details }) => details.submit_entry_id)).toEqual(submissions.slice(-3));
  expect(changes.every(({ details }) => details.accepted)).toBe(true);
});

test("a cap of MetaMorpho's, and none where nothing was submitted", async () => {
  const entries = await entriesOf(curated, "cap_change_propose", "cap_change");
  const [submission, accepted, lowered] = entries;
  expect(entries.map(({ action_type }) => action_type)).toEqual([
    "cap_change_propose",
    "cap_change",
    "cap_change",
  ]);
  expect(accepted!.details).toMatchObject({ accepted: true, submit_entry_id: submission!.id });
  expect(lowered!.details).not.toHaveProperty("accepted");
  expect(lowered!.details).not.toHaveProperty("submit_entry_id");
});
