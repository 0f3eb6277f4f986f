// The service gone for real: a process of its own that serves the console over the demo's database is killed, and started again. The
// page's time passes faster than ours.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { freePort } from "../../server/test/free-port.ts";
import { type ServiceProcess, startServiceProcess } from "../../server/test/service-process.ts";
import { open, passTime } from "./browser.ts";
import { report } from "./report.ts";
import type { Stack } from "./stack.ts";
import type { World } from "./world.ts";

const GONE_MS = 20_000;
const PORT_LINE = 3;

export function outageSuite(world: World): void {
  it("says since when while the service is dead for 20 s, and when it is back goes on by itself with nothing lost", async () => {
    const { deployment } = world.stack;
    const subject = `${deployment.chainId}:${deployment.trios.prime.vault}`;
    const actor_wallet = deployment.trios.prime.vault;
    const rotate = (reasons: readonly string[]) =>
      report(
        world.stack,
        reasons.map((reason) => ({
          type: "vaultops.action",
          subject,
          data: { action_type: "session_key_rotate", actor_wallet, details: { reason } },
        })),
      );
    await rotate(["before it was gone"]);
    const port = await freePort();
    const start = () => serve(world.stack, port);
    let service = await start();
    const stack = { ...world.stack, url: `http://127.0.0.1:${port}` };
    // Rotations alone: of all that the demo does, so much may come meanwhile that they are no longer among the rows in sight.
    const path = `/audit?vault=${encodeURIComponent(subject)}&action=session_key_rotate`;
    const { page, complaints, close } = await open(world.browser, stack, path, { as: 0, clock: true });
    const rows = page.getByRole("table", { name: "Audit log" }).locator("tbody tr");
    await rows.first().waitFor();
    const before = await rows.count();
    await page.getByRole("button", { name: "Live" }).waitFor();

    // By the page's clock, by which it polls.
    const now = () => page.evaluate(() => Date.now());
    const killedAt = await now();
    await service.end();
    const banner = page.getByRole("status").filter({ hasText: "Not refreshed since" });
    await passTime(page, async () => (await banner.count()) === 1);
    expect(await rows.count()).toBeGreaterThan(0);
    // What happens meanwhile is written by the demo's own service.
    const reasons = [1, 2, 3].map((n) => `while it was gone, ${n}, ${killedAt}`);
    await rotate(reasons);
    await passTime(page, async () => (await now()) >= killedAt + GONE_MS);

    service = await start();
    await passTime(page, async () => (await banner.count()) === 0);
    await passTime(page, async () => (await rows.count()) >= before + reasons.length);
    expect(complaints).toEqual([]);
    await close();
    await service.end();
  });
}

/** `vaultops start` with the demo's configuration and database, for the API and the console alone; resolves once it serves. */
async function serve({ dataDir }: Stack, port: number): Promise<ServiceProcess> {
  const database = join(dataDir, "service/postgres");
  const { passwords } = JSON.parse(await readFile(join(database, "credentials.json"), "utf8"));
  const lines = (await readFile(join(database, "data/postmaster.pid"), "utf8")).split("\n");
  const url = (role: string, password: string) =>
    `postgres://${role}:${password}@127.0.0.1:${lines[PORT_LINE]}/vaultops`;
  const service = startServiceProcess(["--role", "api", "--config", join(dataDir, "config.yaml")], {
    VAULTOPS_HTTP__PORT: String(port),
    VAULTOPS_DATABASE__URL: url("vaultops_app", passwords.app),
    VAULTOPS_DATABASE__OWNER_URL: url("vaultops_owner", passwords.owner),
  });
  await service.line(({ msg }) => msg === "serving");
  return service;
}
