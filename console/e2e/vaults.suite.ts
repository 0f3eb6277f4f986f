import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { open, passTime } from "./browser.ts";
import type { World } from "./world.ts";

export function vaultsSuite(world: World): void {
  const names = (page: Page) =>
    page.getByRole("table", { name: "Vaults" }).locator("tbody tr td:first-child a").allTextContents();

  it("shows the public listing to those who are not signed in", async () => {
    const { page, close } = await open(world.browser, world.stack, "/");
    await page.getByRole("table", { name: "Vaults" }).getByText("Prime USDC").waitFor();
    expect((await names(page)).length).toBe(9);
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
    await page.getByRole("columnheader", { name: "Vault" }).getByRole("button").click();
    await page.getByRole("columnheader", { name: "Vault" }).getByRole("button").click();
    await expect
      .poll(() => names(page))
      .toEqual(["Flex USDC", "Open USDC Vault", "Prime USDC", "Stable Core"]);
    await page.reload();
    await expect
      .poll(() => names(page))
      .toEqual(["Flex USDC", "Open USDC Vault", "Prime USDC", "Stable Core"]);
    await page.getByRole("searchbox").fill("nothing like it");
    await page.getByText("No vault fits").waitFor();
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

  it("moves nothing that is painted, signed in or not", async () => {
    for (const as of [undefined, 0]) {
      const options = as === undefined ? {} : { as };
      const { page, context, close } = await open(world.browser, world.stack, "/", options);
      await context.addInitScript(() => {
        const shifts: number[] = [];
        Object.assign(window, { shifts });
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) shifts.push((entry as unknown as { value: number }).value);
        }).observe({ type: "layout-shift", buffered: true });
      });
      await page.reload();
      await page.getByRole("table", { name: "Vaults" }).getByText("Prime USDC").waitFor();
      await page.waitForLoadState("networkidle");
      const shifts = await page.evaluate(() => (window as unknown as { shifts: number[] }).shifts);
      expect(shifts.reduce((sum, value) => sum + value, 0)).toBeLessThan(0.01);
      await close();
    }
  });
}
