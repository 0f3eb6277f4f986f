// Which change that waits an alert tells of: the one, or none.
import type { Address } from "viem";
import { expect, test } from "vitest";
import type { PendingChange } from "../../../chain/reading.ts";
import { alertedValue } from "./alerted-change.ts";

const BY = "0x00000000000000000000000000000000000000A1" as Address;
const OTHER = "0x00000000000000000000000000000000000000A2" as Address;
const AT = 1_778_000_000;
const LOG = `0x${"11".repeat(32)}:4`;

const change = (id: string, more: Partial<PendingChange> = {}): PendingChange => ({
  kind: "call",
  current: null,
  proposed: null,
  proposer: BY,
  effectiveAt: null,
  id,
  calldata: "0x1234",
  submittedAt: AT,
  submittedBy: BY,
  ...more,
});
const alert = (details: Record<string, unknown> = {}, subject = LOG) => ({
  subject,
  details: {
    life: "submitted",
    actor: BY,
    happened_at: new Date(AT * 1000).toISOString(),
    call: null,
    id: null,
    ...details,
  },
});

test.each<[string, ReturnType<typeof alert>, PendingChange[], string | null]>([
  ["by the log that submitted it", alert(), [change("cap:1:2"), change(LOG)], LOG],
  [
    "by its call",
    alert({ call: { calldata: "0x1234" } }),
    [change("a"), change("b", { calldata: "0x5678" })],
    "a",
  ],
  ["by what it is about", alert({ id: "0xaa" }), [change("cap:0xaa:9"), change("cap:0xbb:9")], "cap:0xaa:9"],
  ["by its time and who submitted it alone", alert(), [change("guardian:9")], "guardian:9"],
  ["none of another time", alert(), [change("guardian:9", { submittedAt: AT + 12 })], null],
  ["none of somebody else", alert(), [change("guardian:9", { submittedBy: OTHER })], null],
  ["none where two could be meant", alert(), [change("guardian:9"), change("timelock:9")], null],
  ...(
    [
      ["guardian_change_propose", "guardian:9"],
      ["timelock_submit", "timelock:9"],
      ["cap_change_propose", "cap:0xaa:9"],
      ["market_removal_propose", "removal:0xaa:9"],
    ] as const
  ).map(([action, id]): [string, ReturnType<typeof alert>, PendingChange[], string] => [
    `by what was done, beside what was submitted in the same block: ${action}`,
    alert({ action, id: id.includes("0xaa") ? "0xaa" : null }),
    ["guardian:9", "timelock:9", "cap:0xaa:9", "removal:0xaa:9"].map((each) => change(each)),
    id,
  ]),
  [
    "none where what was done is not there",
    alert({ action: "timelock_submit" }),
    [change("guardian:9")],
    null,
  ],
  [
    "by its time, where the family's ids are of no kind",
    alert({ action: "timelock_submit" }),
    [change(`0x22:1`)],
    "0x22:1",
  ],
  ["none that is gone", alert({ id: "0xaa" }), [change("cap:0xbb:9")], null],
  ["none of what was no submission", alert({ life: "executed" }), [change(LOG)], null],
])("%s", (_, told, pending, id) => {
  expect(alertedValue("change", told, pending)).toBe(id);
});

test("an operation by its id, which the contract itself is asked about", () => {
  expect(alertedValue("operation", alert({ id: "0xaa" }), [])).toBe("0xaa");
  expect(alertedValue("operation", alert(), [])).toBeNull();
});
