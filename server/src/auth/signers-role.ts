// What the configuration makes of the signers behind roles, told to the database: the view `vault_operators` (migration 000091) needs it.
import { sql } from "kysely";
import type { Database } from "../platform/db/db.ts";
import type { SignersRole } from "./grants.ts";

/** At the start of a process, before anything asks who operates a vault. */
export async function keepSignersRole(db: Pick<Database, "kysely">, role: SignersRole): Promise<void> {
  await sql`
    insert into role_settings as s (signers_role) values (${role})
    on conflict (is_only) do update set signers_role = excluded.signers_role
      where s.signers_role <> excluded.signers_role`.execute(db.kysely);
}
