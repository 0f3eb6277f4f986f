// Where channels and webhooks lead: resolved and judged as when something is sent there, and not connected to.

import { existsSync } from "node:fs";
import { sql } from "kysely";
import { secretRingOf } from "../../config/load.ts";
import { EXAMPLE_ALERT } from "../../events/alert.ts";
import type { Notice } from "../../features/channels/notice/notice.ts";
import { type ChannelTarget, loadTargets } from "../../features/channels/send/targets.ts";
import type { Database } from "../../platform/db/db.ts";
import { resolveUserUrl } from "../../platform/egress/egress.ts";
import { silentLogger } from "../../platform/log.ts";
import { openSecretBox, type SecretBox } from "../../platform/secret-box.ts";
import { type Check, type Finding, fault, type Ground, ok, reasonOf, warning } from "./check.ts";
import { withDatabase } from "./database.ts";

const MOST = 500;

export const channels: Check = {
  name: "channels",
  looksAt:
    "the channels of alerts.system_channels are there, secrets open, and the hosts of channels and webhooks resolve to addresses that the service may reach",
  run: withDatabase(async (db, ground) => {
    const ring = secretRingOf(ground.config);
    // No key is made here; that it is missing is said where keys are looked at.
    if (ring.keys === null && !existsSync(ring.file)) return [];
    const system = ground.config.alerts.system_channels;
    const found: Finding[] = [];
    const targets = await openTargets(db, openSecretBox(ring));
    for (const id of system)
      if (!targets.has(id))
        found.push(
          fault(
            `alerts.system_channels names ${id}, which is no channel, or one that is disabled`,
            "name a channel that is enabled: its id is in the console, and in GET /api/v1/notification-channels",
          ),
        );
    for (const [id, target] of targets) {
      const told = system.includes(id) ? fault : warning;
      if (target.current === null) {
        found.push(
          fault(
            `the secrets of the channel ${id} do not open`,
            "bring back the key that sealed them: secrets.keys, or data_dir/secrets/keys",
          ),
        );
        continue;
      }
      const reason = await unreachable(ground, urlOf(target));
      if (reason !== null)
        found.push(
          told(
            `the channel ${id} cannot be reached (${reason})`,
            "its owner mends where it leads; or look at DNS, egress.allowed_networks and egress.allow_http",
          ),
        );
    }
    const { rows: hooks } = await sql<{ id: string; url: string }>`
      select id, url from webhooks where is_enabled order by id limit ${MOST}`.execute(db.kysely);
    for (const { id, url } of hooks) {
      const reason = await unreachable(ground, url);
      if (reason !== null)
        found.push(
          warning(
            `the webhook endpoint ${id} cannot be reached (${reason})`,
            "its owner mends its URL; or look at DNS and egress.allowed_networks",
          ),
        );
    }
    const count = targets.size + hooks.length;
    return found.length > 0
      ? found
      : [ok(count === 0 ? "none yet" : `${count} lead where the service may go`)];
  }),
};

async function openTargets(db: Database, box: SecretBox): Promise<Map<string, ChannelTarget>> {
  const { rows } = await sql<{ id: string }>`
    select id from notification_channels where is_enabled order by id limit ${MOST}`.execute(db.kysely);
  const ids = rows.map(({ id }) => id);
  const targets = new Map<string, ChannelTarget>();
  for (const [id, target] of await loadTargets(db, box, silentLogger(), ids))
    if (target?.kind === "channel") targets.set(id, target);
  return targets;
}

/** Where a notice would be posted; null for mail. */
function urlOf({ provider, current }: ChannelTarget): string | null {
  const at = "2026-05-09T10:00:00.000000Z";
  const notice: Notice = { id: "doctor", form: "test", at, alert: EXAMPLE_ALERT, chainName: null };
  const context = { alertsUrl: "https://localhost", nowSeconds: 0, messageId: "doctor", from: "" };
  const message = provider.build([notice], current?.whole ?? {}, context);
  return message.kind === "http" ? message.url : null;
}

async function unreachable({ config }: Ground, url: string | null): Promise<string | null> {
  if (url === null || config.egress.proxy_resolves) return null;
  try {
    await resolveUserUrl(url, {
      allowedNetworks: config.egress.allowed_networks,
      allowHttp: config.egress.allow_http,
    });
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}
