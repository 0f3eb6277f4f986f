import { describe, expect, it } from "vitest";
import { etagOf, matchesEtag, weakEtagOf } from "./etag.ts";

describe("matchesEtag", () => {
  it.each([
    ['"a"', '"a"'],
    ['W/"a"', '"a"'],
    ['"a"', 'W/"a"'],
    ['W/"a"', 'W/"a"'],
    ['"x", "a"', '"a"'],
    ['"x",W/"a" , "y"', '"a"'],
    ["*", '"a"'],
    [" * ", '"a"'],
    ['"x,y", "a,b"', '"a,b"'],
  ])("If-None-Match %s names the tag %s", (header, etag) => expect(matchesEtag(header, etag)).toBe(true));

  it.each([
    ['"b"', '"a"'],
    ["a", '"a"'],
    ['"A"', '"a"'],
    ["", '"a"'],
    ['"a', '"a"'],
    ['"x, "a2"', '"a"'],
    ['"a,b"', '"a"'],
    ["**", '"a"'],
  ])("If-None-Match %s does not name the tag %s", (header, etag) =>
    expect(matchesEtag(header, etag)).toBe(false),
  );
});

describe("the tag of a body", () => {
  it("is the same for text and its bytes, and differs when a byte does", () => {
    expect(etagOf("{}")).toBe(etagOf(Buffer.from("{}")));
    expect(etagOf("{}")).not.toBe(etagOf("{ }"));
    expect(etagOf("{}")).toMatch(/^"[\w-]{27}"$/);
    expect(weakEtagOf("{}")).toBe(`W/${etagOf("{}")}`);
  });
});
