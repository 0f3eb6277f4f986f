import { getAddress, numberToHex } from "viem";
import { describe, expect, test } from "vitest";
import { silentChanges } from "./apply-safe.ts";
import { plainState } from "./state.ts";

const [safe, anne, ben, carl] = Array.from({ length: 4 }, (_, n) =>
  getAddress(numberToHex(0xdada00 + n, { size: 20 })),
) as [`0x${string}`, `0x${string}`, `0x${string}`, `0x${string}`];
const expected = { ...plainState("safe"), owners: [anne, ben], threshold: 2, singleton: carl };

describe("what a Safe's events do not explain", () => {
  test("is nothing where only the order of its owners is another", () => {
    expect(silentChanges(safe, expected, { ...expected, owners: [ben, anne] })).toEqual([]);
  });

  test("is one effect for each action, with what there was and is", () => {
    const actual = {
      ...expected,
      owners: [carl],
      threshold: 1,
      modules: [anne],
      guard: ben,
      moduleGuard: ben,
    };
    expect(silentChanges(safe, expected, actual)).toEqual([
      { action: "signer_add", controller: safe, account: carl, old: [anne, ben], new: [carl], silent: true },
      {
        action: "signer_remove",
        controller: safe,
        account: null,
        old: [anne, ben],
        new: [carl],
        silent: true,
      },
      { action: "module_enable", controller: safe, account: anne, old: [], new: [anne], silent: true },
      { action: "threshold_change", controller: safe, old: "2", new: "1", silent: true },
      { action: "guard_change", role: "guard", controller: safe, old: null, new: ben, silent: true },
    ]);
  });

  test("is the singleton alone where it is no Safe any more: what it says of the rest is nobody's word", () => {
    expect(silentChanges(safe, expected, { ...plainState("contract"), singleton: ben })).toEqual([
      { action: "singleton_change", role: "singleton", controller: safe, old: carl, new: ben, silent: true },
    ]);
  });
});
