// What was signed is lost for good: the log goes on under another name, with an entry that says what it lost. Under its old name two
// stories would be told; whoever holds a note of the old one still sees that the log went back.

import { writeVerifier } from "@vaultops/proof";
import { sql } from "kysely";
import type { Tx } from "../../platform/db/db.ts";
import { record } from "../append/record.ts";
import { ZERO_ADDRESS } from "../entries/entries.ts";
import type { KeptNote } from "./kept-notes.ts";
import { readName } from "./log-name.ts";
import type { Signer } from "./signer.ts";
import { endOf, hold, notesOf, type Outside, SigningRefused } from "./standing.ts";

export interface Rollback {
  /** The size last signed, which the log does not bear out, and where it ends instead. */
  signedSize: number;
  size: number;
  /** The names before and from now on. */
  from: string;
  to: string;
  vkey: string;
}

/**
 * Appends the entry and gives the log its next name, under the keys that it has. Call under the signers' lock.
 * @throws Error where there is nothing to acknowledge, or what it is not meant for
 */
export async function acknowledge(
  tx: Tx,
  outside: Outside,
  [signer]: readonly [Signer, ...Signer[]],
  reason: string,
): Promise<Rollback> {
  const { size } = await endOf(tx);
  const lost = await conflictsOf(tx, outside, size);
  const largest = lost.toSorted((a, b) => b.size - a.size)[0];
  if (largest === undefined)
    throw new Error(
      "the log begins with everything that is known to have been signed: there is nothing to acknowledge",
    );
  if (lost.some(({ origin }) => origin === ""))
    throw new Error(
      "the database contradicts its own checkpoints: it did not go back as a whole, so this is for `vaultops audit verify` and a backup, not for an acknowledgement",
    );
  const from = signer.name;
  const highest = Math.max(
    ...[from, ...lost.map(({ origin }) => origin)].map((name) => readName(name).number),
  );
  const to = `${readName(from).base}-r${highest + 1}`;
  const vkey = writeVerifier(to, rawOf(signer.vkey));
  const details = {
    reason,
    log_size: size,
    signed_size: largest.size,
    signed_root: Buffer.from(largest.root).toString("base64"),
    signed_as: largest.origin,
    continued_as: to,
  };
  await sql`insert into audit_keys (vkey, from_size) values (${vkey}, ${size + 1})`.execute(tx);
  await record(tx, [
    {
      action_type: "audit_rollback_acknowledge",
      vault_address: ZERO_ADDRESS,
      chain_id: 0,
      actor_wallet: ZERO_ADDRESS,
      details,
    },
  ]);
  const last = await endOf(tx);
  if (last.size !== size + 1) throw new Error("the log has grown meanwhile: run it again");
  return { signedSize: largest.size, size, from, to, vkey };
}

async function conflictsOf(tx: Tx, outside: Outside, size: number): Promise<KeptNote[]> {
  const conflicts: KeptNote[] = [];
  for (const note of await notesOf(tx, outside)) {
    try {
      await hold(outside.db, size, note);
    } catch (error) {
      if (!(error instanceof SigningRefused) || error.kept === null) throw error;
      conflicts.push(note);
    }
  }
  return conflicts;
}

/** The 32 bytes of the key. */
function rawOf(vkey: string): Buffer {
  return Buffer.from(vkey.split("+").slice(2).join("+"), "base64").subarray(1);
}
