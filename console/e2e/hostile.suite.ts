// Answers as they should not be: names that are markup or turn the direction of writing, numbers of 78 digits, nothing where something
// is expected, a gateway's page instead of JSON, a clock that is wrong, an answer that takes long.
import type { BrowserContext, Route } from "playwright-core";
import { expect, it } from "vitest";
import { open } from "./browser.ts";
import type { World } from "./world.ts";

const MARKUP = '<img src=x onerror="document.title=1">';
const TURNED = "\u202Egnitsixe fo dne";
const LONG = "w".repeat(5_000);
const MOST = "9".repeat(78);
const YEAR_MS = 31_536_000_000;

export function hostileSuite(world: World): void {
  /** The public list as the service gives it, each vault changed. */
  async function withVaults(
    context: BrowserContext,
    change: (vault: Record<string, unknown>, n: number) => object,
  ) {
    await context.route("**/api/v1/public/vaults*", async (route: Route) => {
      const response = await route.fetch();
      if (response.status() !== 200) return route.fulfill({ response });
      const vaults = (await response.json()) as Record<string, unknown>[];
      return route.fulfill({ response, json: vaults.map((vault, n) => ({ ...vault, ...change(vault, n) })) });
    });
  }

  it("shows names as text, whatever they hold, in a place that they cannot leave", async () => {
    const { page, context, complaints, close } = await open(world.browser, world.stack, "/sign-in");
    const names = [MARKUP, TURNED, LONG, ""];
    await withVaults(context, (vault, n) =>
      n < names.length ? { vault_name: names[n], name: names[n] } : vault,
    );
    await page.goto("/");
    const table = page.getByRole("table", { name: "Vaults" });
    await table.getByText("onerror=").waitFor();
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    expect(await page.title()).not.toBe("1");
    const turned = table.getByText(TURNED);
    expect(await turned.evaluate((element) => getComputedStyle(element).unicodeBidi)).toBe("isolate");
    await page.setViewportSize({ width: 360, height: 780 });
    await expect
      .poll(() =>
        page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
      )
      .toBeLessThanOrEqual(0);
    expect(complaints).toEqual([]);
    await close();
  });

  it("shows the greatest numbers exact, and says unknown where there is none", async () => {
    const { page, context, complaints, close } = await open(world.browser, world.stack, "/sign-in");
    await withVaults(context, (vault, n) =>
      Object.fromEntries(
        Object.entries(vault).map(([key, value]) => {
          if (n === 0 && typeof value === "string" && /^\d+$/.test(value)) return [key, MOST];
          if (
            n === 1 &&
            (typeof value === "number" || /^\d+$/.test(String(value))) &&
            !/decimals|chain/.test(key)
          )
            return [key, null];
          return [key, value];
        }),
      ),
    );
    await page.goto("/");
    const table = page.getByRole("table", { name: "Vaults" });
    await table.locator(`data[value="${MOST}"]`).first().waitFor();
    const tip = await table.locator(`data[value="${MOST}"]`).first().getAttribute("data-tip");
    expect(tip?.replace(/[^9]/g, "")).toContain(MOST);
    expect(await table.textContent()).not.toMatch(/NaN|undefined|Infinity|null/);
    expect(complaints).toEqual([]);
    await close();
  });

  it("says that the service is out where a gateway answers a page of its own, shows none of it, and goes on when it is back", async () => {
    const { page, context, complaints, close } = await open(world.browser, world.stack, "/sign-in");
    // Back with the click and not a moment before: the page also asks again by itself, and then there is no button left to click.
    const isClicked = () => page.evaluate(() => "isClicked" in window).catch(() => false);
    await context.route("**/api/v1/public/vaults*", async (route) =>
      (await isClicked())
        ? route.continue()
        : route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad gateway of nginx</h1>" }),
    );
    await page.goto("/");
    await page.getByRole("alert").first().waitFor();
    expect(await page.locator("body").textContent()).not.toMatch(/nginx|<h1>|Unexpected token/);
    await page.evaluate(() =>
      window.addEventListener("click", () => Object.assign(window, { isClicked: true }), true),
    );
    await page
      .getByRole("button", { name: /again|now/i })
      .first()
      .click();
    await page.getByRole("table", { name: "Vaults" }).getByText("Prime USDC").waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("waits for a slow answer with the page laid out, and ends no session by a clock that is a year wrong", async () => {
    const { page, context, complaints, close } = await open(world.browser, world.stack, "/sign-in", {
      as: 0,
    });
    const isSeen = Promise.withResolvers<void>();
    await context.route("**/api/v1/vaults*", async (route) => {
      await isSeen.promise;
      await route.continue();
    });
    await page.clock.install({ time: Date.now() + YEAR_MS });
    await page.goto("/");
    await page.getByRole("status", { name: "Loading" }).waitFor();
    isSeen.resolve();
    await page.getByRole("table", { name: "Vaults" }).getByText("Primary manager").first().waitFor();
    expect(await page.evaluate(() => localStorage.getItem("curator_jwt"))).not.toBe(null);
    expect(complaints).toEqual([]);
    await close();
  });

  it("goes back, forward and on after a reload to the same page, and signs out every tab with one", async () => {
    const { page, context, complaints, close } = await open(world.browser, world.stack, "/", { as: 0 });
    await page.getByRole("link", { name: "Prime USDC" }).click();
    const title = page.getByRole("heading", { level: 1, name: "Prime USDC" });
    await title.waitFor();
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Vaults" }).waitFor();
    await page.goForward();
    await title.waitFor();
    await page.reload();
    await title.waitFor();
    const second = await context.newPage();
    await second.goto("/alerts");
    await second.getByRole("heading", { level: 1, name: "Alerts" }).waitFor();
    await second.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL("**/sign-in*");
    await page.getByRole("alert").waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
}
