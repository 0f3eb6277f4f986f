// What is served of an outcome that a contract chose.
import { encodeErrorResult, type Hex, parseAbi } from "viem";
import { expect, test } from "vitest";
import type { Foretelling } from "./foreteller.ts";
import { simulationOf } from "./outcome.ts";

const moment = { number: 10, timestamp: 1_000 };
const reverted = (data: Hex): Foretelling[] => [
  { method: "eth_call", moment, success: false, data },
  {
    method: "eth_simulateV1",
    now: {
      before: {},
      sooner: { ...moment, reverted: { call: 0, data }, record: {}, entries: [], alerts: [], hashes: [] },
      later: null,
    },
    atExecution: null,
    events: [],
    laterEvents: null,
  },
];
const errorsOf = (data: Hex) =>
  reverted(data).map(
    (foretelling) => simulationOf(foretelling, { block_hash: "0x", errors: undefined }).error,
  );
const says = (message: string) =>
  encodeErrorResult({ abi: parseAbi(["error Error(string message)"]), errorName: "Error", args: [message] });

test("a revert is decoded", () => {
  for (const error of errorsOf(says("not now")))
    expect(error).toMatchObject({ call: 0, name: "Error", arguments: { message: "not now" } });
});

test("of a megabyte of revert data the beginning is kept", () => {
  for (const error of errorsOf(`0x08c379a0${"ff".repeat(1_048_576)}`))
    expect(error).toMatchObject({
      selector: "0x08c379a0",
      name: null,
      data: expect.stringMatching(/^0x[0-9a-f]{8192}$/),
    });
});
