// Vaults of a factory: found by its event, described, read, and managed by whom their contracts name.
import type { Address } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountAddress, addressOf } from "../../../demo/src/accounts.ts";
import { type Anvil, startAnvil } from "../../../demo/src/anvil.ts";
import { connectChain, type DemoChain, execute, mine } from "../../../demo/src/chain.ts";
import { deployToken, ensureMulticall3 } from "../../../demo/src/deploy.ts";
import { createMetaMorpho, deployMorpho, type MorphoSystem } from "../../../demo/src/families/metamorpho.ts";
import { createTestDatabase, type TestDatabase } from "../../test/database.ts";
import { type RunningIngest, startIngest } from "../../test/ingest.ts";

const owner = addressOf("primaryManager");
const [curator, successor] = [accountAddress(10), accountAddress(11)] as [Address, Address];

let anvil: Anvil;
let chain: DemoChain;
let database: TestDatabase;
let ingest: RunningIngest;
let system: MorphoSystem;
let asset: Address;

beforeAll(async () => {
  database = await createTestDatabase();
  anvil = await startAnvil({ persistedStates: 1_000 });
  chain = await connectChain(anvil.rpcUrl);
  await ensureMulticall3(chain);
  asset = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
  system = await deployMorpho(chain);
});
afterAll(async () => {
  await ingest?.stop();
  await database.drop();
  await anvil.stop();
});

async function settled() {
  await mine(chain);
  const head = Number(await chain.client.getBlockNumber({ cacheTime: 0 }));
  await ingest.until(`settled at ${head}`, (status) => status.head === head && status.error === null);
  const behind = "select count(*)::int as n from sources where next_block is not null";
  await expect.poll(async () => (await database.db.pool.query(behind)).rows[0].n).toBe(0);
}

const made = (symbol: string) => createMetaMorpho(chain, system, { asset, name: symbol, symbol });
const appoint = (vault: Address, to: Address) =>
  execute(chain, {
    contract: "MetaMorphoV1_1",
    address: vault,
    functionName: "setCurator",
    args: [to],
    from: owner,
  });

async function managersOf(vault: Address) {
  const { rows } = await database.db.pool.query<{ wallet: Address; role: string }>(
    "select wallet, role from vault_roles where vault_address = $1 and to_block is null",
    [vault],
  );
  return Object.fromEntries(rows.map(({ wallet, role }) => [wallet, role]));
}

test("are followed from their creation, at the head and in the past, and their owner and curator both manage", async () => {
  const first = await made("ONE");
  await appoint(first, curator);
  ingest = startIngest(database.db, [
    {
      rpcUrls: [anvil.rpcUrl],
      confirmations: 1,
      sources: [{ family: "metamorpho", factory: system.factory, vaults: [] }],
    },
  ]);
  await settled();
  const second = await made("TWO");
  await settled();
  const { rows } = await database.db.pool.query(
    "select address, family, symbol from vaults order by created_block",
  );
  expect(rows).toEqual([
    { address: first, family: "metamorpho", symbol: "ONE" },
    { address: second, family: "metamorpho", symbol: "TWO" },
  ]);
  expect(await managersOf(first)).toEqual({ [owner]: "primary_manager", [curator]: "primary_manager" });
  expect(await managersOf(second)).toEqual({ [owner]: "primary_manager" });

  await appoint(first, successor);
  await settled();
  expect(await managersOf(first)).toEqual({ [owner]: "primary_manager", [successor]: "primary_manager" });
  const entries = await database.db.pool.query(
    "select count(*)::int as n from audit_entries where vault_address = $1 and action_type = 'curator_change'",
    [first],
  );
  expect(entries.rows[0].n).toBeGreaterThan(0);
});
