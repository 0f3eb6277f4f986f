import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { silentLog } from "../../../test/chain-client.ts";
import { ADDRESSES, rawLog, testDirectory } from "../../../test/event-log.ts";
import { createFamilies } from "../../chain/families/registry.ts";
import type { Logger } from "../../platform/log.ts";
import { ingestMetrics } from "./metrics.ts";
import { UnknownEvents } from "./unknown-events.ts";

test("an event that no family knows is counted each time and named in the log once", async () => {
  const { supervault } = createFamilies(silentLog);
  const counter = ingestMetrics(new Registry()).unknownEvents;
  const told: object[] = [];
  const log = { warn: (fields: object) => told.push(fields) } as unknown as Logger;
  const events = new UnknownEvents(8453, counter, log);
  const contract = testDirectory().contract(ADDRESSES.strategy.toLowerCase())!;
  const unknown = rawLog({ topics: [`0x${"ab".repeat(32)}`], data: "0x" });
  const leftOut = rawLog({ topics: [supervault.topics[0]!], data: "0x" });
  for (const each of [unknown, leftOut, unknown]) events.see(each, contract, supervault);
  expect((await counter.get()).values).toEqual([
    { value: 2, labels: { chain_id: 8453, family: "supervault", contract: "strategy" } },
  ]);
  expect(told).toMatchObject([{ family: "supervault", contract: "strategy", topic: unknown.topics[0] }]);
});
