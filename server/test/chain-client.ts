// For tests: a client of scripted or real nodes that is closed when the test ends. It asks again soon, and is patient beyond any standstill of
// the machine: a test in which a time is to run out says which.
import pino from "pino";
import { onTestFinished } from "vitest";
import { type ChainClient, type ChainClientOptions, createChainClient } from "../src/chain/client/client.ts";
import { startTestNode, TEST_CHAIN_ID, type TestNode } from "./rpc.ts";

export const silentLog = pino({ level: "silent" });

export function testClient(urls: readonly string[], options: Partial<ChainClientOptions> = {}): ChainClient {
  const client = createChainClient({
    chainId: TEST_CHAIN_ID,
    name: "Test",
    rpcUrls: urls,
    log: silentLog,
    timeoutMs: 60_000,
    logsTimeoutMs: 60_000,
    deadlineMs: 240_000,
    settleMs: 60_000,
    backoffMs: { base: 5, max: 100 },
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}

export async function testNode(options: { chainId?: number } = {}): Promise<TestNode> {
  const node = await startTestNode(options);
  onTestFinished(() => node.close());
  return node;
}

/** Answers the first `count` times, then leaves it to the chain. */
export function firstTimes<A extends unknown[], R>(
  count: number,
  answer: (...args: A) => R | undefined,
): (...args: A) => R | undefined {
  let left = count;
  return (...args) => {
    if (left === 0) return undefined;
    const given = answer(...args);
    if (given !== undefined) left -= 1;
    return given;
  };
}

/** A client of a node of the demo's kind, which whoever makes it closes. */
export function testClientFor({ chainId, rpcUrl }: { chainId: number; rpcUrl: string }): ChainClient {
  return createChainClient({
    chainId,
    name: "Test",
    rpcUrls: [rpcUrl],
    log: silentLog,
    timeoutMs: 60_000,
    deadlineMs: 240_000,
    settleMs: 60_000,
    backoffMs: { base: 5, max: 100 },
  });
}
