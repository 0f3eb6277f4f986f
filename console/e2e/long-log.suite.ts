// A vault with 10,000 audit entries: scrolled from end to end, exported and verified outside.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { demoAccount } from "../../demo/src/accounts.ts";
import { open } from "./browser.ts";
import { type Report, report } from "./report.ts";
import type { World } from "./world.ts";

const ENTRIES = 10_000;
const VAULTOPS = join(import.meta.dirname, "../../server/bin/vaultops.mjs");

export function longLogSuite(world: World): void {
  const vaultOf = () => `${world.stack.deployment.chainId}:${world.stack.deployment.plain.vault}`;

  beforeAll(async () => {
    const { total } = await entriesOf(world, { limit: "1" });
    const actor = demoAccount(1).address;
    const rotation = (n: number): Report => ({
      type: "vaultops.action",
      subject: vaultOf(),
      data: { action_type: "session_key_rotate", actor_wallet: actor, details: { rotation: n } },
    });
    const missing = Math.max(0, ENTRIES - total);
    await report(
      world.stack,
      Array.from({ length: missing }, (_, index) => rotation(index)),
    );
  }, 300_000);

  it("is scrolled through to its oldest entry, never blank, with no more rows on the page than are seen", async () => {
    const { page, close } = await open(world.browser, world.stack, `/audit?vault=${vaultOf()}`, { as: 0 });
    const table = page.getByRole("table", { name: "Audit log" });
    await table.getByText("Session key rotate").first().waitFor();
    const [oldest] = (await entriesOf(world, { limit: "1", order: "asc" })).logs;
    for (let steps = 0; ; steps++) {
      const last = await lastRow(page);
      if (last === `#${oldest?.seq}`) break;
      expect(steps, "the end is reached").toBeLessThan(1000);
      const rows = await page.evaluate(async () => {
        window.scrollBy(0, 18_000);
        await new Promise((resolve) => requestAnimationFrame(resolve));
        return document.querySelectorAll("tbody tr").length;
      });
      expect(rows).toBeLessThan(150);
      await expect.poll(() => rowInSight(page), { interval: 20 }).toMatch(/#\d+$/);
      // It goes on where older ones have come, however long that takes.
      await expect.poll(() => lastRow(page), { interval: 20 }).not.toBe(last);
    }
    await page.getByText("That is all").waitFor();
    await page.evaluate(() => window.scrollTo(0, 0));
    await expect.poll(() => rowInSight(page)).toMatch(/#\d+$/);
    await close();
  });

  it("is exported whole, and the file is verified by the command line with the log's public keys", async () => {
    const folder = await mkdtemp(join(tmpdir(), "vaultops-export-"));
    const { page, close } = await open(
      world.browser,
      world.stack,
      `/audit?vault=${vaultOf()}&action=session_key_rotate`,
      { as: 0 },
    );
    await page.getByRole("button", { name: "Export" }).click();
    const dialog = page.getByRole("dialog", { name: "Export" });
    await dialog.getByRole("button", { name: "JSON", exact: true }).click();
    await dialog.getByRole("checkbox").check();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      dialog.getByRole("button", { name: "Export" }).click(),
    ]);
    const file = join(folder, "export.json");
    await download.saveAs(file);
    await close();
    const keys = join(folder, "keys.txt");
    const answer = await fetch(`${world.stack.url}/api/v1/audit/keys`);
    const { keys: known } = (await answer.json()) as { keys: { vkey: string }[] };
    await writeFile(keys, known.map(({ vkey }) => `${vkey}\n`).join(""));

    const held = await verify(file, keys);
    expect(held).toMatchObject({ code: 0 });
    expect(held.output).toContain("by its own proof");
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replace('"rotation":7', '"rotation":8'));
    expect(await verify(file, keys)).toMatchObject({ code: 1 });
    await rm(folder, { recursive: true });
  });

  async function entriesOf({ stack }: World, query: Record<string, string>) {
    const [chainId = "", address = ""] = vaultOf().split(":");
    const filter = new URLSearchParams({ chain_id: chainId, vault_address: address, ...query });
    const headers = { authorization: `Bearer ${await stack.token(0)}` };
    const answer = await fetch(`${stack.url}/api/v1/audit/logs?${filter}`, { headers });
    return (await answer.json()) as { logs: { seq: string }[]; total: number };
  }
}

/** The text of the row in the middle of the window; empty where there is none. */
function rowInSight(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.elementFromPoint(innerWidth / 2, innerHeight / 2);
    return element?.closest("tr")?.textContent ?? "";
  });
}

/** The number of the last entry that the table has a row for. */
function lastRow(page: Page): Promise<string> {
  return page.evaluate(() => {
    const rows = document.querySelectorAll("tbody tr:not([aria-hidden])");
    return rows[rows.length - 1]?.lastElementChild?.textContent ?? "";
  });
}

async function verify(file: string, keys: string): Promise<{ code: number; output: string }> {
  const args = [VAULTOPS, "audit", "verify", file, "--key", keys];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return { code: 0, output: stdout };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, output: stdout + stderr };
  }
}
