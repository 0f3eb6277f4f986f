import { expect, it } from "vitest";
import { type Alert, parseSearch, worstFirst } from "./queries.ts";

const alert = (id: string, status: Alert["status"], severity: Alert["severity"], minute: number) =>
  ({ id, status, severity, started_at: `2026-05-09T10:0${minute}:00.000000Z` }) as Alert;

it("puts what fires before what somebody is on, the worst first, then the newest", () => {
  const sorted = worstFirst([
    alert("acknowledged critical", "acknowledged", "critical", 9),
    alert("old warning", "firing", "warning", 1),
    alert("info", "firing", "info", 8),
    alert("new warning", "firing", "warning", 2),
    alert("critical", "firing", "critical", 0),
  ]);
  expect(sorted.map(({ id }) => id)).toEqual([
    "critical",
    "new warning",
    "old warning",
    "info",
    "acknowledged critical",
  ]);
});

it("leaves out of the address what it does not know", () => {
  expect(
    parseSearch({
      vault: "1:0xAb",
      category: "upkeep",
      severity: "critical",
      from: "2026-05-09",
      offset: "50",
    }),
  ).toEqual({ vault: "1:0xAb", category: "upkeep", severity: "critical", from: "2026-05-09", offset: 50 });
  expect(
    parseSearch({ vault: "Prime", category: "moods", severity: "dire", from: "soon", to: 4, offset: "-1" }),
  ).toEqual({});
});
