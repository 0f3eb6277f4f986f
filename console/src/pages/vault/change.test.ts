import { expect, it } from "vitest";
import { changeLines, type PendingChange } from "./change.ts";

const change = (kind: PendingChange["kind"], current: unknown, proposed: unknown) =>
  changeLines({ kind, current, proposed, proposer: null, effective_at: null } as PendingChange);

it("shows times as times", () => {
  expect(change("pps_expiration", "172800", "259200")).toEqual([
    { name: "", from: { as: "text", value: "2 d" }, to: { as: "text", value: "3 d" } },
  ]);
  expect(change("min_update_interval", "45", "90")).toEqual([
    { name: "", from: { as: "text", value: "45 s" }, to: { as: "text", value: "1 min 30 s" } },
  ]);
});

it("shows of new fees only what differs, as per cent", () => {
  const before = { performance_fee_bps: 1000, management_fee_bps: 0, recipient: "0xA" };
  expect(change("fee_config", before, { ...before, performance_fee_bps: 1250 })).toEqual([
    { name: "performance", from: { as: "text", value: "10 %" }, to: { as: "text", value: "12.5 %" } },
  ]);
  expect(change("fee_config", before, { ...before, recipient: "0xB" })).toEqual([
    { name: "recipient", from: { as: "address", value: "0xA" }, to: { as: "address", value: "0xB" } },
  ]);
});

it("takes an empty root for none", () => {
  expect(change("hooks_root", `0x${"0".repeat(64)}`, "0xab")).toEqual([
    { name: "", from: null, to: { as: "hash", value: "0xab" } },
  ]);
});

it("shows what it does not know as it came", () => {
  expect(change("something_new" as PendingChange["kind"], { a: 1 }, "x")).toEqual([
    { name: "", from: { as: "text", value: '{"a":1}' }, to: { as: "text", value: "x" } },
  ]);
});
