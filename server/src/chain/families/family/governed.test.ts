import { expect, test } from "vitest";
import { encodeEvent } from "../../../../../demo/src/events.ts";
import { rawLog } from "../../../../test/event-log.ts";
import { toStored } from "../../facts.ts";
import { fromStored } from "../../stored-facts.ts";
import { decodeLog } from "./decode-log.ts";
import { governed } from "./governed.ts";

const WHO = "0x1111111111111111111111111111111111111111";
const SIGNATURE =
  "SetCap(address indexed caller, uint40 at, (uint256,int256) range, uint8 kind, bytes32[] ids)";
const RULE = governed(
  "adapter",
  SIGNATURE,
  (_caller, at, [low], kind, ids) => [
    { action: "cap_change", id: ids[0]!, new: low.toString(), old: [at.toString(), kind.toString()] },
  ],
  "caller",
);
const ID = `0x${"ab".repeat(32)}` as const;

test("the fact holds the event as it was emitted, every integer as a decimal string, and what it did", () => {
  const log = rawLog(encodeEvent(SIGNATURE, [WHO, 9n, [7n, -3n], 2, [ID]]));
  const decoded = decodeLog(log, RULE, "adapter", WHO)!;
  expect(decoded.actor).toBe(WHO);
  expect(decoded.body).toEqual({
    kind: "governance",
    contract: "adapter",
    event: "SetCap",
    args: { caller: WHO, at: "9", range: ["7", "-3"], kind: "2", ids: [ID] },
    effects: [{ action: "cap_change", id: ID, new: "7", old: ["9", "2"] }],
  });
  expect(fromStored(JSON.parse(JSON.stringify(toStored(decoded.body))))).toEqual(decoded.body);
});

test("a log that does not fit is kept whole under its contract", () => {
  const log = rawLog({ topics: [RULE.topic], data: "0x12" });
  expect(decodeLog(log, RULE, "adapter", WHO)!.body).toMatchObject({
    kind: "other",
    contract: "adapter",
    args: { data: "0x12" },
  });
});

test("an actor that is no parameter is a mistake in the table", () => {
  expect(() => governed("vault", "Some(address who)", () => [], "caller")).toThrow("no parameter caller");
});
