// Webhooks: events posted to endpoints that managers of vaults name, signed by Standard Webhooks, on the outbox of delivery/.
import type { VaultAccess } from "../../auth/vaults.ts";
import type { DeliveryQueue } from "../../delivery/types.ts";
import type { Subscriber } from "../../events/fan-out.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db/db.ts";
import type { Egress, EgressSettings } from "../../platform/egress/egress.ts";
import type { Idempotency } from "../../platform/http/idempotency.ts";
import type { Feature } from "../../platform/lifecycle/feature.ts";
import type { Logger } from "../../platform/log.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import { addDeliveryRoutes } from "./delivery-routes.ts";
import { describeWebhooks } from "./openapi.ts";
import { webhookQueue } from "./queue.ts";
import { addEndpointRoutes } from "./routes.ts";
import { webhookSubscriber } from "./subscriber.ts";

export interface WebhooksParts {
  db: Database;
  clock: Clock;
  log: Logger;
  egress: Pick<Egress, "request">;
  egressSettings: EgressSettings;
  box: SecretBox;
  idempotency: Idempotency;
  vaults: Pick<VaultAccess, "mustExist">;
  /** Of the waits between attempts, 0 to 1; `Math.random` unless told. */
  random?: () => number;
  /** Within which success must come; 15 s unless told. */
  timeoutMs?: number;
}

const TIMEOUT_MS = 15_000;

export function webhooksFeature(
  parts: WebhooksParts,
): Feature & { subscriber: Subscriber; queue: DeliveryQueue } {
  const { random = Math.random, timeoutMs = TIMEOUT_MS } = parts;
  const queue = webhookQueue({ ...parts, random, timeoutMs }) as DeliveryQueue;
  return {
    name: "webhooks",
    routes(app) {
      addEndpointRoutes(app, parts);
      addDeliveryRoutes(app, { ...parts, queue });
    },
    webhooks: describeWebhooks(),
    subscriber: webhookSubscriber(parts.clock),
    queue,
  };
}
