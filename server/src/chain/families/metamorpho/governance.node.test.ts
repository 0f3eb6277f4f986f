import { type Address, encodeFunctionData } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { execute, passTime } from "../../../../../demo/src/chain.ts";
import type { GovernanceEffect } from "../../governance.ts";
import {
  ALLOCATOR,
  ANYONE,
  CURATOR,
  CuratedWorld,
  FAMILIES,
  GUARDIAN,
  type Line,
  OWNER,
  type TestVault,
} from "./test-vaults.ts";

const DAY = 86_400;
const CAP = 1_000_000_000n;

let world: CuratedWorld;

beforeAll(async () => {
  world = await CuratedWorld.start();
});
afterAll(() => world?.stop());

describe.each(FAMILIES)(
  "%s: each function of its governance is one entry, with who acted and what changed",
  (family) => {
    let vault: TestVault;
    let line: Line;
    let other: Line;

    beforeAll(async () => {
      vault = await world.vault(family);
      line = await world.line(family, "A");
      other = await world.line(family, "B");
    });

    test("roles", async () => {
      expect(await vault.do(OWNER, "setCurator", [CURATOR])).toEqual([
        told("SetCurator", OWNER, {
          action: "curator_change",
          role: "curator",
          account: CURATOR,
          new: CURATOR,
          old: null,
        }),
      ]);
      expect(await vault.do(OWNER, "setIsAllocator", [ALLOCATOR, true])).toEqual([
        told("SetIsAllocator", OWNER, { action: "role_grant", role: "allocator", account: ALLOCATOR }),
      ]);
      const { contractRoles } = await vault.reading();
      expect(contractRoles).toEqual([
        { role: "owner", account: OWNER },
        { role: "curator", account: CURATOR },
        { role: "allocator", account: ALLOCATOR },
      ]);
      expect(await vault.do(OWNER, "setIsAllocator", [ALLOCATOR, false])).toEqual([
        told("SetIsAllocator", OWNER, { action: "role_revoke", role: "allocator", account: ALLOCATOR }),
      ]);
      expect((await vault.reading()).contractRoles).not.toContainEqual({
        role: "allocator",
        account: ALLOCATOR,
      });
      await vault.do(OWNER, "setIsAllocator", [ALLOCATOR, true]);
    });

    test("the first guardian and a longer timelock hold at once", async () => {
      expect(await vault.do(OWNER, "submitGuardian", [GUARDIAN])).toEqual([
        told("SetGuardian", OWNER, {
          action: "guardian_change",
          role: "guardian",
          account: GUARDIAN,
          new: GUARDIAN,
          old: null,
        }),
      ]);
      expect(await vault.do(OWNER, "submitTimelock", [2 * DAY])).toEqual([
        told("SetTimelock", OWNER, { action: "timelock_duration_change", new: "172800", old: "0" }),
      ]);
      expect((await vault.reading()).pendingChanges).toEqual([]);
    });

    test("a raised cap waits, is accepted by anyone, and a lower one holds at once", async () => {
      const submitted = await vault.do(CURATOR, "submitCap", [line.argument, CAP]);
      const [, due] = await vault.view<[bigint, bigint]>("pendingCap", line.id);
      expect(due).toBe((await vault.now()) + 2n * 86_400n);
      expect(submitted).toEqual([
        told("SubmitCap", CURATOR, {
          action: "cap_change_propose",
          id: line.id,
          cap_kind: "supply",
          new: String(CAP),
          old: "0",
          executable_at: String(due),
        }),
      ]);
      await passTime(world.chain, 2 * DAY);
      expect(await vault.do(ANYONE, "acceptCap", [line.argument])).toEqual([
        told("SetWithdrawQueue", ANYONE, { action: "queue_change", id: "withdraw", new: [line.id], old: [] }),
        told("SetCap", ANYONE, {
          action: "cap_change",
          id: line.id,
          cap_kind: "supply",
          new: String(CAP),
          old: "0",
          accepted: true,
        }),
      ]);
      expect(await vault.do(CURATOR, "submitCap", [line.argument, CAP / 2n])).toEqual([
        told("SetCap", CURATOR, {
          action: "cap_change",
          id: line.id,
          cap_kind: "supply",
          new: String(CAP / 2n),
          old: String(CAP),
        }),
      ]);
    });

    test("a revoked cap is told with what was pending", async () => {
      await vault.do(CURATOR, "submitCap", [line.argument, CAP]);
      expect(await vault.do(GUARDIAN, "revokePendingCap", [line.id])).toEqual([
        told("RevokePendingCap", GUARDIAN, {
          action: "timelock_revoke",
          id: line.id,
          cap_kind: "supply",
          old: String(CAP),
        }),
      ]);
    });

    test("a shorter timelock waits, is revoked, and is accepted by anyone", async () => {
      const submitted = await vault.do(OWNER, "submitTimelock", [DAY]);
      const [, due] = await vault.view<[bigint, bigint]>("pendingTimelock");
      expect(submitted).toEqual([
        told("SubmitTimelock", OWNER, {
          action: "timelock_submit",
          new: "86400",
          old: "172800",
          executable_at: String(due),
        }),
      ]);
      expect(await vault.do(GUARDIAN, "revokePendingTimelock")).toEqual([
        told("RevokePendingTimelock", GUARDIAN, { action: "timelock_revoke", old: "86400" }),
      ]);
      await vault.do(OWNER, "submitTimelock", [DAY]);
      await passTime(world.chain, 2 * DAY);
      expect(await vault.do(ANYONE, "acceptTimelock")).toEqual([
        told("SetTimelock", ANYONE, {
          action: "timelock_duration_change",
          new: "86400",
          old: "172800",
          accepted: true,
        }),
      ]);
    });

    test("another guardian waits, is revoked, and is accepted by anyone", async () => {
      const submitted = await vault.do(OWNER, "submitGuardian", [ANYONE]);
      const [, due] = await vault.view<[Address, bigint]>("pendingGuardian");
      const change = { role: "guardian", account: ANYONE, new: ANYONE, old: GUARDIAN };
      expect(submitted).toEqual([
        told("SubmitGuardian", OWNER, {
          action: "guardian_change_propose",
          ...change,
          executable_at: String(due),
        }),
      ]);
      expect(await vault.do(GUARDIAN, "revokePendingGuardian")).toEqual([
        told("RevokePendingGuardian", GUARDIAN, { action: "timelock_revoke", role: "guardian", old: ANYONE }),
      ]);
      await vault.do(OWNER, "submitGuardian", [ANYONE]);
      await passTime(world.chain, DAY);
      expect(await vault.do(ALLOCATOR, "acceptGuardian")).toEqual([
        told("SetGuardian", ALLOCATOR, { action: "guardian_change", ...change, accepted: true }),
      ]);
    });

    test("fees and names", async () => {
      expect(await vault.do(OWNER, "setFeeRecipient", [ANYONE])).toEqual([
        told("SetFeeRecipient", OWNER, {
          action: "fee_recipient_change",
          role: "fee_recipient",
          account: ANYONE,
          new: ANYONE,
          old: null,
        }),
      ]);
      expect(await vault.do(OWNER, "setFee", [10n ** 17n])).toEqual([
        told("SetFee", OWNER, { action: "fee_config_update", new: "100000000000000000", old: "0" }),
      ]);
      expect(await vault.do(OWNER, "setName", ["Another"])).toEqual([
        told("SetName", OWNER, { action: "metadata_change", id: "name", new: "Another", old: "Vault" }),
      ]);
      expect(await vault.do(OWNER, "setSymbol", ["aUSD"])).toEqual([
        told("SetSymbol", OWNER, { action: "metadata_change", id: "symbol", new: "aUSD", old: "cUSD" }),
      ]);
    });

    test("queues and reallocation", async () => {
      await vault.open(other, CAP);
      expect(await vault.do(ALLOCATOR, "setSupplyQueue", [[line.id]])).toEqual([
        told("SetSupplyQueue", ALLOCATOR, { action: "queue_change", id: "supply", new: [line.id], old: [] }),
      ]);
      await vault.deposit(1_000_000n);
      const allocations =
        family === "metamorpho"
          ? [
              { marketParams: line.argument, assets: 400_000n },
              { marketParams: other.argument, assets: 2n ** 256n - 1n },
            ]
          : [
              { id: line.id, assets: 400_000n },
              { id: other.id, assets: 2n ** 256n - 1n },
            ];
      expect(await vault.do(ALLOCATOR, "reallocate", [allocations])).toEqual([
        told("ReallocateWithdraw", ALLOCATOR, { action: "allocation_change", id: line.id, new: "-600000" }),
        told("ReallocateSupply", ALLOCATOR, { action: "allocation_change", id: other.id, new: "600000" }),
      ]);
      expect(await vault.do(ALLOCATOR, "updateWithdrawQueue", [[1n, 0n]])).toEqual([
        told("SetWithdrawQueue", ALLOCATOR, {
          action: "queue_change",
          id: "withdraw",
          new: [other.id, line.id],
          old: [line.id, other.id],
        }),
      ]);
    });

    test("a line's removal waits, is revoked, and carried out by the queue alone", async () => {
      await vault.do(CURATOR, "submitCap", [other.argument, 0n]);
      const submitted = await vault.do(CURATOR, "submitMarketRemoval", [other.argument]);
      const due = String((await vault.now()) + 86_400n);
      expect(submitted).toEqual([
        told("SubmitMarketRemoval", CURATOR, {
          action: "market_removal_propose",
          id: other.id,
          executable_at: due,
        }),
      ]);
      expect(await vault.do(CURATOR, "revokePendingMarketRemoval", [other.id])).toEqual([
        told("RevokePendingMarketRemoval", CURATOR, { action: "timelock_revoke", id: other.id, old: due }),
      ]);
      await vault.do(CURATOR, "submitMarketRemoval", [other.argument]);
      await passTime(world.chain, DAY);
      expect(await vault.do(ALLOCATOR, "updateWithdrawQueue", [[1n]])).toEqual([
        told(
          "SetWithdrawQueue",
          ALLOCATOR,
          { action: "queue_change", id: "withdraw", new: [line.id], old: [other.id, line.id] },
          { action: "market_remove", id: other.id },
        ),
      ]);
      const { allocations, pendingChanges } = await vault.reading();
      expect([allocations.map(({ id }) => id), pendingChanges]).toEqual([[line.id], []]);
    });

    test("ownership is offered, taken, and given up", async () => {
      const change = { role: "owner", account: ANYONE, new: ANYONE, old: OWNER };
      expect(await vault.do(OWNER, "transferOwnership", [ANYONE])).toEqual([
        told("OwnershipTransferStarted", OWNER, { action: "owner_change_propose", ...change }),
      ]);
      expect(await vault.do(ANYONE, "acceptOwnership")).toEqual([
        told("OwnershipTransferred", ANYONE, { action: "owner_change", ...change }),
      ]);
      expect(await vault.do(ANYONE, "renounceOwnership")).toEqual([
        told("OwnershipTransferred", ANYONE, {
          action: "owner_change",
          role: "owner",
          account: null,
          new: null,
          old: ANYONE,
        }),
      ]);
      const { contractRoles, managers } = await vault.reading();
      expect(contractRoles.filter(({ role }) => role === "owner")).toEqual([]);
      expect(managers.primary).not.toBe(OWNER);
    });
  },
);

