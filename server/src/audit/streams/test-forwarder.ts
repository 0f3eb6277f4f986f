// A process that streams the log until it is killed: for the test of just that. Arguments: database URL, receiver's URL, stream's name.

import { systemClock } from "../../platform/clock.ts";
import { openDatabase } from "../../platform/db/db.ts";
import { createEgress } from "../../platform/egress/egress.ts";
import { silentLogger } from "../../platform/log.ts";
import { createForwarder } from "./forward.ts";

const [database, url, name] = process.argv.slice(2) as [string, string, string];
const db = await openDatabase({ url: database, maxConnections: 2, applicationName: "streams" });
const { request } = createEgress({ allowedNetworks: [], allowHttp: false });
const round = createForwarder(
  { db, request, clock: systemClock, log: silentLogger() },
  { name, type: "http_ndjson", url, token: () => null },
);
await round(new AbortController().signal);
