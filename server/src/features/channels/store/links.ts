// Links: which user of a chat acts for which wallet, in one channel and under one secret of it. A wallet asks in the channel, a user presses,
// the wallet confirms who that was.
//
// Guarantee: a link holds only after its wallet has confirmed the very user that it was shown, for the first to press stays; a user acts for
// one wallet in a channel; and no link outlives the secret that proves the user.
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { type Address, zeroAddress } from "viem";
import { record } from "../../../audit/append/record.ts";
import type { ChatVia } from "../../../audit/entries/details.ts";
import type { AuditEntryInput } from "../../../audit/entries/entries.ts";
import type { Database, Tx } from "../../../platform/db/db.ts";
import { Problem } from "../../../platform/errors.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import { type Caller, seesUnlimited } from "../../../platform/permission.ts";

/** A link as its wallet sees it. */
export interface LinkRow {
  id: string;
  channel_id: string;
  channel_name: string;
  provider: string;
  wallet: Address;
  provider_user: string | null;
  provider_user_name: string | null;
  created_at: string;
  expires_at: string | null;
  confirmed_at: string | null;
}

/** For whom a user acts. */
export interface Linked {
  wallet: Address;
  limitedToChainId: number | null;
}

/** How long a wallet waits for a user, and a user for the wallet. */
const WAIT_MS = 600_000;

const COLUMNS = sql`l.id, l.channel_id, c.name as channel_name, c.provider, l.wallet, l.provider_user, l.provider_user_name, l.created_at,
  case when l.confirmed_at is null then l.expires_at end as expires_at, l.confirmed_at`;
const FROM = sql`chat_links l join notification_channels c on c.id = l.channel_id and c.chat_endpoint_id = l.endpoint_id`;

function isOwnLink(caller: Caller) {
  const { wallet, limitedToChainId: limit } = caller;
  const unlimited = limit === null || seesUnlimited(caller) ? sql`l.limited_to_chain_id is null` : sql`false`;
  return sql<boolean>`(l.wallet = ${wallet} and (${unlimited} or l.limited_to_chain_id = ${limit}))`;
}

/** Begins to wait. What waited in vain is forgotten. */
export async function beginLink(
  tx: Tx,
  nowMs: number,
  { wallet, limitedToChainId }: Caller,
  channel: { id: string; endpointId: string },
): Promise<{ id: string; expires_at: string; created_at: string }> {
  const [created_at, expires_at] = [timestampOfMs(nowMs), timestampOfMs(nowMs + WAIT_MS)];
  await sql`delete from chat_links where confirmed_at is null and expires_at <= ${created_at}`.execute(tx);
  const id = randomUUID();
  await sql`
    insert into chat_links (id, channel_id, endpoint_id, wallet, limited_to_chain_id, created_at, expires_at)
    values (${id}, ${channel.id}, ${channel.endpointId}, ${wallet}, ${limitedToChainId}, ${created_at}, ${expires_at})`.execute(
    tx,
  );
  return { id, created_at, expires_at };
}

/** The caller's, those that hold and those that wait; the newest first. */
export async function listLinks(
  db: Pick<Database, "kysely">,
  caller: Caller,
  nowMs: number,
): Promise<LinkRow[]> {
  const { rows } = await sql<LinkRow>`
    select ${COLUMNS} from ${FROM} where ${isOwnLink(caller)} and (l.confirmed_at is not null or l.expires_at > ${timestampOfMs(nowMs)})
    order by l.created_at desc, l.id`.execute(db.kysely);
  return rows;
}

/** The first who presses, of those who act for no wallet here yet. */
export async function pressLink(
  tx: Tx,
  nowMs: number,
  press: { linkId: string; channelId: string; endpointId: string; userId: string; userName: string },
): Promise<"pressed" | "taken" | "gone" | Address> {
  const known = await linkedUser(tx, press, press.userId);
  if (known !== null) return known.wallet;
  const now = timestampOfMs(nowMs);
  const { rows } = await sql<{ is_free: boolean; provider_user: string | null }>`
    select l.provider_user is null as is_free, l.provider_user from ${FROM}
    where l.id = ${press.linkId} and l.channel_id = ${press.channelId} and l.endpoint_id = ${press.endpointId}
      and l.confirmed_at is null and l.expires_at > ${now} for update of l`.execute(tx);
  const [link] = rows;
  if (link === undefined) return "gone";
  if (!link.is_free) return link.provider_user === press.userId ? "pressed" : "taken";
  await sql`
    update chat_links set provider_user = ${press.userId}, provider_user_name = ${press.userName}, pressed_at = ${now}
    where id = ${press.linkId}`.execute(tx);
  return "pressed";
}

