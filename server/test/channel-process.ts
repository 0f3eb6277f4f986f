// A worker in miniature for tests that kill it: hands events out and sends to the channels of the database named first, whose secrets open
// with the key named second, until it is ended. Says "up" when it has its database.
import { Registry } from "prom-client";
import { Dispatcher } from "../src/delivery/dispatch.ts";
import { deliveryMetrics } from "../src/delivery/metrics.ts";
import type { DeliveryQueue } from "../src/delivery/types.ts";
import { FanOut } from "../src/events/fan-out.ts";
import { channelsFeature } from "../src/features/channels/feature.ts";
import { systemClock } from "../src/platform/clock.ts";
import { openDatabase } from "../src/platform/db/db.ts";
import { createNotifier } from "../src/platform/db/notifier.ts";
import { createEgress } from "../src/platform/egress/egress.ts";
import { silentLogger } from "../src/platform/log.ts";
import { openSecretBox } from "../src/platform/secret-box.ts";

const [databaseUrl = "", key = ""] = process.argv.slice(2);
const db = await openDatabase({ url: databaseUrl });
process.stdout.write("up\n");
const log = silentLogger();
const notifier = createNotifier(db, log);
const egressSettings = { allowedNetworks: ["127.0.0.0/8"], allowHttp: true };
const feature = channelsFeature({
  db,
  clock: systemClock,
  log,
  box: openSecretBox({ keys: key, file: "" }),
  idempotency: undefined as never,
  egress: createEgress(egressSettings),
  egressSettings,
  publicUrl: "https://vaults.example",
  smtp: { url: null, from: null, allowed_domains: [] },
  systemChannels: [],
  collectSeconds: 0,
  chainNames: new Map(),
  answerAlert: undefined as never,
  callerOf: undefined as never,
  alertsById: undefined as never,
});
// Ends with whoever started it, should that die first.
process.stdin.on("end", () => process.exit(0)).resume();
const { signal } = new AbortController();
const metrics = deliveryMetrics(new Registry());
await Promise.all([
  new FanOut({ db, log, notifier, subscribers: [feature.subscriber] }).run(signal),
  new Dispatcher(feature.queue as DeliveryQueue, { db, clock: systemClock, log, notifier, metrics }).run(
    signal,
  ),
]);
