// Kept pages: none is given out that the database would not have given after it was asked for, and they do not fill the memory.
import { describe, expect, it } from "vitest";
import { createPages } from "./pages.ts";

/** A log whose size is read when told. */
function slowReader() {
  const readings: ((size: number) => void)[] = [];
  const query = () => new Promise((resolve) => readings.push((size) => resolve({ rows: [{ size }] })));
  return { reader: { query } as never, readings };
}

describe("the size of the log", () => {
  it("is read once for all who ask before the reading begins, and again for those who ask after", async () => {
    const { reader, readings } = slowReader();
    const pages = createPages(reader);
    const first = pages.size();
    const later = [pages.size(), pages.size(), pages.size()];
    expect(readings.length).toBe(1);
    readings[0]!(5);
    expect(await first).toBe(5);
    // The log has grown while the first reading was under way: those who came later must see it.
    await Promise.resolve();
    expect(readings.length).toBe(2);
    const last = pages.size();
    readings[1]!(6);
    expect(await Promise.all(later)).toEqual([6, 6, 6]);
    await new Promise((resolve) => setImmediate(resolve));
    readings[2]!(7);
    expect(await last).toBe(7);
  });

  it("is asked for again after a reading that failed, by those who waited, too", async () => {
    let calls = 0;
    const reader = {
      query: () =>
        calls++ === 0 ? Promise.reject(new Error("away")) : Promise.resolve({ rows: [{ size: 3 }] }),
    } as never;
    const pages = createPages(reader);
    const [first, second] = await Promise.allSettled([pages.size(), pages.size()]);
    expect(first.status).toBe("rejected");
    expect(second).toMatchObject({ status: "fulfilled", value: 3 });
  });
});

describe("a page", () => {
  const { reader } = slowReader();

  it("is given for the size it was read at alone, and goes when the log has grown", () => {
    const pages = createPages(reader);
    const body = Buffer.from("page");
    pages.keep("a", 5, body);
    expect([pages.get("a", 5), pages.get("a", 6), pages.get("a", 4), pages.get("b", 5)]).toEqual([
      body,
      undefined,
      undefined,
      undefined,
    ]);
    pages.keep("b", 6, body);
    expect([pages.has("a"), pages.get("b", 6)]).toEqual([false, body]);
    // From a replica that is behind.
    pages.keep("c", 5, body);
    expect(pages.has("c")).toBe(false);
  });

  it("is not kept when it is large, and the oldest go before many fill the memory", () => {
    const pages = createPages(reader);
    pages.keep("large", 1, Buffer.alloc(1_048_577));
    expect(pages.has("large")).toBe(false);
    for (let n = 0; n < 40; n += 1) pages.keep(String(n), 1, Buffer.alloc(1_048_576));
    const kept = Array.from({ length: 40 }, (_, n) => n).filter((n) => pages.has(String(n)));
    expect(kept).toEqual(Array.from({ length: 32 }, (_, n) => n + 8));
    // Kept again, a page counts once.
    for (let n = 0; n < 40; n += 1) pages.keep("39", 1, Buffer.alloc(1_048_576));
    expect(pages.has("8")).toBe(true);
  });
});
