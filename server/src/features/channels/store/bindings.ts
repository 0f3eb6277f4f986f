// Bindings: which alerts of a vault go to which channel. Made, changed, confirmed and taken back by the vault's managers, each time with
// an entry in the audit log.
import { sql } from "kysely";
import type { Address } from "viem";
import { record } from "../../../audit/append/record.ts";
import type { AlertSeverity } from "../../../monitors/base/finding.ts";
import { ALERT_CATEGORIES, type AlertCategory } from "../../../monitors/categories.ts";
import type { Database, Tx } from "../../../platform/db/db.ts";
import { Problem } from "../../../platform/errors.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import type { Caller } from "../../../platform/permission.ts";
import type { VaultRef } from "../../../vault.ts";
import { isChangeable, isVisible } from "./access.ts";
import { type ChannelRow, channelNotFound, MAIL_OWNER } from "./store.ts";

export interface BindingRow {
  categories: AlertCategory[];
  /** Those added later included. */
  is_all_categories: boolean;
  min_severity: AlertSeverity;
  /** The channel is told only of what nobody took for so long; null: at once. */
  escalate_after_seconds: number | null;
  bound_by: Address;
  bound_at: string;
  /** Who made it manages the vault no more; a manager confirms it by binding again. */
  needs_confirmation: boolean;
}

/** What a client asks for; what it leaves out is as it was, or all. */
export interface BindingWish {
  /** null: all, those added later included. */
  categories?: AlertCategory[] | null | undefined;
  min_severity?: AlertSeverity | undefined;
  escalate_after_seconds?: number | null | undefined;
}

const COLUMNS = sql`b.categories, b.is_all_categories, b.min_severity, b.escalate_after_seconds, b.bound_by, b.bound_at, not exists (
  select from vault_operators r where r.chain_id = b.chain_id and r.vault_address = b.vault_address and r.wallet = b.bound_by
) as needs_confirmation`;

/** The channels bound to a vault, in the order in which they were bound. */
export async function listBound(
  db: Pick<Database, "kysely">,
  { chainId, vaultAddress }: VaultRef,
): Promise<(ChannelRow & BindingRow)[]> {
  const { rows } = await sql<ChannelRow & BindingRow>`
    select c.id, c.provider, c.name, g.config, g.masks, c.created_by, c.created_at, c.updated_at, c.is_enabled, c.disabled_reason, c.chat_endpoint_id,
      ${MAIL_OWNER} as mail_owner, ${COLUMNS}
    from channel_bindings b join notification_channels c on c.id = b.channel_id
    join channel_configs g on g.channel_id = c.id and g.is_current
    where b.chain_id = ${chainId} and b.vault_address = ${vaultAddress}
    order by b.bound_at, c.id`.execute(db.kysely);
  return rows.map(whole);
}

/**
 * Binds a channel that the caller may change, or changes and confirms its binding to the vault. `isNew` is false where there was one. To
 * see a channel is not enough: who binds it goes on seeing it, and takes part in who may change it.
 * @throws Problem `not_found`, `insufficient_role`
 */
