import { describe, expect, it } from "vitest";
import { nearestName } from "./nearest.ts";

describe("nearestName", () => {
  it.each([
    ["limt", "limit"],
    ["LIMIT", "limit"],
    ["vault_adress", "vault_address"],
    ["from", null],
    ["ofset", "offset"],
  ])("for %s suggests %s", (name, nearest) =>
    expect(nearestName(name, ["limit", "offset", "vault_address", "chain_id"])).toBe(nearest),
  );
});
