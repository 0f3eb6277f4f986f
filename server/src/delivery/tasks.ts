// The worker's part in events and deliveries: handing events out, sending each queue, forgetting what is old.
import type { Registry } from "prom-client";
import { FanOut, type Subscriber } from "../events/fan-out.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/db/db.ts";
import type { Notifier } from "../platform/db/notifier.ts";
import type { Task } from "../platform/lifecycle/feature.ts";
import type { Logger } from "../platform/log.ts";
import { Dispatcher } from "./dispatch.ts";
import { deliveryMetrics } from "./metrics.ts";
import { pruneTask } from "./prune.ts";
import type { DeliveryQueue } from "./types.ts";

export interface DeliveryTaskParts {
  db: Database;
  clock: Clock;
  log: Logger;
  notifier: Notifier;
  metrics: Registry;
  subscribers: readonly Subscriber[];
  queues: readonly DeliveryQueue[];
}

export function deliveryTasks(parts: DeliveryTaskParts): Task[] {
  const { db, clock, log, notifier, subscribers } = parts;
  const metrics = deliveryMetrics(parts.metrics);
  return [
    new FanOut({ db, log, notifier, subscribers }),
    ...parts.queues.map((queue) => new Dispatcher(queue, { db, clock, log, notifier, metrics })),
    pruneTask({ db, clock, log }),
  ];
}
