// The inclusion proofs of an export, written as bytes behind each entry. Entries of one tile of the tree share all hashes above it, and
// most of those within: made texts once for the tile, they need only be copied.
import { inclusionRanges, type Range } from "@vaultops/proof";
import type { TileReader } from "../tree/tiles.ts";
import { writeNodeHashes } from "../tree/tree.ts";

const [WIDTH, HEIGHT] = [256, 8];
/** A hash in base64 and quotes, and a comma. */
const TEXT_LENGTH = 47;
const MAX_KEPT = 32;

/** The hashes that proofs are made of, each as its text. */
interface Texts {
  /** Of the tile: those of the leaves, of two leaves each, and so on; of nothing where the tile is not full. */
  rows: readonly Buffer[];
  /** In the order of the proof. */
  above: Buffer;
}

export class ProofWriter {
  readonly #tiles: TileReader;
  readonly #size: number;
  readonly #middle: Buffer;
  readonly #kept = new Map<number, Texts>();
  /** The hashes of the tile at hand, from its leaves up. */
  readonly #hashes = Array.from({ length: HEIGHT + 1 }, (_, height) => Buffer.alloc((WIDTH >> height) * 32));
  #out = Buffer.alloc(0);

  /** For the tree of `size` entries. */
  constructor(tiles: TileReader, size: number) {
    this.#tiles = tiles;
    this.#size = size;
    this.#middle = Buffer.from(`,"tree_size":${size},"hashes":[`);
  }

  /** Adds `proof` as the last member of each entry, one entry a line. The bytes are valid until the next call. */
  async write(lines: Buffer): Promise<Buffer> {
    let filled = 0;
    let end = -1;
    for (let from = 0; from < lines.length; from = end + 1) {
      end = lines.indexOf(LINE_FEED, from);
      const index = indexOf(lines, from, end);
      const texts = this.#kept.get(Math.floor(index / WIDTH)) ?? (await this.#textsFor(index));
      const length = end - from + FRAME_LENGTH + HEIGHT * TEXT_LENGTH + texts.above.length;
      if (this.#out.length - filled < length) this.#grow(filled, length);
      // Without the brace that ends the entry.
      filled += lines.copy(this.#out, filled, from, end - 1);
      filled = this.#writeProof(index, texts, filled);
    }
    return this.#out.subarray(0, filled);
  }

  #writeProof(index: number, { rows, above }: Texts, start: number): number {
    const out = this.#out;
    let at = writeDigits(out, start + BEGINNING.copy(out, start), index);
    at += this.#middle.copy(out, at);
    const first = at;
    let place = index % WIDTH;
    for (const row of rows) {
      const sibling = (place ^ 1) * TEXT_LENGTH;
      at += row.copy(out, at, sibling, sibling + TEXT_LENGTH);
      place >>= 1;
    }
    at += above.copy(out, at);
    // The last one's comma.
    if (at > first) at -= 1;
    return at + END.copy(out, at);
  }

  async #textsFor(index: number): Promise<Texts> {
    const tile = Math.floor(index / WIDTH);
    const ranges = inclusionRanges(index, this.#size);
    // In a tile that is not full each leaf has hashes of its own.
    if ((tile + 1) * WIDTH > this.#size) return { rows: [], above: await this.#textOf(ranges) };
    const above = await this.#textOf(ranges.slice(HEIGHT));
    await this.#tiles.writeLeavesOf(tile, this.#hashes[0]!);
    // The place of a tile that is left behind is used again: each is large enough for the garbage of a long export to be seen.
    const rows = this.#kept.size < MAX_KEPT ? emptyRows() : this.#leaveOldest();
    for (const [height, row] of rows.entries()) {
      writeTexts(this.#hashes[height]!, row);
      writeNodeHashes(this.#hashes[height]!, this.#hashes[height + 1]!);
    }
    const texts = { rows, above };
    this.#kept.set(tile, texts);
    return texts;
  }

  #leaveOldest(): readonly Buffer[] {
    const [[tile, { rows }]] = this.#kept as unknown as [[number, Texts]];
    this.#kept.delete(tile);
    return rows;
  }

  async #textOf(ranges: readonly Range[]): Promise<Buffer> {
    const hashes: Buffer[] = [];
    for (const range of ranges) hashes.push(await this.#tiles.range(range));
    const text = Buffer.alloc(hashes.length * TEXT_LENGTH);
    writeTexts(Buffer.concat(hashes), text);
    return text;
  }

  #grow(filled: number, length: number): void {
    const out = Buffer.allocUnsafeSlow(2 * (filled + length));
    this.#out.copy(out, 0, 0, filled);
    this.#out = out;
  }
}

function emptyRows(): Buffer[] {
  return Array.from({ length: HEIGHT }, (_, height) => Buffer.alloc((WIDTH >> height) * TEXT_LENGTH));
}

function writeTexts(hashes: Buffer, text: Buffer): void {
  for (let at = 0, from = 0; from < hashes.length; from += 32) {
    text[at] = QUOTE;
    at = writeBase64(hashes, from, text, at + 1);
    text[at] = QUOTE;
    text[at + 1] = COMMA;
    at += 2;
  }
}

/** A hash's 44 characters. By hand: the texts of all hashes of a large log would be a hundred megabytes for the garbage collector. */
function writeBase64(hashes: Buffer, from: number, text: Buffer, start: number): number {
  let at = start;
  for (let i = from; i < from + 30; i += 3) {
    const bits = (hashes[i]! << 16) | (hashes[i + 1]! << 8) | hashes[i + 2]!;
    text[at] = DIGITS[bits >> 18]!;
    text[at + 1] = DIGITS[(bits >> 12) & 63]!;
    text[at + 2] = DIGITS[(bits >> 6) & 63]!;
    text[at + 3] = DIGITS[bits & 63]!;
    at += 4;
  }
  const bits = (hashes[from + 30]! << 8) | hashes[from + 31]!;
  text[at] = DIGITS[bits >> 10]!;
  text[at + 1] = DIGITS[(bits >> 4) & 63]!;
  text[at + 2] = DIGITS[(bits << 2) & 63]!;
  text[at + 3] = EQUALS;
  return at + 4;
}

/** The leaf of an entry's canonical text, which ends with its seq, its timestamp and its vault. */
function indexOf(lines: Buffer, from: number, end: number): number {
  const at = lines.lastIndexOf(SEQ, end);
  let seq = 0;
  for (let i = at + SEQ.length; i < end && lines[i] !== QUOTE; i += 1) seq = seq * 10 + lines[i]! - ZERO;
  if (at < from || !(seq > 0)) throw new Error("an entry's text has no seq");
  return seq - 1;
}

/** Without the text that a number is otherwise made first, once an entry. */
function writeDigits(out: Buffer, start: number, value: number): number {
  let end = start + 1;
  for (let left = value; left >= 10; left = Math.floor(left / 10)) end += 1;
  for (let at = end - 1, left = value; at >= start; at -= 1) {
    out[at] = ZERO + (left % 10);
    left = Math.floor(left / 10);
  }
  return end;
}

const [LINE_FEED, QUOTE, COMMA, ZERO, EQUALS] = [0x0a, 0x22, 0x2c, 0x30, 0x3d];
const DIGITS = Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
const SEQ = Buffer.from('","seq":"');
const BEGINNING = Buffer.from(',"proof":{"leaf_index":');
const END = Buffer.from("]}}\n");
/** More than all that stands around the hashes. */
const FRAME_LENGTH = 128;
