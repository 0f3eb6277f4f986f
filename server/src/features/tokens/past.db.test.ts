// Past prices on a real node: a feed that was answered over days, read from its logs, behind a proxy and without one.
import { type Address, getAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addressOf } from "../../../../demo/src/accounts.ts";
import { type Anvil, startAnvil } from "../../../../demo/src/anvil.ts";
import { connectChain, type DemoChain, execute, now, passTime } from "../../../../demo/src/chain.ts";
import { deployPriceFeed, ensureMulticall3 } from "../../../../demo/src/deploy.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { readingOf, SyntheticChain, syntheticAddress } from "../../../test/synthetic-chain.ts";
import { type ChainClient, createChainClient } from "../../chain/client/client.ts";
import { createPastSources } from "../../chain/prices/past.ts";
import { silentLogger } from "../../platform/log.ts";
import { loadHistory } from "../vaults/history.ts";
import { vaultsProjection } from "../vaults/project.ts";
import { fillOnce } from "./past.ts";

const CHAIN = 31_337;
const [VAULT, ASSET, OTHER] = [1, 2, 3].map(syntheticAddress) as [Address, Address, Address];
const DAY = 86_400;

let anvil: Anvil;
let chain: DemoChain;
let client: ChainClient;
let database: TestDatabase;
let feed: Address;
/** Unix seconds and block of each answer. */
const answered: { at: number; block: number }[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  anvil = await startAnvil({ chainId: CHAIN });
  chain = await connectChain(anvil.rpcUrl);
  await ensureMulticall3(chain);
  client = createChainClient({ chainId: CHAIN, name: "test", rpcUrls: [anvil.rpcUrl], log: silentLogger() });
  feed = await deployPriceFeed(chain, { description: "ETH / USD", answer: 3000_00000000n });
  for (const answer of [3100_00000000n, -1n, 3200_00000000n]) {
    await passTime(chain, DAY);
    const at = await now(chain);
    const args = [answer, at];
    const receipt = await execute(chain, {
      contract: "PriceFeed",
      address: feed,
      functionName: "set",
      args,
      from: addressOf("deployer"),
    });
    answered.push({ at: Number(at), block: Number(receipt.blockNumber) });
  }
  const rows = new SyntheticChain(database.db, vaultsProjection, CHAIN);
  await rows.start();
  await rows.addVault({ address: VAULT, asset: ASSET, family: "erc4626", assetDecimals: 18 });
  await rows.addVault({ address: OTHER, asset: OTHER, family: "erc4626", assetDecimals: 18 });
  const reading = readingOf({ pps: 1n, totalAssets: 2n * 10n ** 18n, totalSupply: 1n });
  const { at, block } = answered[0]!;
  const last = answered[2]!;
  await rows.apply([
    rows.block(1, at - 2 * DAY, [], [[VAULT, reading]]),
    rows.block(2, at - DAY + 60, [], [[VAULT, reading]]),
    rows.block(block + 1, at + 60, [], [[VAULT, reading]]),
    rows.block(
      last.block - 1,
      last.at - 5,
      [],
      [
        [VAULT, reading],
        [OTHER, reading],
      ],
    ),
    rows.block(last.block + 100, last.at + 60, [], [[VAULT, reading]]),
    rows.block(last.block + 101, last.at + 10 * DAY, [], [[VAULT, reading]]),
  ]);
  // The node knows no later block.
  await database.db.pool.query("update chains set head_number = $1", [last.block]);
  await database.db.pool.query(
    "insert into tokens (chain_id, address, decimals) values ($1, $2, 18), ($1, $3, 18)",
    [CHAIN, ASSET, OTHER],
  );
});
afterAll(async () => {
  await client?.close();
  await anvil?.stop();
  await database?.drop();
});

const sources = (max_age_seconds: number) =>
  createPastSources(
    [
      { source: "static", chain_id: CHAIN, address: OTHER, usd: 1 },
      { source: "chainlink", chain_id: CHAIN, address: ASSET, feed, max_age_seconds },
    ],
    new Map([[CHAIN, client]]),
  );

async function dollars(): Promise<(bigint | null)[]> {
  const query = {
    chainId: CHAIN,
    vaultAddress: VAULT,
    interval: "raw",
    from: null,
    to: null,
    after: null,
    limit: 10,
  } as const;
  return (await loadHistory(database.db, "pps", query)).map((point) => point.price_usd_e18);
}

describe("past prices of a feed", () => {
  test("value each point by the round that stood then, never by one before its time, too old, or not positive", async () => {
    expect(await dollars()).toEqual([null, null, null, null, null, null]);
    const parts = { db: database.db, log: silentLogger(), pastSources: sources(3 * DAY) };
    await fillOnce(parts, new AbortController().signal);
    const e18 = (usd: bigint) => usd * 10n ** 18n;
    expect(await dollars()).toEqual([null, e18(3000n), e18(3100n), e18(3100n), e18(3200n), null]);
  });

  test("are looked for once, and again only where a vault's past reaches further back", async () => {
    let asked = 0;
    const [source] = sources(DAY);
    const counting = {
      ...source!,
      prices: async () => {
        asked += 1;
        return [];
      },
    };
    const parts = { db: database.db, log: silentLogger(), pastSources: [counting] };
    await fillOnce(parts, new AbortController().signal);
    expect(asked).toBe(0);
    await database.db.pool.query("update tokens set priced_from_block = 5 where address = $1", [ASSET]);
    await fillOnce(parts, new AbortController().signal);
    await fillOnce(parts, new AbortController().signal);
    expect(asked).toBe(1);
  });

  test("that cannot be read are asked for again", async () => {
    await database.db.pool.query("update tokens set priced_from_block = 5 where address = $1", [ASSET]);
    const [source] = sources(DAY);
    const failing = { ...source!, prices: () => Promise.reject(new Error("out")) };
    await fillOnce(
      { db: database.db, log: silentLogger(), pastSources: [failing] },
      new AbortController().signal,
    );
    const { rows } = await database.db.pool.query("select priced_from_block from tokens where address = $1", [
      ASSET,
    ]);
    expect(rows).toEqual([{ priced_from_block: 5 }]);
  });

  test("of an address that is no feed are none", async () => {
    const [source] = createPastSources(
      [
        {
          source: "chainlink",
          chain_id: CHAIN,
          address: ASSET,
          feed: getAddress(syntheticAddress(9)),
          max_age_seconds: DAY,
        },
      ],
      new Map([[CHAIN, client]]),
    );
    const range = { chainId: CHAIN, address: ASSET, fromBlock: 1, toBlock: 10 };
    expect(await source!.prices(range, new AbortController().signal)).toEqual([]);
  });
});
