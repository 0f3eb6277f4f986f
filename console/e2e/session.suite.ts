import { expect, it } from "vitest";
import { open, passTime } from "./browser.ts";
import type { World } from "./world.ts";

export function sessionSuite(world: World): void {
  const home = () => open(world.browser, world.stack, "/", { as: 0 });

  it("ends on a 401 in its middle: the four keys are cleared and the sign-in page says why", async () => {
    const { page, context, close } = await home();
    await page.getByRole("table", { name: "Vaults" }).getByText("Primary manager").first().waitFor();
    // The token loses its worth between two polls: from now on the real service refuses it.
    await context.route("**/api/v1/**", (route) => {
      const { authorization, ...headers } = route.request().headers();
      return route.continue({
        headers: authorization ? { ...headers, authorization: `${authorization}x` } : headers,
      });
    });
    await page.getByRole("button", { name: "Mine" }).click();
    await page.reload();
    await page.waitForURL("**/sign-in?next=*");
    const reason = page.getByRole("alert");
    await reason.getByText("You were signed out").waitFor();
    await reason.getByText(/request \S+/).waitFor();
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
    await context.unroute("**/api/v1/**");
    await page.getByRole("button", { name: "Primary manager" }).click();
    await page.waitForURL("**/?show=mine");
    await close();
  });

  it("says since when nothing was refreshed while the service is gone, and goes on by itself when it is back", async () => {
    const { page, context, close } = await open(world.browser, world.stack, "/", { as: 0, clock: true });
    await page.getByRole("table", { name: "Vaults" }).getByText("Primary manager").first().waitFor();
    await context.route("**/api/**", (route) => route.abort("connectionrefused"));
    const banner = page.getByRole("status").filter({ hasText: "Not refreshed since" });
    await passTime(page, async () => (await banner.count()) === 1);
    await page.getByRole("table", { name: "Vaults" }).getByText("Prime USDC").waitFor();
    await context.unroute("**/api/**");
    await passTime(page, async () => (await banner.count()) === 0);
    await close();
  });

  it("shows no blank page where a page is opened while the service is gone, and opens it by itself when it is back", async () => {
    const { page, context, close } = await open(world.browser, world.stack, "/", { as: 0, clock: true });
    const link = page.getByRole("table", { name: "Vaults" }).getByRole("link", { name: "Prime USDC" });
    await link.waitFor();
    await context.route("**/api/**", (route) => route.abort("connectionrefused"));
    await link.click();
    const alert = page.getByRole("alert").filter({ hasText: "The service cannot be reached" });
    await passTime(page, async () => (await alert.count()) === 1);
    await context.unroute("**/api/**");
    const title = page.getByRole("heading", { level: 1, name: "Prime USDC" });
    await passTime(page, async () => (await title.count()) === 1);
    await close();
  });

  it("is ended by the person without a reason, and nothing of it stays", async () => {
    const { page, close } = await home();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL("**/sign-in*");
    await page.getByRole("button", { name: "Primary manager" }).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
    await close();
  });
}
