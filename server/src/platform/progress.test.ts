import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { tellSlowly } from "./progress.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

it("passes a line on every two seconds at most, the one of that moment, and makes no other", () => {
  const told: string[] = [];
  const tell = tellSlowly((line) => told.push(line));
  let made = 0;
  for (let at = 0; at < 5_000; at += 100) {
    tell(() => {
      made += 1;
      return `at ${at}`;
    });
    vi.advanceTimersByTime(100);
  }
  expect(told).toEqual(["at 2000", "at 4000"]);
  expect(made).toBe(2);
});
