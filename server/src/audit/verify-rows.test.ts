import { describe, expect, it } from "vitest";
import { RowReader, RowsUnreadable, type StoredRow } from "./verify-rows.ts";

const HEADER = Buffer.concat([Buffer.from("PGCOPY\n\xff\r\n\0", "latin1"), Buffer.alloc(8)]);
const END = Buffer.from([0xff, 0xff]);

function field(value: Buffer | null): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(value?.length ?? -1);
  return value === null ? length : Buffer.concat([length, value]);
}

function bigint(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(value);
  return bytes;
}

/** A row as PostgreSQL writes it; `changed` replaces columns. */
function rowOf(seq: number, changed: Record<number, Buffer | null> = {}): Buffer {
  const columns: (Buffer | null)[] = [
    Buffer.from("deposit"),
    Buffer.from(`0xvault${seq % 3}`),
    bigint(8453n),
    Buffer.from("0xactor"),
    bigint(BigInt(seq)),
    Buffer.alloc(16, seq),
    bigint(0n),
    bigint(-1n),
    bigint(831_643_200_123_456n),
    Buffer.from(`{"n":"ü${seq}","note":"${"x".repeat(40)}"}`),
  ];
  for (const [at, value] of Object.entries(changed)) columns[Number(at)] = value;
  return Buffer.concat([Buffer.from([0, columns.length]), ...columns.map(field)]);
}

function readAll(pieces: readonly Buffer[]): StoredRow[] {
  const reader = new RowReader();
  const rows: StoredRow[] = [];
  const take = (row: StoredRow) => {
    rows.push({ ...row, leaf: Buffer.from(row.leaf) });
    return false;
  };
  let rest = Buffer.alloc(0);
  for (const piece of pieces) {
    const data = Buffer.concat([rest, piece]);
    rest = data.subarray(data.length - reader.read(data, take));
  }
  return rows;
}

const COPY = Buffer.concat([HEADER, ...Array.from({ length: 20 }, (_, n) => rowOf(n + 1)), END]);

describe("reading rows", () => {
  it("gives their columns, exact to the microsecond, and the text's bytes", () => {
    const [row] = readAll([COPY]);
    expect(row).toMatchObject({
      seq: 1,
      timestamp: Date.UTC(2000, 0, 1) * 1000,
      recordedAt: Date.UTC(2000, 0, 1) * 1000 - 1,
      occurredAt: Date.UTC(2000, 0, 1) * 1000 + 831_643_200_123_456,
      cell: { action: "deposit", vault: "0xvault1", chain: "8453" },
      actor: { name: "0xactor" },
    });
    expect(row!.view.getUint32(row!.idAt)).toBe(0x01010101);
    expect(row!.leaf.toString("utf8", 1)).toContain('{"n":"ü1",');
  });

  it("is the same in whatever pieces they come", () => {
    const expected = readAll([COPY]).map(({ seq, leaf }) => [seq, leaf.toString("utf8", 1)]);
    expect(expected.length).toBe(20);
    for (const size of [1, 7, 64, 150, 1000]) {
      const pieces = Array.from({ length: Math.ceil(COPY.length / size) }, (_, i) =>
        Buffer.from(COPY.subarray(i * size, (i + 1) * size)),
      );
      expect(readAll(pieces).map(({ seq, leaf }) => [seq, leaf.toString("utf8", 1)])).toEqual(expected);
    }
  });

  it("stops where it is told, and goes on from there", () => {
    const reader = new RowReader();
    const seen: number[] = [];
    let piece = COPY;
    while (seen.length < 20) {
      const left = reader.read(piece, ({ seq }) => seen.push(seq) % 3 === 0);
      piece = piece.subarray(piece.length - left);
    }
    expect(seen).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
  });

  it("refuses what no entry is", () => {
    for (const at of Array.from({ length: 10 }, (_, n) => n)) {
      expect(() => readAll([HEADER, rowOf(1, { [at]: null })])).toThrow(RowsUnreadable);
    }
    expect(() => readAll([HEADER, rowOf(1, { 10: Buffer.from("more") })])).toThrow(RowsUnreadable);
    expect(() => readAll([Buffer.alloc(40), rowOf(1)])).toThrow(RowsUnreadable);
  });
});
