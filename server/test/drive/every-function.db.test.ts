// Every function of the governance of every family, driven on one chain through the whole path: node, ingestion, database, routes. Each group of
// blocks is played, undone by a reorganisation deeper than what is confirmed, and played again; after each block the records are what the
// contracts answer at it, and roles are those of the contracts.

import type { Address } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CURATED, type CuratedFamily, OWNER } from "../simulation/every-family.ts";
import { DrivenWorld, type Told } from "./drive.ts";
import { abiOf, functionsOf, innerOf, PEOPLE } from "./steps.ts";
import { toldBy, wordsOf } from "./words.ts";

/** Blocks that are undone at once. */
const GROUP = 10;

let driven: DrivenWorld;
/** By wallet what was asked for last. */
const accessBefore = new Map<Address, string>();
/** By family, since when each role is held, as of the block that was looked at last. */
const heldSince = new Map<CuratedFamily, ReadonlyMap<string, string>>();

beforeAll(async () => {
  driven = await DrivenWorld.open();
});
afterAll(() => driven?.close());

test.each(CURATED)("%s: every function is driven, or belongs to holders", (family) => {
  const { steps, holders } = driven.drives[family];
  for (const contract of new Set(steps.map((step) => step.contract))) {
    const done = steps
      .filter((step) => step.contract === contract)
      .flatMap((step) => [
        `${step.call}/${step.args.length}`,
        ...(step.call === "multicall" ? innerOf(driven.world, step) : []),
      ]);
    const all = functionsOf(abiOf(driven.world, contract));
    expect(all.filter((each) => !done.includes(each) && !holders[contract]?.includes(each))).toEqual([]);
  }
});

test("every step, its views and its roles, undone and done again", { timeout: 900_000 }, async () => {
  for (let first = 0; first < driven.rounds; first += GROUP) {
    const id = await driven.remember();
    const last = Math.min(first + GROUP, driven.rounds);
    for (let round = first; round < last; round += 1) await driven.play(round);
    await driven.mine(2);
    await driven.undo(id);
    accessBefore.clear();
    await expectWords();
    for (let round = first; round < last; round += 1) {
      await driven.play(round);
      await driven.caughtUp();
      await expectWords();
    }
  }
  await driven.mine(3);
});

describe("entries", () => {
  test.each(CURATED)("%s", async (family) => {
    const told = (await driven.entries())[family];
    const wanted = driven.drives[family].steps.flatMap(({ gives, by }) =>
      gives.map(([action, details = {}, actor = by]) => ({ action, actor, details })),
    );
    const lineOf = ({ action, actor }: Told, index: number) => `${index} ${action} by ${actor}`;
    expect(told.map(lineOf)).toEqual(wanted.map(lineOf));
    for (const [index, { action, details }] of wanted.entries())
      expect.soft(told[index]!.details, `${index} ${action}`).toMatchObject(details);
  });
});

async function expectWords(): Promise<void> {
  const head = await driven.head();
  const words = new Map<CuratedFamily, Awaited<ReturnType<typeof wordsOf>>>();
  const asked = CURATED.map(async (family) => {
    const record = await driven.record(family);
    const { block_number: block } = record.as_of;
    const answered = await wordsOf(driven.world, family, block);
    expect.soft(toldBy(record, answered.record), `${family} at ${block}`).toEqual(answered.record);
    expectSince(family, record);
    words.set(family, block === head ? answered : await wordsOf(driven.world, family, head));
  });
  await Promise.all(asked);
  await expectRoles(words);
}

/** Whoever holds a role that was not held a block before holds it since this block; every other since then. */
function expectSince(family: CuratedFamily, record: RoleTimes): void {
  const before = heldSince.get(family);
  const now = record.contract_roles.map(({ role, account, since }) => [`${role} ${account}`, since] as const);
  heldSince.set(family, new Map(now));
  const wanted = now.map(([key, since]) => [
    key,
    before ? (before.get(key) ?? record.as_of.block_timestamp) : since,
  ]);
  expect.soft(now, `${family} at ${record.as_of.block_timestamp}`).toEqual(wanted);
}

interface RoleTimes {
  contract_roles: readonly { role: string; account: Address; since: string }[];
  as_of: { block_timestamp: string };
}

async function expectRoles(
  words: ReadonlyMap<CuratedFamily, Awaited<ReturnType<typeof wordsOf>>>,
): Promise<void> {
  const { safe, timelock, controllers } = driven.world;
  const owners = await controllers.ownersOf(safe);
  const behind = new Map([
    [safe, owners],
    [timelock, [OWNER]],
  ]);
  for (const wallet of PEOPLE) {
    const wanted = CURATED.map((family) => [family, ...accessOf(wallet, words.get(family)!, behind)]);
    // Whose access is what it was is asked again when blocks were undone.
    if (accessBefore.get(wallet) === JSON.stringify(wanted)) continue;
    accessBefore.set(wallet, JSON.stringify(wanted));
    const { vaults } = await driven.get("/api/v1/auth/me", wallet);
    const told = CURATED.map((family) => {
      const own = vaults.find(
        ({ vault_address }: { vault_address: string }) => vault_address === driven.world.vaults[family],
      );
      return own === undefined ? [family, null] : [family, own.role, own.via, [...own.contract_roles].sort()];
    });
    expect.soft(told, wallet).toEqual(wanted);
  }
}

/** Who holds nothing that gives access is nobody to the service; owners and proposers of whoever does may look. */
function accessOf(
  wallet: Address,
  { primary, secondary, roles }: Awaited<ReturnType<typeof wordsOf>>,
  behind: ReadonlyMap<Address, readonly Address[]>,
): unknown[] {
  const own = roles.filter(({ account }) => account === wallet).map(({ role }) => role);
  if (primary.includes(wallet)) return ["primary_manager", null, own.sort()];
  if (secondary.includes(wallet)) return ["secondary_manager", null, own.sort()];
  const via = [...primary, ...secondary].find((each) => behind.get(each)?.includes(wallet));
  return via === undefined ? [null] : ["view_only", via, own.sort()];
}
