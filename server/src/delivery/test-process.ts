// A worker in miniature for tests that kill it: sends the queue "webhook" of the database named first to the URL named second, until it
// is ended. Leases are short, so that what a killed one held is soon taken up.

import { TestQueue, testDispatcher } from "../../test/delivery.ts";
import { systemClock } from "../platform/clock.ts";
import { openDatabase } from "../platform/db/db.ts";
import { createNotifier } from "../platform/db/notifier.ts";
import { createEgress } from "../platform/egress/egress.ts";
import { silentLogger } from "../platform/log.ts";
import type { Outcome } from "./types.ts";

const [databaseUrl = "", url = ""] = process.argv.slice(2);
const db = await openDatabase({ url: databaseUrl });
const egress = createEgress({ allowedNetworks: [], allowHttp: true });
const queue = new TestQueue("webhook");
queue.leaseMs = 2000;
queue.answer = async ({ body }): Promise<Outcome> => {
  const answer = await egress.request({
    url,
    method: "POST",
    body,
    timeoutMs: 60_000,
    maxBytes: 1024,
    trusted: true,
  });
  return answer.status === 204 ? { kind: "delivered" } : { kind: "retry", error: String(answer.status) };
};
// Ends with the process that started it, should that die first.
process.stdin.on("end", () => process.exit(0)).resume();
await testDispatcher(db, queue, systemClock, createNotifier(db, silentLogger())).run(
  new AbortController().signal,
);
