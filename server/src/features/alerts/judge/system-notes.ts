// Notes about the service itself that no other table shows, left where every worker finds them.
import { sql } from "kysely";
import type { StreamTrouble } from "../../../audit/streams/streams.ts";
import type { Verification } from "../../../audit/verify/watch.ts";
import type { WitnessTrouble } from "../../../audit/witnesses/witnesses.ts";
import type { Database, Tx } from "../../../platform/db/db.ts";
import type { Condition } from "../../../platform/lifecycle/health.ts";
import {
  AUDIT_SUBJECT,
  CHECKPOINT_FILE_SUBJECT,
  FORK_SUBJECT,
  OMITTED_SUBJECT,
  SIGNING_SUBJECT,
  STREAM_SUBJECT,
  type SystemFinding,
  WITNESS_SUBJECT,
} from "../system/system.ts";
import { ALERTS_CHANNEL } from "./worker.ts";

/** Notes that the audit log does not verify; or that it does, which undoes only what was found before that check began. */
export async function noteVerification(
  db: Pick<Database, "transaction">,
  { status, failure, checked_size: size }: Verification,
  startedAt: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    if (status === "failed" && failure !== null) {
      const where = failure.seq === null ? "" : ` from entry ${failure.seq} on`;
      await sql`
        insert into system_findings (subject, message, details, found_at)
        values (${AUDIT_SUBJECT}, ${`The audit log does not verify${where}: ${failure.reason}`},
          ${JSON.stringify({ seq: failure.seq, reason: failure.reason, checked_size: size, found_at: failure.found_at })}::jsonb,
          ${failure.found_at})
        on conflict (subject) do update set message = excluded.message, details = excluded.details, found_at = excluded.found_at`.execute(
        tx,
      );
    } else if (status === "ok") {
      await sql`delete from system_findings where subject = ${AUDIT_SUBJECT} and found_at < ${startedAt}`.execute(
        tx,
      );
    }
    await sql`select pg_notify(${ALERTS_CHANNEL}, 'system')`.execute(tx);
  });
}

/** Notes that the audit log is no longer signed, and why; null: that it is. */
export async function noteSigning(
  db: Pick<Database, "transaction">,
  refusal: { message: string; signedSize: number | null } | null,
): Promise<void> {
  await db.transaction(async (tx) => {
    if (refusal === null) {
      await sql`delete from system_findings where subject = ${SIGNING_SUBJECT}`.execute(tx);
    } else {
      await sql`
        insert into system_findings (subject, message, details, found_at)
        values (${SIGNING_SUBJECT}, ${refusal.message}, ${JSON.stringify({ signed_size: refusal.signedSize })}::jsonb, now())
        on conflict (subject) do update set message = excluded.message, details = excluded.details`.execute(
        tx,
      );
    }
    await sql`select pg_notify(${ALERTS_CHANNEL}, 'system')`.execute(tx);
  });
}

/** Notes all that stands between the audit log and its witnesses, and nothing else. */
export async function noteWitnesses(
  db: Pick<Database, "transaction">,
  troubles: readonly WitnessTrouble[],
): Promise<void> {
  const found = troubles.map(({ witness, kind, isFork, message, toldSize }) => ({
    subject: `${isFork ? FORK_SUBJECT : WITNESS_SUBJECT}:${witness ?? "quorum"}`,
    message: witness === null ? message : `The witness ${witness}: ${message}.`,
    details: { witness, kind, told_size: toldSize },
  }));
  await replaceFindings(db, [FORK_SUBJECT, WITNESS_SUBJECT], found);
}

/** Notes all that stands between the audit log and the receivers of its streams, and nothing else. */
export async function noteStreams(
  db: Pick<Database, "transaction">,
  troubles: readonly StreamTrouble[],
): Promise<void> {
  const found = troubles.map(({ stream, kind, message, details }) => ({
    subject: `${kind === "omitted" ? OMITTED_SUBJECT : STREAM_SUBJECT}:${stream}`,
    message,
    details: { stream, kind, ...details },
  }));
  await replaceFindings(db, [STREAM_SUBJECT, OMITTED_SUBJECT], found);
}

/** Notes what is to be known of the file that checkpoints are appended to; null: nothing. */
export async function noteCheckpointFile(
  db: Pick<Database, "transaction">,
  trouble: string | null,
): Promise<void> {
  const found = trouble === null ? [] : [{ subject: CHECKPOINT_FILE_SUBJECT, message: trouble, details: {} }];
  await replaceFindings(db, [CHECKPOINT_FILE_SUBJECT], found);
}

/** Has these findings, and no others of their kinds. */
async function replaceFindings(
  db: Pick<Database, "transaction">,
  kinds: readonly string[],
  found: readonly SystemFinding[],
): Promise<void> {
  const subjects = found.map(({ subject }) => subject);
  await db.transaction(async (tx) => {
    const gone = await sql`
      delete from system_findings where split_part(subject, ':', 1) = any(${kinds}::text[])
        and subject <> all(${subjects}::text[]) returning subject`.execute(tx);
    let changed = gone.rows.length;
    for (const { subject, message, details } of found) {
      const { rows } = await sql`
        insert into system_findings (subject, message, details, found_at)
        values (${subject}, ${message}, ${JSON.stringify(details)}::jsonb, now())
        on conflict (subject) do update set message = excluded.message, details = excluded.details
          where system_findings.message <> excluded.message returning subject`.execute(tx);
      changed += rows.length;
    }
    if (changed > 0) await sql`select pg_notify(${ALERTS_CHANNEL}, 'system')`.execute(tx);
  });
}

/** What `/readyz` says of the audit log: whatever process found it. */
export async function auditCondition(db: Pick<Database, "kysely">): Promise<Condition> {
  const { rows } = await sql<{ message: string }>`
    select message from system_findings
    where subject in (${AUDIT_SUBJECT}, ${SIGNING_SUBJECT}) or starts_with(subject, ${`${FORK_SUBJECT}:`})
    order by subject`.execute(db.kysely);
  if (rows.length === 0) return { state: "ok" };
  return { state: "degraded", detail: rows.map(({ message }) => message).join(" ") };
}

/** Notes a reorganisation that reached below confirmed blocks, in the transaction that undoes them. */
export async function noteDeepReorganisation(
  tx: Tx,
  chainId: number,
  ancestor: number,
  revertedCount: number,
): Promise<void> {
  await sql`
    insert into deep_reorganisations (chain_id, ancestor_number, reverted_count)
    values (${chainId}, ${ancestor}, ${revertedCount})`.execute(tx);
  await sql`select pg_notify(${ALERTS_CHANNEL}, 'system')`.execute(tx);
}
