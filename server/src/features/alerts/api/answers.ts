// Answers that come from elsewhere than the API's own routes, as from a chat: the same checks, in a transaction of whoever asks.
import { sql } from "kysely";
import type { Address } from "viem";
import type { ChatVia } from "../../../audit/entries/details.ts";
import { emit } from "../../../events/emit.ts";
import { categoryName } from "../../../monitors/categories.ts";
import type { Tx } from "../../../platform/db/db.ts";
import { Problem } from "../../../platform/errors.ts";
import { readableTime, timestampOfMs } from "../../../platform/http/time.ts";
import type { Caller } from "../../../platform/permission.ts";
import { ALERT_COLUMNS, type AlertRow, alertOf } from "../judge/view.ts";
import { maySee, needsManager, requireOperator } from "./access.ts";
import { acknowledgeIn } from "./alert-store.ts";
import { createSilenceIn } from "./silence-store.ts";

export interface Answer {
  caller: Caller;
  alertId: string;
  act: { action: "acknowledge" } | { action: "silence"; seconds: number };
  via: ChatVia;
  nowMs: number;
}

/** What no chat silences: what a vault lost, and who may do what with it. */
const NEVER_SILENCED: readonly string[] = ["governance", "losses"];
/** Of a silence that is there already so much may be missing for it to be the same. */
const SAME_WITHIN_MS = 60_000;

/** Says what was done. @throws Problem where the wallet may not, or there is nothing to be done */
export async function answerAlert(tx: Tx, publicUrl: string, asked: Answer): Promise<string> {
  const { caller, alertId, act, via, nowMs } = asked;
  const { rows } = await sql<AlertRow>`
    select ${sql.raw(ALERT_COLUMNS)} from alerts where id = ${alertId} for update`.execute(tx);
  const [row] = rows;
  const place = row && { chainId: row.chain_id, vaultAddress: row.vault_address };
  if (row === undefined || place === undefined || !maySee(caller, place))
    throw new Problem("not_found", "There is no such alert among those of your vaults.");
  requireOperator(caller, place, act.action === "silence" && needsManager(row.category));
  if (row.status === "resolved") throw new Problem("conflict", "The alert has resolved already.");
  if (act.action === "acknowledge") {
    if (row.acknowledged_by !== null)
      throw new Problem("conflict", `The alert was acknowledged already, by ${row.acknowledged_by}.`);
    await acknowledgeIn(tx, row, caller.wallet, nowMs, via);
    return `Acknowledged by ${caller.wallet}: ${row.title}.`;
  }
  if (NEVER_SILENCED.includes(row.category))
    throw new Problem("conflict", "Alerts of this category are not silenced from a chat.");
  const endsAt = timestampOfMs(nowMs + act.seconds * 1000);
  const until = await silencedUntil(tx, row, timestampOfMs(nowMs + act.seconds * 1000 - SAME_WITHIN_MS));
  if (until !== null)
    throw new Problem("conflict", `That is silenced already, until ${readableTime(until)}.`);
  const alert = alertOf(row, publicUrl);
  const told = {
    ...alert,
    title: `No alerts of ${categoryName(row.category)} until ${readableTime(endsAt)}`,
    message: `${caller.wallet} has silenced this category on this vault, from ${via.provider} (user ${via.provider_user}), on the alert: ${alert.title}. Ends of alerts are still told. The silence can be ended in the console.`,
  };
  await emit(tx, [{ type: "alert.silenced", ...place, at: timestampOfMs(nowMs), data: told }]);
  const silence = {
    category: row.category,
    ends_at: endsAt,
    reason: `From ${via.provider}, on ${row.title}`.slice(0, 500),
  };
  await createSilenceIn(tx, place, silence, caller.wallet, nowMs, via);
  return `Silenced by ${caller.wallet} until ${readableTime(endsAt)}: alerts of the category ${row.category} on this vault.`;
}

/** The end of a silence that covers the same until `endsAt`. */
async function silencedUntil(tx: Tx, alert: AlertRow, endsAt: string): Promise<string | null> {
  const { rows } = await sql<{ ends_at: string }>`
    select ends_at from silences where chain_id = ${alert.chain_id} and vault_address = ${alert.vault_address as Address}
      and (category is null or category = ${alert.category}) and ends_at >= ${endsAt} order by ends_at desc limit 1`.execute(
    tx,
  );
  return rows[0]?.ends_at ?? null;
}
