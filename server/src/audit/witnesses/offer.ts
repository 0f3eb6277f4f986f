// One round with one witness: the newest checkpoint is offered to it, unless it has cosigned that already.
//
// Guarantee: what is stored is a cosignature of that witness over a checkpoint of this log, verified. A size that it names without signing is
// gone by only where this log reaches so far.
import type { Cosignature } from "@vaultops/proof";
import { parseCheckpoint } from "@vaultops/proof";
import { sql } from "kysely";
import type { Database } from "../../platform/db/db.ts";
import type { Egress } from "../../platform/egress/egress.ts";
import type { Logger } from "../../platform/log.ts";
import { newestCheckpoint, type StoredCheckpoint } from "../tree/stored.ts";
import { TileReader } from "../tree/tiles.ts";
import { submit, type Trouble, trouble } from "./exchange.ts";
import type { WitnessPlace } from "./settings.ts";
import { claim, keepCosignature, keepTrouble, lastCosigned, release } from "./store.ts";

export interface OfferParts {
  db: Database;
  request: Egress["request"];
  log: Logger;
}

/** A witness whose answers contradict one another is not asked for ever. */
const ATTEMPTS = 4;

/** `busy`: another process is asking it. */
export type OfferOutcome = "has it" | "busy" | "nothing" | Trouble;

export async function offerNewest(
  parts: OfferParts,
  place: WitnessPlace,
  signal?: AbortSignal,
): Promise<OfferOutcome> {
  const { db } = parts;
  const { vkey } = place.witness;
  if ((await unsigned(db, vkey)) === null)
    return (await newestCheckpoint(db.kysely)) === null ? "nothing" : "has it";
  if (!(await claim(db.kysely, vkey))) return "busy";
  try {
    return await offer(parts, place, signal);
  } finally {
    await release(db.kysely, vkey);
  }
}

async function offer(
  { db, request, log }: OfferParts,
  place: WitnessPlace,
  signal?: AbortSignal,
): Promise<OfferOutcome> {
  const { name, witness } = place;
  let held: number | null = null;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const checkpoint = await unsigned(db, witness.vkey);
    if (checkpoint === null) return "has it";
    const { size } = checkpoint;
    const { origin } = parseCheckpoint(checkpoint.note);
    const known = await lastCosigned(db.kysely, witness.vkey, origin);
    if (held !== null && held < known)
      log.warn(
        { witness: name, cosigned: known, holds: held },
        "a witness has gone back behind what it cosigned",
      );
    const oldSize: number = held ?? Math.min(known, size);
    if (oldSize > size)
      return told(
        db,
        witness.vkey,
        trouble(
          "ahead",
          `it names a log of ${oldSize} entries, larger than the ${size} that were signed`,
          oldSize,
        ).trouble,
      );
    const hashes = await new TileReader(db.kysely).consistencyProof(oldSize, size);
    const outcome = await submit(request, place, { oldSize, hashes, note: checkpoint.note }, signal);
    if ("cosignature" in outcome) {
      await keepCosignature(db, size, outcome.cosignature);
      noteClock(log, name, outcome.cosignature);
      return "has it";
    }
    if ("trouble" in outcome) return told(db, witness.vkey, outcome.trouble);
    if (outcome.heldSize === oldSize) break;
    held = outcome.heldSize;
  }
  return told(
    db,
    witness.vkey,
    trouble("answer", "it goes on naming other sizes than it has just named").trouble,
  );
}

async function told(db: Database, vkey: string, found: Trouble): Promise<Trouble> {
  await keepTrouble(db.kysely, vkey, found);
  return found;
}

/** The newest checkpoint as it was signed, unless the witness has cosigned it. */
async function unsigned(db: Database, vkey: string): Promise<StoredCheckpoint | null> {
  const { rows } = await sql<StoredCheckpoint & { has_it: boolean }>`
    select size, root, note, exists (select from audit_cosignatures c where c.size = k.size and c.vkey = ${vkey}) as has_it
      from audit_checkpoints k order by size desc limit 1`.execute(db.kysely);
  const [checkpoint] = rows;
  return checkpoint === undefined || checkpoint.has_it ? null : checkpoint;
}

const CLOCK_SECONDS = 300;

/** A cosignature counts whatever its witness's clock says, if that is no future; its operator should know. */
function noteClock(log: Logger, name: string, { time }: Cosignature): void {
  const behind = Math.round(Date.now() / 1000 - time);
  if (behind > CLOCK_SECONDS)
    log.warn({ witness: name, seconds: behind }, "a witness's clock is behind, or the one here ahead");
}
