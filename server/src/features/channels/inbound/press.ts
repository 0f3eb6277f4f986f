// What pressing a button does: whose it is, for which wallet the user acts, and whether that wallet may do it at this moment.
//
// Guarantee: what a press does is done in one transaction with the note that it was done, so that the same request does it once. The button
// must be one that we made for a channel of this endpoint, pressed where that channel's messages stand, and the channel bound to the alert's
// vault by somebody who manages it now. What is refused changes nothing and uses nothing up.
import { sql } from "kysely";
import type { Address } from "viem";
import type { ChatVia } from "../../../audit/entries/details.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Database, Tx } from "../../../platform/db/db.ts";
import { Problem } from "../../../platform/errors.ts";
import type { Caller } from "../../../platform/permission.ts";
import { type ButtonAction, openButton } from "../notice/sealed-button.ts";
import { cleanLine, cut } from "../notice/text.ts";
import type { ChannelConfig } from "../providers/provider.ts";
import { type Endpoint, markHandled } from "../store/endpoints.ts";
import { type Linked, linkedUser, pressLink, unlinkUser } from "../store/links.ts";
import type { Press, PressAnswer } from "./chat.ts";
import { CHATS } from "./registry.ts";

export type AlertAct = { action: "acknowledge" } | { action: "silence"; seconds: number };

/**
 * Does it in the transaction, with its entry in the audit log last, and says what was done.
 * @throws Problem where the wallet may not, or where there is nothing to be done
 */
export type AnswerAlert = (
  tx: Tx,
  asked: { caller: Caller; alertId: string; act: AlertAct; via: ChatVia; nowMs: number },
) => Promise<string>;

export interface PressParts {
  db: Pick<Database, "kysely" | "transaction">;
  clock: Clock;
  publicUrl: string;
  /** Ids of the channels that the operator named, which get alerts without being bound. */
  systemChannels: readonly string[];
  answerAlert: AnswerAlert;
  /** A wallet with the roles that it holds now, as the guard gives it to a request. */
  callerOf(linked: Linked): Promise<Caller>;
}

const ACTS: Readonly<Partial<Record<ButtonAction, AlertAct>>> = {
  acknowledge: { action: "acknowledge" },
  silence_1h: { action: "silence", seconds: 3600 },
  silence_8h: { action: "silence", seconds: 28_800 },
};

interface ChannelPlace {
  id: string;
  created_by: Address;
  config: ChannelConfig;
}

/** Null: there is nobody to say anything to, or it was done already. `key` names the request. */
export async function handlePress(
  parts: PressParts,
  endpoint: Endpoint,
  press: Press,
  key: string,
): Promise<PressAnswer | null> {
  const button = openButton(endpoint.buttonKey, press.value);
  if (button === null) return null;
  const channel = await channelOf(parts.db, endpoint.id, button.channelId);
  if (channel === null || CHATS[endpoint.provider].placeOf(channel.config) !== press.place) return null;
  const via = {
    channel_id: channel.id,
    provider: endpoint.provider,
    provider_user: press.userId,
    channel_created_by: channel.created_by,
  };
  const act = ACTS[button.action];
  try {
    if (act !== undefined) return await answer(parts, endpoint, via, { key, act, alertId: button.subjectId });
    const isUnlink = button.action === "unlink";
    return await link(parts, endpoint, press, via, { key, isUnlink, linkId: button.subjectId });
  } catch (error) {
    if (error instanceof Problem) return privately(error.message);
    throw error;
  }
}

async function answer(
  { db, clock, publicUrl, systemChannels, answerAlert, callerOf }: PressParts,
  endpoint: Endpoint,
  via: ChatVia,
  { key, act, alertId }: { key: string; act: AlertAct; alertId: string },
): Promise<PressAnswer | null> {
  const place = { channelId: via.channel_id, endpointId: endpoint.id };
  const linkedNow = (tx: Tx) => linkedUser(tx, place, via.provider_user);
  const linked = await db.transaction(linkedNow);
  if (linked === null)
    return privately(`You act for no wallet here. Link yours under ${publicUrl}/channels, then press again.`);
  // Asked before the transaction: no connection waits for another one.
  const caller = await callerOf(linked);
  return db.transaction(async (tx) => {
    const still = await linkedNow(tx);
    if (still?.wallet !== linked.wallet || still.limitedToChainId !== linked.limitedToChainId) return null;
    const nowMs = clock.now();
    if (!(await markHandled(tx, endpoint.id, key, nowMs))) return null;
    if (
      !systemChannels.some((id) => id.toLowerCase() === via.channel_id) &&
      !(await isTold(tx, via.channel_id, alertId))
    )
      throw new Problem(
        "insufficient_role",
        "This channel is not bound to the alert's vault any more, or whoever bound it left the vault and nobody has confirmed it.",
      );
    const text = await answerAlert(tx, { caller, alertId, act, via, nowMs });
    return { text: cleanLine(text), isForAll: true };
  });
}

async function link(
  { db, clock }: PressParts,
  endpoint: Endpoint,
  press: Press,
  via: ChatVia,
  { key, isUnlink, linkId }: { key: string; isUnlink: boolean; linkId: string },
): Promise<PressAnswer | null> {
  const place = { channelId: via.channel_id, endpointId: endpoint.id };
  return db.transaction(async (tx) => {
    // A request that is sent again must not take back what was linked since.
    if (!(await markHandled(tx, endpoint.id, key, clock.now()))) return null;
    if (isUnlink) {
      const wallet = await unlinkUser(tx, place, press.userId);
      if (wallet === null) throw new Problem("conflict", "You act for no wallet here.");
      return privately(`You no longer act for ${wallet} here.`);
    }
    const userName = cut(cleanLine(press.userName), 80);
    const outcome = await pressLink(tx, clock.now(), { ...place, linkId, userId: press.userId, userName });
    if (outcome !== "pressed")
      throw new Problem(
        "conflict",
        REFUSED_LINKS[outcome] ?? `You act for ${outcome} here already. Remove that link first.`,
      );
    return privately(
      "Now confirm it in the console, signed in with that wallet. Until then nothing is linked.",
    );
  });
}

const REFUSED_LINKS: Readonly<Record<string, string>> = {
  taken: "Somebody else has pressed this button. Ask for a new one in the console.",
  gone: "This button is no longer valid. Ask for a new one in the console.",
};

/** A channel that is answered from through the endpoint. */
async function channelOf(
  db: Pick<Database, "kysely">,
  endpointId: string,
  channelId: string,
): Promise<ChannelPlace | null> {
  const { rows } = await sql<ChannelPlace>`
    select c.id, c.created_by, g.config from notification_channels c join channel_configs g on g.channel_id = c.id and g.is_current
    where c.id = ${channelId} and c.chat_endpoint_id = ${endpointId} and c.is_enabled`.execute(db.kysely);
  return rows[0] ?? null;
}

/**
 * Whether the channel is told of the alert's vault by the word of somebody who manages it now. Whoever holds a channel's secret could pass for
 * anyone in it, so unbinding must end what can be done from there.
 */
async function isTold(tx: Tx, channelId: string, alertId: string): Promise<boolean> {
  const { rows } = await sql`
    select from alerts a
    join channel_bindings b on b.chain_id = a.chain_id and b.vault_address = a.vault_address and b.channel_id = ${channelId}
    join vault_operators r on r.chain_id = b.chain_id and r.vault_address = b.vault_address collate "default"
      and r.wallet = b.bound_by collate "default"
    where a.id = ${alertId} limit 1`.execute(tx);
  return rows.length > 0;
}

function privately(text: string): PressAnswer {
  return { text, isForAll: false };
}
