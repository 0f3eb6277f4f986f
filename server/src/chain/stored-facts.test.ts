import { expect, test } from "vitest";
import { type FactBody, toStored } from "./facts.ts";
import { fromStored } from "./stored-facts.ts";

const WALLET = "0x000000000000000000000000000000000000dEaD";
const BODIES: FactBody[] = [
  { kind: "pps_updated", pps: 2n ** 255n, timestamp: 0n },
  { kind: "pps_update_rejected", reason: "UpdateTooFrequent", message: "12", timestamp: null, pps: null },
  { kind: "upkeep_spent", amount: 1n, balance: null, claimableUpkeep: 2n ** 60n },
  { kind: "redeem_requests_fulfilled", controllers: [WALLET], processedShares: 3n, currentPps: 4n },
  { kind: "vault_paused", account: WALLET },
];

test.each(BODIES.map((body) => [body.kind, body] as const))(
  "%s comes back from JSON as it was stored, quantities as quantities and nulls as nulls",
  (_kind, body) => {
    expect(fromStored(JSON.parse(JSON.stringify(toStored(body))))).toEqual(body);
  },
);

test("a kind that another release stored comes back as it is", () => {
  const later = { kind: "of_a_later_release", amount: "12" };
  expect(fromStored(later as never)).toEqual(later);
});
