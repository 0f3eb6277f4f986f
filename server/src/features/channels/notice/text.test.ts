import { describe, expect, test } from "vitest";
import fc from "../../../../test/fast-check.ts";
import { readableTime } from "../../../platform/http/time.ts";
import { cleanLine, cleanLines, cut, cutEscaped, escapeHtml, readableDuration } from "./text.ts";

const FAMILY = "👩‍👩‍👧‍👦";

describe("cut", () => {
  test("leaves alone what fits, to the unit", () => {
    expect(cut("abc", 3)).toBe("abc");
    expect(cut("abcd", 3)).toBe("ab…");
    expect(cut(FAMILY, FAMILY.length)).toBe(FAMILY);
  });

  test("never takes a grapheme apart: what does not fit whole is left out", () => {
    expect(cut(`ab${FAMILY}c`, 2 + FAMILY.length)).toBe("ab…");
    expect(cut(`${FAMILY}${FAMILY}`, FAMILY.length + 1)).toBe(`${FAMILY}…`);
    expect(cut(`a${"\u0301".repeat(100)}b`, 50)).toBe("…");
    expect(cut("🇨🇭🇩🇪", 5)).toBe("🇨🇭…");
  });

  test("returns the same text up to its ellipsis, within the limit and well-formed, whatever it is given", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 80 }),
        fc.integer({ min: 1, max: 60 }),
        (text, max) => {
          const result = cut(text, max);
          expect(result.length).toBeLessThanOrEqual(max);
          expect(result.isWellFormed()).toBe(true);
          if (result !== text) expect(text.startsWith(result.slice(0, -1))).toBe(true);
        },
      ),
    );
  });

  test("of an escaped text, counts what is sent and stands outside every entity", () => {
    expect(cutEscaped("a<b", 7, escapeHtml)).toBe("a&#60;b");
    expect(cutEscaped("a<b", 6, escapeHtml)).toBe("a…");
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("<", "&", "a", FAMILY) }),
        fc.integer({ min: 1, max: 40 }),
        (text, max) => {
          const result = cutEscaped(text, max, escapeHtml);
          expect(result.length).toBeLessThanOrEqual(max);
          expect(result.replace(/&#\d+;/g, "")).not.toMatch(/[&;<#]/);
        },
      ),
    );
  });
});

describe("clean", () => {
  test("makes every line end a line feed, or in one line a space", () => {
    expect(cleanLines("a\r\nb\rc\u2028d\u2029e\u0085f\vg")).toBe("a\nb\nc\nd\ne\nf\ng");
    expect(cleanLine("a\r\n\r\nBcc: x\t y ")).toBe("a Bcc: x y");
    expect(cleanLines("a \n\n\n\n  b")).toBe("a\n\n  b");
  });

  test("takes out control characters and what turns the direction of text, and keeps joined emoji", () => {
    expect(cleanLine("\u0000a\u001b[1m\u202eb\u2066c\ufeff")).toBe("a[1mbc");
    expect(cleanLine(FAMILY)).toBe(FAMILY);
    expect(cleanLine("\ud800x")).toBe("\ufffdx");
  });

  test("leaves no URL that a client would make a link of", () => {
    expect(cleanLine("see https://evil.example now")).not.toContain("://");
  });
});

test("times and durations are told as people do", () => {
  expect(readableTime("2026-05-09T10:09:00.123456Z")).toBe("2026-05-09 10:09:00 UTC");
  const from = "2026-05-09T10:00:00.000000Z";
  for (const [to, told] of [
    ["2026-05-09T10:00:07.400000Z", "7 s"],
    ["2026-05-09T10:01:07.000000Z", "1 min 7 s"],
    ["2026-05-09T11:20:59.000000Z", "1 h 20 min"],
    ["2026-05-12T11:20:59.000000Z", "3 d 1 h"],
    ["2026-05-09T09:00:00.000000Z", "0 s"],
  ] as const)
    expect(readableDuration(from, to)).toBe(told);
});
