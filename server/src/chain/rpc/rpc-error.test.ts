import { describe, expect, test } from "vitest";
import fc from "../../../test/fast-check.ts";
import { toRpcError } from "./rpc-error.ts";

// Error answers as providers and clients word them.
const TOO_BIG: [code: number, message: string][] = [
  [
    -32602,
    "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, this block range should work: [0x0, 0xd043b8]",
  ],
  [
    -32600,
    "Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [0x1180fca, 0x1180fd3]. Upgrade to PAYG for expanded block range.",
  ],
  [-32000, "Query timeout exceeded. Consider reducing your block range."],
  [-32005, "query returned more than 10000 results. Try with this block range [0xBDE5F8, 0x102DBCC]."],
  [-32602, "range 1000000 exceeds limit of 10000"],
  [-32614, "eth_getLogs is limited to a 10,000 range"],
  [-32615, "eth_getLogs and eth_newFilter are limited to a 5 blocks range"],
  [-32600, "block range is too wide"],
  [-32600, "block range too high"],
  [-32701, "exceed maximum block range: 50000"],
  [35, "ranges over 10000 blocks are not supported on freetier"],
  [-32047, "Invalid eth_getLogs request. 'fromBlock'-'toBlock' range too large. Max range: 800"],
  [-32005, "limit exceeded"],
  [-32000, "query exceeds max block range 100000"],
  [-32602, "query exceeds max results 20000, retry with the range 3600741-3620740"],
  [-32001, "Block range too large: maximum allowed is 20000 blocks"],
  [-32000, "block range is larger than max block range, block range = 5120, max block range = 5000"],
  [-32000, "block range is bigger than maxBlockRange"],
  [-32000, "requested too many blocks from 0 to 5000000, maximum is set to 2048"],
  [-32005, "Requested range exceeds maximum RPC range limit"],
  [
    -32602,
    "Block range limit exceeded. See more details at https://docs.chainstack.com/docs/limits#evm-range-limits",
  ],
  [-32000, "Too many logs requested. Max logs per response is 20000"],
  [-32000, "backend response too large"],
  [-32000, "Response size is larger than 150MB limit."],
];

const OF_A_PLAN: [code: number, message: string][] = [
  [-32600, "exceeded the maximum block range of your plan: 1000"],
  [-32005, "Block range limit exceeded, upgrade your plan for larger ranges"],
  [429, "eth_getLogs range exceeds the 5000 blocks that your plan allows"],
];

test.each(OF_A_PLAN)(
  "a range that a plan does not hold (%i %s) is a range too large, not a rate",
  (code, message) => {
    expect(toRpcError("eth_getLogs", { code, message }).kind).toBe("too_big");
  },
);

const OTHERS: [kind: string, method: string, code: number, message: string][] = [
  ["rate_limited", "eth_getLogs", 429, "Your app has exceeded its compute units per second capacity."],
  ["rate_limited", "eth_call", -32005, "daily request count exceeded, request rate limited"],
  ["rate_limited", "eth_getLogs", -32007, "50/second request limit reached - reduce calls per second"],
  [
    "rate_limited",
    "eth_getLogs",
    -32090,
    "Too many requests, reason: call rate limit exhausted, retry in 10s",
  ],
  ["unknown_block", "eth_getLogs", -32000, "unknown block"],
  ["unknown_block", "eth_getLogs", -32602, "invalid block range params"],
  ["unknown_block", "eth_getLogs", -32000, "block range extends beyond current head block"],
  ["unknown_block", "eth_call", -32000, "header not found"],
  ["unknown_block", "eth_call", -32001, "block not found: 0x1234"],
  [
    "state_missing",
    "eth_call",
    -32000,
    "missing trie node 5f3c (path ) state 0x5f3c is not available, not found",
  ],
  [
    "state_missing",
    "eth_call",
    -32801,
    "no historical RPC is available for this historical (pre-bedrock) execution request",
  ],
  ["state_missing", "eth_call", -32000, "distance to target block exceeds maximum proof window"],
  ["state_missing", "eth_call", 4444, "pruned history unavailable"],
  ["state_missing", "eth_call", -32602, "BlockOutOfRangeError: block height is 1036 but requested was 18"],
  ["unknown_block", "eth_call", -32602, "BlockOutOfRangeError: block height is 1036 but requested was 1037"],
  ["reverted", "eth_call", 3, "execution reverted: ERC20: not today"],
  ["reverted", "eth_call", -32000, "out of gas"],
  ["reverted", "eth_call", -32603, "EVM error OutOfGas"],
  ["reverted", "eth_call", -32000, "VM Exception while processing transaction: revert"],
  ["reverted", "eth_call", 3, "execution reverted: rate limit of the vault: header not found"],
  ["timeout", "eth_call", -32000, "execution aborted (timeout = 5s)"],
  ["server", "eth_call", -32000, "internal error"],
  ["server", "eth_call", -32000, "no backends available"],
  ["server", "eth_call", -32000, "unsupported block number"],
  ["server", "eth_call", -32000, "execution error"],
  ["server", "eth_call", -32015, "VM execution error."],
  ["unknown_block", "eth_call", -32000, "header for hash not found"],
  ["unknown_block", "eth_call", -32000, "cannot query unfinalized data"],
  ["reverted", "eth_call", -32000, "invalid opcode: INVALID"],
  ["unsupported", "eth_getBlockReceipts", -32601, "Method not found"],
  [
    "unsupported",
    "eth_getBlockReceipts",
    -32601,
    "the method eth_getBlockReceipts does not exist/is not available",
  ],
  [
    "invalid",
    "eth_call",
    -32602,
    "invalid argument 1: json: cannot unmarshal object into Go value of type string",
  ],
  ["server", "eth_call", -32603, "Internal error"],
];

describe("an error is judged by its code and its words", () => {
  test.each(TOO_BIG)("a refusal of eth_getLogs asks for less: %i %s", (code, message) => {
    expect(toRpcError("eth_getLogs", { code, message }).kind).toBe("too_big");
  });

  test.each(OTHERS)("%s: %s %i %s", (kind, method, code, message) => {
    expect(toRpcError(method, { code, message }).kind).toBe(kind);
  });

  test.each([["Reverted 0x08c379a0"], ["0x08c379a0"], ["revert"], ["out of gas"]])(
    "Nethermind tells by its data that the contract ended the call: %s",
    (data) => {
      expect(toRpcError("eth_call", { code: -32015, message: "VM execution error.", data }).kind).toBe(
        "reverted",
      );
    },
  );

  test("anything at all becomes an error with a kind", () => {
    fc.assert(
      fc.property(fc.string(), fc.anything(), (method, error) => {
        expect(typeof toRpcError(method, error).kind).toBe("string");
      }),
    );
  });
});
