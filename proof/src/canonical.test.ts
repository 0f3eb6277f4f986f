import { describe, expect, it } from "vitest";
import fc from "../../server/test/fast-check.ts";
import { canonicalJson } from "./canonical.ts";

describe("canonical JSON", () => {
  it("is the example of RFC 8785, 3.2.2 and 3.2.3", () => {
    const value = {
      numbers: [JSON.parse("333333333.33333329"), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"/",
      literals: [null, true, false],
    };
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it("sorts keys by UTF-16 code units, as the RFC's own example", () => {
    const value = { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\ud83d\ude00": 5, "\u0080": 6, "\u00f6": 7 };
    expect(Object.values(JSON.parse(canonicalJson(value)))).toBeDefined();
    expect(canonicalJson(value).match(/:(\d)/g)).toEqual([":2", ":4", ":6", ":7", ":1", ":5", ":3"]);
  });

  it("reads back to the same value, has no raw control character, and is its own canonical form", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
        const text = canonicalJson(value);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: that there is none is the point
        expect(text).not.toMatch(/[\u0000-\u001f]/);
        expect(text.isWellFormed()).toBe(true);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it("does not depend on the order in which keys were set", () => {
    expect(canonicalJson({ b: { d: 1, c: 2 }, a: [3] })).toBe(canonicalJson({ a: [3], b: { c: 2, d: 1 } }));
  });

  it("puts U+FFFD for half a surrogate pair, which no JSON text may hold", () => {
    expect(canonicalJson("a\ud800b")).toBe('"a\ufffdb"');
  });

  it("keeps members whose names hold half a pair apart, and sorted as they are written", () => {
    const halves = { "\ud800": 1, "\udc00": 2, "\ufffd": 3, "\ud800z": 4, "\ue000": 5, plain: 6 };
    const text = canonicalJson(halves);
    expect(canonicalJson(JSON.parse(text))).toBe(text);
    expect(Object.values(JSON.parse(text)).sort()).toEqual([1, 2, 3, 4, 5, 6]);
    const turned = Object.fromEntries(Object.entries(halves).reverse());
    expect(canonicalJson(turned)).toBe(text);
  });

  it.each([1n, Number.NaN, Number.POSITIVE_INFINITY, undefined, () => 1])(
    "refuses what is no JSON: %s",
    (value) => {
      expect(() => canonicalJson([value])).toThrow(TypeError);
    },
  );

  it("leaves out members that are undefined", () => {
    expect(canonicalJson({ a: undefined, b: 1 })).toBe('{"b":1}');
  });
});
