// The way past a pooler, by which notices and leases go: a session of the same database, and its client's own.
import { type LeadsTo, leadsTo } from "../../platform/db/leads-to.ts";
import { poolerWarnings, readLimits } from "../../platform/db/pooled-client.ts";
import { withoutUrls } from "../../platform/log.ts";
import { LISTEN_URL_SAYS } from "../../service/storage.ts";
import { type Check, fault, ok, reasonOf, warning } from "./check.ts";
import { withDatabase } from "./database.ts";

const SCALE = "docs/operations/scale.md";

export const listener: Check = {
  name: "listener",
  looksAt:
    "database.listen_url leads to a session of its own on the same database, and whether database.url leads through a pooler",
  run: withDatabase(async (db, { config }) => {
    const { listen_url: url } = config.database;
    const warnings = poolerWarnings(await readLimits(db.pool), url !== null).map((text) =>
      warning(text, SCALE),
    );
    if (url === null) return warnings;
    let place: LeadsTo;
    try {
      place = await leadsTo(url, db);
    } catch (error) {
      return [
        ...warnings,
        fault(
          `database.listen_url cannot be used (${withoutUrls(reasonOf(error))})`,
          "let it lead to the primary itself, with the role and password of database.url",
        ),
      ];
    }
    if (place === "the server") return [...warnings, ok("database.listen_url leads to the same database")];
    const tell = place === "a pooler" ? warning : fault;
    return [...warnings, tell(LISTEN_URL_SAYS[place], `let it lead past the pooler (${SCALE})`)];
  }),
};
