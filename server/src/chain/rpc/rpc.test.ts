import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { firstTimes, testClient, testNode } from "../../../test/chain-client.ts";
import type { HttpAnswer, RpcCall } from "../../../test/rpc.ts";
import { isChainFault } from "./fault.ts";

const isAbout = (method: string) => (calls: RpcCall[]) => calls.some((call) => call.method === method);
const GOES_WRONG: [name: string, answer: HttpAnswer][] = [
  ["HTTP 429 with Retry-After", { status: 429, headers: { "retry-after": "0" }, body: "slow down" }],
  ["HTTP 429 without Retry-After", { status: 429, body: "" }],
  ["HTTP 500", { status: 500, body: "oops" }],
  ["HTTP 503 with an HTML page", { status: 503, headers: { "content-type": "text/html" }, body: "<html>" }],
  [
    "HTTP 200 with an HTML page",
    { status: 200, headers: { "content-type": "text/html" }, body: "<!doctype html>" },
  ],
  ["HTTP 200 with nothing", { status: 200, body: "" }],
  ["HTTP 200 with JSON that is no answer", { status: 200, body: '{"message":"no healthy upstream"}' }],
  [
    "HTTP 200 with an answer to another request",
    { status: 200, body: '{"jsonrpc":"2.0","id":987654,"result":"0x1"}' },
  ],
  ["HTTP 403", { status: 403, body: "forbidden" }],
  [
    "a rate limit as a JSON-RPC error",
    { body: '{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"rate limited"}}' },
  ],
  ["truncated JSON", "cut"],
  ["a connection reset", "reset"],
  ["a socket that hangs", "hang"],
];

/** What is not answered is given up after a second. */
const timesOf = (answer: HttpAnswer) => (answer === "hang" ? { timeoutMs: 1_000 } : {});

describe("a URL that goes wrong is asked again", () => {
  test.each(GOES_WRONG)("%s", async (_name, answer) => {
    const node = await testNode();
    const newest = node.mine();
    const client = testClient([node.url], timesOf(answer));
    await client.start();
    node.onRequest = firstTimes(2, () => answer);
    expect((await client.head()).hash).toBe(newest.hash);
  });

  test.each(GOES_WRONG)("%s: the next URL answers meanwhile", async (_name, answer) => {
    const [bad, good] = [await testNode(), await testNode()];
    good.mine();
    const client = testClient([bad.url, good.url], timesOf(answer));
    await client.start();
    bad.onRequest = () => answer;
    expect((await client.head()).number).toBe(1);
  });
});

describe("several URLs", () => {
  test("the first healthy one serves, and takes its place again when it is well", async () => {
    const [first, second] = [await testNode(), await testNode()];
    second.mine();
    const client = testClient([first.url, second.url]);
    await client.start();
    expect((await client.head()).number).toBe(0);

    first.onRequest = () => ({ status: 500 });
    expect((await client.head()).number).toBe(1);
    expect(client.health()[0]).toMatchObject({ isHealthy: false, lastError: "HTTP 500 without a JSON body" });

    first.onRequest = () => undefined;
    await expect.poll(async () => (await client.head()).number).toBe(0);
    expect(client.health()[0]).toMatchObject({ isHealthy: true });
  });

  test("a URL that hangs is probed in the background and delays no request", async () => {
    const [first, second] = [await testNode(), await testNode()];
    const client = testClient([first.url, second.url], { timeoutMs: 5_000 });
    await client.start();
    first.onRequest = () => "hang";
    await client.head();
    const before = first.calls.length;
    await Promise.all(Array.from({ length: 20 }, () => client.head()));
    // Only probes for the chain id may have gone there.
    expect(first.calls.slice(before).every((call) => call.method === "eth_chainId")).toBe(true);
  });

  test("with every URL out for good, the request ends in a fault that names hosts and no secrets", async () => {
    const node = await testNode();
    const client = testClient([node.url, "http://user:pass@127.0.0.1:1/key"], { deadlineMs: 300 });
    node.onRequest = () => ({ status: 502 });
    const fault = await client.head().catch((error: unknown) => error);
    expect(isChainFault(fault, "unavailable")).toBe(true);
    expect(String(fault)).not.toMatch(/secret-key|pass|\/key/);
    expect(String(fault)).toContain("127.0.0.1:1");
  });

  test("an outage of all of them is waited out", async () => {
    const node = await testNode();
    const client = testClient([node.url]);
    await client.start();
    node.onRequest = () => ({ status: 502 });
    setTimeout(() => {
      node.onRequest = () => undefined;
    }, 500);
    expect((await client.head()).number).toBe(0);
  });
});

