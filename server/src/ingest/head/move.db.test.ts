// A vault that was followed as a plain ERC-4626 one moves to its family: on a node, with one in the shape of MetaMorpho, over a restart and a
// reorganisation in the middle.
import { sql } from "kysely";
import type { Address } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addressOf } from "../../../../demo/src/accounts.ts";
import { type Anvil, startAnvil } from "../../../../demo/src/anvil.ts";
import { connectChain, type DemoChain, execute, mine, passTime } from "../../../../demo/src/chain.ts";
import { deployToken, ensureMulticall3 } from "../../../../demo/src/deploy.ts";
import {
  createMarket,
  createMetaMorpho,
  deployMorpho,
  type LendingMarket,
} from "../../../../demo/src/families/metamorpho.ts";
import { depositAssets } from "../../../../demo/src/operate.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { type RunningIngest, startIngest } from "../../../test/ingest.ts";

const DAY = 86_400;
const CONFIRMATIONS = 3;

let anvil: Anvil;
let chain: DemoChain;
let database: TestDatabase;
let fresh: TestDatabase;
let ingest: RunningIngest | null = null;
let asset: Address;
let vault: Address;
let market: LendingMarket;

beforeAll(async () => {
  [anvil, database, fresh] = await Promise.all([startAnvil(), createTestDatabase(), createTestDatabase()]);
  chain = await connectChain(anvil.rpcUrl);
  await ensureMulticall3(chain);
  asset = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
  const system = await deployMorpho(chain);
  market = await createMarket(chain, system, { loanToken: asset, collateralToken: asset, lltv: 1n });
  const options = { asset, name: "Steady", symbol: "STD", timelockSeconds: DAY };
  vault = await createMetaMorpho(chain, system, options);
  // Where deposits go from the start.
  const { id, params } = await createMarket(chain, system, { loanToken: asset });
  await govern("submitCap", [params, 1_000_000n]);
  await passTime(chain, DAY + 1);
  await govern("acceptCap", [params]);
  await govern("setSupplyQueue", [[id]]);
});
afterAll(async () => {
  await ingest?.stop();
  await Promise.all([database?.drop(), fresh?.drop()]);
  await anvil?.stop();
});

type FollowedAs = "erc4626" | "metamorpho";

function follow(family: FollowedAs, into = database): RunningIngest {
  const sources =
    family === "erc4626"
      ? [{ family, vaults: [{ address: vault, primary_manager: null }] }]
      : [{ family, factory: null, vaults: [{ address: vault, start_block: null }] }];
  return startIngest(into.db, [{ rpcUrls: [anvil.rpcUrl], confirmations: CONFIRMATIONS, sources }]);
}

async function settled(running: RunningIngest, family: FollowedAs, into = database): Promise<void> {
  for (let block = 0; block <= CONFIRMATIONS; block += 1) await mine(chain);
  const head = Number(await chain.client.getBlockNumber({ cacheTime: 0 }));
  await running.until(
    `at ${head}`,
    (status) => status.head === head && status.confirmed === head - CONFIRMATIONS && status.error === null,
  );
  const joined = sql<{ family: string }>`
    select v.family from vaults v join sources s on s.chain_id = v.chain_id and s.family = v.family and s.address = v.address
     where s.next_block is null`;
  await expect.poll(async () => (await joined.execute(into.db.kysely)).rows).toEqual([{ family }]);
}

const govern = (functionName: string, args: unknown[]) =>
  execute(chain, {
    contract: "MetaMorphoV1_1",
    address: vault,
    functionName,
    args,
    from: addressOf("primaryManager"),
  });

async function all<T>(into: TestDatabase, query: string): Promise<T[]> {
  return (await into.owner.pool.query(query)).rows as T[];
}

interface Entry {
  id: string;
  action_type: string;
  actor_wallet: string;
  details: {
    backfilled?: true;
    block_hash: string;
    tx_hash: string;
    log_index: number;
    accepted?: true;
    submit_entry_id?: string;
  };
}