/** The wallet confirms who pressed. @throws Problem `not_found`, `conflict` */
export async function confirmLink(tx: Tx, nowMs: number, caller: Caller, id: string): Promise<LinkRow> {
  const { rows } = await sql<LinkRow & { created_by: Address }>`
    select ${COLUMNS}, c.created_by from ${FROM} where l.id = ${id} and ${isOwnLink(caller)}
      and (l.confirmed_at is not null or l.expires_at > ${timestampOfMs(nowMs)}) for update of c, l`.execute(
    tx,
  );
  const [row] = rows;
  if (row === undefined) throw linkNotFound();
  const { created_by: createdBy, ...link } = row;
  if (link.confirmed_at !== null) return link;
  const user = link.provider_user;
  if (user === null) throw new Problem("conflict", "Nobody has pressed the button in the channel yet.");
  const { rows: others } = await sql`
    select from chat_links where channel_id = ${link.channel_id} and provider_user = ${user} and confirmed_at is not null`.execute(
    tx,
  );
  if (others.length > 0)
    throw new Problem("conflict", "That user acts for another wallet in this channel already.");
  const confirmedAt = timestampOfMs(nowMs);
  await sql`update chat_links set confirmed_at = ${confirmedAt} where id = ${id}`.execute(tx);
  const via = {
    channel_id: link.channel_id,
    provider: link.provider,
    provider_user: user,
    channel_created_by: createdBy,
  };
  await record(tx, [
    {
      ...AT_NO_VAULT,
      action_type: "chat_link_add",
      actor_wallet: caller.wallet,
      details: { link_id: id, via },
    },
  ]);
  return { ...link, expires_at: null, confirmed_at: confirmedAt };
}

/** The wallet takes a link back. @throws Problem `not_found` */
export async function removeLink(tx: Tx, caller: Caller, id: string): Promise<void> {
  const { rows } = await sql<RemovedRow>`
    delete from chat_links l using notification_channels c
    where c.id = l.channel_id and l.id = ${id} and ${isOwnLink(caller)} returning ${REMOVED}`.execute(tx);
  if (rows[0] === undefined) throw linkNotFound();
  await record(
    tx,
    rows.flatMap((row) => removalOf(row, caller.wallet)),
  );
}

/** A user takes back for whom they act. Null: for nobody. */
export async function unlinkUser(
  tx: Tx,
  place: { channelId: string; endpointId: string },
  userId: string,
): Promise<Address | null> {
  const { rows } = await sql<RemovedRow>`
    delete from chat_links l using notification_channels c
    where c.id = l.channel_id and l.channel_id = ${place.channelId} and l.endpoint_id = ${place.endpointId}
      and l.provider_user = ${userId} and l.confirmed_at is not null returning ${REMOVED}`.execute(tx);
  const [row] = rows;
  if (row === undefined) return null;
  await record(tx, removalOf(row, row.wallet));
  return row.wallet;
}

/** Ends all links of a channel that is another now; what that leaves in the audit log is for the caller to record. */
export async function cutLinks(tx: Tx, channel: { id: string }, by: Address): Promise<AuditEntryInput[]> {
  const { rows } = await sql<RemovedRow>`
    delete from chat_links l using notification_channels c
    where c.id = l.channel_id and l.channel_id = ${channel.id} returning ${REMOVED}`.execute(tx);
  return rows.flatMap((row) => removalOf(row, by));
}

/** For whom a user acts in a channel at this moment. */
export async function linkedUser(
  tx: Tx,
  { channelId, endpointId }: { channelId: string; endpointId: string },
  userId: string,
): Promise<Linked | null> {
  const { rows } = await sql<{ wallet: Address; limited_to_chain_id: number | null }>`
    select l.wallet, l.limited_to_chain_id from ${FROM}
    where l.channel_id = ${channelId} and l.endpoint_id = ${endpointId} and l.provider_user = ${userId} and l.confirmed_at is not null
    for share of l`.execute(tx);
  const [row] = rows;
  return row === undefined ? null : { wallet: row.wallet, limitedToChainId: row.limited_to_chain_id };
}

interface RemovedRow {
  id: string;
  channel_id: string;
  provider: string;
  created_by: Address;
  wallet: Address;
  provider_user: string | null;
  confirmed_at: string | null;
}
const REMOVED = sql`l.id, l.channel_id, c.provider, c.created_by, l.wallet, l.provider_user, l.confirmed_at`;
const AT_NO_VAULT = { vault_address: zeroAddress, chain_id: 0 } as const;

/** Of a link that never held nothing is recorded. */
function removalOf(row: RemovedRow, by: Address): AuditEntryInput[] {
  if (row.confirmed_at === null || row.provider_user === null) return [];
  const via: ChatVia = {
    channel_id: row.channel_id,
    provider: row.provider,
    provider_user: row.provider_user,
    channel_created_by: row.created_by,
  };
  const details = { link_id: row.id, wallet: row.wallet, via };
  return [{ ...AT_NO_VAULT, action_type: "chat_link_remove", actor_wallet: by, details }];
}

function linkNotFound(): Problem {
  return new Problem("not_found", "You have no such link, or its ten minutes are over.");
}
