import { describe, expect, it } from "vitest";
import fc from "../../../test/fast-check.ts";
import { Problem } from "../errors.ts";
import { parseJsonBody } from "./json.ts";

const parse = (text: string) => parseJsonBody(Buffer.from(text));

function problemOf(work: () => unknown): Problem | null {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  return null;
}

const codeOf = (work: () => unknown): string => problemOf(work)?.code ?? "accepted";

describe("parseJsonBody", () => {
  it("takes an empty body for none", () => expect(parse("")).toBeUndefined());

  it("reads whatever JSON.stringify writes, as JSON.parse does", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 2, "\t"), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const isRefused =
          text.includes('"__proto__"') || text.includes("\\u0000") || /\\ud[89a-f]/i.test(text);
        if (!isRefused) expect(parse(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });

  it("never fails but as invalid_json, whatever the bytes", () => {
    const nearJson = fc.stringMatching(/^[[\]{}",:\\u0a-f\d ]{0,60}$/);
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 200 }),
          nearJson.map((text) => Buffer.from(text)),
        ),
        (bytes) => {
          expect(["accepted", "invalid_json"]).toContain(codeOf(() => parseJsonBody(Buffer.from(bytes))));
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("takes a number that a double holds, however it is written", () => {
    for (const text of [
      "-0",
      "0.1",
      "1e-400",
      "9007199254740991",
      "9223372036854775808",
      "9223372036854776000",
      "1e308",
    ])
      expect(parse(`{"a":[${text}]}`)).toEqual({ a: [Number(text)] });
  });

  it.each([
    ["a number that is too large", '{"a":1e400}'],
    ["an integer that would come out as another", "[9007199254740993]"],
    ["text that is not JSON", "{"],
    ["two values", "{} {}"],
    ["a comment", "{} // x"],
    ["NaN", "NaN"],
    ["a key given twice", '{"a":1,"a":2}'],
    ["a key given twice, once escaped", '{"a":1,"\\u0061":2}'],
    ["a key given twice further in", '[{"x":{"b":1,"c":{},"b":2}}]'],
    ["the key __proto__", '{"__proto__":{"isMaintainer":true}}'],
    ["the key __proto__, escaped", '{"\\u005f_proto__":1}'],
    ["a NUL character", '{"a":"x\\u0000y"}'],
    ["a NUL character in a key", '{"x\\u0000":1}'],
    ["half of a surrogate pair", '{"a":"\\ud800"}'],
    ["the other half", '["\\udc00\\ud800"]'],
  ])("refuses %s", (_what, text) => expect(codeOf(() => parse(text))).toBe("invalid_json"));

  it.each([
    ["the whole", '"\\u0000"', ""],
    ["a member", '{"a":"x\\",","b" : "\\u0000"}', "/b"],
    ["a member further in", '{"a":{"b":{"z":1},"c":[{},"}",{"d":"\\ud800"}]}}', "/a/c/2/d"],
    ["an element", '[[],[1,2],"\\u0000"]', "/2"],
    ["a member whose name is at fault", '{"a":[1],"b":{"x\\u0000":1}}', "/b/x\0"],
    ["a name with what a pointer escapes", '{"a/b~c":1e400}', "/a~1b~0c"],
    ["a key given twice", '{"x":{"a":1,"a":2}}', "/x/a"],
    ["an integer that would come out as another", '{"n":[ 9007199254740993 ]}', "/n/0"],
  ])("names the place of %s by its JSON pointer", (_what, text, path) => {
    expect(problemOf(() => parse(text))).toMatchObject({
      message: expect.stringContaining(path === "" ? "The body contains" : path),
      extra: { errors: [{ path, message: expect.stringMatching(/^contains /) }] },
    });
  });

  it("names a place around it where the keys are longer than an answer should be", () => {
    const problem = problemOf(() => parse(`{"a":{"${"k".repeat(500_000)}":{"b":"\\u0000"}}}`));
    expect(problem).toMatchObject({ extra: { errors: [{ path: "/a" }] } });
  });

  it("allows the same key in different objects, and as a value", () => {
    expect(parse('[{"a":1},{"a":{"a":"a"}},"a","a"]')).toEqual([{ a: 1 }, { a: { a: "a" } }, "a", "a"]);
  });

  it("keeps whole surrogate pairs and escaped quotes", () => {
    expect(parse('{"a\\"":"\\ud83d\\ude00 \\\\","b":"{[\\"a\\":1,"}')).toEqual({
      'a"': "😀 \\",
      b: '{["a":1,',
    });
  });

  it("refuses bytes that are not UTF-8", () => {
    expect(codeOf(() => parseJsonBody(Buffer.from([0x22, 0xff, 0x22])))).toBe("invalid_json");
    expect(codeOf(() => parseJsonBody(Buffer.from('"a"', "utf16le")))).toBe("invalid_json");
  });

  it("allows 64 levels and refuses 65, and a million without running out of stack", () => {
    const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    expect(codeOf(() => parse(nested(64)))).toBe("accepted");
    expect(codeOf(() => parse(nested(65)))).toBe("invalid_json");
    expect(codeOf(() => parse("[".repeat(500_000) + "]".repeat(500_000)))).toBe("invalid_json");
    expect(codeOf(() => parse('{"a":'.repeat(200_000)))).toBe("invalid_json");
  });
});