export async function bind(
  tx: Tx,
  nowMs: number,
  caller: Caller,
  { chainId, vaultAddress }: VaultRef,
  channelId: string,
  wish: BindingWish,
): Promise<{ binding: BindingRow; isNew: boolean }> {
  // One after the other: what a binding changes of who may change the channel counts for the next.
  await sql`select from notification_channels where id = ${channelId} for update`.execute(tx);
  const { rows: seen } = await sql<{ is_changeable: boolean; is_bound: boolean }>`
    select ${isChangeable(caller)} as is_changeable, exists (select from channel_bindings b
      where b.channel_id = c.id and b.chain_id = ${chainId} and b.vault_address = ${vaultAddress}) as is_bound
    from notification_channels c where c.id = ${channelId} and ${isVisible(caller, true)}`.execute(tx);
  const [channel] = seen;
  if (channel === undefined) throw channelNotFound();
  if (!channel.is_changeable && !channel.is_bound) {
    throw new Problem(
      "insufficient_role",
      "Only its creator, or a wallet that manages every vault that the channel is bound to, can bind it to a vault.",
    );
  }
  const ofVault = sql`chain_id = ${chainId} and vault_address = ${vaultAddress} and channel_id = ${channelId}`;
  const defaults = {
    categories: [...ALERT_CATEGORIES],
    is_all_categories: true,
    min_severity: "info" as const,
    escalate_after_seconds: null,
  };
  const asked = { ...defaults, ...definedOf(wish) };
  const { rows: made } = await sql`
    insert into channel_bindings (channel_id, chain_id, vault_address, categories, is_all_categories, min_severity, escalate_after_seconds, bound_by, bound_at)
    values (${channelId}, ${chainId}, ${vaultAddress}, ${ordered(asked.categories)}, ${asked.is_all_categories}, ${asked.min_severity}, ${asked.escalate_after_seconds}, ${caller.wallet},
      ${timestampOfMs(nowMs)})
    on conflict do nothing returning channel_id`.execute(tx);
  const isNew = made.length > 0;
  const before = (
    await sql<BindingRow>`select ${COLUMNS} from channel_bindings b where ${ofVault} for update of b`.execute(
      tx,
    )
  ).rows[0] as BindingRow;
  const after = { ...before, ...definedOf(wish) };
  // A newer process beside this one may know further categories, of which nothing was asked here.
  const categories = [...ordered(after.categories), ...before.categories.filter((one) => !isKnown(one))];
  const isChanged =
    JSON.stringify(categories) !== JSON.stringify(before.categories) ||
    after.is_all_categories !== before.is_all_categories ||
    after.min_severity !== before.min_severity ||
    after.escalate_after_seconds !== before.escalate_after_seconds;
  if (isNew || isChanged || before.needs_confirmation) {
    await sql`
      update channel_bindings set categories = ${categories}, is_all_categories = ${after.is_all_categories}, min_severity = ${after.min_severity},
        escalate_after_seconds = ${after.escalate_after_seconds},
        bound_by = ${caller.wallet}, bound_at = ${timestampOfMs(nowMs)} where ${ofVault}`.execute(tx);
    await record(tx, [
      {
        action_type: "notification_channel_bind",
        vault_address: vaultAddress,
        chain_id: chainId,
        actor_wallet: caller.wallet,
        details: {
          channel_id: channelId,
          categories,
          min_severity: after.min_severity,
          ...(after.escalate_after_seconds !== null && {
            escalate_after_seconds: after.escalate_after_seconds,
          }),
        },
      },
    ]);
  }
  const { rows } = await sql<BindingRow>`select ${COLUMNS} from channel_bindings b where ${ofVault}`.execute(
    tx,
  );
  return { binding: whole(rows[0] as BindingRow), isNew };
}

/** Takes a binding back. Alerts that the channel has been told of are still resolved there. @throws Problem `not_found` */
export async function unbind(
  tx: Tx,
  by: Address,
  { chainId, vaultAddress }: VaultRef,
  channelId: string,
): Promise<void> {
  const { rows } = await sql`
    delete from channel_bindings
    where chain_id = ${chainId} and vault_address = ${vaultAddress} and channel_id = ${channelId}
    returning channel_id`.execute(tx);
  if (rows.length === 0) throw new Problem("not_found", "That channel is not bound to the vault.");
  await record(tx, [
    {
      action_type: "notification_channel_unbind",
      vault_address: vaultAddress,
      chain_id: chainId,
      actor_wallet: by,
      details: { channel_id: channelId },
    },
  ]);
}

/** Every category once, in the order of the documentation. */
function ordered(categories: readonly AlertCategory[]): AlertCategory[] {
  return ALERT_CATEGORIES.filter((category) => categories.includes(category));
}

/** Whoever asked for all sees all that there are now. */
function whole<Row extends BindingRow>(row: Row): Row {
  return row.is_all_categories ? { ...row, categories: [...ALERT_CATEGORIES] } : row;
}

function isKnown(category: AlertCategory): boolean {
  return ALERT_CATEGORIES.includes(category);
}

function definedOf(
  wish: BindingWish,
): Partial<Pick<BindingRow, "categories" | "is_all_categories" | "min_severity" | "escalate_after_seconds">> {
  return {
    ...(wish.categories === undefined
      ? {}
      : {
          categories: wish.categories ?? [...ALERT_CATEGORIES],
          is_all_categories: wish.categories === null,
        }),
    ...(wish.min_severity === undefined ? {} : { min_severity: wish.min_severity }),
    ...(wish.escalate_after_seconds === undefined
      ? {}
      : { escalate_after_seconds: wish.escalate_after_seconds }),
  };
}
