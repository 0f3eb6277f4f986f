// What witnesses hand out of this log: asked before each signature, so that a database that went back is not signed over by a process that
// has nothing else to hold it against.
import { sql } from "kysely";
import type { Database } from "../../platform/db/db.ts";
import type { Egress } from "../../platform/egress/egress.ts";
import type { Logger } from "../../platform/log.ts";
import { originHash } from "../cosigner/kept.ts";
import type { Elsewhere } from "../tree/checkpoint.ts";
import type { HeldNote } from "../tree/standing.ts";
import type { WitnessPlace } from "./settings.ts";

/** Signing waits for it. */
const TIMEOUT_MS = 3_000;
const MAX_BYTES = 65_536;
/** One that does not answer is not waited for again so soon. */
const PAUSE_MS = 60_000;

export interface HeldParts {
  db: Pick<Database, "kysely">;
  request: Egress["request"];
  places: readonly WitnessPlace[];
  log: Logger;
}

export function heldElsewhere({ db, request, places, log }: HeldParts): Elsewhere {
  const silentUntil = new Map<string, number>();

  const ask = async ({ name, witness, monitoringUrl }: WitnessPlace, origin: string): Promise<HeldNote[]> => {
    if ((silentUntil.get(witness.vkey) ?? 0) > Date.now()) return [];
    const note = await noteAt(request, `${monitoringUrl}/${originHash(origin)}/checkpoint`).catch((error) => {
      silentUntil.set(witness.vkey, Date.now() + PAUSE_MS);
      log.debug({ err: error, witness: name }, "a witness does not say what it holds");
      return null;
    });
    return note === null ? [] : [{ note, place: `the witness ${name}` }];
  };

  return {
    async notes(origin) {
      const { rows } = await sql<{ note: string; held_by: string }>`
        select note, held_by from audit_held_notes where starts_with(note, ${`${origin}\n`})`.execute(
        db.kysely,
      );
      const kept = rows.map(({ note, held_by }) => ({ note, place: held_by }));
      return [...kept, ...(await Promise.all(places.map((place) => ask(place, origin)))).flat()];
    },
    async keep({ note, place }) {
      await sql`
        insert into audit_held_notes (note, held_by) values (${note}, ${place}) on conflict do nothing`.execute(
        db.kysely,
      );
    },
  };
}

/** Null where it holds nothing of this log. */
async function noteAt(request: Egress["request"], url: string): Promise<string | null> {
  const { status, body, isTruncated } = await request({
    url,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    trusted: true,
  });
  if (status === 404) return null;
  if (status !== 200 || isTruncated) throw new Error(`it answered ${status}`);
  return body.toString("utf8");
}
