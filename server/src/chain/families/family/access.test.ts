import type { Address } from "viem";
import { expect, test } from "vitest";
import { NOTHING_READ } from "../../reading.ts";
import { withManagers } from "./access.ts";

const [A, B, C, D] = [1, 2, 3, 4].map((n) => `0x${String(n).repeat(40)}`) as [
  Address,
  Address,
  Address,
  Address,
];
const ACCESS = { owner: "primary", curator: "primary", allocator: "secondary", fee_recipient: null } as const;
const contractRoles = [
  { role: "owner", account: A },
  { role: "curator", account: B },
  { role: "allocator", account: C },
  { role: "allocator", account: B },
  { role: "fee_recipient", account: D },
  { role: "unheard_of", account: D },
];

test("owner and curator manage as primary, each once and in the stronger role; the others count for nothing", () => {
  const { managers } = withManagers({ ...NOTHING_READ, contractRoles }, ACCESS, null);
  expect(managers).toEqual({ primary: A, furtherPrimary: [B], secondary: [C] });
});

test("a primary manager that the configuration names stands before what the contract says", () => {
  const { managers } = withManagers({ ...NOTHING_READ, contractRoles }, ACCESS, D);
  expect(managers).toEqual({ primary: D, furtherPrimary: [], secondary: [C, B] });
});

test("roles that were not read leave the managers unread as well", () => {
  const reading = withManagers({ ...NOTHING_READ, unread: ["contractRoles"] }, ACCESS, null);
  expect(reading.unread).toEqual(["contractRoles", "managers"]);
});
