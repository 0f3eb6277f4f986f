// What a client may send as the parameters of an action, and in which form it comes out.
import { describe, expect, test } from "vitest";
import { callOf } from "./action-call.ts";
import { parametersSchema, readParameters } from "./parameters.ts";
import { decodeRevert, errorTable } from "./reverts.ts";

const ADDRESS = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
const one = (kind: never, value: unknown, more: object = {}) =>
  readParameters({ it: { kind, title: "It", ...more } }, value === undefined ? {} : { it: value });

describe("readParameters", () => {
  test.each([
    ["address", ADDRESS.toLowerCase(), ADDRESS],
    ["address", `0x${ADDRESS.slice(2).toUpperCase()}`, ADDRESS],
    ["assets", "0", "0"],
    ["integer", (2n ** 256n - 1n).toString(), (2n ** 256n - 1n).toString()],
    ["bytes32", `0x${"AB".repeat(32)}`, `0x${"ab".repeat(32)}`],
    ["bytes4", "0xABcdef01", "0xabcdef01"],
    ["bytes", "0x", "0x"],
    ["boolean", false, false],
    ["text", "é", "é"],
  ])("%s %s comes out in one form", (kind, value, canonical) => {
    expect(one(kind as never, value)).toEqual({ values: { it: canonical } });
  });

  test.each([
    ["address", `${ADDRESS.slice(0, -1)}6`],
    ["address", `0xD8dA6BF26964aF9D7eEd9e03E53415D37aA96045`],
    ["address", 5],
    ["assets", "01"],
    ["assets", "1.5"],
    ["assets", "-1"],
    ["assets", 5],
    ["integer", (2n ** 256n).toString()],
    ["integer", "9".repeat(79)],
    ["bytes32", "0x12"],
    ["bytes4", "0x123456789a"],
    ["bytes", "0x1"],
    ["bytes", `0x${"00".repeat(8_193)}`],
    ["boolean", "true"],
    ["text", ""],
    ["text", "x".repeat(257)],
    ["choice", "b"],
    ["list", "x"],
    ["list", [{}]],
    ["list", Array.from({ length: 65 }, () => ADDRESS)],
    ["assets", { fault: "0" }],
    ["assets", undefined],
    ["assets", null],
  ])("%s %j is refused by its path", (kind, value) => {
    const read = one(kind as never, value, { choices: ["a"], of: "address" });
    expect("faults" in read && read.faults.map(({ path }) => path)).toEqual(["parameters.it"]);
  });

  test("what is no parameter is refused, whatever it is called", () => {
    const read = readParameters({}, JSON.parse('{"__proto__": 1, "toString": 2}'));
    expect("faults" in read && read.faults).toHaveLength(2);
  });

  test("what is optional may be left out", () => {
    expect(one("assets" as never, undefined, { isOptional: true })).toEqual({ values: {} });
  });
});

test("the schema says what is taken", () => {
  const schema = parametersSchema({
    to: { kind: "address", title: "To" },
    how: { kind: "choice", title: "How", choices: ["a", "b"], isOptional: true },
  });
  expect(schema).toMatchObject({
    type: "object",
    required: ["to"],
    additionalProperties: false,
    properties: { to: { type: "string", "x-kind": "address" }, how: { enum: ["a", "b"] } },
  });
});

describe("decodeRevert", () => {
  const table = errorTable(["Abdicated()"]);
  const panic = callOf(ADDRESS, "Panic(uint256 code)", [17n]).data;
  test.each([
    ["0x", { selector: null, name: null, arguments: null }],
    ["0x1234", { selector: null, name: null, arguments: null }],
    [callOf(ADDRESS, "Abdicated()", []).data, { name: "Abdicated", arguments: {} }],
    [panic, { selector: "0x4e487b71", name: "Panic", arguments: { code: "17" } }],
    [`${panic.slice(0, 20)}`, { selector: "0x4e487b71", name: null, arguments: null }],
    ["0xdeadbeef", { selector: "0xdeadbeef", name: null, arguments: null }],
  ])("%s", (data, told) => {
    expect(decodeRevert(data as `0x${string}`, table)).toMatchObject(told);
  });
});
