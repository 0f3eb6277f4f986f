// How often a node is asked for what the catalogue says of delays.
import type { Address } from "viem";
import { expect, test } from "vitest";
import type { Action } from "../../../chain/families/family/action.ts";
import { ChainFault } from "../../../chain/rpc/fault.ts";
import { createDelays } from "./delays.ts";
import type { Foreteller } from "./foreteller.ts";

const VAULT: Address = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
const ACTIONS = [{ name: "wait", delaySeconds: async () => 60 }] as unknown as Action[];
const STANDING = { multicall: async () => [] } as never;

test("however many ask while it does not answer, it is asked once, and all have what it tells", async () => {
  const { promise, resolve } = Promise.withResolvers<never>();
  let asked = 0;
  const foreteller: Foreteller = {
    codeAt: async () => "0x",
    stand: async () => {
      asked += 1;
      return await promise;
    },
  };
  const delays = createDelays(foreteller, () => 0);
  const all = [1, 2, 3].map(() => delays.of(1, VAULT, ACTIONS));
  resolve(STANDING);
  for (const each of await Promise.all(all)) expect(each.get("wait")).toBe(60);
  expect(asked).toBe(1);
});

test("where it is out nothing is known, until a minute later", async () => {
  let now = 0;
  let isOut = true;
  const foreteller: Foreteller = {
    codeAt: async () => "0x",
    stand: async () => {
      if (isOut) throw new ChainFault("unread", "out");
      return STANDING;
    },
  };
  const delays = createDelays(foreteller, () => now);
  expect((await delays.of(1, VAULT, ACTIONS)).size).toBe(0);
  isOut = false;
  expect((await delays.of(1, VAULT, ACTIONS)).size).toBe(0);
  now = 60_000;
  expect((await delays.of(1, VAULT, ACTIONS)).get("wait")).toBe(60);
});
