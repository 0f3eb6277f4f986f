// An endpoint's row as its owner sees it.
import type { Static } from "typebox";
import { lastAttempts } from "../../delivery/log.ts";
import type { WebhookEventType } from "../../events/types.ts";
import type { Database } from "../../platform/db.ts";
import { timestampOfMs } from "../../platform/http/time.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import { EVENT_TYPE_NAMES } from "./payload.ts";
import type { Endpoint } from "./schemas.ts";
import { openOldSecrets } from "./secrets.ts";
import { type EndpointRow, vaultsOf } from "./store.ts";

export interface ViewParts {
  db: Pick<Database, "kysely">;
  box: SecretBox;
  nowMs: number;
}

/** The rows as the API shows them, in their order. All are of one owner. */
export async function viewEndpoints(
  { db, box, nowMs }: ViewParts,
  rows: readonly EndpointRow[],
): Promise<Static<typeof Endpoint>[]> {
  const [first] = rows;
  if (first === undefined) return [];
  const [last, managed] = await Promise.all([
    lastAttempts(
      db,
      rows.map(({ id }) => id),
    ),
    vaultsOf(db.kysely, { vaults: null, created_by: first.created_by }),
  ]);
  return rows.map((row) => ({
    id: row.id,
    url: row.url,
    event_types: (row.event_types ?? EVENT_TYPE_NAMES) as WebhookEventType[],
    is_all_event_types: row.event_types === null,
    vaults: row.vaults ?? managed,
    is_all_vaults: row.vaults === null,
    is_enabled: row.is_enabled,
    disabled_reason: row.disabled_reason,
    disabled_at: row.disabled_at,
    description: row.description,
    retry_schedule: row.retry_schedule,
    rate_limit: row.rate_limit,
    old_secrets_valid_until: openOldSecrets(box, row, nowMs).map(({ untilMs }) => timestampOfMs(untilMs)),
    last_delivery: last.get(row.id) ?? null,
    created_by: row.created_by,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }));
}
