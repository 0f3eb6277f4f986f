// Notices to channels through one worker: from an alert's event to the outcome stored, against undici posting as many bytes to the same
// receiver over as many connections; and what one channel that hangs costs the others.
import { randomUUID } from "node:crypto";
import { EXAMPLE_ALERT } from "../server/src/events/alert.ts";
import type { DomainEvent } from "../server/src/events/types.ts";
import { channelsFeature } from "../server/src/features/channels/feature.ts";
import { ALERT_CATEGORIES } from "../server/src/monitors/categories.ts";
import type { Database } from "../server/src/platform/db/db.ts";
import type { Figure } from "./support/figure.ts";
import { CHAIN, hangingFigure, type OutboxKind, OWNER, rateFigure, VAULT } from "./support/outbox.ts";

/** Webhooks as channels: a provider that takes each notice by itself, as pagers do. */
const channels: OutboxKind = {
  connections: 32,
  feature: (parts) =>
    channelsFeature({
      ...parts,
      publicUrl: "https://vaultops.example",
      smtp: { url: null, from: null, allowed_domains: [] },
      systemChannels: [],
      collectSeconds: 0,
      chainNames: new Map([[CHAIN, "Base"]]),
      answerAlert: undefined as never,
      callerOf: undefined as never,
      alertsById: undefined as never,
    }),
  addTargets: addChannels,
  eventOf,
};

export const figures: Figure[] = [
  rateFigure("channel notices", channels),
  hangingFigure("channels beside one that hangs", channels),
];

async function addChannels(db: Database, urls: readonly string[]): Promise<void> {
  for (const [n, url] of urls.entries()) {
    const id = randomUUID();
    const secrets = { url, secret: `whsec_${Buffer.alloc(32, n).toString("base64")}` };
    await db.pool.query(
      `insert into notification_channels (id, provider, name, created_by, created_at, updated_at)
       values ($1, 'webhook', $2, $3, now(), now())`,
      [id, `channel ${n}`, OWNER],
    );
    await db.pool.query(
      `insert into channel_configs (id, channel_id, config, masks, sealed_secrets, created_at)
       values ($1, $2, '{}', '{}', $3, now())`,
      [randomUUID(), id, JSON.stringify(secrets)],
    );
    await db.pool.query(
      `insert into channel_bindings (channel_id, chain_id, vault_address, categories, min_severity, bound_by, bound_at)
       values ($1, $2, $3, $4, 'info', $5, now())`,
      [id, CHAIN, VAULT, ALERT_CATEGORIES, OWNER],
    );
  }
}

function eventOf(): DomainEvent {
  const data = { ...EXAMPLE_ALERT, id: randomUUID(), chain_id: CHAIN, vault_address: VAULT };
  return {
    type: "alert.firing",
    chainId: CHAIN,
    vaultAddress: VAULT,
    at: "2026-05-09T10:00:00.000000Z",
    data,
  };
}
