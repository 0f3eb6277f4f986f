import { expect, it } from "vitest";
import { dispatchFieldsOf, fieldsOf, hintOf, parametersOf, rawOf } from "./action-fields.ts";

const UNITS = { asset: { decimals: 6, symbol: "USDC" }, shares: { decimals: null, symbol: null } };
const property = (kind: string, title: string, more: object = {}) => ({
  type: "string",
  title,
  "x-kind": kind,
  ...more,
});
const SCHEMA = {
  type: "object",
  properties: {
    cap: property("assets", "Cap", { description: "The most that may lie there." }),
    burned: property("shares", "Shares"),
    fee: property("bps", "Fee"),
    part: property("fraction", "Part"),
    wait: property("seconds", "Wait"),
    who: property("address", "Who"),
    way: { type: "string", title: "Way", enum: ["in", "out"], "x-kind": "choice" },
    veto: { type: "boolean", title: "Veto", "x-kind": "boolean" },
    ids: { type: "array", title: "Ids", items: { type: "string", "x-kind": "bytes32" }, "x-kind": "list" },
  },
  required: ["cap", "veto"],
};

const fields = fieldsOf(SCHEMA, UNITS);

it("makes a field of each parameter, in the unit in which people count", () => {
  expect(fields.map(({ name, input, unit, isRequired }) => [name, input, unit, isRequired])).toEqual([
    ["cap", "text", "USDC", true],
    ["burned", "text", "raw units", false],
    ["fee", "text", "%", false],
    ["part", "text", "%", false],
    ["wait", "text", "s", false],
    ["who", "text", null, false],
    ["way", "choice", null, false],
    ["veto", "flag", null, true],
    ["ids", "lines", null, false],
  ]);
  expect(fields[0]).toMatchObject({ title: "Cap", description: "The most that may lie there.", decimals: 6 });
  expect(fieldsOf({ type: "object" }, UNITS)).toEqual([]);
});

it("sends the chain's numbers, exactly, and leaves out what is empty", () => {
  const ids = [`0x${"1".repeat(64)}`, `0x${"2".repeat(64)}`];
  const draft = { cap: "3,500,000.000001", fee: "12.5", part: "0.1", veto: "false", ids: ids.join("\n") };
  expect(parametersOf(fields, { ...draft, burned: "", wait: "86400", who: " 0xab " })).toEqual({
    parameters: {
      cap: "3500000000001",
      fee: "1250",
      part: "1000000000000000",
      wait: "86400",
      who: "0xab",
      veto: false,
      ids,
    },
  });
});

it("names each field that is missing or no number", () => {
  expect(parametersOf(fields, { cap: "1.0000001", wait: "1.5", fee: "x", veto: "" })).toEqual({
    faults: [
      { name: "cap", message: "must be a number with at most 6 digits after the point" },
      { name: "fee", message: "must be a number with at most 2 digits after the point" },
      { name: "wait", message: "must be a whole number" },
      { name: "veto", message: "is missing" },
    ],
  });
});

it.each([
  ["0", 6, "0"],
  ["007", 0, "7"],
  ["0.000001", 6, "1"],
  ["1,000", 0, "1000"],
  ["1,00", 0, null],
  ["-1", 0, null],
  ["1e3", 0, null],
  [".5", 1, null],
])("%s of %i decimals is %s", (text, decimals, raw) => expect(rawOf(text, decimals)).toBe(raw));

it("says what will be sent where that is not what is typed", () => {
  const [cap, , , , wait, who] = fields as [(typeof fields)[0], ...typeof fields];
  expect(hintOf(cap, "1.5")).toBe("sent as 1500000, which is 1.5");
  expect(hintOf(wait as typeof cap, "3600")).toBe("= 1 h");
  expect(hintOf(who as typeof cap, "0xab")).toBeNull();
});

it("leaves out what is fixed of what bots are handed, and asks for no change that the alert tells of", () => {
  const schema = {
    type: "object",
    properties: {
      veto: { ...SCHEMA.properties.veto, const: true },
      id: property("text", "Change", { description: "Its id.", "x-from-alert": ["governance"] }),
    },
    required: ["veto", "id"],
  };
  const of = (category: string) => dispatchFieldsOf(schema, category, UNITS);
  expect(of("governance").fixed).toEqual({ veto: true });
  expect(of("governance").fields).toMatchObject([
    {
      name: "id",
      isRequired: false,
      description: "Its id. Left out, it is the one that the alert tells of.",
    },
  ]);
  expect(of("price").fields).toMatchObject([{ name: "id", isRequired: true, description: "Its id." }]);
});
