// `Idempotency-Key`: what a request with a key made is made once, and answered again as it was for 24 hours.
//
// Guarantee: of all requests of one wallet to one route with one key, one does the work, in one transaction with the note that it was
// done; the others, at once or later, get its answer, or 409 where they ask for something else. Work that fails leaves no note. An
// answer may hold a secret that is shown once, so it is kept sealed.
import { createHash, randomUUID } from "node:crypto";
import { canonicalJson } from "@vaultops/proof";
import type { FastifyRequest } from "fastify";
import { sql } from "kysely";
import { Type } from "typebox";
import type { Clock } from "../clock.ts";
import type { Database, Tx } from "../db/db.ts";
import { Problem } from "../errors.ts";
import { accountOf } from "../permission.ts";
import { type SecretBox, sealedIn } from "../secret-box.ts";

/** An answer that can be given again. */
export interface MadeAnswer {
  status: number;
  headers?: Record<string, string>;
  body: unknown;
}

export interface Idempotency {
  /**
   * Runs `make` in a transaction and returns its answer; with an `Idempotency-Key` on the request, at most once for that key.
   * `make` may be run again when the database asks for it, so it must have no effect outside `tx`.
   */
  once(request: FastifyRequest, make: (tx: Tx) => Promise<MadeAnswer>): Promise<MadeAnswer>;
}

/** For the `headers` of a route's schema. Name `idempotency_conflict` among the route's problems. */
export const IdempotencyHeaders = Type.Object({
  "idempotency-key": Type.Optional(
    Type.String({
      pattern: "^[\\x21-\\x7e]{1,255}$",
      description:
        "Chosen by the client, 1 to 255 printable characters, for example a UUID. For 24 hours the same key with the same body gets the same answer and creates nothing again; with another body 409 `idempotency_conflict`.",
    }),
  ),
});

const KEPT_MS = 24 * 3_600_000;
const TABLE = "idempotency_keys";

export function createIdempotency(deps: {
  db: Pick<Database, "transaction">;
  box: SecretBox;
  clock: Clock;
}): Idempotency {
  const { db, box, clock } = deps;
  return {
    once(request, make) {
      const key = request.headers["idempotency-key"];
      if (typeof key !== "string") return db.transaction(make);
      const wallet = request.caller ? accountOf(request.caller) : "";
      const route = `${request.method} ${request.url.split("?", 1)[0]}`;
      const asked = createHash("sha256")
        .update(canonicalJson(request.body ?? null))
        .digest("hex");
      return db.transaction(async (tx) => {
        const since = new Date(clock.now() - KEPT_MS).toISOString();
        await forget(tx, since, { wallet, route, key });
        const id = randomUUID();
        // A second request waits here until the first one's transaction has ended, and finds its note if it committed.
        const { rows } = await sql`
          insert into idempotency_keys (id, wallet, route, key, created_at)
          values (${id}, ${wallet}, ${route}, ${key}, ${new Date(clock.now()).toISOString()})
          on conflict (wallet, route, key) do nothing returning id`.execute(tx);
        if (rows.length === 0) return answered(tx, box, { wallet, route, key }, asked);
        const answer = await make(tx);
        const sealed = box.seal(
          JSON.stringify({ asked, answer } satisfies Note),
          sealedIn(TABLE, "sealed_answer", id),
        );
        await sql`update idempotency_keys set sealed_answer = ${sealed} where id = ${id}`.execute(tx);
        return answer;
      });
    },
  };
}

/** What is kept, all of it sealed: the answer, and the hash of the body that it was the answer to. */
interface Note {
  asked: string;
  answer: MadeAnswer;
}

interface Place {
  wallet: string;
  route: string;
  key: string;
}

async function answered(tx: Tx, box: SecretBox, place: Place, asked: string): Promise<MadeAnswer> {
  const { rows } = await sql<{ id: string; sealed_answer: string }>`
    select id, sealed_answer from idempotency_keys
    where wallet = ${place.wallet} and route = ${place.route} and key = ${place.key}`.execute(tx);
  const made = rows[0];
  if (made === undefined)
    throw new Problem("conflict", "The Idempotency-Key has just expired. Send the request again.");
  const note = JSON.parse(box.open(made.sealed_answer, sealedIn(TABLE, "sealed_answer", made.id))) as Note;
  if (note.asked !== asked)
    throw new Problem("idempotency_conflict", "This Idempotency-Key was used with another body.");
  return note.answer;
}

/** Removes the key's own note when it has run out, and a few others that have. */
async function forget(tx: Tx, since: string, { wallet, route, key }: Place): Promise<void> {
  await sql`
    delete from idempotency_keys where created_at <= ${since}
      and wallet = ${wallet} and route = ${route} and key = ${key}`.execute(tx);
  await sql`
    delete from idempotency_keys where id in (
      select id from idempotency_keys where created_at <= ${since} limit 20 for update skip locked)`.execute(
    tx,
  );
}
