import { encodeAbiParameters, type Hex, stringToHex } from "viem";
import { describe, expect, test } from "vitest";
import fc from "../../../test/fast-check.ts";
import { cleanText } from "../text.ts";
import { readText } from "./tokens.ts";

const text = (value: string): Hex => encodeAbiParameters([{ type: "string" }], [value]);
const ok = (data: Hex) => ({ success: true, data });

describe("a token's text", () => {
  test.each([
    ["a string", text("USD Coin"), "USD Coin"],
    ["bytes32, as MKR has it", stringToHex("MKR", { size: 32 }), "MKR"],
    ["bytes32 full to the end", stringToHex("x".repeat(32), { size: 32 }), "x".repeat(32)],
    ["a string of 32 characters", text("y".repeat(32)), "y".repeat(32)],
    ["text with NUL and controls", text("U\u0000S\u0007D\u001b[31m"), "USD[31m"],
    ["text that turns its direction", text("\u202eCDSU\u202c \u2066x"), "CDSU x"],
    ["text of invisible characters", text("US\u200b\ufeffDC\u{e0041}"), "USDC"],
    ["emoji with joiners", text("👨‍👩‍👧"), "👨‍👩‍👧"],
    ["an empty string", text(""), null],
    ["blanks", text("   "), null],
    ["an empty bytes32", `0x${"00".repeat(32)}`, null],
    ["nothing", "0x", null],
    ["half a word", `0x${"12".repeat(16)}`, null],
    ["an offset outside", `0x${"ff".repeat(32)}${"00".repeat(32)}`, null],
    ["a length outside", `0x${"0".repeat(62)}20${"ff".repeat(32)}`, null],
  ] as [string, Hex, string | null][])("%s", (_what, data, expected) => {
    expect(readText(ok(data), 32)).toBe(expected);
  });

  test("bytes that are no UTF-8 become replacement characters", () => {
    expect(readText(ok(`0x41ff42${"00".repeat(29)}`), 32)).toBe("A\ufffdB");
  });

  test("is cut by characters, not in the middle of one", () => {
    expect(readText(ok(text("🙂".repeat(100))), 5)).toBe("🙂🙂🙂🙂🙂");
  });

  test("a flood is cut", () => {
    expect(readText(ok(text("x".repeat(1_000_000))), 32)).toHaveLength(32);
  });

  test("a revert has none", () => {
    expect(readText({ success: false, data: text("USDC") }, 32)).toBeNull();
  });

  test("whatever bytes come, the outcome is clean text within the length, or null", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const result = readText(ok(`0x${Buffer.from(bytes).toString("hex")}`), 32);
        if (result === null) return;
        expect([...result].length).toBeLessThanOrEqual(32);
        expect(cleanText(result, 32)).toBe(result);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (value) => {
        const clean = cleanText(value, 50);
        expect(clean).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]|[\u202a-\u202e\u2066-\u2069]/u);
        expect(clean.isWellFormed()).toBe(true);
        expect(cleanText(clean, 50)).toBe(clean);
      }),
    );
  });
});
