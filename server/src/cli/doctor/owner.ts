// The owner's role, which migrates.
import { sql } from "kysely";
import { IDENTITY } from "../../platform/db/leads-to.ts";
import { type Finding, fault, type Ground, ok, warning } from "./check.ts";
import { asked } from "./second-database.ts";

export async function owners(
  { database }: Ground["config"],
  db: NonNullable<Ground["db"]>,
  appRole: string,
): Promise<Finding[]> {
  if (database.url === null) return [];
  if (database.owner_url === null)
    return [warning("database.owner_url is not set", "set it, so that two roles hold the log append-only")];
  const found = await asked({ url: database.owner_url }, async ({ kysely }) => {
    const { rows } = await sql<{ role: string; may_create: boolean; identity: string }>`
      select current_user as role, has_schema_privilege('public', 'create') as may_create, ${IDENTITY} as identity`.execute(
      kysely,
    );
    return rows[0]!;
  });
  if ("reason" in found)
    return [fault(`the owner cannot sign in (${found.reason})`, "mend database.owner_url")];
  const { role, may_create, identity } = found.answer;
  const { rows } = await sql<{ identity: string }>`select ${IDENTITY} as identity`.execute(db.kysely);
  if (identity !== rows[0]!.identity)
    return [
      fault(
        "database.owner_url leads to another server or database than database.url",
        "let both lead to the same database",
      ),
    ];
  if (role === appRole)
    return [
      fault(
        `database.url and database.owner_url use one role, ${role}`,
        "give the service a role of its own",
      ),
    ];
  if (!may_create)
    return [fault(`${role} may create nothing in the schema public`, `alter schema public owner to ${role}`)];
  return [ok(`${role} can migrate`)];
}
