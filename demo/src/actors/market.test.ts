import { expect, test } from "vitest";
import { createRandom, grow, growthPerStep } from "./market.ts";

test("the same seed makes the same choices, another seed others", () => {
  const draw = (seed: number) => {
    const random = createRandom(seed);
    return Array.from({ length: 20 }, () => random.below(1000));
  };
  expect(draw(1)).toEqual(draw(1));
  expect(draw(1)).not.toEqual(draw(2));
});

test("a year of steps comes near the yearly growth aimed at", () => {
  const random = createRandom(7);
  let price = 10n ** 18n;
  for (let step = 0; step < 1460; step++) price = grow(price, growthPerStep(600, 1460), random);
  expect(Number(price) / 1e18).toBeGreaterThan(1.055);
  expect(Number(price) / 1e18).toBeLessThan(1.07);
});
