import { describe, expect, test } from "vitest";
import { subjectWords, words } from "./words.ts";

describe("words", () => {
  test.each([
    ["pps_update", "PPS update"],
    ["primary_manager", "Primary manager"],
    ["pagerduty", "PagerDuty"],
  ])("%s is read %s", (value, read) => {
    expect(words(value)).toBe(read);
  });
});

describe("what an alert is about", () => {
  test.each([
    ["update_pps", "Update PPS"],
    ["disabled:958e7c22-6924-4fcf-99f8-ab68f8f57b0c", "Webhook endpoint 958e7c22…"],
    ["lagging:8453", "Chain 8453"],
    [`0x7f3a1c${"0".repeat(58)}:3`, "Transaction 0x7f3a1c…"],
    ["another:1", "Another 1"],
    ["", ""],
  ])("%s is read %s", (subject, read) => {
    expect(subjectWords(subject)).toBe(read);
  });
});
