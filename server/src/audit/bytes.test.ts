import { describe, expect, it } from "vitest";
import { ByteTable, equalBytes, viewOf } from "./bytes.ts";

const bytesOf = (text: string) => Buffer.from(text, "latin1");

describe("equal bytes", () => {
  it("are told from others wherever one differs, at any length and place", () => {
    const a = Buffer.from(Array.from({ length: 40 }, (_, n) => 7 * n));
    for (let length = 0; length <= 20; length += 1) {
      for (const at of [0, 1, 5]) {
        const b = Buffer.concat([Buffer.alloc(3, 9), a.subarray(at, at + length), Buffer.alloc(2, 9)]);
        expect(equalBytes(viewOf(a), at, viewOf(b), 3, length)).toBe(true);
        for (let i = 0; i < length; i += 1) {
          b[3 + i]! ^= 0x80;
          expect(equalBytes(viewOf(a), at, viewOf(b), 3, length)).toBe(false);
          b[3 + i]! ^= 0x80;
        }
      }
    }
  });
});

describe("a table of bytes", () => {
  const KEYS = Array.from({ length: 5000 }, (_, n) => `0x${n.toString(16)}${"k".repeat(n % 13)}`);

  it("makes a value once for each, finds it in whatever bytes it lies, and forgets what is too much", () => {
    const made: string[] = [];
    const table = new ByteTable(5000, (bytes) => {
      made.push(bytes.latin1Slice());
      return { name: bytes.latin1Slice() };
    });
    const get = (key: string, before = "") =>
      table.get(viewOf(bytesOf(`${before}${key}after`)), before.length, key.length);
    const first = KEYS.map((key) => get(key));
    expect(first.map(({ name }) => name)).toEqual(KEYS);
    KEYS.forEach((key, n) => {
      expect(get(key, "x".repeat(n % 9))).toBe(first[n]);
    });
    expect(made).toEqual(KEYS);
    expect(get("one more").name).toBe("one more");
    expect(get(KEYS[7]!)).toEqual(first[7]);
    expect(get(KEYS[7]!)).not.toBe(first[7]);
  });

  it("holds bytes of any length, none too, and does not see those that come after", () => {
    const table = new ByteTable(100, (bytes) => bytes.latin1Slice());
    const long = "y".repeat(100_000);
    for (const key of ["", "a", "aa", long, `${long}z`]) {
      expect(table.get(viewOf(bytesOf(`${key}a`)), 0, key.length)).toBe(key);
    }
    expect(table.get(viewOf(bytesOf("aaa")), 0, 2)).toBe("aa");
  });
});
