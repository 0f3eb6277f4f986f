import { expect, test } from "vitest";
import fc from "../../test/fast-check.ts";
import { BoundedCache } from "./bounded-cache.ts";

test("a bounded cache keeps what is used and holds no more than its bound", () => {
  const cache = new BoundedCache<number, string>(10);
  for (let key = 0; key < 1000; key += 1) {
    cache.set(key, `${key}`);
    expect(cache.get(0)).toBe("0");
  }
  const held = Array.from({ length: 1000 }, (_, key) => cache.get(key)).filter(
    (value) => value !== undefined,
  );
  expect(held.length).toBeLessThanOrEqual(10);
});

test("a bounded cache answers the value that was set last, or nothing", () => {
  const step = fc.record({ key: fc.nat(8), value: fc.option(fc.nat()) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const cache = new BoundedCache<number, number>(6);
      const last = new Map<number, number>();
      for (const { key, value } of steps) {
        if (value === null) {
          cache.delete(key);
          last.delete(key);
        } else {
          cache.set(key, value);
          last.set(key, value);
        }
        expect(cache.get(key)).toBe(value ?? undefined);
        for (let other = 0; other <= 8; other += 1)
          expect([undefined, last.get(other)]).toContain(cache.get(other));
      }
    }),
  );
});