test("metamorpho: another skim recipient is an entry of fees; the skim itself, anyone's, is none", async () => {
  const vault = await world.vault("metamorpho");
  expect(await vault.do(OWNER, "setSkimRecipient", [ANYONE])).toEqual([
    told("SetSkimRecipient", OWNER, {
      action: "fee_config_update",
      role: "skim_recipient",
      account: ANYONE,
      new: ANYONE,
      old: null,
    }),
  ]);
  expect((await vault.reading()).contractRoles).toContainEqual({ role: "skim_recipient", account: ANYONE });
  expect(await vault.do(GUARDIAN, "skim", [world.asset])).toEqual([]);
});

test("what a constructor emits was done by who made the vault, not by the factory", async () => {
  const vault = await world.vault("metamorpho", DAY);
  const head = Number(await world.chain.client.getBlockNumber());
  const told = await vault.told(head);
  expect(told.map(({ event, actor }) => [event, actor])).toEqual([
    ["OwnershipTransferred", null],
    ["SetTimelock", null],
    ["SetName", null],
    ["SetSymbol", null],
  ]);
  expect(told[1]!.effects).toEqual([{ action: "timelock_duration_change", new: "86400" }]);
});

test("metamorpho: several changes in one transaction each know what stood before them", async () => {
  const vault = await world.vault("metamorpho");
  const { abi } = world.chain.artifacts.MetaMorphoV1_1!;
  const call = (functionName: string, args: unknown[]) => encodeFunctionData({ abi, functionName, args });
  const calls = [
    call("setCurator", [CURATOR]),
    call("setCurator", [ANYONE]),
    call("submitTimelock", [3 * DAY]),
    call("submitTimelock", [DAY]),
    call("transferOwnership", [ANYONE]),
  ];
  const told = await vault.do(OWNER, "multicall", [calls]);
  expect(told.map(({ event, effects: [effect] }) => [event, effect!.old, effect!.new])).toEqual([
    ["SetCurator", null, CURATOR],
    ["SetCurator", CURATOR, ANYONE],
    ["SetTimelock", "0", "259200"],
    ["SubmitTimelock", "259200", "86400"],
    ["OwnershipTransferStarted", OWNER, ANYONE],
  ]);
});

