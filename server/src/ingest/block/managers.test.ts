import type { Address } from "viem";
import { describe, expect, it } from "vitest";
import type { FactBody } from "../../chain/facts.ts";
import type { GovernanceEffect } from "../../chain/governance.ts";
import { ManagerBook } from "./managers.ts";

const VAULT: Address = "0x00000000000000000000000000000000000000A1";
const [ALICE, BOB, CAROL] = ["0x0a", "0x0b", "0x0c"] as Address[] as [Address, Address, Address];

describe("the book of managers", () => {
  it("knows the managers of a deployment, and every change after it", () => {
    const book = bookOf(
      [1, deployed(ALICE, [BOB])],
      [2, { kind: "secondary_manager_added", manager: CAROL }],
    );
    expect([ALICE, BOB, CAROL].map((wallet) => book.manages(wallet, VAULT, 3))).toEqual([true, true, true]);
    book.apply({
      vaultAddress: VAULT,
      blockNumber: 4,
      body: { kind: "secondary_manager_removed", manager: BOB },
    });
    expect(book.manages(BOB, VAULT, 5)).toBe(false);
  });

  it("counts a wallet for the whole of the block in which it stops managing", () => {
    const change = {
      kind: "primary_manager_changed",
      oldManager: ALICE,
      newManager: BOB,
      feeRecipient: null,
    } as const;
    const book = bookOf([1, deployed(ALICE, [])], [7, change]);
    expect([ALICE, BOB].map((wallet) => book.manages(wallet, VAULT, 7))).toEqual([true, true]);
    expect([ALICE, BOB].map((wallet) => book.manages(wallet, VAULT, 8))).toEqual([false, true]);
  });

  it("lets the secondary managers go with a change of the primary one in the versions that clear them", () => {
    const change = {
      kind: "primary_manager_changed",
      oldManager: ALICE,
      newManager: BOB,
      feeRecipient: BOB,
    } as const;
    const book = bookOf([1, deployed(ALICE, [CAROL])], [7, change]);
    expect(book.manages(CAROL, VAULT, 7)).toBe(true);
    expect(book.manages(CAROL, VAULT, 8)).toBe(false);
  });

  it("follows the owner of a vault only where the configuration names no manager", () => {
    const sold = { kind: "ownership_transferred", previousOwner: ALICE, newOwner: BOB } as const;
    const owned = new ManagerBook();
    owned.seed(VAULT, { primary: ALICE, secondary: [] }, false);
    owned.apply({ vaultAddress: VAULT, blockNumber: 2, body: sold });
    expect([ALICE, BOB].map((wallet) => owned.manages(wallet, VAULT, 3))).toEqual([false, true]);
    const configured = new ManagerBook();
    configured.seed(VAULT, { primary: CAROL, secondary: [] }, true);
    configured.apply({ vaultAddress: VAULT, blockNumber: 2, body: sold });
    expect([BOB, CAROL].map((wallet) => configured.manages(wallet, VAULT, 3))).toEqual([false, true]);
  });

  it("knows for good whoever held a role of a contract that has roles of its own, not whom somebody only proposed", () => {
    const told = (...effects: GovernanceEffect[]): FactBody => ({
      kind: "governance",
      contract: "vault",
      event: "Some",
      args: {},
      effects,
    });
    const NOBODY: Address = "0x0000000000000000000000000000000000000000";
    const [DORA, EMIL] = ["0x0d", "0x0e"].map((end) => end.padEnd(42, "0")) as [Address, Address];
    const book = bookOf(
      [1, told({ action: "role_grant", role: "safe", account: DORA, old: NOBODY })],
      [2, told({ action: "owner_change_propose", role: "owner", account: EMIL })],
    );
    expect([DORA, EMIL, NOBODY].map((wallet) => book.manages(wallet, VAULT, 3))).toEqual([
      true,
      false,
      false,
    ]);
    book.apply({
      vaultAddress: VAULT,
      blockNumber: 4,
      body: told({ action: "role_grant", role: "safe", account: EMIL, old: DORA }),
    });
    expect([DORA, EMIL].map((wallet) => book.manages(wallet, VAULT, 9))).toEqual([true, true]);
  });

  it("knows nobody of a vault it has not heard of", () => {
    expect(new ManagerBook().manages(ALICE, VAULT, 1)).toBe(false);
  });
});

function bookOf(...facts: [blockNumber: number, body: FactBody][]): ManagerBook {
  const book = new ManagerBook();
  for (const [blockNumber, body] of facts) book.apply({ vaultAddress: VAULT, blockNumber, body });
  return book;
}

function deployed(primaryManager: Address, secondaryManagers: Address[]): FactBody {
  const address = VAULT;
  const rest = {
    vault: address,
    strategy: address,
    escrow: address,
    asset: address,
    name: "",
    symbol: "",
    nonce: 0n,
  };
  return { kind: "vault_deployed", ...rest, primaryManager, secondaryManagers };
}