describe("the chain id", () => {
  test("a URL that serves another chain is set aside, and looked at again now and then", async () => {
    const [wrong, right] = [await testNode({ chainId: 1 }), await testNode()];
    wrong.mine();
    const client = testClient([wrong.url, right.url], { watchMs: 5 });
    await client.start();
    expect((await client.head()).number).toBe(0);
    expect(client.health()[0]).toMatchObject({ isHealthy: false, aside: { reason: "foreign" } });
    expect(wrong.count("eth_getBlockByNumber")).toBe(0);
    wrong.onCall = ({ method }) => (method === "eth_chainId" ? { result: "0x1092" } : undefined);
    await expect.poll(() => client.health()[0]?.isHealthy, { timeout: 240_000 }).toBe(true);
    expect((await client.head()).number).toBe(1);
  });

  test("URLs that all serve another chain stop the start", async () => {
    const wrong = await testNode({ chainId: 1 });
    const client = testClient([wrong.url, "http://127.0.0.1:1"]);
    const fault = await client.start().catch((error: unknown) => error);
    expect(isChainFault(fault, "wrong_chain")).toBe(true);
    expect(String(fault)).toContain("serves chain 1, but chain 4242 is configured");
  });

  test("a URL silent at the start is checked before it first serves", async () => {
    const [right, wrong] = [await testNode(), await testNode({ chainId: 1 })];
    wrong.onRequest = () => ({ status: 500 });
    const client = testClient([wrong.url, right.url]);
    await client.start();
    wrong.onRequest = () => undefined;
    wrong.mine();
    for (let round = 0; round < 20; round++) {
      expect((await client.head()).number).toBe(0);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(wrong.count("eth_getBlockByNumber")).toBe(0);
  });

  test("with no URL answering, the start says so", async () => {
    const fault = await testClient(["http://127.0.0.1:1"])
      .start()
      .catch((error: unknown) => error);
    expect(isChainFault(fault, "unavailable")).toBe(true);
  });
});

describe("limits", () => {
  test("an answer over the limit is not read to its end", async () => {
    const node = await testNode();
    const client = testClient([node.url], { maxAnswerBytes: 10_000 });
    await client.start();
    node.onRequest = (calls) =>
      isAbout("eth_getCode")(calls)
        ? { body: `{"jsonrpc":"2.0","id":1,"result":"0x${"00".repeat(50_000)}"}` }
        : undefined;
    const fault = await client.getCode(`0x${"11".repeat(20)}`, "latest").catch((error: unknown) => error);
    expect(isChainFault(fault, "refused")).toBe(true);
  });

  test("a compressed answer counts by what it unpacks to", async () => {
    const node = await testNode();
    const client = testClient([node.url], { maxAnswerBytes: 10_000 });
    await client.start();
    const bomb = gzipSync(Buffer.alloc(1_000_000, "0"));
    expect(bomb.length).toBeLessThan(10_000);
    node.onRequest = (calls) =>
      isAbout("eth_getCode")(calls)
        ? { headers: { "content-encoding": "gzip" }, body: bomb as unknown as string }
        : undefined;
    const fault = await client.getCode(`0x${"11".repeat(20)}`, "latest").catch((error: unknown) => error);
    expect(isChainFault(fault, "refused")).toBe(true);
  });

  test("no more requests are under way at once than allowed", async () => {
    const node = await testNode();
    const client = testClient([node.url], { maxConcurrent: 3 });
    await client.start();
    let most = 0;
    let active = 0;
    node.onCall = () => {
      active += 1;
      most = Math.max(most, active);
      setImmediate(() => {
        active -= 1;
      });
      return undefined;
    };
    await Promise.all(Array.from({ length: 50 }, () => client.head()));
    expect(most).toBeLessThanOrEqual(3);
  });

  test("closing ends requests under way with a fault", async () => {
    const node = await testNode();
    const client = testClient([node.url], { timeoutMs: 60_000 });
    await client.start();
    node.onRequest = () => "hang";
    const waiting = client.head().catch((error: unknown) => error);
    await expect.poll(() => node.count("eth_getBlockByNumber")).toBe(1);
    await client.close();
    expect(isChainFault(await waiting, "unavailable")).toBe(true);
  });

  test("a chain that hangs holds up no other", async () => {
    const [slow, fast] = [await testNode(), await testNode()];
    const [hanging, working] = [testClient([slow.url], { timeoutMs: 60_000 }), testClient([fast.url])];
    await Promise.all([hanging.start(), working.start()]);
    slow.onRequest = () => "hang";
    const stuck = Array.from({ length: 50 }, () => hanging.head().catch(() => {}));
    await Promise.all(Array.from({ length: 50 }, () => working.head()));
    await hanging.close();
    await Promise.all(stuck);
  });
});