test("euler_earn: whoever acts through the connector is the account that it acts for", async () => {
  const vault = await world.vault("euler_earn");
  const line = await world.line("euler_earn", "C");
  const connector = { contract: "VaultConnector", address: world.euler.connector };
  await execute(world.chain, {
    ...connector,
    functionName: "setOperator",
    args: [ANYONE, true],
    from: OWNER,
  });
  const { abi } = world.chain.artifacts.EulerEarn!;
  const through = async (functionName: string, args: unknown[]) => {
    const data = encodeFunctionData({ abi, functionName, args });
    const call = { ...connector, functionName: "call", args: [vault.address, OWNER, data], from: ANYONE };
    const receipt = await execute(world.chain, call);
    return await vault.told(Number(receipt.blockNumber));
  };
  expect((await through("submitCap", [line.id, CAP])).map(({ actor }) => actor)).toEqual([OWNER]);
  // Its event names nobody.
  expect((await through("setCurator", [CURATOR])).map(({ actor }) => actor)).toEqual([OWNER]);
});

describe.each(FAMILIES)("%s: a public allocator is what anyone acts through", (family) => {
  test("who acted is the transaction's sender, and being one gives no role of an allocator", async () => {
    const vault = await world.vault(family);
    const [line, other] = [await world.line(family, "D"), await world.line(family, "E")];
    for (const each of [line, other]) await vault.open(each, CAP);
    await vault.do(OWNER, "setSupplyQueue", [[line.id]]);
    await vault.deposit(1_000_000n);
    const address = family === "metamorpho" ? world.morpho.publicAllocator : world.euler.publicAllocator;
    expect(await vault.do(OWNER, "setIsAllocator", [address, true])).toEqual([
      told("SetIsAllocator", OWNER, { action: "role_grant", role: "public_allocator", account: address }),
    ]);
    const contract = family === "metamorpho" ? "MetaMorphoPublicAllocator" : "EulerEarnPublicAllocator";
    const args = [vault.address, line.argument, 250_000n, other.argument];
    const receipt = await execute(world.chain, {
      contract,
      address,
      functionName: "reallocateTo",
      args,
      from: ANYONE,
    });
    const moves = await vault.told(Number(receipt.blockNumber));
    expect(moves.map(({ event, actor }) => [event, actor])).toEqual([
      ["ReallocateWithdraw", null],
      ["ReallocateSupply", null],
    ]);
    const { contractRoles, managers } = await vault.reading();
    expect(contractRoles).toContainEqual({ role: "public_allocator", account: address });
    expect(managers.secondary).not.toContain(address);
    await vault.do(OWNER, "setIsAllocator", [address, false]);
    expect((await vault.reading()).contractRoles).toEqual([{ role: "owner", account: OWNER }]);
  });
});

function told(event: string, actor: Address, ...effects: GovernanceEffect[]) {
  return { event, actor, effects };
}
