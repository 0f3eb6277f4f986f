import { readFileSync } from "node:fs";
import type { Hex } from "viem";
import { describe, expect, test } from "vitest";
import { type EventEntry, encodeEvent, readEventTable } from "../../../../demo/src/events.ts";
import { silentLog } from "../../../test/chain-client.ts";
import { ADDRESSES, rawLog, testDirectory } from "../../../test/event-log.ts";
import { EMITTERS, sampleArgs } from "../../../test/expected-facts.ts";
import { toStored } from "../../chain/facts.ts";
import { createFamilies } from "../../chain/families/registry.ts";
import { auditEntriesOf } from "./from-facts.ts";

const family = createFamilies(silentLog).supervault;
const guide = readFileSync(new URL("../../../../docs/guides/audit-log.md", import.meta.url), "utf8");

/** The names in the first column of the guide's table of events without an entry. */
const LISTED = new Set(
  (/### Events without an entry\n([\s\S]*?)\n## /.exec(guide)?.[1] ?? "")
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .flatMap((line) => [...line.split("|")[1]!.matchAll(/`([\w.]+)`/g)].map(([, name]) => name!)),
);

const namesOf = (event: EventEntry) => [event.abi.name, `${EMITTERS[event.section]}.${event.abi.name}`];

function actionsOf(event: EventEntry): string[] {
  const address = ADDRESSES[EMITTERS[event.section]!].toLowerCase() as Hex;
  const log = rawLog(encodeEvent(event.signature, sampleArgs(event.abi, ADDRESSES.strategy)), { address });
  const decoded = family.decode(log, testDirectory());
  if (decoded === null) return [];
  return auditEntriesOf({
    chainId: 1,
    vaultAddress: decoded.vaultAddress,
    actorWallet: ADDRESSES.user,
    blockNumber: log.blockNumber,
    blockHash: log.blockHash,
    blockTimestamp: 1_777_593_600,
    txHash: log.txHash,
    txIndex: log.txIndex,
    logIndex: log.logIndex,
    txFrom: ADDRESSES.user,
    body: toStored(decoded.body),
    isHistory: false,
  }).map(({ action_type }) => action_type);
}

describe("every event of the followed contracts", () => {
  test.each(readEventTable().map((event) => [`${event.section}: ${event.signature}`, event] as const))(
    "%s is an entry, or the guide says why not",
    (_title, event) => {
      const isListed = namesOf(event).some((name) => LISTED.has(name));
      expect(actionsOf(event).length > 0).toBe(!isListed);
    },
  );

  test("the guide lists no event that there is not", () => {
    const known = new Set(readEventTable().flatMap(namesOf));
    expect([...LISTED].filter((name) => !known.has(name))).toEqual([]);
  });
});
