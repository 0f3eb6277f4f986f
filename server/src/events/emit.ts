// The way onto the spine: `emit`, called in the transaction that makes true what the event says.
//
// Guarantee: an event exists exactly when the rest of that transaction does. Events of one call keep their order.
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Tx } from "../platform/db/db.ts";
import type { DomainEvent } from "./types.ts";

/** The channel on which new events are told. */
export const EVENTS_CHANNEL = "vaultops_events";

/** Puts events on the spine, in their order. They are handed out once the transaction commits. */
export async function emit(tx: Tx, events: readonly DomainEvent[]): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ type, chainId, vaultAddress, at, data }) => ({
    id: randomUUID(),
    type,
    chain_id: chainId,
    vault_address: vaultAddress,
    at,
    data: JSON.stringify(data),
  }));
  await sql`
    with emitted as (
      insert into events (id, type, chain_id, vault_address, at, data)
      select id, type, chain_id, vault_address, at, data
      from rows from (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as (id uuid, type text, chain_id bigint, vault_address text, at timestamptz, data text)) with ordinality r
      order by r.ordinality
    )
    select pg_notify(${EVENTS_CHANNEL}, '')`.execute(tx);
}
