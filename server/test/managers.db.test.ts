// Managers are decided by one set of rules: in every order of events ingestion, the roles (with what a reorganisation undoes) and the
// look back at a deployment come to the same managers.
import { zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rolesProjection } from "../src/auth/roles.ts";
import {
  MANAGER_KINDS,
  type ManagerChange,
  type Managers,
  managersAfter,
  managersBefore,
  managersNamed,
  NO_MANAGERS,
} from "../src/chain/managers.ts";
import { ManagerBook } from "../src/ingest/block/managers.ts";
import { addBlocks, addChain, addVault, testAddress, undoBlocks } from "./chain-rows.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";
import fc from "./fast-check.ts";
import { added, blockOf, changed, deployed, factOf, removed, transferred } from "./role-facts.ts";

const CHAIN = 8453;
const VAULT = testAddress(0x100);
const PLACE = { chainId: CHAIN, vaultAddress: VAULT };
const WALLETS = [1, 2, 3, 4].map(testAddress);
const NAMES = [...WALLETS, zeroAddress];

const wallet = fc.constantFrom(...NAMES);
const change = fc
  .oneof(
    fc.tuple(wallet, wallet, fc.option(wallet)).map((args) => changed(...args)),
    wallet.map((oldManager) => ({ kind: "old_primary_manager_removed" as const, oldManager })),
    wallet.map(added),
    wallet.map(removed),
    fc.tuple(wallet, wallet).map((args) => transferred(...args)),
  )
  .map((body) => body as ManagerChange);
const deployment = fc
  .tuple(wallet, fc.array(wallet, { maxLength: 3 }))
  .map(([primary, secondary]) => deployed(primary, ...secondary) as ManagerChange);
/** What happens in each block of a chain, its vault's deployment first. */
const blocks = fc
  .tuple(deployment, fc.array(fc.array(change, { maxLength: 4 }), { minLength: 1, maxLength: 6 }))
  .map(([first, [opening = [], ...rest]]) => [[first, ...opening], ...rest]);

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await addChain(database.db, CHAIN, 0);
  await addVault(database.db, CHAIN, VAULT);
});
afterAll(() => database.drop());

/** Sorted, as the roles have no order. */
const textOf = ({ primary, secondary }: Managers) => ({ primary, secondary: [...secondary].sort() });

async function rolesOf(): Promise<ReturnType<typeof textOf>> {
  const { rows } = await database.db.pool.query(
    "select role, wallet from vault_roles where to_block is null order by wallet",
  );
  const primaries = rows.filter(({ role }) => role === "primary_manager");
  expect(primaries.length).toBeLessThan(2);
  const secondary = rows.filter(({ role }) => role === "secondary_manager").map((row) => row.wallet);
  return textOf({ primary: primaries[0]?.wallet ?? null, secondary });
}

/** The managers after each block, the first entry before any. */
function statesOf(chain: ManagerChange[][]): Managers[] {
  const states = [NO_MANAGERS];
  for (const changes of chain) states.push(changes.reduce(managersAfter, states.at(-1)!));
  return states;
}

async function applyFrom(chain: ManagerChange[][], first: number, isAtOnce: boolean): Promise<void> {
  const projected = chain.slice(first).map((changes, index) => {
    const number = first + index + 1;
    const facts = changes.map((body, logIndex) => factOf(PLACE, number, logIndex, body));
    return { block: blockOf(CHAIN, number), facts, readings: new Map() };
  });
  await database.db.transaction(async (tx) => {
    if (isAtOnce) return await rolesProjection.apply(tx, projected);
    for (const block of projected) await rolesProjection.apply(tx, [block]);
  });
}

describe("managers, in every order of events", () => {
  it("ingestion and the roles end alike, and a reorganisation takes the roles back to those of its ancestor", async () => {
    await fc.assert(
      fc.asyncProperty(blocks, fc.nat(), blocks, fc.boolean(), async (chain, cut, branch, isAtOnce) => {
        const ancestor = cut % (chain.length + 1);
        await addBlocks(database.db, CHAIN, 1, chain.length);
        await applyFrom(chain, 0, isAtOnce);
        expect(await rolesOf()).toEqual(textOf(statesOf(chain).at(-1)!));
        await undoBlocks(database.db, CHAIN, ancestor);
        expect(await rolesOf()).toEqual(textOf(statesOf(chain)[ancestor]!));

        const joined = [...chain.slice(0, ancestor), ...branch];
        await addBlocks(database.db, CHAIN, ancestor + 1, joined.length, 1);
        await applyFrom(joined, ancestor, isAtOnce);
        expect(await rolesOf()).toEqual(textOf(statesOf(joined).at(-1)!));
        await undoBlocks(database.db, CHAIN, 0);
        expect(await rolesOf()).toEqual(textOf(NO_MANAGERS));
      }),
      { numRuns: 60 },
    );
  });

  it("a wallet acts as a manager in exactly the blocks in which it was one at any moment", () => {
    fc.assert(
      fc.property(blocks, (chain) => {
        const book = new ManagerBook();
        let managers = NO_MANAGERS;
        chain.forEach((changes, number) => {
          const inBlock = new Set([managers.primary, ...managers.secondary]);
          for (const [logIndex, body] of changes.entries()) {
            book.apply(factOf(PLACE, number, logIndex, body));
            managers = managersAfter(managers, body);
            for (const each of [managers.primary, ...managers.secondary, ...managersNamed(body).until])
              inBlock.add(each);
          }
          for (const each of WALLETS) expect(book.manages(each, VAULT, number)).toBe(inBlock.has(each));
          expect(book.manages(zeroAddress, VAULT, number)).toBe(false);
        });
      }),
    );
  });

  it("taken back to the deployment and applied again, the changes of its block lead where the contract stands", () => {
    fc.assert(
      fc.property(deployment, fc.array(change, { maxLength: 8 }), (first, changes) => {
        const after = changes.reduce(managersAfter, managersAfter(NO_MANAGERS, first));
        const before = changes.reduceRight(managersBefore, after);
        expect(textOf(changes.reduce(managersAfter, before))).toEqual(textOf(after));
      }),
    );
  });

  it("the database finds every such change by index", async () => {
    const { rows } = await database.db.pool.query<{ indexdef: string }>(
      "select indexdef from pg_indexes where indexname = 'facts_manager_changes'",
    );
    const kinds = [...rows[0]!.indexdef.matchAll(/'(\w+)'/g)].map(([, kind]) => kind);
    expect(kinds.sort()).toEqual([...MANAGER_KINDS].sort());
  });
});
