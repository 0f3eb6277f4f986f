import { expect, test } from "vitest";
import type { EndpointHealth } from "../../chain/client/client.ts";
import { nodesCondition } from "./nodes.ts";

const WELL: EndpointHealth = {
  host: "a.example",
  isHealthy: true,
  consecutiveFailures: 0,
  lastError: "HTTP 500 an hour ago",
  aside: null,
  latencyMs: 12.4,
  head: 100,
};

test("/readyz tells latency and head of each RPC URL while all are well", () => {
  expect(nodesCondition([WELL, { ...WELL, host: "b.example", latencyMs: null, head: null }])).toEqual({
    state: "ok",
    detail: "a.example: answers in 12 ms, block 100; b.example: not asked yet",
  });
});

test("/readyz is degraded and says which RPC URL is not well, and why", () => {
  const unwell = { ...WELL, isHealthy: false };
  const told = (node: EndpointHealth) => nodesCondition([WELL, node]);
  expect(told({ ...unwell, consecutiveFailures: 3, lastError: "HTTP 502" })).toMatchObject({
    state: "degraded",
    detail: expect.stringMatching(/; a\.example: does not answer as it should$/),
    reason: "a.example: HTTP 502",
  });
  expect(told({ ...unwell, aside: { reason: "lags", blocks: 70 } }).detail).toMatch(/lags 70 blocks$/);
  expect(told({ ...unwell, aside: { reason: "forked", block: 9 } }).detail).toMatch(/another block 9 than/);
  expect(told({ ...unwell, aside: { reason: "foreign" }, lastError: "serves chain 1" })).toMatchObject({
    detail: expect.stringMatching(/serves another chain$/),
    reason: "a.example: serves chain 1",
  });
});

test("/readyz says whether new heads are heard where a WebSocket is given", () => {
  const socket = { host: "ws.example", isHeard: true, lastError: null };
  expect(nodesCondition([WELL], socket)).toMatchObject({
    state: "ok",
    detail: expect.stringMatching(/; ws\.example: new heads arrive by subscription$/),
  });
  expect(nodesCondition([WELL], { ...socket, isHeard: false, lastError: "it is silent" })).toMatchObject({
    state: "degraded",
    detail: expect.stringMatching(/no new heads arrive by subscription$/),
    reason: "ws.example: it is silent",
  });
});
