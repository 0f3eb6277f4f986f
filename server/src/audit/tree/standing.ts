// Where the log stands, held to everything that is known to have been signed: in the database, in the files outside it, in this process's
// memory, and at the witnesses.
//
// Guarantee: what is found here has the log begin with every tree that a note under one of its keys is for, of the name that it has now.
import { NoteError, openCheckpoint, type Verifier } from "@vaultops/proof";
import { sql } from "kysely";
import type { Database, Tx } from "../../platform/db/db.ts";
import { type KeptNote, readKeptNotes } from "./kept-notes.ts";
import { type KeyPlace, knownVerifiers } from "./keys.ts";
import { isRetired } from "./log-name.ts";
import type { StoredCheckpoint } from "./stored.ts";
import { TileReader, TreeUnreadable } from "./tiles.ts";

/** The log is not what was signed, or that cannot be known. The message may be shown to anybody; `place` is what holds the other word. */
export class SigningRefused extends Error {
  readonly place: string;
  /** The note that says otherwise; null where there is none. */
  readonly kept: KeptNote | null;

  constructor(message: string, place: string, kept: KeptNote | null = null) {
    super(message);
    this.place = place;
    this.kept = kept;
  }

  get signedSize(): number | null {
    return this.kept?.size ?? null;
  }
}

/** A note that somebody else keeps, as it was handed out. */
export interface HeldNote {
  note: string;
  /** Who holds it, for the operator. */
  place: string;
}

export interface Outside {
  db: Database;
  keyPlace: KeyPlace;
  /** `audit.checkpoint_file`. */
  file: string | null;
  /** What witnesses hand out. */
  held: readonly HeldNote[];
  /** What this process signed or saw signed last. */
  seen: KeptNote | null;
}

export interface Standing {
  size: number;
  last: StoredCheckpoint | null;
}

/** @throws SigningRefused where something was signed that the log does not begin with */
export async function standingOf(tx: Tx, outside: Outside): Promise<Standing> {
  const standing = await endOf(tx);
  for (const note of await notesOf(tx, outside)) await hold(outside.db, standing.size, note);
  return standing;
}

/** Where the log ends, and the newest checkpoint that the database has. */
export async function endOf(tx: Tx): Promise<Standing> {
  const size = await sql<{ size: number }>`
    select coalesce((select seq from audit_entries order by seq desc limit 1), 0) as size`.execute(tx);
  const last = await sql<StoredCheckpoint>`
    select size, root, note from audit_checkpoints order by size desc limit 1`.execute(tx);
  return { size: size.rows[0]!.size, last: last.rows[0] ?? null };
}

/** Every note that the log must begin with, the database's own newest among them. */
export async function notesOf(tx: Tx, outside: Outside): Promise<KeptNote[]> {
  const { keyPlace, file, held, seen } = outside;
  const keys = await knownVerifiers(tx, keyPlace);
  const name = await nameOfLog(tx);
  const binds = (origin: string) => name === null || !isRetired(origin, name);
  const current = keys.filter((key) => binds(key.name));
  const kept = await readKeptNotes(keyPlace.folder, file, keys, current).catch((error) => {
    throw error instanceof NoteError ? new SigningRefused(UNREADABLE, error.message) : error;
  });
  const { last } = await endOf(tx);
  const own = last === null ? [] : [{ ...last, origin: "", place: "the database" }];
  const others = await Promise.all(held.map((each) => openHeld(each, current)));
  return [
    ...[...kept, ...(seen === null ? [] : [seen])].filter(({ origin }) => binds(origin)),
    ...own,
    ...others.filter((note) => note !== null),
  ];
}

/** Of what others hand out, what a key of this log has signed. */
async function openHeld({ note, place }: HeldNote, keys: readonly Verifier[]): Promise<KeptNote | null> {
  try {
    const { signedBy, ...checkpoint } = await openCheckpoint(note, keys);
    const isOurs = signedBy.some(({ name }) => name === checkpoint.origin);
    return isOurs ? { ...checkpoint, note, place } : null;
  } catch (error) {
    if (!(error instanceof NoteError)) throw error;
    return null;
  }
}

/** That of its newest key. */
export async function nameOfLog(tx: Tx): Promise<string | null> {
  const { rows } = await sql<{ vkey: string }>`
    select vkey from audit_keys order by from_size desc, created_at desc limit 1`.execute(tx);
  return rows[0]?.vkey.split("+")[0] ?? null;
}

/** @throws SigningRefused where the log does not begin with the note's tree */
export async function hold(db: Pick<Database, "kysely">, size: number, note: KeptNote): Promise<void> {
  if (note.size > size) throw new SigningRefused(wentBack(note.size, size), note.place, note);
  // Read anew each time: hashes that were kept from before would hide that a database went back under a running service.
  const root = await new TileReader(db.kysely).root(note.size).catch((error) => {
    throw error instanceof TreeUnreadable ? new SigningRefused(NO_TREE, error.message) : error;
  });
  if (!root.equals(note.root)) throw new SigningRefused(otherTree(note.size), note.place, note);
}

const UNREADABLE =
  "A checkpoint that is kept outside the database cannot be read, so nothing is signed: it may be of more entries than the database has. The service's log names it.";

const NO_TREE =
  "The tree over the entries that were signed cannot be read, so nothing is signed: run `vaultops audit verify`.";

const WAY_OUT =
  "Nothing is signed and nothing kept is overwritten until the database with those entries is back; entries are still written. If it is lost for good, run `vaultops audit acknowledge-rollback`: the log goes on under another name, and says what it lost.";

function wentBack(signed: number, size: number): string {
  return `A checkpoint of ${signed} entries was signed, and the log ends at ${size}: the database is older than what was signed. ${WAY_OUT}`;
}

function otherTree(signed: number): string {
  return `The first ${signed} entries are not those that were signed: the log was rewritten, or brought back from an older copy and continued. ${WAY_OUT}`;
}
