// The SQL of prepared actions. Whoever prepared one sees it; nobody else does, whatever role they hold.
import { sql } from "kysely";
import type { Address, Hex } from "viem";
import type { Json } from "../../../chain/governance.ts";
import type { Database, Tx } from "../../../platform/db/db.ts";
import type { PreparedAction, SenderKind } from "../prepared.ts";

export async function insertPrepared(tx: Tx, action: PreparedAction): Promise<void> {
  await sql`
    insert into prepared_actions (id, chain_id, vault_address, family, action, parameters, wallet, account, from_address, from_kind,
                                  from_version, safe_nonce, preconditions, simulation, simulation_unavailable_reason,
                                  block_number, block_hash, created_at, expires_at)
    values (${action.id}, ${action.chainId}, ${action.vaultAddress}, ${action.family}, ${action.action},
            ${JSON.stringify(action.parameters)}::jsonb, ${action.wallet}, ${action.account}, ${action.from}, ${action.fromKind},
            ${action.fromVersion}, ${action.safeNonce?.toString() ?? null}::numeric, ${JSON.stringify(action.preconditions)}::jsonb,
            ${action.simulation === null ? null : JSON.stringify(action.simulation)}::jsonb, ${action.simulationUnavailableReason},
            ${action.block.number}, ${action.block.hash}, ${action.createdAt}, ${action.expiresAt})`.execute(
    tx,
  );
  for (const [position, call] of action.calls.entries())
    await sql`
      insert into prepared_action_calls (action_id, position, target, value, data, function, arguments)
      values (${action.id}, ${position}, ${call.target}, ${call.value.toString()}::numeric, ${call.data}, ${call.function},
              ${JSON.stringify(call.arguments)}::jsonb)`.execute(tx);
  for (const [position, event] of action.events.entries())
    await sql`
      insert into prepared_action_events (action_id, position, emitter, topics, data, moving_topics, moving_words, is_data_moving)
      values (${action.id}, ${position}, ${event.emitter}, ${[...event.topics]}::text[], ${event.data},
              ${[...event.movingTopics]}::integer[], ${[...event.movingWords]}::integer[], ${event.isDataMoving})`.execute(
      tx,
    );
}

/** Those of an account that were neither executed nor have expired; no more than so many are counted. */
export async function countWaiting(tx: Tx, account: string, now: string, most: number): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*)::integer as waiting from (
      select from prepared_actions p where p.account = ${account} and p.expires_at > ${now}
         and not exists (select from prepared_action_executions x where x.action_id = p.id)
       limit ${most}) w`.execute(tx);
  return rows[0]!.waiting;
}

export interface PreparedRow {
  id: string;
  chain_id: number;
  vault_address: Address;
  family: string;
  action: string;
  parameters: Record<string, Json>;
  from_address: Address;
  from_kind: SenderKind;
  from_version: string | null;
  safe_nonce: bigint | null;
  calls: { to: Address; value: string; data: Hex; function: string; arguments: Record<string, Json> }[];
  preconditions: { ok: boolean; text: string }[];
  simulation: Record<string, Json> | null;
  simulation_unavailable_reason: string | null;
  created_at: string;
  expires_at: string;
}

export interface OfVault {
  chainId: number;
  vaultAddress: Address;
  account: string;
}

/** The newest first. */
export async function loadPrepared(
  db: Pick<Database, "kysely">,
  { chainId, vaultAddress, account }: OfVault,
  one: { id: string } | { limit: number },
): Promise<PreparedRow[]> {
  const filter = "id" in one ? sql`and p.id = ${one.id}` : sql``;
  const limit = "id" in one ? 1 : one.limit;
  const { rows } = await sql<PreparedRow>`
    select p.id, p.chain_id, p.vault_address, p.family, p.action, p.parameters, p.from_address, p.from_kind, p.from_version, p.safe_nonce,
      p.preconditions, p.simulation, p.simulation_unavailable_reason, p.created_at, p.expires_at,
      (select jsonb_agg(jsonb_build_object('to', k.target, 'value', k.value::text, 'data', k.data, 'function', k.function,
                                           'arguments', k.arguments) order by k.position)
         from prepared_action_calls k where k.action_id = p.id) as calls
      from prepared_actions p
     where p.chain_id = ${chainId} and p.vault_address = ${vaultAddress} and p.account = ${account} ${filter}
     order by p.created_at desc, p.id limit ${limit}`.execute(db.kysely);
  return rows;
}

/** Who holds which role on a vault at the head, and the contracts behind them. */
export async function loadHolders(
  db: Pick<Database, "kysely">,
  chainId: number,
  vaultAddress: Address,
): Promise<HoldersRow> {
  const { rows } = await sql<HoldersRow>`
    select v.family, coalesce(k.roles, '[]') as roles, coalesce((
        select jsonb_agg(jsonb_build_object('address', l ->> 'address', 'roles', l -> 'roles', 'state', s.state))
          from jsonb_array_elements(k.links) l
          left join lateral (
            select state from controller_states s
             where s.chain_id = v.chain_id and s.address = l ->> 'address' order by s.block_number desc limit 1) s on true
      ), '[]') as controllers
      from vaults v
      left join lateral (
        select roles, links from vault_controllers k
         where k.chain_id = v.chain_id and k.vault_address = v.address order by k.block_number desc limit 1) k on true
     where v.chain_id = ${chainId} and v.address = ${vaultAddress}`.execute(db.kysely);
  return rows[0] ?? { family: "", roles: [], controllers: [] };
}

export interface HoldersRow {
  family: string;
  roles: { role: string; account: Address }[];
  controllers: { address: Address; roles: string[]; state: never }[];
}
