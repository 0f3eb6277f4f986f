// Kept pages: none is given out that the database would not have given after it was asked for, and they do not fill the memory.
import { describe, expect, it } from "vitest";
import { createPages } from "./pages.ts";
import type { Stand } from "./query.ts";

const at = (size: number, below = 1) => ({ size, below });

/** A log whose size is read when told. */
function slowReader() {
  const readings: ((size: number) => void)[] = [];
  const reader = () => new Promise<Stand>((resolve) => readings.push((size) => resolve(at(size))));
  return { reader, readings };
}

describe("the size of the log", () => {
  it("is read once for all who ask before the reading begins, and again for those who ask after", async () => {
    const { reader, readings } = slowReader();
    const pages = createPages(reader);
    const first = pages.stand();
    const later = [pages.stand(), pages.stand(), pages.stand()];
    expect(readings.length).toBe(1);
    readings[0]!(5);
    expect(await first).toEqual(at(5));
    // The log has grown while the first reading was under way: those who came later must see it.
    await Promise.resolve();
    expect(readings.length).toBe(2);
    const last = pages.stand();
    readings[1]!(6);
    expect(await Promise.all(later)).toEqual([at(6), at(6), at(6)]);
    await new Promise((resolve) => setImmediate(resolve));
    readings[2]!(7);
    expect(await last).toEqual(at(7));
  });

  it("is asked for again after a reading that failed, by those who waited, too", async () => {
    let calls = 0;
    const reader = () => (calls++ === 0 ? Promise.reject(new Error("away")) : Promise.resolve(at(3)));
    const pages = createPages(reader);
    const [first, second] = await Promise.allSettled([pages.stand(), pages.stand()]);
    expect(first.status).toBe("rejected");
    expect(second).toMatchObject({ status: "fulfilled", value: at(3) });
  });
});

describe("a page", () => {
  const { reader } = slowReader();

  it("is given for the size it was read at alone, and goes when the log has grown", () => {
    const pages = createPages(reader);
    const body = Buffer.from("page");
    pages.keep("a", at(5), body);
    expect([
      pages.get("a", at(5)),
      pages.get("a", at(6)),
      pages.get("a", at(4)),
      pages.get("b", at(5)),
    ]).toEqual([body, undefined, undefined, undefined]);
    pages.keep("b", at(6), body);
    expect([pages.has("a"), pages.get("b", at(6))]).toEqual([false, body]);
    // What was read before entries were archived, and while they were.
    pages.keep("d", at(6, 3), body);
    expect([pages.has("b"), pages.get("d", at(6)), pages.get("d", at(6, 3))]).toEqual([
      false,
      undefined,
      body,
    ]);
    // From a replica that is behind.
    pages.keep("c", at(5), body);
    expect(pages.has("c")).toBe(false);
  });

  it("is not kept when it is large, and the oldest go before many fill the memory", () => {
    const pages = createPages(reader);
    pages.keep("large", at(1), Buffer.alloc(1_048_577));
    expect(pages.has("large")).toBe(false);
    for (let n = 0; n < 40; n += 1) pages.keep(String(n), at(1), Buffer.alloc(1_048_576));
    const kept = Array.from({ length: 40 }, (_, n) => n).filter((n) => pages.has(String(n)));
    expect(kept).toEqual(Array.from({ length: 32 }, (_, n) => n + 8));
    // Kept again, a page counts once.
    for (let n = 0; n < 40; n += 1) pages.keep("39", at(1), Buffer.alloc(1_048_576));
    expect(pages.has("8")).toBe(true);
  });
});
