import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { Kept } from "./kept.ts";

function counting(delayMs = 0) {
  let loads = 0;
  const load = async () => {
    const mine = ++loads;
    if (delayMs > 0) await sleep(delayMs);
    return mine;
  };
  return { load, loads: () => loads };
}

test("a crowd shares one load, and gets the value at once while it is fresh", async () => {
  const { load, loads } = counting(5);
  const kept = new Kept(load, 60_000);
  expect(await Promise.all([kept.get(), kept.get(), kept.get()])).toEqual([1, 1, 1]);
  expect(kept.get()).toBe(1);
  expect(loads()).toBe(1);
});

test("an invalidation during a load is not lost: who asks after it waits for the next load", async () => {
  const { load, loads } = counting(20);
  const kept = new Kept(load, 60_000);
  const early = kept.get();
  await sleep(5);
  kept.invalidate();
  const late = [kept.get(), kept.get()];
  expect(await early).toBe(1);
  expect(await Promise.all(late)).toEqual([2, 2]);
  expect(kept.get()).toBe(2);
  expect(loads()).toBe(2);
});

test("a value too old is loaded again", async () => {
  const { load } = counting();
  const kept = new Kept(load, 0);
  expect(await kept.get()).toBe(1);
  expect(await kept.get()).toBe(2);
});

test("a failed load fails those who waited for it, and the next one tries again", async () => {
  let isOut = true;
  const kept = new Kept(async () => {
    await sleep(2);
    if (isOut) throw new Error("out");
    return "in";
  }, 300_000);
  const waiting = [kept.get(), kept.get()];
  for (const each of waiting) await expect(each).rejects.toThrow("out");
  isOut = false;
  expect(await kept.get()).toBe("in");
});
