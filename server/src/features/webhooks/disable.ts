// Endpoints that the service disables by itself: one that says it is gone (410), and one that did nothing but fail for five days.
import { sql } from "kysely";
import { record } from "../../audit/append/record.ts";
import { ZERO_ADDRESS } from "../../audit/entries/entries.ts";
import { cancelPending } from "../../delivery/enqueue.ts";
import type { Settled } from "../../delivery/types.ts";
import { emit } from "../../events/emit.ts";
import type { Tx } from "../../platform/db/db.ts";
import { timestampOfMs } from "../../platform/http/time.ts";
import type { Logger } from "../../platform/log.ts";
import { parseVaultId } from "../../vault.ts";
import { GONE } from "./judge.ts";
import { disable, vaultsOf } from "./store.ts";

/** Failures alone for so long disable an endpoint. */
const FAILING_FOR_MS = 5 * 86_400_000;

/** Disables what the outcomes call for, in the transaction that stores them, and tells the managers of the vaults concerned. */
export async function disableFailed(
  tx: Tx,
  settled: readonly Settled[],
  nowMs: number,
  log: Logger,
): Promise<void> {
  const gone = new Set<string>();
  const failed = new Set<string>();
  for (const { delivery, outcome } of settled) {
    if (outcome.note === GONE) gone.add(delivery.targetId);
    else if (outcome.kind === "retry" || outcome.kind === "dead") failed.add(delivery.targetId);
  }
  const failing = await failingTooLong(tx, [...failed], nowMs);
  for (const [ids, reason] of [
    [[...gone], "gone"],
    [failing.filter((id) => !gone.has(id)), "failing"],
  ] as const) {
    for (const id of ids.toSorted()) await disableOne(tx, id, reason, nowMs, log);
  }
}

async function failingTooLong(tx: Tx, ids: readonly string[], nowMs: number): Promise<string[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ target_id: string }>`
    select target_id from delivery_targets
    where target_id = any (${[...ids]}::uuid[]) and failing_since <= ${timestampOfMs(nowMs - FAILING_FOR_MS)}`.execute(
    tx,
  );
  return rows.map(({ target_id }) => target_id);
}

async function disableOne(
  tx: Tx,
  id: string,
  reason: "gone" | "failing",
  nowMs: number,
  log: Logger,
): Promise<void> {
  const endpoint = await disable(tx, id, reason, nowMs);
  if (endpoint === null) return;
  await cancelPending(tx, id, nowMs);
  const vaults = await vaultsOf(tx, endpoint);
  await emit(
    tx,
    vaults.flatMap((vaultId) => {
      const place = parseVaultId(vaultId);
      if (place === null) return [];
      return [
        {
          type: "webhook.disabled",
          ...place,
          at: timestampOfMs(nowMs),
          data: { webhook_id: id, reason },
        } as const,
      ];
    }),
  );
  await record(tx, [
    {
      action_type: "webhook_update",
      chain_id: 0,
      vault_address: ZERO_ADDRESS,
      actor_wallet: ZERO_ADDRESS,
      details: { webhook_id: id, changed: ["is_enabled"], reason },
    },
  ]);
  log.warn({ webhook_id: id, reason }, "a webhook endpoint was disabled");
}
