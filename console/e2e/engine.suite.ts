import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { open } from "./browser.ts";
import type { World } from "./world.ts";

export function engineSuite(world: World): void {
  it("follows an intent from the list to its events and fills, each on the chain", async () => {
    const { page, close } = await open(world.browser, world.stack, "/intents", { as: 0 });
    await page
      .getByRole("group", { name: "State" })
      .getByRole("button", { name: /Completed/ })
      .click();
    await page.waitForURL("**/intents?state=COMPLETED");
    const table = page.getByRole("table", { name: "Intents" });
    await expect.poll(() => statesIn(page)).toEqual(["Completed"]);
    await table.getByRole("link").first().click();
    await page.waitForURL("**/intents/*");
    const events = page.getByRole("list", { name: "Events" }).getByRole("listitem");
    await events.getByText("Completed").waitFor();
    expect(await events.first().textContent()).toContain("Received");
    const fills = page.getByRole("table", { name: "Fills" });
    // A fill of a moment ago is pending until its block is confirmed.
    await fills
      .getByText(/Confirmed|Pending/)
      .first()
      .waitFor();
    await page.getByRole("link", { name: "All intents" }).click();
    await table.waitFor();
    await close();
  });

  it("keeps the filter of intents in the address, and says when nothing fits", async () => {
    const { page, close } = await open(
      world.browser,
      world.stack,
      "/intents?state=COMPLETED&action=no_such",
      {
        as: 0,
      },
    );
    await page.getByText("No intents match").waitFor();
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByRole("table", { name: "Intents" }).waitFor();
    expect(new URL(page.url()).search).toBe("");
    await close();
  });

  it("shows a payout in its vault's units, and one vault's alone when asked", async () => {
    const { page, close } = await open(world.browser, world.stack, "/redemptions", { as: 0 });
    const table = page.getByRole("table", { name: "Redemptions" });
    await table.getByText("Success").first().waitFor();
    await page.getByRole("combobox", { name: "Vault" }).selectOption({ label: "Prime USDC" });
    await page.waitForURL("**/redemptions?vault=*");
    const names = () => table.locator("tbody tr td:first-child").allTextContents();
    await expect.poll(async () => new Set(await names())).toEqual(new Set(["Prime USDC"]));
    await expect
      .poll(() => table.locator("tbody data").first().getAttribute("data-tip"))
      .toMatch(/USDC\n\d+ raw units$/);
    await close();
  });

  it("judges the services of all vaults, and of one with its last error", async () => {
    const { page, close } = await open(world.browser, world.stack, "/services", { as: 0 });
    const table = page.getByRole("table", { name: "Services" });
    await table.getByText("Fulfill redeems").waitFor();
    await page.getByRole("combobox", { name: "Vault" }).selectOption({ label: "Prime USDC" });
    await page.waitForURL("**/services?vault=*");
    await table.getByText("none", { exact: true }).first().waitFor();
    await close();
  });

  it("tells a wallet without a role that it has nothing here", async () => {
    const { page, close } = await open(world.browser, world.stack, "/intents", { as: 3 });
    await page.getByText("No intents yet").waitFor();
    await close();
  });
}

async function statesIn(page: Page): Promise<string[]> {
  const cells = page.getByRole("table", { name: "Intents" }).locator("tbody tr td:nth-child(2)");
  return [...new Set(await cells.allTextContents())];
}
