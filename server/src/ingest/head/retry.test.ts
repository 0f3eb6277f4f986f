import { expect, it } from "vitest";
import { ChainFault } from "../../chain/rpc/fault.ts";
import { ForeignChain } from "./plan.ts";
import { retryDelayMs } from "./retry.ts";

const delays = (error: unknown) =>
  [1, 2, 3, 5, 10, 2_000].map((failures) => retryDelayMs(error, failures, 0.5));

it("pauses grow to 15 seconds while a node is out", () => {
  expect(delays(new ChainFault("unavailable", "out"))).toEqual([250, 500, 1_000, 4_000, 15_000, 15_000]);
});

it.each(["inconsistent", "block_missing"] as const)(
  "and not beyond a second while nodes lag one another (%s), however often that fails",
  (kind) => {
    expect(delays(new ChainFault(kind, "lags"))).toEqual([250, 500, 1_000, 1_000, 1_000, 1_000]);
  },
);

it("a chain that is another one is looked at again every 15 seconds", () => {
  const foreign = new ForeignChain(1, { number: 0, hash: "0x00" });
  expect(delays(foreign)).toEqual([15_000, 15_000, 15_000, 15_000, 15_000, 15_000]);
});

it("chains that failed together are not tried again together", () => {
  const error = new ChainFault("unavailable", "out");
  expect([retryDelayMs(error, 1, 0), retryDelayMs(error, 1, 1)]).toEqual([187.5, 312.5]);
});
