import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { open, passTime } from "./browser.ts";
import type { World } from "./world.ts";

const LOADS = 3;
const MINE_IN_USDC = [
  "Basis USDC",
  "Blended USDC",
  "Flex USDC",
  "Open USDC Vault",
  "Prime USDC",
  "Stable Core",
];

export function vaultsSuite(world: World): void {
  const names = (page: Page) =>
    page.getByRole("table", { name: "Vaults" }).locator("tbody tr td:first-child a").allTextContents();

  it("shows the public listing to those who are not signed in", async () => {
    const { page, close } = await open(world.browser, world.stack, "/");
    await page.getByRole("table", { name: "Vaults" }).getByText("Prime USDC").waitFor();
    expect((await names(page)).length).toBe(14);
    expect(await page.getByRole("button", { name: "Mine" }).count()).toBe(0);
    await close();
  });

  it("searches, narrows to one's own and sorts, all in the address", async () => {
    const { page, close } = await open(world.browser, world.stack, "/", { as: 0 });
    await page.getByRole("searchbox").fill("usdc");
    await page.waitForURL("**/?q=usdc");
    await expect.poll(() => names(page)).not.toContain("Ether Yield");
    await page.getByRole("button", { name: "Mine" }).click();
    await page.waitForURL("**/?q=usdc&show=mine");
    // Each click turns the order that is shown, so the second waits for what the first has done.
    const header = page.getByRole("columnheader", { name: "Vault" });
    await header.getByRole("button").click();
    await page.locator("th[aria-sort=descending]").waitFor();
    await header.getByRole("button").click();
    await page.locator("th[aria-sort=ascending]").waitFor();
    await expect.poll(() => names(page)).toEqual(MINE_IN_USDC);
    await page.reload();
    await expect.poll(() => names(page)).toEqual(MINE_IN_USDC);
    await page.getByRole("searchbox").fill("nothing like it");
    await page.getByText("No vaults match").waitFor();
    await close();
  });

  it("counts down what is left of a price, and follows the chain without being asked", async () => {
    const { page, close } = await open(world.browser, world.stack, "/", { as: 0, clock: true });
    const left = page.getByRole("row", { name: /Bitcoin Reserve/ }).locator("time");
    await left.waitFor();
    const head = page.getByRole("list", { name: "Chains" }).first();
    const before = await head.textContent();
    await passTime(page, async () => (await head.textContent()) !== before);
    await close();
  });

  it("shows amounts exact by the keyboard, to the last digit that the service gave", async () => {
    const { page, close } = await open(world.browser, world.stack, "/", { as: 0 });
    const amount = page.getByRole("table", { name: "Vaults" }).locator("data.num").first();
    // Read together, as the amount itself changes while the demo goes on.
    const isExact = () =>
      amount.evaluate((element) => {
        const [exact = ""] = (element.getAttribute("data-tip") ?? "").split("\n");
        return element.textContent?.trim() === exact.trim();
      });
    await amount.waitFor();
    expect(await isExact()).toBe(false);
    await page.keyboard.press("x");
    await expect.poll(isExact).toBe(true);
    await page.getByRole("button", { name: "Exact amounts", pressed: true }).click();
    await expect.poll(isExact).toBe(false);
    await close();
  });

  it("moves nothing that is painted, signed in or not, and tells when its largest part is painted", async () => {
    for (const as of [undefined, 0]) {
      const options = as === undefined ? {} : { as };
      const { page, context, close } = await open(world.browser, world.stack, "/", options);
      await context.addInitScript(() => {
        const seen = { shift: 0, paintMs: 0 };
        Object.assign(window, { seen });
        const watch = (type: string, note: (entry: PerformanceEntry & { value?: number }) => void) =>
          new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({
            type,
            buffered: true,
          });
        watch("layout-shift", (entry) => (seen.shift += entry.value ?? 0));
        watch("largest-contentful-paint", (entry) => (seen.paintMs = entry.startTime));
      });
      const loads: { shift: number; paintMs: number }[] = [];
      for (let load = 0; load < LOADS; load += 1) {
        await page.reload();
        await page.getByRole("table", { name: "Vaults" }).getByText("Prime USDC").waitFor();
        await page.waitForLoadState("networkidle");
        const seen = () => page.evaluate(() => (window as unknown as { seen: (typeof loads)[number] }).seen);
        // The browser tells of what it has painted when it finds the time.
        await expect.poll(async () => (await seen()).paintMs).toBeGreaterThan(0);
        loads.push(await seen());
      }
      for (const { shift } of loads) expect(shift).toBeLessThan(0.01);
      // How fast depends on who else is at work on the machine, so it is told and not asserted; size.ts holds the weight.
      const best = Math.min(...loads.map(({ paintMs }) => paintMs));
      console.log(
        `largest paint of home, ${as === undefined ? "signed out" : "signed in"}: ${Math.round(best)} ms at best of ${LOADS}`,
      );
      await close();
    }
  });
}