const entriesIn = async (into = database) =>
  (await all<{ body: string }>(into, "select body from audit_entries order by seq")).map(
    ({ body }) => JSON.parse(body) as Entry,
  );
const factsIn = (into: TestDatabase) =>
  all(
    into,
    "select block_number, log_index, kind, actor_wallet, tx_from, data from facts where vault_address is not null order by 1, 2",
  );
const derivedIn = async (into: TestDatabase) => ({
  tracked: await all(
    into,
    "select block_number, list, key, value from tracked_changes order by 1, log_index, nth",
  ),
  roles: await all(
    into,
    "select distinct wallet, role from vault_roles where to_block is null order by wallet, role",
  ),
});

test("decodes its past anew, keeps what stands, appends what lacks once, and tells of it by no event", async () => {
  const depositor = addressOf("firstDepositor");
  await govern("submitCap", [market.params, 500n]);
  await depositAssets(chain, { vault, asset }, depositor, 1_000n);
  ingest = follow("erc4626");
  await settled(ingest, "erc4626");
  await passTime(chain, DAY + 1);
  await govern("acceptCap", [market.params]);
  await govern("setCurator", [addressOf("otherManager")]);
  await settled(ingest, "erc4626");
  // Of the blocks that are not confirmed yet nothing is in the log.
  await depositAssets(chain, { vault, asset }, depositor, 50n);
  const snapshot = await chain.client.snapshot();
  await govern("setIsAllocator", [depositor, true]);
  const head = Number(await chain.client.getBlockNumber({ cacheTime: 0 }));
  await ingest.until(`at ${head}`, (status) => status.head === head);
  await ingest.stop();
  const before = await entriesIn();
  const events = await all(database, "select * from events order by seq");
  expect(before.map(({ action_type }) => action_type)).not.toContain("cap_change");

  // Stopped at once, and on another branch when it comes back.
  ingest = follow("metamorpho");
  await ingest.stop();
  await chain.client.revert({ id: snapshot });
  await govern("setSkimRecipient", [depositor]);
  ingest = follow("metamorpho");
  await settled(ingest, "metamorpho");
  await govern("submitCap", [market.params, 900n]);
  await settled(ingest, "metamorpho");
  await ingest.stop();

  const clean = follow("metamorpho", fresh);
  await settled(clean, "metamorpho", fresh);
  await clean.stop();
  expect(await factsIn(database)).toEqual(await factsIn(fresh));
  expect(await derivedIn(database)).toEqual(await derivedIn(fresh));

  const after = await entriesIn();
  expect(after.slice(0, before.length)).toEqual(before);
  const appended = after.slice(before.length);
  const backfilled = appended.filter(({ details }) => details.backfilled);
  expect(backfilled.map(({ action_type }) => action_type)).toEqual(
    expect.arrayContaining(["cap_change_propose", "cap_change", "curator_change"]),
  );
  const placeOf = ({ action_type, details }: Entry) =>
    `${details.block_hash} ${details.log_index} ${action_type}`;
  const places = after.map(placeOf);
  expect(new Set(places).size).toBe(places.length);
  // Whatever the family tells of stands in the log, by whoever did it.
  const wanted = (await entriesIn(fresh)).map(placeOf);
  expect(wanted.filter((place) => !places.includes(place))).toEqual([]);
  const accepted = backfilled.find(({ details }) => details.accepted)!;
  const submission = backfilled.find(({ action_type }) => action_type === "cap_change_propose")!;
  expect(accepted.details.submit_entry_id).toBe(submission.id);
  // What was not confirmed when it moved, and what came since, is as ever.
  const usual = appended.filter(({ details }) => !details.backfilled);
  expect(usual.map(({ action_type }) => action_type)).toEqual(
    expect.arrayContaining(["deposit", "cap_change_propose"]),
  );
  const told = await all<{ data: string }>(database, "select * from events order by seq");
  expect(told.slice(0, events.length)).toEqual(events);
  const old = new Set(backfilled.map(({ details }) => details.tx_hash));
  expect(
    told.slice(events.length).filter(({ data }) => [...old].some((hash) => data.includes(hash))),
  ).toEqual([]);
});
