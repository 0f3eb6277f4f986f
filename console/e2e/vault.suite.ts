import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { demoAccount } from "../../demo/src/accounts.ts";
import type { TrioKey } from "../../demo/src/deployment.ts";
import { axeFindings } from "./axe.ts";
import { open } from "./browser.ts";
import type { World } from "./world.ts";

export function vaultSuite(world: World): void {
  const vaultOf = (key: TrioKey) => world.stack.deployment.trios[key].vault;
  const pathOf = (key: TrioKey) => `/vaults/${world.stack.deployment.chainId}/${vaultOf(key)}`;
  const title = (page: Page, name: string) => page.getByRole("heading", { level: 1, name }).waitFor();

  it("puts what needs attention first, as the service says it, each leading to its alert", async () => {
    const { page, complaints, close } = await open(world.browser, world.stack, pathOf("exiting"), { as: 0 });
    const needs = page.getByRole("list", { name: "Needs attention" });
    const exit = needs.getByRole("listitem").filter({ hasText: "Emergency liquidity exit armed" });
    await exit.waitFor();
    expect(await exit.textContent()).toMatch(/^critical: /);
    expect(await needs.getByRole("listitem").first().textContent()).toMatch(/^critical: /);
    await page.getByRole("list", { name: "Emergency locks" }).getByRole("listitem").first().waitFor();
    await exit.getByRole("link").click();
    await page.waitForURL("**/alerts/*");
    await title(page, "Emergency liquidity exit armed");
    await page.goto(`${world.stack.url}/`);
    const row = page.getByRole("table", { name: "Vaults" }).getByRole("row", { name: /Flex USDC/ });
    await row.getByText("Emergency exit").and(page.locator(":visible")).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("draws price, TVL and APY through the chosen window, reads them under a crosshair, and keeps the window in the address", async () => {
    const { page, complaints, close } = await open(world.browser, world.stack, pathOf("prime"), { as: 0 });
    for (const name of ["Price per share", "TVL", "APY, 7 d"])
      await page.getByRole("img", { name: new RegExp(`^${name}: .+ at .+ UTC`) }).waitFor();
    await page.getByRole("button", { name: "All", exact: true }).click();
    await page.waitForURL("**?window=all");
    const chart = page.getByRole("img", { name: /^Price per share: 1\.0000 USDC/ });
    const figure = page.getByRole("figure").filter({ has: chart });
    const newest = await figure.textContent();
    // Looked for again each time: what is loaded above it moves it.
    const read = async () => {
      const box = await chart.boundingBox();
      if (box) await chart.hover({ position: { x: box.width / 3, y: box.height / 2 } });
      return figure.textContent();
    };
    await expect.poll(read).not.toBe(newest);
    await page.reload();
    await page.getByRole("button", { name: "All", exact: true, pressed: true }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("shows pending changes decoded and counted down, and every amount exact on hover", async () => {
    const { page, close } = await open(world.browser, world.stack, pathOf("drawdown"), { as: 0 });
    await title(page, "Ether Yield");
    const fees = page.getByRole("listitem").filter({ hasText: "performance10 %" });
    await fees.getByText("9 %").waitFor();
    await fees.locator("time").waitFor();
    // It goes with any scrolling, of which there is some while the page is being loaded.
    const hasTip = async () => {
      await page.mouse.move(0, 0);
      await page.locator("dd data").first().hover();
      const tip = page.getByRole("tooltip").waitFor({ timeout: 5_000 });
      return tip.then(() => true).catch(() => false);
    };
    await expect.poll(hasTip).toBe(true);
    await close();
  });

  it("is brought up to date by the audit log itself, without waiting for a poll", async () => {
    const { page, close } = await open(world.browser, world.stack, pathOf("prime"), { as: 0, clock: true });
    const entries = page.getByRole("table", { name: "Latest audit entries" });
    await entries.waitFor();
    const { chainId } = world.stack.deployment;
    const members = `${world.stack.url}/api/v1/vaults/${chainId}/${vaultOf("prime")}/members/${demoAccount(12).address}`;
    const headers = {
      authorization: `Bearer ${await world.stack.token(0)}`,
      "content-type": "application/json",
    };
    const granted = await fetch(members, { method: "PUT", headers, body: '{"role":"view_only"}' });
    expect(granted.ok).toBe(true);
    await entries.getByText("View only add").first().waitFor();
    await fetch(members, { method: "DELETE", headers });
    await close();
  });

  it("lets a primary manager give both roles and take them back, and shows others who has them", async () => {
    const { page, complaints, close } = await open(world.browser, world.stack, pathOf("prime"), { as: 0 });
    const wallet = demoAccount(13).address;
    const list = page.getByRole("list", { name: "Operators and viewers" });
    const member = list.getByRole("listitem").filter({ hasText: wallet });
    const give = async (role: "Operator" | "View only") => {
      await page.getByRole("button", { name: "Let a wallet in" }).click();
      const dialog = page.getByRole("dialog", { name: "Let a wallet in" });
      await dialog.getByLabel("Wallet").fill(` ${wallet} `);
      await dialog.getByRole("button", { name: role, exact: true }).click();
      if (role === "Operator") expect(await axeFindings(page, "all")).toEqual([]);
      await dialog.getByRole("button", { name: "Let in", exact: true }).click();
      await member.getByText(role, { exact: true }).waitFor();
    };
    await give("Operator");
    await give("View only");
    const viewer = await open(world.browser, world.stack, pathOf("prime"), { as: 1 });
    const secondary = viewer.page.getByRole("list", { name: "Operators and viewers" });
    await secondary.getByRole("listitem").filter({ hasText: wallet }).waitFor();
    await viewer.close();

    await member.getByRole("button", { name: `Take view_only back from ${wallet}` }).click();
    const confirm = page.getByRole("dialog", { name: "Take View only back" });
    await confirm.getByRole("textbox").fill(wallet);
    await confirm.getByRole("button", { name: "Take back" }).click();
    await member.waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
    await close();
  });

  it("shows a viewer all, and a wallet without a role the public part and why there is no more", async () => {
    const viewer = await open(world.browser, world.stack, pathOf("prime"), { as: 2 });
    await viewer.page.getByRole("table", { name: "Latest audit entries" }).waitFor();
    await viewer.close();
    const stranger = await open(world.browser, world.stack, pathOf("exiting"), { as: 3 });
    await stranger.page.getByText("You have no role on this vault").waitFor();
    expect(await stranger.page.getByRole("heading", { name: "Services", exact: true }).count()).toBe(0);
    expect(await stranger.page.getByRole("list", { name: "Needs attention" }).count()).toBe(0);
    expect(await stranger.page.getByText("Nothing needs attention").count()).toBe(0);
    expect(await stranger.page.getByRole("alert").count()).toBe(0);
    expect(stranger.complaints).toEqual([]);
    await stranger.close();
  });

  it("says in the service's words that a vault is not known, with the request id", async () => {
    const { page, close } = await open(world.browser, world.stack, `/vaults/1/${vaultOf("prime")}`, {
      as: 0,
    });
    const alert = page.getByRole("alert");
    await alert.getByText(/Chain 1 is not/).waitFor();
    await alert.getByText(/Request/).waitFor();
    await close();
  });
}
