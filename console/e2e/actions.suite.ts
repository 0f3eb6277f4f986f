// From the vault's page to an entry of the audit log: chosen, prepared, looked at, signed by a wallet that signs for real, and followed.
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { type Address, getAddress } from "viem";
import { expect, it } from "vitest";
import { demoAccount } from "../../demo/src/accounts.ts";
import { open } from "./browser.ts";
import { installWallet } from "./wallet.ts";
import type { World } from "./world.ts";

export function actionsSuite(world: World): void {
  // Others each time, so that what an earlier run left is not in the way.
  const [MANAGER, OTHER] = [1, 2].map(() => getAddress(`0x${randomBytes(20).toString("hex")}`)) as [
    Address,
    Address,
  ];
  const vaultPath = (key: "drawdown" | "prime" = "drawdown") => {
    const { chainId, trios } = world.stack.deployment;
    return `/vaults/${chainId}/${trios[key].vault}`;
  };
  const choose = (page: Page, title: string) =>
    page.getByRole("button", { name: new RegExp(`^${title}`) }).click();
  const prepare = (page: Page) => page.getByRole("button", { name: "Prepare" }).click();
  const status = (page: Page, text: string) =>
    page.getByRole("heading", { level: 1 }).locator("xpath=..").getByText(text, { exact: true }).waitFor();
  const outside = (more: object = {}) => ({
    name: "Outside Wallet",
    privateKey: demoAccount(0).privateKey,
    chainId: world.stack.deployment.chainId,
    rpcUrl: world.stack.rpcUrl,
    ...more,
  });

  it("leads from a vault to what is foretold, signed as a batch, confirmed, and found in the audit log", async () => {
    const { page, context, complaints, close } = await open(world.browser, world.stack, vaultPath(), {
      as: 0,
    });
    await installWallet(context, outside({ batches: true }));
    await page.reload();
    await page.getByRole("link", { name: "Actions" }).click();
    await page.getByRole("list", { name: "You can" }).getByText("Pause the vault", { exact: true }).waitFor();
    await choose(page, "Add a secondary manager");
    await page.waitForURL("**/actions?action=add_secondary_manager");
    const field = page.getByRole("textbox", { name: "Manager" });
    await prepare(page);
    await page.getByText("is missing").waitFor();
    await field.fill("0x12");
    await prepare(page);
    await page
      .getByText(/must be an address/)
      .first()
      .waitFor();
    expect(await field.getAttribute("aria-invalid")).toBe("true");
    await field.fill(MANAGER);
    await prepare(page);
    await page.getByText("The calls go through.").waitFor();
    await page
      .getByRole("list", { name: "Changes" })
      .getByText(/managers\.secondary/)
      .first()
      .waitFor();
    await page.getByRole("list", { name: "Audit entries" }).getByText("Secondary manager add").waitFor();
    await page
      .getByRole("list", { name: "Alerts" })
      .getByText("A secondary manager was added", { exact: true })
      .waitFor();
    await page.getByText("manages the vault in no way yet.").waitFor();
    await status(page, "Prepared");
    await page.getByRole("button", { name: "Sign with Outside Wallet" }).click();
    await status(page, "Confirmed");
    await page.getByRole("list", { name: "Audit entries of the action" }).getByRole("link").first().click();
    const entry = page.getByRole("dialog");
    await entry.getByText("Secondary manager add").waitFor();
    await entry.getByText(MANAGER).first().waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("goes by the keyboard alone, with a wallet that sends one transaction at a time, and changes nothing when its owner declines", async () => {
    const path = `${vaultPath()}/actions?action=add_secondary_manager`;
    const { page, context, close } = await open(world.browser, world.stack, path, { as: 0 });
    await installWallet(context, outside());
    await page.reload();
    const field = page.getByRole("textbox", { name: "Manager" });
    await field.focus();
    await page.keyboard.type(OTHER);
    await page.keyboard.press("Enter");
    await page.getByRole("list", { name: "Changes" }).waitFor();
    const second = await context.newPage();
    await second.goto(page.url());
    await second.getByRole("button", { name: "Sign with Outside Wallet" }).focus();
    await second.keyboard.press("Enter");
    await status(second, "Confirmed");
    // The page that was left open hears of it as well.
    await status(page, "Confirmed");
    await close();

    const hesitant = await open(world.browser, world.stack, `${vaultPath()}/actions?action=pause`, { as: 0 });
    await installWallet(hesitant.context, outside({ declines: true }));
    await hesitant.page.reload();
    await prepare(hesitant.page);
    await hesitant.page.getByRole("button", { name: "Sign with Outside Wallet" }).click();
    await hesitant.page.getByRole("alert").getByText("You declined in the wallet.").waitFor();
    await status(hesitant.page, "Prepared");
    await hesitant.close();
  });

  it("gives a file for Safe's builder, and asks nothing of a wallet that has another account", async () => {
    const { page, context, close } = await open(
      world.browser,
      world.stack,
      `${vaultPath()}/actions?action=pause`,
      {
        as: 0,
      },
    );
    await installWallet(context, outside({ privateKey: demoAccount(3).privateKey }));
    await page.reload();
    await prepare(page);
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download for Safe" }).click(),
    ]);
    const written = JSON.parse(await readFile(await file.path(), "utf8"));
    expect(written).toMatchObject({ chainId: String(world.stack.deployment.chainId), transactions: [{}] });
    expect(written.meta.checksum).toMatch(/^0x/);
    await page.getByRole("button", { name: "Sign with Outside Wallet" }).click();
    await page
      .getByRole("alert")
      .getByText(/does not offer the account/)
      .waitFor();
    await close();
  });

  it("says why not: before anything is prepared, to a viewer, where there is nothing, and to whoever holds no role", async () => {
    const manager = await open(world.browser, world.stack, `${vaultPath()}/actions?action=unpause`, {
      as: 0,
    });
    await prepare(manager.page);
    await manager.page.getByRole("alert").getByText("The vault is not paused.").waitFor();
    await manager.page.getByText("Nothing was prepared, and nothing was signed.").waitFor();
    const { chainId, plain } = world.stack.deployment;
    await manager.page.goto(`/vaults/${chainId}/${plain.vault}/actions`);
    await manager.page.getByText("Nothing can be prepared for this vault").waitFor();
    await manager.close();

    const viewer = await open(world.browser, world.stack, `${vaultPath("prime")}/actions?action=pause`, {
      as: 2,
    });
    await viewer.page
      .getByRole("list", { name: "Others can" })
      .getByText("Pause the vault", { exact: true })
      .waitFor();
    await viewer.close();

    const nobody = await open(world.browser, world.stack, `${vaultPath("prime")}/actions`, { as: 3 });
    await nobody.page.getByRole("alert").waitFor();
    await nobody.close();
  });
}
