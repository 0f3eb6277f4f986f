// The entries of what was submitted to a vault's own timelock, for the entries of what that let through: those that stand in the log, and
// those that are written together with what names them.
import { sql } from "kysely";
import type { Tx } from "../../platform/db/db.ts";
import type { AuditEntryInput } from "../entries/entries.ts";
import type { Prepared } from "./render.ts";

export class Submissions {
  readonly #ids: Map<string, string>;
  readonly #wanted: ReadonlySet<string>;

  private constructor(ids: Map<string, string>, wanted: ReadonlySet<string>) {
    this.#ids = ids;
    this.#wanted = wanted;
  }

  /** Looks up what these entries want to name: no round trip where they want nothing. Entries of blocks that were undone are none of it. */
  static async load(tx: Tx, prepared: readonly Prepared[]): Promise<Submissions> {
    const wanting = prepared.flatMap(({ input }) =>
      input.submission ? [{ ...input, ...input.submission }] : [],
    );
    if (wanting.length === 0) return new Submissions(new Map(), new Set());
    const { rows } = await sql<Named>`
      select w.chain_id, w.vault_address, w.block_number, w.log_index, e.id
        from unnest(${wanting.map((each) => each.chain_id)}::bigint[], ${wanting.map((each) => each.vault_address)}::text[],
                    ${wanting.map((each) => each.blockNumber)}::bigint[], ${wanting.map((each) => each.logIndex)}::int[])
               as w (chain_id, vault_address, block_number, log_index)
        join blocks b on b.chain_id = w.chain_id and b.number = w.block_number
       cross join lateral (
         select id from audit_entries a
          where a.vault_address = w.vault_address and a.chain_id = w.chain_id and a.occurred_at = b.block_timestamp
            and a.action_type <> 'chain_reorg_revert'
            and a.body::jsonb -> 'details' ->> 'block_hash' = b.hash
            and a.body::jsonb -> 'details' ->> 'log_index' = w.log_index::text
          order by seq desc limit 1) e`.execute(tx);
    return new Submissions(
      new Map(rows.map((row) => [keyOf(row), row.id])),
      new Set(
        wanting.map((each) => keyOf({ ...each, block_number: each.blockNumber, log_index: each.logIndex })),
      ),
    );
  }

  entryIdOf({ chain_id, vault_address, submission }: AuditEntryInput): string | undefined {
    if (submission === undefined) return undefined;
    const { blockNumber, logIndex } = submission;
    return this.#ids.get(keyOf({ chain_id, vault_address, block_number: blockNumber, log_index: logIndex }));
  }

  /** An entry that is written now. */
  add({ chain_id, vault_address, block }: AuditEntryInput, id: string): void {
    if (block === undefined || this.#wanted.size === 0) return;
    const key = keyOf({ chain_id, vault_address, block_number: block.number, log_index: block.logIndex });
    if (this.#wanted.has(key)) this.#ids.set(key, id);
  }
}

interface Place {
  chain_id: number;
  vault_address: string;
  block_number: number;
  log_index: number;
}

type Named = Place & { id: string };

function keyOf({ chain_id, vault_address, block_number, log_index }: Place): string {
  return `${chain_id} ${vault_address} ${block_number} ${log_index}`;
}
