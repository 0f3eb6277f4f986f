import { expect, it } from "vitest";
import { demoAccount } from "../../demo/src/accounts.ts";
import { open } from "./browser.ts";
import { installWallet } from "./wallet.ts";
import type { World } from "./world.ts";

export function signInSuite(world: World): void {
  const start = () => open(world.browser, world.stack, "/sign-in");

  it("takes one click for each demo account, and shows what its role lets it see", async () => {
    const roles = [
      ["Primary manager", "Manager"],
      ["Secondary manager", "Manager"],
      ["Viewer of one vault", "Viewer"],
      ["No role", "No role"],
    ] as const;
    for (const [wallet, part] of roles) {
      const { page, complaints, close } = await start();
      await page.getByRole("button", { name: wallet, exact: true }).click();
      await page.getByRole("table", { name: "Vaults" }).waitFor();
      await page.getByRole("complementary").getByText(part, { exact: true }).waitFor();
      expect(complaints).toEqual([]);
      await close();
    }
  });

  it("finds an outside wallet by EIP-6963, whose key signs for real, and keeps exactly the four keys", async () => {
    const { page, context, complaints, close } = await start();
    const { privateKey, address } = demoAccount(1);
    await installWallet(context, { name: "Outside Wallet", privateKey, chainId: 1 });
    await page.reload();
    await page.getByRole("button", { name: "Outside Wallet" }).click();
    await page.getByRole("complementary").getByText("Manager", { exact: true }).waitFor();
    const stored = await page.evaluate(() => ({ ...localStorage }));
    expect(Object.keys(stored).sort()).toEqual([
      "curator_address",
      "curator_is_manager",
      "curator_jwt",
      "curator_vaults",
    ]);
    expect(stored.curator_address).toBe(address);
    expect(stored.curator_is_manager).toBe("true");
    expect(JSON.parse(stored.curator_vaults as string)).toContain(world.stack.deployment.trios.prime.vault);
    expect(complaints).toEqual([]);
    await close();
  });

  it("says so, and signs nobody in, when the wallet's owner declines", async () => {
    const { page, context, close } = await start();
    const { privateKey } = demoAccount(0);
    await installWallet(context, { name: "Hesitant Wallet", privateKey, chainId: 1, declines: true });
    await page.reload();
    await page.getByRole("button", { name: "Hesitant Wallet" }).click();
    await page.getByRole("alert").getByText("You declined in the wallet.").waitFor();
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
    await close();
  });

  it("goes by the keyboard alone, and on to the page that was asked for", async () => {
    const { page, close } = await open(world.browser, world.stack, "/sign-in?next=%2F%3Fshow%3Dmine");
    await page.getByRole("button", { name: "Primary manager" }).waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
    for (let presses = 0; !(await focused()).startsWith("Primary manager"); presses++) {
      expect(presses, "the wallet is reached by Tab").toBeLessThan(20);
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
    await page.waitForURL("**/?show=mine");
    await page.getByRole("button", { name: "Mine", pressed: true }).waitFor();
    await close();
  });

  it("takes an outside provider's token where one is configured, and says in the service's words why it takes another not", async () => {
    const { page, context, close } = await open(world.browser, world.stack, "/");
    // The demo trusts no outside provider: only the answer that says so is another.
    await context.route("**/api/v1/auth/config", (route) =>
      route.fulfill({
        json: {
          issuers: [{ issuer: "https://id.example", profile: "generic", console: null }],
          embedded: null,
        },
      }),
    );
    await page.goto("/sign-in");
    await page.getByText("https://id.example").waitFor();
    const token = page.getByLabel("Token (JWT)");
    const submit = page.getByRole("button", { name: "Sign in with this token" });
    await token.fill("not.a.token");
    await submit.click();
    await page.getByText(/\(request \S+\)/).waitFor();
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
    await token.fill(`Bearer ${await world.stack.token(1)}`);
    await submit.click();
    await page.getByRole("complementary").getByText("Manager", { exact: true }).waitFor();
    await close();
  });
}
