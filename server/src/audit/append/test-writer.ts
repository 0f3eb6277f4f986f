// A process of writers for the test of concurrent appends: each writes transactions of a few entries, one in ten of which
// fails at its end, until the process is killed or told to stop. Says `writing` after its first. Arguments: database URL, writers, a number of its own.
import { setTimeout as sleep } from "node:timers/promises";
import { chainEntry } from "../../../test/audit.ts";
import { openDatabase } from "../../platform/db/db.ts";
import { record } from "./record.ts";

const [url, writers, own] = process.argv.slice(2) as [string, string, string];
const db = await openDatabase({ url, maxConnections: Number(writers), applicationName: `writers ${own}` });
let isStopping = false;
let isWriting = false;
process.once("SIGTERM", () => {
  isStopping = true;
});

class Undone extends Error {}

await Promise.all(
  Array.from({ length: Number(writers) }, async (_, writer) => {
    // Block numbers that no other writer uses, so that no operation is recorded twice.
    let n = (Number(own) * 1000 + writer) * 1_000_000;
    while (!isStopping) {
      const entries = Array.from({ length: 1 + Math.floor(Math.random() * 12) }, () =>
        chainEntry(n++, { at: 1_790_000_000 }),
      );
      await db
        .transaction(async (tx) => {
          await record(tx, entries);
          if (Math.random() < 0.1) throw new Undone();
          if (Math.random() < 0.1) await sleep(Math.random() * 5);
        })
        .catch((error) => {
          if (!(error instanceof Undone)) throw error;
        });
      if (!isWriting) process.stdout.write("writing\n");
      isWriting = true;
      await sleep(Math.random() * 10);
    }
  }),
);
await db.close();
