// Entries as COPY writes them in its binary format (https://www.postgresql.org/docs/current/sql-copy.html): numbers and times need not be
// made texts by the database and numbers again here, which is most of what reading them costs.

import { OFFCHAIN_ACTIONS } from "@vaultops/proof";
import { ByteTable, viewOf } from "./bytes.ts";
import type { Actor, Cell, CountedRow } from "./verify-tally.ts";

/** A stored entry. The object is used again for the next one. Times are microseconds since 1970. */
export interface StoredRow extends CountedRow {
  seq: number;
  recordedAt: number;
  /** Looked up once for the many entries that share it. */
  cell: RowCell;
  /** Where the row's bytes are, and in it those of the actor and of the id, and the canonical text, from here to there. */
  view: DataView;
  actorAt: number;
  idAt: number;
  textAt: number;
  textEnd: number;
  /** The canonical text's bytes, with one byte before them. */
  leaf: Buffer;
}

/** A cell with the text before the actor, between him and the details, and after the timestamp. */
interface RowCell extends Cell {
  isOffchain: boolean;
  beforeActor: DataView;
  afterActor: DataView;
  afterTimestamp: DataView;
}

/** In the order in which they are read: the cell's first, one beside the other. */
export const ROW_COLUMNS = `action_type, vault_address, chain_id, actor_wallet, seq, id, "timestamp", recorded_at, occurred_at, body`;
const FIELDS = 10;

/** The stream is not what COPY writes. */
export class RowsUnreadable extends Error {}

/** Takes the bytes of a COPY in whatever pieces they come. */
export class RowReader {
  #isBegun = false;
  readonly #cells = new ByteTable(MAX_CELLS, cellOf);
  readonly #actors = new ByteTable(MAX_CELLS, (bytes) => actorOf(bytes.latin1Slice()));
  readonly #row: StoredRow = {
    seq: 0,
    timestamp: 0,
    recordedAt: 0,
    occurredAt: 0,
    cell: NO_CELL,
    actor: actorOf(""),
    view: viewOf(NOTHING),
    actorAt: 0,
    idAt: 0,
    textAt: 0,
    textEnd: 0,
    leaf: NOTHING,
  };

  /**
   * Hands on every row that is complete now; stops when `take` returns true. How many bytes at the end were not read: they must come
   * again, in front of the next piece. @throws RowsUnreadable
   */
  read(data: Buffer, take: (row: StoredRow) => boolean): number {
    let at = 0;
    if (!this.#isBegun) {
      if (data.length < HEADER_LENGTH) return data.length;
      if (!data.subarray(0, SIGNATURE.length).equals(SIGNATURE)) throw new RowsUnreadable("no binary COPY");
      this.#isBegun = true;
      at = HEADER_LENGTH;
    }
    this.#row.view = viewOf(data);
    for (;;) {
      const end = this.#parse(data, at);
      if (end < 0) break;
      at = end;
      if (take(this.#row)) break;
    }
    return data.length - at;
  }

  /** Where the row that begins at a place ends; negative when it is not whole yet, or was the end of all. */
  #parse(data: Buffer, start: number): number {
    const row = this.#row;
    const { view } = row;
    const length = view.byteLength;
    if (length < start + 2) return -1;
    const fields = view.getInt16(start);
    if (fields === -1) return -1;
    if (fields !== FIELDS) throw new RowsUnreadable(`a row of ${fields} columns`);
    let at = start + 2;
    // Past action, vault and chain.
    for (let field = 0; field < 3; field += 1) {
      if (length < at + 4) return -1;
      at += 4 + lengthAt(view, at);
    }
    const cellEnd = at;
    if (length < at + 4) return -1;
    const actorEnd = at + 4 + lengthAt(view, at);
    const bodyLengthAt = actorEnd + FIXED_LENGTH;
    if (length < bodyLengthAt + 4) return -1;
    for (const [offset, size] of FIXED) {
      if (view.getInt32(actorEnd + offset) !== size) throw new RowsUnreadable("a column is null");
    }
    const end = bodyLengthAt + 4 + lengthAt(view, bodyLengthAt);
    if (length < end) return -1;
    row.cell = this.#cells.get(view, start + 2, cellEnd - start - 2);
    row.actorAt = at + 4;
    row.actor = this.#actors.get(view, at + 4, actorEnd - at - 4);
    row.seq = readBigint(view, actorEnd + 4);
    row.idAt = actorEnd + 16;
    row.timestamp = readBigint(view, actorEnd + 36) + EPOCH_US;
    row.recordedAt = readBigint(view, actorEnd + 48) + EPOCH_US;
    row.occurredAt = readBigint(view, actorEnd + 60) + EPOCH_US;
    row.textAt = bodyLengthAt + 4;
    row.textEnd = end;
    row.leaf = data.subarray(bodyLengthAt + 3, end);
    return end;
  }
}

/** Of the columns as they lie in the row: action, vault and chain, each after its length. */
function cellOf(columns: Buffer): RowCell {
  const actionEnd = 4 + columns.readInt32BE(0);
  const vaultEnd = actionEnd + 4 + columns.readInt32BE(actionEnd);
  const action = columns.latin1Slice(4, actionEnd);
  const vault = columns.latin1Slice(actionEnd + 4, vaultEnd);
  return rowCell(action, vault, String(columns.readBigInt64BE(vaultEnd + 4)));
}

function rowCell(action: string, vault: string, chain: string): RowCell {
  const bytesOf = (text: string) => viewOf(Buffer.from(text, "latin1"));
  return {
    action,
    vault,
    chain,
    tallies: null,
    isOffchain: OFFCHAIN_ACTIONS.includes(action),
    beforeActor: bytesOf(`{"action_type":"${action}","actor_wallet":"`),
    afterActor: bytesOf(`","chain_id":${chain},"details":{`),
    afterTimestamp: bytesOf(`","vault_address":"${vault}"}`),
  };
}

function actorOf(name: string): Actor {
  return { name, tally: null };
}

const NOTHING = Buffer.alloc(0);
const NO_CELL = rowCell("", "", "");
const SIGNATURE = Buffer.from("PGCOPY\n\xff\r\n\0", "latin1");
const HEADER_LENGTH = SIGNATURE.length + 8;
/** seq, id and three times, each after its length: where that is, and what. */
const FIXED: [offset: number, length: number][] = [
  [0, 8],
  [12, 16],
  [32, 8],
  [44, 8],
  [56, 8],
];
const FIXED_LENGTH = 68;
const EPOCH_US = Date.UTC(2000, 0, 1) * 1000;
const MAX_CELLS = 100_000;

function lengthAt(view: DataView, at: number): number {
  const length = view.getInt32(at);
  if (length < 0) throw new RowsUnreadable("a column is null");
  return length;
}

/** Exact up to 2^53, as every place in the log and every time of it is. */
function readBigint(view: DataView, at: number): number {
  return view.getInt32(at) * 4_294_967_296 + view.getUint32(at + 4);
}
