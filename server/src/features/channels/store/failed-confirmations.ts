// Mails that ask an address to confirm and that did not go out. Whoever made the channel is told in its record: the address waits for a mail
// that may never come, and no alert says so.
import { sql } from "kysely";
import { type LogReader, lastAttempts } from "../../../delivery/log.ts";
import type { Database } from "../../../platform/db/db.ts";
import { keyOf } from "./mail-addresses.ts";

export interface FailedConfirmation {
  address: string;
  /** `failed` is tried again. */
  status: "failed" | "dead";
  at: string;
  error: string;
}

interface Waiting {
  owner: string;
  address: string;
}

/** By owner and address, of those that have not confirmed; `placeOf` makes the key. */
export async function failedConfirmations(
  db: Pick<Database, "kysely">,
  reader: LogReader,
  waiting: readonly Waiting[],
): Promise<Map<string, Omit<FailedConfirmation, "address">>> {
  if (waiting.length === 0) return new Map();
  const { rows } = await sql<Waiting & { id: string }>`
    select id, owner, address from mail_addresses where confirmed_at is null and (owner, address) in (
      select * from unnest(${waiting.map(({ owner }) => owner)}::text[], ${waiting.map(({ address }) => keyOf(address))}::text[]))`.execute(
    db.kysely,
  );
  const attempts = await lastAttempts(
    db,
    reader,
    rows.map(({ id }) => id),
  );
  return new Map(
    rows.flatMap((row) => {
      const { status, at, error } = attempts.get(row.id) ?? {};
      if (at === undefined || (status !== "failed" && status !== "dead")) return [];
      return [[placeOf(row), { status, at, error: error ?? "" }] as const];
    }),
  );
}

/** Names an address of an owner's, whatever its case. */
export function placeOf({ owner, address }: Waiting): string {
  return `${owner} ${keyOf(address)}`;
}
