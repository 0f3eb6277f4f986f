import type { BrowserContext } from "playwright-core";
import { expect, it } from "vitest";
import { open, passTime } from "./browser.ts";
import type { World } from "./world.ts";

export function sessionSuite(world: World): void {
  const home = () => open(world.browser, world.stack, "/", { as: 0 });

  it("ends on a 401 in its middle: the four keys are cleared and the sign-in page says why", async () => {
    const { page, context, close } = await open(world.browser, world.stack, "/", { as: 0, clock: true });
    await page.getByRole("table", { name: "Vaults" }).getByText("Primary manager").first().waitFor();
    await page.getByRole("button", { name: "Mine" }).click();
    await page.waitForURL("**/?show=mine");
    const title = page.getByRole("heading", { level: 1, name: "Sign in" });
    const isEnded = async () => {
      const reason = page.getByRole("alert");
      await reason.getByText("You were signed out").waitFor();
      await reason.getByText(/request \S+/).waitFor();
      expect(await page.evaluate(() => localStorage.length)).toBe(0);
      await context.unroute(CALLS);
      await page.getByRole("button", { name: "Primary manager" }).click();
      await page.getByRole("button", { name: "Mine", pressed: true }).waitFor();
    };
    // By one of the page's own polls, whichever comes first.
    await spoilToken(context);
    await passTime(page, async () => (await title.count()) === 1);
    await isEnded();
    // And by the first call of a page that is loaded.
    await page.goto("about:blank");
    await spoilToken(context);
    await page.goto("/?show=mine");
    await title.waitFor();
    await isEnded();
    await close();
  });

  /** A form with input in it whose session has ended; what was typed is nowhere but in the page's memory. */
  async function interrupted() {
    const watched = await open(world.browser, world.stack, "/channels", { as: 0 });
    const { page, context } = watched;
    const form = page.getByRole("dialog", { name: "New channel" });
    const name = `Typed ${Date.now()}`;
    await page.getByRole("button", { name: "New channel" }).first().click();
    await form.getByRole("combobox", { name: "Provider" }).selectOption({ label: "Slack" });
    await form.getByRole("textbox", { name: "Name" }).fill(name);
    await form.getByLabel("Webhook URL").fill("http://127.0.0.1:9/services/half-typed");
    // By this call: a poll that came before it would put the sign-in page in the place of the button.
    await spoilToken(context, "POST");
    await form.getByRole("button", { name: "Make channel" }).click();
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    await page.getByRole("alert").getByText("You were signed out").waitFor();
    expect(await form.count()).toBe(0);
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    expect(kept).not.toContain("yped");
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
    await context.unroute(CALLS);
    return { ...watched, form, name };
  }

  it("gives back the form and what was typed into it when the same wallet signs in again", async () => {
    const { page, complaints, form, name, close } = await interrupted();
    await page.getByRole("button", { name: "Primary manager" }).click();
    await form.waitFor();
    expect(await form.getByRole("textbox", { name: "Name" }).inputValue()).toBe(name);
    expect(await form.getByLabel("Webhook URL").inputValue()).toContain("half-typed");
    expect(await form.getByRole("alert").count()).toBe(0);
    await form.getByRole("button", { name: "Make channel" }).click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("gives nothing of what was typed to another wallet, nor to whoever goes elsewhere first", async () => {
    const other = await interrupted();
    await other.page.getByRole("button", { name: "Secondary manager" }).click();
    await other.page.getByRole("heading", { level: 1, name: "Channels" }).waitFor();
    await other.page.getByRole("complementary").getByText("Manager", { exact: true }).waitFor();
    expect(await other.page.getByRole("dialog").count()).toBe(0);
    await other.page.getByRole("button", { name: "New channel" }).first().click();
    expect(await other.form.getByRole("textbox", { name: "Name" }).inputValue()).toBe("");
    await other.close();

    const { page, form, close } = await interrupted();
    await page.getByRole("link", { name: "Look at the public listing instead" }).click();
    await page.getByRole("table", { name: "Vaults" }).getByText("Prime USDC").waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "Primary manager" }).click();
    await page.getByRole("heading", { level: 1, name: "Channels" }).waitFor();
    expect(await form.count()).toBe(0);
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

const CALLS = "**/api/v1/**";

/** The token loses its worth between two polls: from now on the real service refuses it, in every call or only in those of a method. */
async function spoilToken(context: BrowserContext, method?: string): Promise<void> {
  await context.route(CALLS, (route) => {
    const { authorization, ...headers } = route.request().headers();
    const isSpoilt = authorization && (method === undefined || route.request().method() === method);
    return isSpoilt
      ? route.continue({ headers: { ...headers, authorization: `${authorization}x` } })
      : route.continue();
  });
}
