import { privateKeyToAddress } from "viem/accounts";
import { expect, test } from "vitest";
import { ACCOUNT_COUNT, accountAddress, demoAccounts, depositors } from "./accounts.ts";

test("the accounts are the node's well-known ones, each with the key of its address", () => {
  expect(accountAddress(0)).toBe("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266");
  expect(accountAddress(1)).toBe("0x70997970C51812dc3A010C7d01b50e0d17dc79C8");
  expect(demoAccounts()).toHaveLength(ACCOUNT_COUNT);
  for (const { address, privateKey } of demoAccounts()) expect(privateKeyToAddress(privateKey)).toBe(address);
  expect(depositors()).toHaveLength(8);
});
