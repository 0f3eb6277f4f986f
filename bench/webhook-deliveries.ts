// Webhooks end to end: from an event's commit to its 2xx in the log, against undici posting the same bytes to the same receiver over as
// many connections; how soon the first byte is there; and what one endpoint that hangs costs the others.
import { randomUUID } from "node:crypto";
import type { DomainEvent } from "../server/src/events/types.ts";
import { webhooksFeature } from "../server/src/features/webhooks/feature.ts";
import { sealSecret } from "../server/src/features/webhooks/secrets.ts";
import type { Database } from "../server/src/platform/db/db.ts";
import type { Figure } from "./support/figure.ts";
import { CHAIN, hangingFigure, type OutboxKind, OWNER, PLAIN, rateFigure, VAULT } from "./support/outbox.ts";

const webhooks: OutboxKind = {
  connections: 128,
  feature: (parts) => webhooksFeature({ ...parts, vaults: { mustExist: async () => {} } }),
  addTargets: addEndpoints,
  eventOf,
};

export const figures: Figure[] = [
  rateFigure("webhook deliveries", webhooks),
  hangingFigure("webhooks beside one that hangs", webhooks),
];

async function addEndpoints(db: Database, urls: readonly string[]): Promise<void> {
  for (const [n, url] of urls.entries()) {
    const id = randomUUID();
    const secret = sealSecret(PLAIN, id, `whsec_${Buffer.alloc(32, n).toString("base64")}`);
    await db.pool.query(
      `insert into webhooks (id, url, is_enabled, description, retry_schedule, sealed_secret, created_by, created_at, updated_at)
       values ($1, $2, true, '', 'standard', $3, $4, now(), now())`,
      [id, url, secret, OWNER],
    );
  }
}

function eventOf(n: number): DomainEvent {
  return {
    type: "pps.updated",
    chainId: CHAIN,
    vaultAddress: VAULT,
    at: "2026-05-09T10:00:00.000000Z",
    data: {
      pps: "1034211907",
      old_pps: null,
      fee_amount: null,
      pps_timestamp: "2026-05-09T10:00:00.000000Z",
      block_number: n,
      block_hash: `0x${"5e".repeat(32)}`,
      tx_hash: `0x${"a7".repeat(32)}`,
      log_index: 0,
    },
  };
}
