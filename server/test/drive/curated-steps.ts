// Every function of the governance of MetaMorpho 1.1 and of Euler Earn: one list for both, whose lines are a market or a strategy.
import { expect } from "vitest";
import type { EveryFamily } from "../simulation/every-family.ts";
import { KEEPER, OWNER } from "../simulation/every-family.ts";
import {
  ALLOCATOR,
  CURATOR,
  DAY,
  DEPOSITOR,
  type Drive,
  dataOf,
  ERC20,
  ERC4626,
  GUARD,
  RECIPIENT,
  STRANGER,
  Steps,
} from "./steps.ts";

const CAP = 1_000_000_000n;
const MAX = 2n ** 256n - 1n;

export function curatedDrive(world: EveryFamily, family: "metamorpho" | "euler_earn"): Drive {
  const { asset, safe } = world;
  const isMorpho = family === "metamorpho";
  const contract = isMorpho ? "MetaMorphoV1_1" : "EulerEarn";
  const vault = world.vaults[family];
  const lines = isMorpho
    ? world.markets.map(({ id, params }) => ({ id, argument: params }))
    : world.strategies.map((id) => ({ id, argument: id }));
  const [one, two] = lines as [(typeof lines)[number], (typeof lines)[number]];
  const on = new Steps(contract, vault);

  on.do(OWNER, ["setCurator", CURATOR], ["curator_change", { account: CURATOR, old: null, new: CURATOR }]);
  on.do(
    OWNER,
    ["setIsAllocator", ALLOCATOR, true],
    ["role_grant", { role: "allocator", account: ALLOCATOR }],
  );
  on.do(OWNER, ["setIsAllocator", STRANGER, true], ["role_grant", { account: STRANGER }]);
  on.do(
    OWNER,
    ["setIsAllocator", STRANGER, false],
    ["role_revoke", { role: "allocator", account: STRANGER }],
  );
  // The first guardian and a longer timelock hold at once.
  on.do(OWNER, ["submitGuardian", GUARD], ["guardian_change", { account: GUARD, old: null, new: GUARD }]);
  on.do(OWNER, ["submitTimelock", BigInt(DAY)], ["timelock_duration_change", { old: "0", new: "86400" }]);

  const propose = { id: one.id, cap_kind: "supply", old: "0", new: CAP.toString() };
  on.do(CURATOR, ["submitCap", one.argument, CAP], ["cap_change_propose", propose]);
  on.after(DAY);
  on.do(
    STRANGER,
    ["acceptCap", one.argument],
    ["queue_change", { id: "withdraw", old: [], new: [one.id] }],
    ["cap_change", { ...propose, accepted: true }],
  );
  on.do(CURATOR, ["submitCap", two.argument, CAP], ["cap_change_propose", { id: two.id }]);
  on.do(GUARD, ["revokePendingCap", two.id], ["timelock_revoke", { id: two.id, old: CAP.toString() }]);

  // What waits can be had sooner where a shorter timelock waits beside it.
  on.do(OWNER, ["submitTimelock", BigInt(3 * DAY)], ["timelock_duration_change", { new: "259200" }]);
  on.do(CURATOR, ["submitCap", two.argument, CAP], ["cap_change_propose", { id: two.id, old: "0" }]);
  on.do(OWNER, ["submitTimelock", BigInt(2 * DAY)], ["timelock_submit", { old: "259200", new: "172800" }]);
  on.do(GUARD, ["revokePendingTimelock"], ["timelock_revoke", { old: "172800" }]);
  on.do(OWNER, ["submitTimelock", BigInt(DAY)], ["timelock_submit", { old: "259200", new: "86400" }]);
  on.after(2 * DAY);
  on.do(
    OWNER,
    ["submitGuardian", STRANGER],
    ["guardian_change_propose", { account: STRANGER, old: GUARD, new: STRANGER }],
  );
  on.after(DAY);
  on.do(
    STRANGER,
    ["acceptTimelock"],
    ["timelock_duration_change", { old: "259200", new: "86400", accepted: true }],
  );
  on.do(GUARD, ["revokePendingGuardian"], ["timelock_revoke", { role: "guardian", old: STRANGER }]);
  on.do(OWNER, ["submitGuardian", KEEPER], ["guardian_change_propose", { account: KEEPER, old: GUARD }]);
  on.do(
    STRANGER,
    ["acceptCap", two.argument],
    ["queue_change", { id: "withdraw", old: [one.id], new: [one.id, two.id] }],
    ["cap_change", { id: two.id, accepted: true }],
  );
  on.after(DAY);
  on.do(
    STRANGER,
    ["acceptGuardian"],
    ["guardian_change", { account: KEEPER, old: GUARD, new: KEEPER, accepted: true }],
  );

  on.do(OWNER, ["setFeeRecipient", RECIPIENT], ["fee_recipient_change", { account: RECIPIENT, old: null }]);
  on.do(OWNER, ["setFee", 10n ** 17n], ["fee_config_update", { old: "0", new: (10n ** 17n).toString() }]);
  on.do(OWNER, ["setName", "Driven"], ["metadata_change", { id: "name", new: "Driven" }]);
  on.do(OWNER, ["setSymbol", "DRV"], ["metadata_change", { id: "symbol", new: "DRV" }]);
  if (isMorpho) {
    on.do(
      OWNER,
      ["setSkimRecipient", RECIPIENT],
      ["fee_config_update", { role: "skim_recipient", account: RECIPIENT, old: null }],
    );
    on.do(STRANGER, ["skim", asset]);
    on.do(
      OWNER,
      [
        "multicall",
        [
          dataOf(world, contract, ["setIsAllocator", STRANGER, true]),
          dataOf(world, contract, ["setIsAllocator", STRANGER, false]),
        ],
      ],
      ["role_grant", { account: STRANGER }],
      ["role_revoke", { account: STRANGER }],
    );
  }

  on.do(ALLOCATOR, ["setSupplyQueue", [one.id]], ["queue_change", { id: "supply", old: [], new: [one.id] }]);
  on.do(DEPOSITOR, ["deposit", 1_000_000n, DEPOSITOR], ["deposit", {}]);
  const move = (line: typeof one, assets: bigint) =>
    isMorpho ? { marketParams: line.argument, assets } : { id: line.id, assets };
  on.do(
    ALLOCATOR,
    ["reallocate", [move(one, 400_000n), move(two, MAX)]],
    ["allocation_change", { id: one.id, new: "-600000" }],
    ["allocation_change", { id: two.id, new: "600000" }],
  );
  on.do(
    ALLOCATOR,
    ["updateWithdrawQueue", [1n, 0n]],
    ["queue_change", { id: "withdraw", old: [one.id, two.id], new: [two.id, one.id] }],
  );

  // A line that still holds assets is let go: what it held is lost, and the price does not show it.
  on.do(
    CURATOR,
    ["submitCap", two.argument, 0n],
    ["cap_change", { id: two.id, old: CAP.toString(), new: "0" }],
  );
  on.do(CURATOR, ["submitMarketRemoval", two.argument], ["market_removal_propose", { id: two.id }]);
  on.do(KEEPER, ["revokePendingMarketRemoval", two.id], ["timelock_revoke", { id: two.id }]);
  on.do(CURATOR, ["submitMarketRemoval", two.argument], ["market_removal_propose", { id: two.id }]);
  on.after(DAY);
  on.do(
    ALLOCATOR,
    ["updateWithdrawQueue", [1n]],
    ["queue_change", { id: "withdraw", old: [two.id, one.id], new: [one.id] }],
    ["market_remove", { id: two.id, accepted: true, submit_entry_id: expect.any(String) }],
  );
  on.do(DEPOSITOR, ["deposit", 1_000n, DEPOSITOR], ["loss", {}], ["deposit", {}]);

  on.do(OWNER, ["transferOwnership", safe], ["owner_change_propose", { account: safe, old: OWNER }]);
  on.do(safe, ["acceptOwnership"], ["owner_change", { account: safe, old: OWNER, new: safe }]);
  on.do(safe, ["transferOwnership", OWNER], ["owner_change_propose", { account: OWNER, old: safe }]);
  on.do(OWNER, ["acceptOwnership"], ["owner_change", { account: OWNER, old: safe, new: OWNER }]);
  on.do(OWNER, ["renounceOwnership"], ["owner_change", { account: null, old: OWNER }]);
  return { steps: on.steps, holders: { [contract]: [...ERC20, ...ERC4626] } };
}
