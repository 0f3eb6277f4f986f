// An endpoint's row and its deliveries as its owner sees them.
import type { Static } from "typebox";
import {
  bodiesOf,
  findDelivery,
  type LoggedDelivery,
  type LogReader,
  lastAttempts,
} from "../../delivery/log.ts";
import type { WebhookEventType } from "../../events/types.ts";
import { ALERT_CATEGORIES, type AlertCategory } from "../../monitors/categories.ts";
import type { Database } from "../../platform/db/db.ts";
import { timestampOfMs } from "../../platform/http/time.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import { ALL_EVENTS } from "./payload.ts";
import { FIXED_HEADERS } from "./queue.ts";
import type { DeliveryRequest, Endpoint } from "./schemas.ts";
import { readableSecrets } from "./secrets.ts";
import { type EndpointRow, vaultsOf } from "./store.ts";

const UNREADABLE =
  "Its secret cannot be decrypted: the service lacks the key that encrypted it. Nothing is sent until you rotate the secret or the operator brings the key back.";
const OLD_UNREADABLE =
  "A secret that was rotated out cannot be decrypted: the service lacks the key that encrypted it. Deliveries are signed only with the current secret; make sure that your receiver has it.";

export interface ViewParts {
  db: Pick<Database, "kysely">;
  reader: LogReader;
  box: SecretBox;
  nowMs: number;
}

/** The rows as the API shows them, in their order. All are of one owner. */
export async function viewEndpoints(
  { db, reader, box, nowMs }: ViewParts,
  rows: readonly EndpointRow[],
): Promise<Static<typeof Endpoint>[]> {
  const [first] = rows;
  if (first === undefined) return [];
  const [last, managed] = await Promise.all([
    lastAttempts(
      db,
      reader,
      rows.map(({ id }) => id),
    ),
    vaultsOf(db.kysely, { vaults: null, created_by: first.created_by, limited_to_chain_id: null }),
  ]);
  return rows.map((row) => {
    const { current, old } = readableSecrets(box, row, nowMs);
    return {
      id: row.id,
      url: row.url,
      event_types: (row.event_types ?? ALL_EVENTS) as WebhookEventType[],
      is_all_event_types: row.event_types === null,
      categories: (row.alert_categories ?? ALERT_CATEGORIES) as AlertCategory[],
      is_all_categories: row.alert_categories === null,
      vaults: row.vaults ?? managed.filter((vaultId) => isWithin(row, vaultId)),
      is_all_vaults: row.vaults === null,
      is_enabled: row.is_enabled,
      disabled_reason: row.disabled_reason,
      disabled_at: row.disabled_at,
      description: row.description,
      retry_schedule: row.retry_schedule,
      rate_limit: row.rate_limit,
      old_secrets_valid_until: (old ?? []).map(({ untilMs }) => timestampOfMs(untilMs)),
      secret_error: current === null ? UNREADABLE : old === null ? OLD_UNREADABLE : null,
      last_delivery: last.get(row.id) ?? null,
      created_by: row.created_by,
      limited_to_chain_id: row.limited_to_chain_id,
      created_at: row.created_at,
      updated_at: row.updated_at,
    };
  });
}

function isWithin({ limited_to_chain_id: limit }: EndpointRow, vaultId: string): boolean {
  return limit === null || vaultId.startsWith(`${limit}:`);
}

type ShownDelivery = LoggedDelivery & { request: Static<typeof DeliveryRequest> };

/** The deliveries with what each sends, in their order. */
export async function viewDeliveries(
  db: Pick<Database, "kysely">,
  deliveries: readonly LoggedDelivery[],
): Promise<ShownDelivery[]> {
  const bodies = await bodiesOf(
    db,
    deliveries.map(({ id }) => id),
  );
  return deliveries.map((delivery) => ({
    ...delivery,
    request: {
      method: "POST",
      headers: { ...FIXED_HEADERS, "webhook-id": delivery.event_id as string },
      body: bodies.get(delivery.id) ?? "",
    },
  }));
}

/** The delivery with that id as it stands. */
export async function viewDelivery(db: Pick<Database, "kysely">, id: string): Promise<ShownDelivery | null> {
  const found = await findDelivery(db, id);
  if (found === null) return null;
  const { target_id: _, ...delivery } = found as LoggedDelivery & { target_id: string };
  return (await viewDeliveries(db, [delivery]))[0] ?? null;
}
