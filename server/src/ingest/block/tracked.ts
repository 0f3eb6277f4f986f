// Tracked: what is remembered of a vault from its events, because no view lists it (governance.ts). In memory it goes on with the facts of a
// world; in the table every change stands with its block, so that a reorganisation undoes it and replay makes it anew.
import { sql } from "kysely";
import type { Address } from "viem";
import type { FurtherRole, KnownVault } from "../../chain/directory.ts";
import { type StoredFact, toStored, type VaultFact } from "../../chain/facts.ts";
import type { Families, FamilyName } from "../../chain/families/family/family.ts";
import type { Json, LogPlace, Tracked, TrackedChange, TrackedOf } from "../../chain/governance.ts";
import type { Database, Tx } from "../../platform/db/db.ts";
import { type Columns, insertRows } from "../../platform/db/rows.ts";
import { within } from "../../platform/db/scope.ts";
import type { Projection } from "./projection.ts";

type Lists = { [L in TrackedChange["list"]]?: Map<string, Readonly<Record<string, Json>>> };

export class TrackedBook {
  readonly #vaults = new Map<Address, Lists>();
  /** Where each call that waits was submitted, by vault and key. */
  readonly #submitted = new Map<string, LogPlace>();

  apply(vault: Address, changes: readonly TrackedChange[], place?: LogPlace): void {
    for (const { list, key, value } of changes) {
      const lists = this.#vaults.get(vault) ?? {};
      this.#vaults.set(vault, lists);
      const held = lists[list] ?? new Map();
      lists[list] = held;
      // A key that comes again counts as new: the order is that of the events.
      held.delete(key);
      if (value !== null) held.set(key, value);
      if (list !== "call") continue;
      if (value !== null && place) this.#submitted.set(`${vault} ${key}`, place);
      else this.#submitted.delete(`${vault} ${key}`);
    }
  }

  /** Where those calls were submitted which these changes end, as far as it is known. To be asked before they are applied. */
  submittedBefore(vault: Address, changes: readonly TrackedChange[]): Submission[] {
    return changes.flatMap(({ list, key, value, effect }) => {
      const place = list === "call" && value === null ? this.#submitted.get(`${vault} ${key}`) : undefined;
      return place ? [{ place, ...(effect !== undefined && { effect }) }] : [];
    });
  }

  /** What holds now, for whoever reads before more is applied. */
  get all(): TrackedOf {
    return this.#vaults;
  }

  /** What holds now, whatever is applied afterwards. */
  copyOf(vault: Address): Tracked {
    const lists = this.#vaults.get(vault) ?? {};
    return Object.fromEntries(Object.entries(lists).map(([list, held]) => [list, new Map(held)]));
  }

  /** A book of its own that begins with the same. */
  clone(): TrackedBook {
    const clone = new TrackedBook();
    for (const vault of this.#vaults.keys()) clone.#vaults.set(vault, this.copyOf(vault) as Lists);
    for (const [key, place] of this.#submitted) clone.#submitted.set(key, place);
    return clone;
  }
}

/** What a fact changes of what is remembered. */
export function trackedBy(families: Families, family: FamilyName, fact: VaultFact): TrackedChange[] {
  const track = families[family].track;
  return track === undefined ? [] : track({ ...fact, body: toStored(fact.body) } as StoredFact);
}

/** Where a call was submitted; `effect` is the id of its own effect, where it is not that of the whole event. */
export interface Submission {
  place: LogPlace;
  effect?: string;
}

/** The fact with the submissions of what it says was let through; as it is where there is none, or none is known. */
export function withSubmissions(fact: VaultFact, submissions: readonly Submission[]): VaultFact {
  const { body } = fact;
  if (submissions.length === 0 || body.kind !== "governance") return fact;
  const whole = submissions.find(({ effect }) => effect === undefined)?.place;
  const effects = body.effects.map((effect) => {
    const own = submissions.find(({ effect: id }) => id !== undefined && id === effect.id)?.place;
    if (own) return { ...effect, accepted: true as const, submitted: own };
    return effect.accepted && whole ? { ...effect, submitted: whole } : effect;
  });
  return { ...fact, body: { ...body, effects } };
}

/** The further contracts of a vault that these changes name. */
export function contractsNamed(changes: readonly TrackedChange[]): { address: Address; role: FurtherRole }[] {
  return changes.flatMap(({ list, key, value }) =>
    list === "contract" && (value?.role === "adapter" || value?.role === "proxy_admin")
      ? [{ address: key as Address, role: value.role }]
      : [],
  );
}

/** The projection of what is remembered, for ingestion. */
export function trackedProjection(families: Families): Projection {
  return {
    name: "tracked",
    async apply(tx, blocks) {
      const facts = blocks.flatMap((each) => each.facts.filter(({ vaultAddress }) => vaultAddress !== null));
      if (facts.length === 0) return;
      const familyOf = await loadFamilies(tx, facts);
      const rows = facts.flatMap((fact): Row[] => {
        const vault = fact.vaultAddress!;
        const family = familyOf.get(vault);
        const changes = family === undefined ? [] : trackedBy(families, family, fact);
        const { chainId: chain_id, blockNumber: block_number, logIndex: log_index } = fact;
        return changes.map((change, nth) => ({
          chain_id,
          block_number,
          log_index,
          nth,
          vault_address: vault,
          ...change,
        }));
      });
      if (rows.length > 0) await insertRows(tx, "tracked_changes", COLUMNS, rows);
    },
    replay: {
      async clear(tx, scope) {
        await sql`delete from tracked_changes where ${within(scope)}`.execute(tx);
      },
    },
  };
}

interface Row extends Omit<TrackedChange, "effect"> {
  chain_id: number;
  block_number: number;
  log_index: number;
  nth: number;
  vault_address: Address;
}

const COLUMNS: Columns<Row> = {
  chain_id: "bigint",
  block_number: "bigint",
  log_index: "integer",
  nth: "smallint",
  vault_address: "text",
  list: "text",
  key: "text",
  value: "jsonb",
};

async function loadFamilies(tx: Tx, facts: readonly VaultFact[]): Promise<Map<Address, FamilyName>> {
  const vaults = [...new Set(facts.map(({ vaultAddress }) => vaultAddress!))];
  const { rows } = await sql<{ address: Address; family: FamilyName }>`
    select address, family from vaults
     where chain_id = ${facts[0]!.chainId} and address = any(${vaults}::text[])`.execute(tx);
  return new Map(rows.map(({ address, family }) => [address, family]));
}

/** Adds what held of these vaults after a block, and makes known every further contract that was named up to there. */
export async function loadTracked(
  db: Database,
  { chainId, upTo }: { chainId: number; upTo: number },
  vaults: readonly KnownVault[],
  book: TrackedBook,
  follow: (vault: KnownVault, address: Address, role: FurtherRole) => void,
): Promise<void> {
  const known = new Map(vaults.map((vault) => [vault.address, vault]));
  if (known.size === 0) return;
  const { rows } = await sql<TrackedChange & LogPlace & { vault_address: Address }>`
    select vault_address, block_number, log_index, list, key, value from tracked_changes
     where chain_id = ${chainId} and block_number <= ${upTo} and vault_address = any(${[...known.keys()]}::text[])
     order by block_number, log_index, nth`.execute(db.kysely);
  for (const { vault_address: address, block_number, log_index, ...change } of rows) {
    book.apply(address, [change], { block_number, log_index });
    const vault = known.get(address)!;
    for (const named of contractsNamed([change])) follow(vault, named.address, named.role);
  }
}
