// What is not followed any more: vaults whose chain or source the configuration does not name now. Their rows stay, and whoever reports may
// go on reporting of them, but nobody looks after them here; so nothing is opened about them, and what is open is resolved, with the reason.
import { sql } from "kysely";
import type { Tx } from "../../../platform/db/db.ts";
import { vaultIdOf } from "../../../vault.ts";
import type { WatchedChain } from "../system/system-state.ts";
import type { OpenAlert } from "./evaluate.ts";

/** Of these places the keys of those that are not followed any more. */
export async function loadUnfollowed(
  tx: Tx,
  chains: readonly WatchedChain[],
  places: readonly { chainId: number; vaultAddress: string }[],
): Promise<ReadonlySet<string>> {
  const asked = [...new Map(places.map((place) => [vaultIdOf(place), place])).values()].filter(
    ({ chainId }) => chainId !== 0,
  );
  if (asked.length === 0) return new Set();
  const whole = chains.filter(({ sources }) => sources === undefined).map(({ chainId }) => chainId);
  const named = chains.flatMap(({ chainId, sources = [] }) =>
    sources.map(({ family, address }) => ({ chain_id: chainId, family, address })),
  );
  const { rows } = await sql<{ chain_id: number; address: string }>`
    select v.chain_id, v.address
    from unnest(${asked.map(({ chainId }) => chainId)}::bigint[], ${asked.map(({ vaultAddress }) => vaultAddress)}::text[]) p (chain_id, address)
    join vaults v on v.chain_id = p.chain_id and v.address = p.address
    where v.chain_id <> all (${whole}::bigint[]) and not exists (
      select from jsonb_to_recordset(${JSON.stringify(named)}::jsonb) s (chain_id bigint, family text, address text)
      where s.chain_id = v.chain_id and s.family = v.family and s.address = v.source_address)`.execute(tx);
  return new Set(
    rows.map(({ chain_id, address }) => vaultIdOf({ chainId: chain_id, vaultAddress: address })),
  );
}

/** What is open in areas that are not judged any more, since their chains are not configured. Other areas are another release's. */
export async function areasLeft(tx: Tx, judged: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ area: string }>`
    select distinct area from alerts where resolved_at is null and area like 'chain:%' and area <> all (${judged}::text[])`.execute(
    tx,
  );
  return rows.map(({ area }) => area);
}

/** An open alert of such a vault ends whatever it stood on. */
export function asLeft(alert: OpenAlert): OpenAlert {
  return { ...alert, isBlockGone: false, isFlapping: false, isLeft: true };
}
