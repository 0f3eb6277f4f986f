// A worker in miniature for tests that kill it: hands events out and sends to the channels of the database named first, whose secrets open
// with the key named second, until it is ended. Says "up" when it has its database.
import { Registry } from "prom-client";
import { Dispatcher } from "../../../delivery/dispatch.ts";
import { deliveryMetrics } from "../../../delivery/metrics.ts";
import type { DeliveryQueue } from "../../../delivery/types.ts";
import { FanOut } from "../../../events/fan-out.ts";
import { systemClock } from "../../../platform/clock.ts";
import { openDatabase } from "../../../platform/db/db.ts";
import { createNotifier } from "../../../platform/db/notifier.ts";
import { createEgress } from "../../../platform/egress/egress.ts";
import { silentLogger } from "../../../platform/log.ts";
import { openSecretBox } from "../../../platform/secret-box.ts";
import { channelsFeature } from "../feature.ts";

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
// Ends with the process that started it, should that die first.
process.stdin.on("end", () => process.exit(0)).resume();
const { signal } = new AbortController();
const metrics = deliveryMetrics(new Registry());
await Promise.all([
  new FanOut({ db, log, notifier, subscribers: [feature.subscriber] }).run(signal),
  new Dispatcher(feature.queue as DeliveryQueue, { db, clock: systemClock, log, notifier, metrics }).run(
    signal,
  ),
]);
