// A service in miniature that is asked once and ends itself with -9: before what it was asked has committed, or after that and before it
// answers. Named in this order: the database, the key of its secrets, the time, the moment, and the request.

import { buildTestApp } from "../../../../test/app.ts";
import { plainTokenGuard } from "../../../../test/caller.ts";
import { createGrants } from "../../../auth/grants.ts";
import { linkedCaller } from "../../../auth/linked-caller.ts";
import { type Database, openDatabase } from "../../../platform/db/db.ts";
import { silentLogger } from "../../../platform/log.ts";
import { openSecretBox } from "../../../platform/secret-box.ts";
import { answerAlert } from "../../alerts/api/answers.ts";
import { addInboundRoute } from "./routes.ts";

const [databaseUrl = "", key = "", now = "", moment = "", request = ""] = process.argv.slice(2);
const db = await openDatabase({ url: databaseUrl });
const log = silentLogger();
const end = (): never => {
  process.kill(process.pid, "SIGKILL");
  throw new Error("outlived -9");
};
/** The first transaction finds who acts, the second one acts. */
let transactions = 0;
const transaction: Database["transaction"] = async (run, options) => {
  transactions += 1;
  if (transactions !== 2) return db.transaction(run, options);
  const made = await db.transaction(async (tx) => {
    const result = await run(tx);
    return moment === "before" ? end() : result;
  }, options);
  return moment === "after" ? end() : made;
};
const app = await buildTestApp({
  features: [
    {
      name: "inbound",
      routes(routes) {
        addInboundRoute(routes, {
          db: { kysely: db.kysely, transaction },
          clock: { now: () => Number(now) },
          log,
          box: openSecretBox({ keys: key, file: "" }),
          egress: undefined as never,
          publicUrl: "https://vaults.example",
          systemChannels: [],
          answerAlert: (tx, asked) => answerAlert(tx, "https://vaults.example", asked),
          callerOf: (linked) => linkedCaller(createGrants(db), linked),
        });
      },
    },
  ],
  guard: plainTokenGuard(db, []),
  log,
});
await app.inject(JSON.parse(request));
