// Vaults of listed managers: the others leave nothing but the sighting of who manages them, until a listed manager comes.
import { setTimeout as sleep } from "node:timers/promises";
import type { Address } from "viem";
import { afterEach, describe, expect, it } from "vitest";
import { addressOf } from "../../../../demo/src/accounts.ts";
import { send } from "../../../../demo/src/chain.ts";
import { createTrio, type Trio } from "../../../../demo/src/deploy.ts";
import { createFollowed, type Followed, type FollowedOptions } from "../../../test/followed.ts";
import { expectContractsWord } from "../../../test/simulation/verdict.ts";

const LISTED = addressOf("primaryManager");
const OTHER = addressOf("otherManager");
const FORMER = addressOf("formerManager");

let followed: Followed;

afterEach(async () => {
  await followed.end();
});

/** A chain with one vault of the listed manager and one of another, both in use. */
async function follow(options: FollowedOptions = {}): Promise<{ own: Trio; foreign: Trio }> {
  followed = await createFollowed({ trios: 1, ...options });
  const { activity } = followed;
  const { chain, system, asset } = activity;
  await chain.client.setAutomine(true);
  const foreign = await createTrio(chain, system, {
    asset,
    name: "Foreign",
    symbol: "FRN",
    primaryManager: OTHER,
    minUpdateIntervalSeconds: 1,
  });
  await chain.client.setAutomine(false);
  const own = activity.trios[0]!;
  await use(own, foreign);
  return { own, foreign };
}

async function use(...trios: Trio[]): Promise<void> {
  const { activity } = followed;
  for (let round = 0; round < 3; round += 1) {
    for (const trio of trios) {
      await activity.deposit(trio);
      await activity.price(trio.strategy);
      await activity.price(trio.strategy);
    }
    await activity.mine();
  }
}

function start(...managers: Address[]) {
  const { aggregator } = followed.activity.system;
  return followed.start({ sources: [{ family: "supervault", aggregator, managers }] });
}

async function manage(trio: Trio, functionName: string, manager: Address): Promise<void> {
  const { chain, system } = followed.activity;
  const call = { contract: "SuperVaultAggregator", address: system.aggregator, from: OTHER };
  await send(chain, { ...call, functionName, args: [trio.strategy, manager] });
  await followed.activity.mine();
}

async function column(query: string, ...values: unknown[]): Promise<unknown[]> {
  const { rows } = await followed.database.db.pool.query<{ value: unknown }>(query, values);
  return rows.map(({ value }) => value);
}

const vaults = () => column("select address as value from vaults order by created_block");

async function untilFollowed(trio: Trio): Promise<void> {
  while (!(await vaults()).includes(trio.vault)) await sleep(20);
}

async function expectNothingOf(trio: Trio): Promise<void> {
  const { vault, strategy } = trio;
  expect(await vaults()).not.toContain(vault);
  for (const table of ["facts", "audit_entries", "vault_roles", "events"]) {
    const rows = await column(
      `select count(*)::int as value from ${table} t where t::text ~* $1`,
      `${vault}|${strategy}`,
    );
    expect([table, ...rows]).toEqual([table, 0]);
  }
}

/** Every fact and entry that the node's chain has, in order, of both vaults. */
async function expectAll(): Promise<void> {
  await followed.settle();
  expect(await followed.expectTruth()).toEqual([]);
  await expectContractsWord(followed.activity.chain, followed.database.db);
}

describe("where only vaults of listed managers are followed", () => {
  it("a vault of nobody on the list leaves no vault, fact, entry, role or event, in the past and at the head", async () => {
    const { own, foreign } = await follow({ seed: 411 });
    start(LISTED);
    await followed.settle();
    await use(own, foreign);
    await manage(foreign, "addSecondaryManager", FORMER);
    await followed.settle();
    expect(await vaults()).toEqual([own.vault]);
    await expectNothingOf(foreign);
  });

  it("a vault that a listed manager comes to at the head is followed from its deployment on, and tells only of what is new", async () => {
    const { own, foreign } = await follow({ seed: 412 });
    start(LISTED);
    await followed.settle();
    await use(own, foreign);
    await manage(foreign, "addSecondaryManager", LISTED);
    const gained = Number(await followed.activity.chain.client.getBlockNumber({ cacheTime: 0 }));
    await use(own, foreign);
    await untilFollowed(foreign);
    await use(own, foreign);
    await expectAll();
    const told = await column(
      "select distinct (data::jsonb->>'block_number')::int as value from events where vault_address = $1 and data::jsonb ? 'block_number'",
      foreign.vault,
    );
    expect(told.filter((number) => Number(number) < gained)).toEqual([]);
  });

  it("a reorganisation that undoes a listed manager's coming before it is confirmed leaves the vault alone", async () => {
    const { foreign } = await follow({ seed: 413, confirmations: 6 });
    start(LISTED);
    await followed.settle();
    await manage(foreign, "addSecondaryManager", LISTED);
    await followed.settle();
    const sightings = () =>
      column("select 1 as value from manager_sightings where manager_address = $1 and is_listed", LISTED);
    expect(await sightings()).toHaveLength(1);
    await followed.activity.chain.client.request({ method: "anvil_reorg", params: [4, []] } as never);
    for (let index = 0; index < 8; index += 1) await followed.activity.mine();
    await followed.settle();
    expect(await sightings()).toEqual([]);
    await expectNothingOf(foreign);

    await manage(foreign, "addSecondaryManager", LISTED);
    for (let index = 0; index < 8; index += 1) await followed.activity.mine();
    await untilFollowed(foreign);
    await expectAll();
  });

  it("a vault that a listed manager once managed is followed, and one that is followed stays so when he goes", async () => {
    const { own, foreign } = await follow({ seed: 414 });
    await manage(foreign, "addSecondaryManager", FORMER);
    await manage(foreign, "removeSecondaryManager", FORMER);
    start(FORMER, LISTED);
    await followed.settle();
    await untilFollowed(foreign);
    await use(own, foreign);
    await expectAll();
  });

  it("a manager who is added to the list brings his vaults at the next start, all as history; one who goes takes none", async () => {
    const { own, foreign } = await follow({ seed: 415 });
    start(LISTED);
    await followed.settle();
    await use(own, foreign);
    await followed.settle();
    await followed.stop();

    start(OTHER);
    await untilFollowed(foreign);
    expect(await column("select 1 as value from events where vault_address = $1", foreign.vault)).toEqual([]);
    await use(own, foreign);
    expect(await vaults()).toEqual([own.vault, foreign.vault]);
    await expectAll();
  });

  it("a list that is taken away brings every vault at the next start", async () => {
    const { own, foreign } = await follow({ seed: 416 });
    start(FORMER);
    await followed.settle();
    expect(await vaults()).toEqual([]);
    await followed.stop();
    start();
    await untilFollowed(own);
    await untilFollowed(foreign);
    await expectAll();
  });
});
