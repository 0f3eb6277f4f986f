// Tables of cases of what the service says of itself.
import { describe, expect, it } from "vitest";
import { NOW, REF } from "../../../../test/monitor-states.ts";
import { type ChainHealth, chainFindings, deadFinding } from "./system.ts";

const iso = (ms: number) => new Date(ms).toISOString().replace("Z", "000Z");

describe("a chain", () => {
  const chain: ChainHealth = {
    chainId: 8453,
    name: "Base",
    isHalted: false,
    headNumber: 7,
    headAt: iso(NOW),
    maxLagSeconds: 300,
  };
  const subjects = (more: Partial<ChainHealth>) =>
    chainFindings({ ...chain, ...more }, NOW).findings.map(({ subject }) => subject);

  it.each<[string, Partial<ChainHealth>, string[]]>([
    ["is well", {}, []],
    ["lags as much as it may", { headAt: iso(NOW - 300_000) }, []],
    ["lags more", { headAt: iso(NOW - 300_001) }, ["lagging:8453"]],
    [
      "is halted, which is told instead of its lag",
      { isHalted: true, headAt: iso(NOW - 900_000) },
      ["halted:8453"],
    ],
    ["runs ahead of the clock", { headAt: iso(NOW + 60_000) }, []],
    ["was never seen", { headAt: null }, []],
  ])("%s", (_, more, expected) => {
    expect(subjects(more)).toEqual(expected);
  });

  it("is late from the millisecond after its bound, as it says ahead", () => {
    const { wakeMs } = chainFindings(chain, NOW);
    expect(chainFindings(chain, (wakeMs as number) - 1).findings).toEqual([]);
    expect(chainFindings(chain, wakeMs as number).findings).toHaveLength(1);
  });
});

it("a target that takes no messages is named, so that it is not told of through itself", () => {
  const finding = deadFinding({
    queue: "channel",
    targetId: "c-1",
    targetName: "On call",
    vault: REF,
    deliveriesCount: 3,
    lastAt: iso(NOW),
    lastError: "410",
  });
  expect(finding).toMatchObject({ subject: "dead:c-1", details: { target_id: "c-1", queue: "channel" } });
});
