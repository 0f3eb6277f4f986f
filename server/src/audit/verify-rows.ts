// Entries as COPY writes them in its binary format (https://www.postgresql.org/docs/current/sql-copy.html): numbers and times need not be
// made texts by the database and numbers again here, which is most of what reading them costs.

/** A stored entry. The object is used again for the next one. */
export interface StoredRow {
  seq: number;
  /** 32 hexadecimal digits. */
  id: string;
  /** Microseconds since 1970. */
  timestamp: number;
  recordedAt: number;
  occurredAt: number;
  /** Action, vault and chain: what many entries share, looked up once. */
  cell: Cell;
  actor: string;
  /** The canonical text's bytes, with one byte before them. */
  leaf: Buffer;
}

/** What entries of one action on one vault have in common. */
export interface Cell {
  action: string;
  vault: string;
  chain: string;
  /** The text before the actor, between him and the details, and after the timestamp. */
  beforeActor: string;
  afterActor: string;
  afterTimestamp: string;
}

/** In the order in which they are read: the cell's first, one beside the other. */
export const ROW_COLUMNS = `action_type, vault_address, chain_id, actor_wallet, seq, id, "timestamp", recorded_at, occurred_at, body`;
const FIELDS = 10;

/** The stream is not what COPY writes. */
export class RowsUnreadable extends Error {}

/** Takes the bytes of a COPY in whatever pieces they come. */
export class RowReader {
  #isBegun = false;
  #cells = new Map<string, Cell>();
  readonly #row = { actor: "", leaf: Buffer.alloc(0) } as StoredRow;

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
    if (data.length < start + 2) return -1;
    const fields = data.readInt16BE(start);
    if (fields === -1) return -1;
    if (fields !== FIELDS) throw new RowsUnreadable(`a row of ${fields} columns`);
    let at = start + 2;
    // Past action, vault and chain.
    for (let field = 0; field < 3; field += 1) {
      if (data.length < at + 4) return -1;
      at += 4 + lengthAt(data, at);
    }
    const cellEnd = at;
    if (data.length < at + 4) return -1;
    const actorEnd = at + 4 + lengthAt(data, at);
    const bodyLengthAt = actorEnd + FIXED_LENGTH;
    if (data.length < bodyLengthAt + 4) return -1;
    if (!FIXED.every(([offset, length]) => data.readInt32BE(actorEnd + offset) === length)) {
      throw new RowsUnreadable("a column is null");
    }
    const end = bodyLengthAt + 4 + lengthAt(data, bodyLengthAt);
    if (data.length < end) return -1;
    const row = this.#row;
    row.cell = this.#cellOf(data, start + 2, cellEnd);
    row.actor = data.latin1Slice(at + 4, actorEnd);
    row.seq = readBigint(data, actorEnd + 4);
    row.id = data.hexSlice(actorEnd + 16, actorEnd + 32);
    row.timestamp = readBigint(data, actorEnd + 36) + EPOCH_US;
    row.recordedAt = readBigint(data, actorEnd + 48) + EPOCH_US;
    row.occurredAt = readBigint(data, actorEnd + 60) + EPOCH_US;
    row.leaf = data.subarray(bodyLengthAt + 3, end);
    return end;
  }

  #cellOf(data: Buffer, start: number, end: number): Cell {
    const key = data.latin1Slice(start, end);
    const known = this.#cells.get(key);
    if (known !== undefined) return known;
    const actionEnd = start + 4 + data.readInt32BE(start);
    const vaultEnd = actionEnd + 4 + data.readInt32BE(actionEnd);
    const action = data.latin1Slice(start + 4, actionEnd);
    const vault = data.latin1Slice(actionEnd + 4, vaultEnd);
    const chain = String(data.readBigInt64BE(vaultEnd + 4));
    const cell: Cell = {
      action,
      vault,
      chain,
      beforeActor: `{"action_type":"${action}","actor_wallet":"`,
      afterActor: `","chain_id":${chain},"details":{`,
      afterTimestamp: `","vault_address":"${vault}"}`,
    };
    if (this.#cells.size >= MAX_CELLS) this.#cells.clear();
    this.#cells.set(key, cell);
    return cell;
  }
}

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

function lengthAt(data: Buffer, at: number): number {
  const length = data.readInt32BE(at);
  if (length < 0) throw new RowsUnreadable("a column is null");
  return length;
}

/** Exact up to 2^53, as every place in the log and every time of it is. */
function readBigint(data: Buffer, at: number): number {
  return data.readInt32BE(at) * 4_294_967_296 + data.readUInt32BE(at + 4);
}
