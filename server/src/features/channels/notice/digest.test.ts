import { describe, expect, test } from "vitest";
import { ALERTS_URL, incident, mixedIncident, noticeOf } from "../../../../test/notices.ts";
import { digest, type Limits, type Line } from "./digest.ts";

const plain = (line: Line) => line.map(({ text }) => text).join("");
const LIMITS: Limits = {
  measure: (line) => plain(line).length + 1,
  groupMax: 3000,
  totalMax: 11_000,
  maxGroups: 40,
};

test("an incident is one group with its vaults, what to do, and how many more there are", () => {
  const { title, groups, rest } = digest(incident(200), ALERTS_URL, LIMITS);
  expect(title).toBe("200 alerts: 200 critical");
  expect(groups).toHaveLength(1);
  const lines = groups[0]!.lines.map(plain);
  expect(lines[0]).toBe("🔴 Critical: Price per share is stale (200)");
  expect(lines[1]).toMatch(/^What to do: /);
  expect(lines[2]).toBe("• Vault 1 since 2026-05-09 10:09:00 UTC");
  expect(lines.at(-1)).toBe(`… and ${200 - (lines.length - 3)} more: all alerts`);
  expect(rest).toBeNull();
});

test("the causes of one vault are one incident of it, each with its words, what to do and its link", () => {
  const call = "Submitted: setFee(uint256 fee = 50000000000000000) by 0xaaaa…aaaa";
  const causes = [
    noticeOf("firing", { category: "liquidity", severity: "warning", message: "12.5 USDC can be withdrawn" }),
    noticeOf("firing", { category: "governance", message: call, title: "Fee change submitted" }),
    noticeOf("firing", {
      category: "governance",
      message: "The owner is 0xbbbb…bbbb",
      title: "Owner changed",
    }),
  ];
  const { title, groups, rest } = digest(causes, ALERTS_URL, LIMITS);
  expect(title).toBe("USDC Prime: 3 alerts: 2 critical, 1 warning");
  expect(groups.map(({ lines }) => lines.map(plain))).toEqual([
    [
      "🔴 Critical: Fee change submitted",
      call,
      expect.stringMatching(/^What to do: /),
      expect.stringMatching(/^• open the alert since .* · transaction$/),
    ],
    [
      "🔴 Critical: Owner changed",
      "The owner is 0xbbbb…bbbb",
      expect.stringMatching(/^What to do: /),
      expect.stringMatching(/^• open the alert since /),
    ],
    [
      "🟠 Warning: Price per share is stale",
      "12.5 USDC can be withdrawn",
      expect.stringMatching(/^What to do: /),
      expect.stringMatching(/^• open the alert since /),
    ],
  ]);
  expect(rest).toBeNull();
});

test.each([
  [
    "of two vaults",
    [noticeOf(), noticeOf("firing", { vault_address: "0x0000000000000000000000000000000000000001" })],
  ],
  ["of one address on two chains", [noticeOf(), noticeOf("firing", { chain_id: 1 })]],
  ["more than ten of one vault", Array.from({ length: 11 }, () => noticeOf())],
])("%s are grouped by what happened", (_, notices) => {
  const { title, groups } = digest(notices, ALERTS_URL, LIMITS);
  expect([title, groups.length]).toEqual([`${notices.length} alerts: ${notices.length} critical`, 1]);
});

test("the worst comes first, what is over last", () => {
  const { groups } = digest(
    [
      noticeOf("resolved"),
      noticeOf("firing", { severity: "info" }),
      noticeOf("firing", { severity: "critical" }),
      noticeOf("withdrawn"),
      noticeOf("firing", { severity: "warning" }),
    ],
    ALERTS_URL,
    LIMITS,
  );
  expect(groups.map(({ lines }) => plain(lines[0]!).slice(0, 2))).toEqual(["🔴", "🟠", "🔵", "↩️", "✅ "]);
});

describe.each([[200], [1000], [5000], [60_000]])("within %d units", (totalMax) => {
  test.each([2, 17, 200])("%d notices of every kind fit, and each is shown or counted", (count) => {
    const notices = mixedIncident(count);
    const limits = { ...LIMITS, totalMax, maxGroups: 9 };
    const { groups, rest } = digest(notices, ALERTS_URL, limits);
    expect(groups.length).toBeLessThanOrEqual(9);
    let told = 0;
    let total = 0;
    for (const { lines } of groups) {
      const length = lines.reduce((sum, line) => sum + limits.measure(line), 0);
      expect(length).toBeLessThanOrEqual(limits.groupMax);
      total += length;
      told += lines.filter((line) => plain(line).startsWith("•")).length;
      told += Number(/^… and (\d+) more: all alerts$/.exec(plain(lines.at(-1)!))?.[1] ?? 0);
    }
    if (rest !== null) {
      total += limits.measure(rest);
      told += Number(/and (\d+) more alerts/.exec(plain(rest))?.[1]);
      expect(rest.some(({ url }) => url === ALERTS_URL)).toBe(true);
    }
    expect(total).toBeLessThanOrEqual(totalMax);
    expect(told).toBe(count);
  });
});
