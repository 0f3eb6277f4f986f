import {
  type Address,
  decodeFunctionData,
  encodeFunctionData,
  encodeFunctionResult,
  erc20Abi,
  type Hex,
  hashTypedData,
  multicall3Abi,
  numberToHex,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { demoAccount } from "../../../../demo/src/accounts.ts";
import { execute, mine } from "../../../../demo/src/chain.ts";
import {
  deployContractWalletFactory,
  deployToken,
  ensureMulticall3,
  predictContractWallet,
} from "../../../../demo/src/deploy.ts";
import { testClient, testNode } from "../../../test/chain-client.ts";
import { compileForeignContracts } from "../../../test/foreign-contracts.ts";
import { deployArtifact, startTestChain, type TestChain } from "../../../test/node.ts";
import { isChainFault } from "../rpc/fault.ts";
import type { BlockRef, Call, ChainClient } from "./client.ts";

let chain: TestChain;
let token: Address;
let hostile: Address[];

beforeAll(async () => {
  chain = await startTestChain({ chainId: 4242 });
  token = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
  const foreign = await compileForeignContracts();
  hostile = [];
  for (const harm of [0n, 1n, 2n, 3n]) {
    hostile.push(await deployArtifact(chain, foreign, "HostileVault", [token, harm]));
  }
  // What a call may burn, as on a public chain.
  await chain.client.setBlockGasLimit({ gasLimit: 30_000_000n });
});
afterAll(() => chain.stop());

const client = (urls = [chain.rpcUrl]): ChainClient => testClient(urls);
const supply = (): Call => ({
  to: token,
  data: encodeFunctionData({ abi: erc20Abi, functionName: "totalSupply" }),
});
const totalAssets: Hex = "0x01e1d114";
const nothingThere: Call = { to: `0x${"77".repeat(20)}`, data: "0x18160ddd" };
const mint = (amount: bigint) =>
  execute(chain, {
    contract: "Token",
    address: token,
    functionName: "mint",
    args: [demoAccount(1).address, amount],
    from: demoAccount(1).address,
  });

async function refOf(number: bigint): Promise<BlockRef & { hash: Hex }> {
  const block = await chain.client.getBlock({ blockNumber: number });
  return { number: Number(number), hash: block.hash };
}

describe.each([["without Multicall3"], ["with Multicall3"]])("many calls at one block, %s", (which) => {
  beforeAll(async () => {
    if (which === "with Multicall3") {
      await ensureMulticall3(chain);
      await mine(chain);
    }
  });

  test("each has its own outcome", async () => {
    const calls = [
      supply(),
      { to: hostile[2]!, data: totalAssets },
      { to: token, data: "0xdeadbeef" as Hex },
      nothingThere,
      supply(),
    ];
    const results = await client().multicall(calls, "latest");
    expect(results.map(({ success }) => success)).toEqual([true, false, false, true, true]);
    expect(results[1]!.data).toContain("6e6f7420746f646179"); // "not today"
    expect(results[3]!.data).toBe("0x");
  });

  test("are of that very block, later changes or not", async () => {
    const before = (await mint(1n)).blockNumber;
    const at = await refOf(before);
    const [then] = await client().multicall([supply(), supply()], at);
    await mint(5n);
    const reader = client();
    expect((await reader.multicall([supply(), supply()], at))[0]).toEqual(then);
    const [now] = await reader.multicall([supply(), supply()], "latest");
    expect(BigInt(now!.data) - BigInt(then!.data)).toBe(5n);
  });

  test("a contract that burns all gas or returns a flood takes nothing from its neighbours", async () => {
    const calls = [
      supply(),
      { to: hostile[1]!, data: totalAssets },
      supply(),
      { to: hostile[0]!, data: totalAssets },
      ...Array.from({ length: 40 }, supply),
    ];
    const results = await testClient([chain.rpcUrl], { maxAnswerBytes: 500_000 }).multicall(calls, "latest");
    const [value] = await client().multicall([supply()], "latest");
    for (const [index, result] of results.entries()) {
      if (index !== 1 && index !== 3) expect(result).toEqual(value);
    }
    expect(results[1]!.success).toBe(false);
  });

  test("at a block that the node does not have is a fault, not failed reads", async () => {
    const at = { number: 99_999, hash: `0x${"ab".repeat(32)}` as Hex };
    const fault = await testClient([chain.rpcUrl], { settleMs: 300 })
      .multicall([supply(), supply()], at)
      .catch((error: unknown) => error);
    expect(isChainFault(fault)).toBe(true);
  });
});

describe("a node that fails as a whole", () => {
  test("is a fault, never a list of failed calls", async () => {
    const node = await testNode();
    node.onCall = ({ method }) =>
      method === "eth_call" ? { error: { code: -32603, message: "Internal error" } } : undefined;
    const fault = await testClient([node.url])
      .multicall([supply(), supply()], "latest")
      .catch((error: unknown) => error);
    expect(isChainFault(fault)).toBe(true);
  });

  test.each([
    [-32000, "internal error"],
    [-32000, "no backends available"],
    [-32000, "unsupported block number"],
    [-32000, "execution aborted (timeout = 5s)"],
    [-32000, "something new"],
    [-32015, "VM execution error."],
    [-32603, "Internal error"],
  ])(
    "%i %s to every call is unread as a whole, after a handful of requests for fifty vaults",
    async (code, message) => {
      const node = await testNode();
      node.onCall = ({ method }) => (method === "eth_call" ? { error: { code, message } } : undefined);
      const calls = Array.from({ length: 900 }, supply);
      const fault = await testClient([node.url])
        .multicall(calls, { number: 0 })
        .catch((error: unknown) => error);
      expect(isChainFault(fault, "unread")).toBe(true);
      // Eight aggregates, each at most three times, and the least of calls beside them.
      expect(node.calls.length).toBeLessThan(40);
    },
  );

  test("a node that answers views with errors of its own is marked unwell, and another is asked before it", async () => {
    const ill = await testNode();
    const well = await testNode();
    ill.onCall = ({ method }) =>
      method === "eth_call" ? { error: { code: -32000, message: "internal error" } } : undefined;
    well.onCall = ({ method }) =>
      method === "eth_call" ? { result: numberToHex(7n, { size: 32 }) } : undefined;
    const reader = testClient([ill.url, well.url]);
    expect((await reader.call(supply(), { number: 0 })).success).toBe(true);
    expect(reader.health()[0]).toMatchObject({ isHealthy: false, lastError: "internal error" });
    await reader.call(supply(), { number: 0 });
    expect(ill.count("eth_call")).toBe(1);
    const alone = testClient([ill.url]);
    await alone.multicall([supply(), supply()], { number: 0 }).catch(() => {});
    expect(alone.health()[0]!.isHealthy).toBe(false);
  });

  test("a node that aborts what is large is asked for a bounded number of smaller parts, and the rest is unread", async () => {
    const node = await testNode();
    node.onCall = ({ method, params }) => {
      if (method !== "eth_call") return undefined;
      const { data } = params[0] as { data: Hex };
      return data.length > 2
        ? { error: { code: -32000, message: "execution aborted (timeout = 5s)" } }
        : { result: "0x" };
    };
    const results = await testClient([node.url]).multicall(Array.from({ length: 240 }, supply), {
      number: 0,
    });
    expect(results.every(({ isUnread }) => isUnread)).toBe(true);
    expect(node.calls.length).toBeLessThan(80);
  });

  test("a node that fails what is large is asked for less at once from then on", async () => {
    const node = await testNode();
    const sizes: number[] = [];
    node.onCall = ({ method, params }) => {
      if (method !== "eth_call") return undefined;
      const { data } = params[0] as { data: Hex };
      if (data.length <= 2) return { result: "0x" };
      const { args } = decodeFunctionData({ abi: multicall3Abi, data });
      const calls = args![0] as unknown[];
      sizes.push(calls.length);
      if (calls.length > 200) return { error: { code: 3, message: "execution reverted" } };
      const result = calls.map(() => ({ success: true, returnData: numberToHex(0n, { size: 32 }) }));
      return {
        result: encodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", result }),
      };
    };
    const reader = testClient([node.url]);
    const calls = Array.from({ length: 300 }, supply);
    const read = async () => {
      sizes.length = 0;
      expect((await reader.multicall(calls, "latest")).every(({ success }) => success)).toBe(true);
      return [...sizes];
    };
    expect(await read()).toEqual([300, 150, 150]);
    expect(await read()).toEqual([120, 120, 60]);
  });

  test("a node that answers with another block's state is found out by the aggregate itself", async () => {
    const words = (values: bigint[]) =>
      encodeFunctionResult({
        abi: multicall3Abi,
        functionName: "aggregate3",
        result: values.map((value) => ({ success: true, returnData: numberToHex(value, { size: 32 }) })),
      });
    const node = await testNode();
    const block = node.mine();
    let number = 0n;
    node.onCall = ({ method }) =>
      method === "eth_call" ? { result: words([number, 1n, 7n, 7n]) } : undefined;
    const at = { number: 1, hash: block.hash };
    const reader = testClient([node.url], { settleMs: 60_000 });
    const fault = await reader.multicall([supply(), supply()], at).catch((error: unknown) => error);
    expect(isChainFault(fault, "other_block")).toBe(true);
    number = 1n;
    expect((await reader.multicall([supply(), supply()], at))[0]!.data).toBe(numberToHex(7n, { size: 32 }));
  });

  test("where contracts count other blocks than the node, the block's time is the proof", async () => {
    const node = await testNode();
    const block = node.mine();
    let time = block.timestamp;
    node.onCall = ({ method }) =>
      method === "eth_call"
        ? {
            result: encodeFunctionResult({
              abi: multicall3Abi,
              functionName: "aggregate3",
              result: [19_000_000n, BigInt(time), 7n, 7n].map((value) => ({
                success: true,
                returnData: numberToHex(value, { size: 32 }),
              })),
            }),
          }
        : undefined;
    const reader = testClient([node.url]);
    const at = { number: 1, hash: block.hash };
    expect((await reader.multicall([supply(), supply()], at))[0]!.success).toBe(true);
    time += 1;
    const fault = await reader.multicall([supply(), supply()], at).catch((error: unknown) => error);
    expect(isChainFault(fault, "other_block")).toBe(true);
  });

  test("another block of the same second is found out by the chain's own block of that number", async () => {
    const node = await testNode();
    const first = node.mine();
    const second = node.mine();
    second.timestamp = first.timestamp;
    let number = 1n;
    node.onCall = ({ method }) =>
      method === "eth_call"
        ? {
            result: encodeFunctionResult({
              abi: multicall3Abi,
              functionName: "aggregate3",
              result: [number, BigInt(first.timestamp), 7n, 7n].map((value) => ({
                success: true,
                returnData: numberToHex(value, { size: 32 }),
              })),
            }),
          }
        : undefined;
    const reader = testClient([node.url]);
    const at = { number: 2, hash: second.hash };
    const fault = await reader.multicall([supply(), supply()], at).catch((error: unknown) => error);
    expect(isChainFault(fault, "other_block")).toBe(true);
    number = 19_000_000n;
    expect((await reader.multicall([supply(), supply()], at))[0]!.success).toBe(true);
  });

  test("state that the node has pruned is told as such", async () => {
    const node = await testNode();
    node.onCall = ({ method }) =>
      method === "eth_call"
        ? { error: { code: -32000, message: "missing trie node 12ab (path )" } }
        : undefined;
    const fault = await testClient([node.url])
      .call(supply(), { number: 0 })
      .catch((error: unknown) => error);
    expect(isChainFault(fault, "state_missing")).toBe(true);
  });

  test("state that the first URL has pruned is read at the next", async () => {
    const node = await testNode();
    node.onCall = ({ method }) =>
      method === "eth_call"
        ? { error: { code: -32000, message: "missing trie node 12ab (path )" } }
        : undefined;
    const { success } = await client([node.url, chain.rpcUrl]).call(supply(), "latest");
    expect(success).toBe(true);
  });

  test("a node that takes no block hash is asked by number, and the block is checked", async () => {
    const node = await testNode();
    const block = node.mine();
    const word: Hex = `0x${"00".repeat(31)}07`;
    node.onCall = ({ method, params }) => {
      if (method !== "eth_call") return undefined;
      if (typeof params[1] === "object") {
        return {
          error: {
            code: -32602,
            message: "invalid argument 1: json: cannot unmarshal object into Go value of type string",
          },
        };
      }
      return { result: word };
    };
    const reader = testClient([node.url], { settleMs: 300 });
    expect(await reader.call(supply(), { number: 1, hash: block.hash })).toEqual({
      success: true,
      data: word,
    });
    const fault = await reader
      .call(supply(), { number: 1, hash: `0x${"ab".repeat(32)}` })
      .catch((error: unknown) => error);
    expect(isChainFault(fault, "block_missing")).toBe(true);
  });

  test("a call that the node never finishes, while it finishes others, is unread and not asked again", async () => {
    const node = await testNode();
    const endless = `0x${"99".repeat(20)}` as const;
    const isEndless = (params: unknown[]) => (params[0] as { to?: string } | undefined)?.to === endless;
    node.onRequest = (calls) => (calls.some(({ params }) => isEndless(params)) ? "hang" : undefined);
    node.onCall = ({ method }) => (method === "eth_call" ? { result: `0x${"00".repeat(32)}` } : undefined);
    const reader = testClient([node.url], { timeoutMs: 2_000 });
    const unread = { success: false, data: "0x", isUnread: true };
    expect(await reader.call({ to: endless, data: totalAssets }, { number: 0 })).toEqual(unread);
    const before = node.calls.length;
    expect(await reader.call({ to: endless, data: totalAssets }, { number: 0 })).toEqual(unread);
    expect(node.calls.length).toBe(before);
  });

  test("what is read for good is not told by two timeouts: asked on, also when it counted as failed before", async () => {
    const node = await testNode();
    const slow = `0x${"99".repeat(20)}` as const;
    let hangs = 0;
    node.onRequest = (calls) =>
      calls.some(({ params }) => (params[0] as { to?: string } | undefined)?.to === slow) && hangs-- > 0
        ? "hang"
        : undefined;
    node.onCall = ({ method }) => (method === "eth_call" ? { result: `0x${"00".repeat(32)}` } : undefined);
    const reader = testClient([node.url], { timeoutMs: 1_000, deadlineMs: 8_000 });
    const calls = [{ to: slow, data: totalAssets } as const];
    const read = async (isForGood: boolean) =>
      (await reader.multicall(calls, { number: 0 }, { isForGood }))[0]!.success;
    hangs = 2;
    expect(await read(false)).toBe(false);
    hangs = 5;
    expect(await read(true)).toBe(true);
    hangs = Number.POSITIVE_INFINITY;
    expect(await read(true)).toBe(false);
  });

  test("a node that finishes no call at all is a fault", async () => {
    const node = await testNode();
    node.onRequest = (calls) => (calls.some(({ method }) => method === "eth_call") ? "hang" : undefined);
    const reader = testClient([node.url], { timeoutMs: 60, deadlineMs: 600 });
    const fault = await reader.call(supply(), { number: 0 }).catch((error: unknown) => error);
    expect(isChainFault(fault, "unread")).toBe(true);
  });

  test("`0x` where Multicall3 stands is not taken for its absence", async () => {
    const node = await testNode();
    node.onCall = ({ method }) =>
      method === "eth_call" ? { result: "0x" } : method === "eth_getCode" ? { result: "0x6001" } : undefined;
    const reader = testClient([node.url]);
    const fault = await reader.multicall([supply(), supply()], "latest").catch((error: unknown) => error);
    expect(isChainFault(fault, "inconsistent")).toBe(true);
    expect(node.count("eth_call")).toBe(1);
  });
});

describe("signatures", () => {
  const owner = privateKeyToAccount(demoAccount(3).privateKey);
  const typedData = {
    domain: { name: "Test", chainId: 4242 },
    types: { Note: [{ name: "text", type: "string" }] },
    primaryType: "Note",
    message: { text: "hello" },
  } as const;
  const salt: Hex = `0x${"05".repeat(32)}`;

  test("of an account that holds a key: right, of another key, of another text, of no form", async () => {
    const signature = await owner.signTypedData(typedData);
    const reader = client();
    expect(await reader.verifyTypedData(owner.address, typedData, signature)).toBe(true);
    expect(await reader.verifyTypedData(demoAccount(4).address, typedData, signature)).toBe(false);
    const other = { ...typedData, message: { text: "hullo" } };
    expect(await reader.verifyTypedData(owner.address, other, signature)).toBe(false);
    for (const broken of [
      "0x",
      "0x1234",
      `0x${"00".repeat(65)}`,
      `0x${"ff".repeat(65)}`,
      `0x${"ff".repeat(100_000)}`,
      "junk",
    ]) {
      expect(await reader.verifyTypedData(owner.address, typedData, broken as Hex)).toBe(false);
    }
  });

  test("of a contract wallet, before (ERC-6492) and after (ERC-1271) it is deployed", async () => {
    const factory = await deployContractWalletFactory(chain);
    const { wallet, deployCalldata } = await predictContractWallet(chain, factory, owner.address, salt);
    const signature = await owner.sign({ hash: hashTypedData(typedData) });
    const { encodeAbiParameters, concat } = await import("viem");
    const magic: Hex = `0x${"6492".repeat(16)}`;
    const wrap = (inner: Hex) =>
      concat([
        encodeAbiParameters(
          [{ type: "address" }, { type: "bytes" }, { type: "bytes" }],
          [factory, deployCalldata, inner],
        ),
        magic,
      ]);
    const reader = client();
    expect(await reader.verifyTypedData(wallet, typedData, wrap(signature))).toBe(true);
    expect(await reader.verifyTypedData(wallet, typedData, signature)).toBe(false);
    const wrong = await privateKeyToAccount(demoAccount(4).privateKey).sign({
      hash: hashTypedData(typedData),
    });
    expect(await reader.verifyTypedData(wallet, typedData, wrap(wrong))).toBe(false);

    await chain.client.sendTransaction({
      account: owner.address,
      to: factory,
      data: deployCalldata,
      chain: null,
      gas: 3_000_000n,
    });
    await mine(chain);
    expect(await chain.client.getCode({ address: wallet })).toBeDefined();
    expect(await reader.verifyTypedData(wallet, typedData, signature)).toBe(true);
    expect(await reader.verifyTypedData(wallet, typedData, wrap(signature))).toBe(true);
    expect(await reader.verifyTypedData(wallet, typedData, wrong)).toBe(false);
  });

  test("an outage is a fault, not a wrong signature", async () => {
    const node = await testNode();
    const reader = testClient([node.url], { deadlineMs: 300 });
    await reader.start();
    node.onRequest = () => ({ status: 502 });
    const signature = await owner.signTypedData(typedData);
    const fault = await reader.verifyTypedData(token, typedData, signature).catch((error: unknown) => error);
    expect(isChainFault(fault, "unavailable")).toBe(true);
    // An account's own key needs no node.
    expect(await reader.verifyTypedData(owner.address, typedData, signature)).toBe(true);
  });
});

test("the deployed code of a contract is there, that of nobody is 0x", async () => {
  const reader = client();
  expect((await reader.getCode(token, "latest")).length).toBeGreaterThan(100);
  expect(await reader.getCode(nothingThere.to, "latest")).toBe("0x");
});
