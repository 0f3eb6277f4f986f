import { type AbiEvent, decodeEventLog, type Hex, parseAbiItem } from "viem";
import { describe, expect, test } from "vitest";
import { encodeEvent, readEventTable } from "../../../../../demo/src/events.ts";
import { rawLog } from "../../../../test/event-log.ts";
import fc from "../../../../test/fast-check.ts";
import { compileEvent, Undecodable } from "./event.ts";

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

/** Types that the events of the table have not, with their hashes as published. */
const FURTHER = [
  [
    "RatesUpdated((uint16,uint16,uint16,uint16,uint16) oldRates, (uint16,uint16,uint16,uint16,uint16) newRate, uint256 timestamp)",
    "0x7076f0ff66203d6a06df134b802913240d38711a613c24b51c6c256b5a0df328",
  ],
  [
    "GuardrailsUpdated((uint256,int256) oldGuardrails, (uint256,int256) newGuardrails)",
    "0xd0a7ce537945b3faffb57aca33f3bb6db3806ac323dd92e09f650a244bbe8eb3",
  ],
  [
    "FeeTaken(uint8 indexed feeType, uint256 shares, uint16 rate, uint40 contextId, uint256 managerShares, uint256 protocolShares)",
    "0x48985d7a9338a2d6e9d0118ba6f193fef8bb67972b2afe5b06a70f18d4fb872a",
  ],
  [
    "TargetFunctionRoleUpdated(address indexed target, bytes4 selector, uint64 indexed roleId)",
    "0x9ea6790c7dadfd01c9f8b9762b3682607af2c7e79e05a9f9fdf5580dde949151",
  ],
  [
    "UpdateDefaultQueue(address[] new_default_queue)",
    "0x0bc0cb8c5ccee13e6a2fd26a699f57ad7ff6e454e6aae97ec41cd2eb9ebd63a5",
  ],
] as const;

describe("an event's codec", () => {
  test.each(FURTHER)("%s has the topic that is published", (signature, topic) => {
    expect(compileEvent(signature).topic).toBe(topic);
  });

  test("integers of every size, bytes of every size and tuples are read as viem reads them", () => {
    const signature =
      "Some(uint96 indexed a, (uint256,int256,bytes4) b, int24 c, bytes32[] d, uint128 e, (address,bool) f)";
    const codec = compileEvent(signature);
    const abi = parseAbiItem(`event ${signature}`) as AbiEvent;
    const signed = (bits: bigint) => fc.bigInt(-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n);
    const args = fc.tuple(
      fc.bigInt(0n, (1n << 96n) - 1n),
      fc.tuple(anyOf("uint256"), signed(256n), hex(4)),
      signed(24n).map(Number),
      fc.array(hex(32), { maxLength: 4 }),
      anyOf("uint128"),
      fc.tuple(hex(20), fc.boolean()),
    );
    fc.assert(
      fc.property(args, (values) => {
        const log = rawLog(encodeEvent(signature, values));
        const theirs = decodeEventLog({ abi: [abi], topics: log.topics as [Hex], data: log.data });
        const ours = codec.parameters.map((name, index) => [name, codec.read(log)[index]]);
        expect(Object.fromEntries(ours)).toEqual({ ...theirs.args, c: BigInt(values[2]) });
      }),
    );
  });

  test("of an indexed text, list or tuple there is the hash", () => {
    const codec = compileEvent(
      "Some(bytes indexed data, string indexed text, (address,uint256) indexed pair)",
    );
    const topics = [codec.topic, 1, 2, 3].map((each) =>
      typeof each === "number" ? (`0x${String(each).repeat(64)}` as Hex) : each,
    );
    expect(codec.read(rawLog({ topics, data: "0x" }))).toEqual(topics.slice(1));
  });

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

  test.each([
    ["a uint40 of 2^40", "uint40", 1n << 40n],
    ["an int8 of 128", "int8", 128n],
    ["an int8 of -129", "int8", (1n << 256n) - 129n],
    ["five bytes in bytes4", "bytes4", 1n << 216n],
    ["a tuple with a bool of 2", "(bool)", 2n],
  ])("%s", (_what, type, value) => {
    const some = compileEvent(`Some(${type} value)`);
    expect(() => some.read(rawLog({ topics: [some.topic], data: `0x${word(value)}` }))).toThrow(Undecodable);
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
