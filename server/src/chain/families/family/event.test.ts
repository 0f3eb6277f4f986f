import { type AbiEvent, decodeEventLog, type Hex, parseAbiItem } from "viem";
import { describe, expect, test } from "vitest";
import { encodeEvent, readEventTable } from "../../../../../demo/src/events.ts";
import fc from "../../../../test/fast-check.ts";
import { compileEvent, Undecodable } from "./event.ts";
import { rawLog } from "./test-log.ts";

const TABLE = readEventTable();
const hex = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((array) => `0x${Buffer.from(array).toString("hex")}` as Hex);

/** Any value of a type, extremes among them. */
function anyOf(type: string): fc.Arbitrary<unknown> {
  if (type.endsWith("[]")) return fc.array(anyOf(type.slice(0, -2)), { maxLength: 5 });
  switch (type) {
    case "address":
      return hex(20);
    case "bool":
      return fc.boolean();
    case "bytes32":
      return hex(32);
    case "bytes":
      return fc.uint8Array({ maxLength: 100 }).map((array) => `0x${Buffer.from(array).toString("hex")}`);
    case "string":
      // Text is cleaned while it is read; what needs no cleaning must come through as it is.
      return fc
        .string({ unit: fc.constantFrom(..."abcÄß日本🙂 0"), maxLength: 40 })
        .map((text) => text.trim());
    default: {
      const bits = BigInt(type.slice(4));
      const value = fc.oneof(
        fc.constant(0n),
        fc.constant((1n << bits) - 1n),
        fc.bigInt(0n, (1n << bits) - 1n),
      );
      return bits > 48n ? value : value.map(Number);
    }
  }
}

describe("an event's codec", () => {
  test.each(TABLE.map((entry) => [entry.signature, entry]))(
    "%s has the topic of the table",
    (signature, entry) => {
      expect(compileEvent(signature).topic).toBe(entry.topic);
    },
  );

  test.each(TABLE.map((entry) => [entry.signature]))(
    "%s reads back what was encoded, as viem does",
    (signature) => {
      const codec = compileEvent(signature);
      const abi = parseAbiItem(`event ${signature}`) as AbiEvent;
      const args = fc.tuple(...abi.inputs.map((input) => anyOf(input.type)));
      fc.assert(
        fc.property(args, (values) => {
          const log = rawLog(encodeEvent(signature, values));
          const theirs = decodeEventLog({ abi: [abi], topics: log.topics as [Hex], data: log.data });
          const ours = Object.fromEntries(
            codec.read(log).map((value, index) => [codec.parameters[index]!, value]),
          );
          expect(ours).toEqual(theirs.args ?? {});
        }),
        { numRuns: 15 },
      );
    },
  );

  test("says which topic holds an indexed parameter, and 0 for one that is not indexed", () => {
    const codec = compileEvent("Some(uint256 a, address indexed b, address c, bytes32 indexed d)");
    expect(["a", "b", "c", "d", "e"].map((name) => codec.topicOf(name))).toEqual([0, 1, 0, 2, 0]);
  });
});

describe("a log that does not hold what its event promises is Undecodable", () => {
  const codec = compileEvent(
    "Some(address indexed who, uint8 small, bool flag, string text, uint256[] list)",
  );
  const good = rawLog(
    encodeEvent("Some(address indexed who, uint8 small, bool flag, string text, uint256[] list)", [
      `0x${"11".repeat(20)}`,
      7,
      true,
      "text",
      [1n, 2n],
    ]),
  );
  const word = (value: bigint) => value.toString(16).padStart(64, "0");
  const withWord = (index: number, value: bigint): Hex =>
    `0x${good.data.slice(2, 2 + index * 64)}${word(value)}${good.data.slice(2 + (index + 1) * 64)}`;

  test("the good one is read", () => {
    expect(codec.read(good)).toEqual([
      "0x1111111111111111111111111111111111111111",
      7,
      true,
      "text",
      [1n, 2n],
    ]);
  });

  test.each([
    ["a topic too few", { topics: good.topics.slice(0, 1) }],
    ["a topic too many", { topics: [...good.topics, good.topics[1]!] }],
    ["an address wider than 20 bytes", { topics: [good.topics[0]!, `0x${"11".repeat(32)}` as Hex] }],
    ["no data", { data: "0x" as Hex }],
    ["data cut in its head", { data: good.data.slice(0, 100) as Hex }],
    ["data cut in its tail", { data: good.data.slice(0, -64) as Hex }],
    ["a uint8 of 256", { data: withWord(0, 256n) }],
    ["a bool of 2", { data: withWord(1, 2n) }],
    ["an offset outside the data", { data: withWord(2, 10_000n) }],
    ["an offset beyond any number", { data: withWord(2, (1n << 256n) - 1n) }],
    ["a text longer than the data", { data: withWord(4, 10_000n) }],
    ["an array longer than the data", { data: withWord(6, 3n) }],
    ["an array of 2^255", { data: withWord(6, 1n << 255n) }],
  ])("%s", (_what, change) => {
    expect(() => codec.read({ ...good, ...change })).toThrow(Undecodable);
  });

  test("no garbage makes it throw anything else", () => {
    const topics = fc.array(hex(32), { maxLength: 4 });
    const data = fc.oneof(
      fc.uint8Array({ maxLength: 400 }).map((array) => `0x${Buffer.from(array).toString("hex")}` as Hex),
      // Words that look like offsets and lengths.
      fc.array(fc.bigInt(0n, 300n), { maxLength: 12 }).map((words) => `0x${words.map(word).join("")}` as Hex),
    );
    const codecs = TABLE.map((entry) => compileEvent(entry.signature));
    fc.assert(
      fc.property(fc.constantFrom(codec, ...codecs), topics, data, (each, rest, bytes) => {
        try {
          each.read(rawLog({ topics: [each.topic, ...rest], data: bytes }));
        } catch (error) {
          expect(error).toBeInstanceOf(Undecodable);
        }
      }),
      { numRuns: 3000 },
    );
  });
});
