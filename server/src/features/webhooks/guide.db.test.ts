// docs/guides/webhooks.md: its receivers as they stand there, each in its own runtime, against real deliveries. TypeScript always; a
// language whose runtime is not on this machine is left out.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FakeClock } from "../../../test/delivery.ts";
import { freePort } from "../../../test/free-port.ts";
import { createWebhookWorld, emptyWebhooks, paused, type WebhookWorld } from "../../../test/webhooks.ts";

const ROOT = join(import.meta.dirname, "../../../..");
const GUIDE = join(ROOT, "docs/guides/webhooks.md");

const RECEIVERS = [
  { fence: "ts", file: "receiver.ts", command: [process.execPath], probe: "--version" },
  { fence: "python", file: "receiver.py", command: ["python3"], probe: "--version" },
  { fence: "go", file: "receiver.go", command: ["go", "run"], probe: "version" },
].filter(({ command: [program], probe }) => {
  try {
    execFileSync(program as string, [probe], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
});

let world: WebhookWorld;
let dir: string;
beforeAll(async () => {
  world = await createWebhookWorld();
  dir = await mkdtemp(join(tmpdir(), "webhooks-guide-"));
});
afterAll(async () => {
  await world.close();
  await rm(dir, { recursive: true, force: true });
});

test.each(RECEIVERS)(
  "$file takes what is signed, once, and nothing else",
  async ({ fence, file, command }) => {
    await emptyWebhooks(world);
    // The receivers go by the machine's clock.
    world.clock.at(Date.now() - FakeClock.BEGIN_MS);
    const port = await freePort();
    const endpoint = await world.create({ url: `http://127.0.0.1:${port}/hook` });
    const { child, lines } = await start(fence, file, command, port, endpoint.secret);
    try {
      expect((await lines.next()).value).toBe("listening");
      await world.emit(paused(1));
      await world.deliver();
      const { deliveries } = (await world.ask("GET", `/api/v1/webhooks/${endpoint.id}/deliveries`)).body;
      expect(deliveries[0].attempts).toMatchObject([{ status_code: 204, error: null }]);
      expect((await lines.next()).value).toBe(`vault.paused ${deliveries[0].event_id}`);

      // The same again, to which it says yes and does nothing; then another.
      await world.ask("POST", `/api/v1/webhook-deliveries/${deliveries[0].id}/replay`);
      await world.deliver();
      await world.emit({ ...paused(2), type: "vault.unpaused" } as never);
      await world.deliver();
      const again = (await world.ask("GET", `/api/v1/webhooks/${endpoint.id}/deliveries`)).body.deliveries;
      expect(again.map(({ status }: { status: string }) => status)).toEqual(["delivered", "delivered"]);
      expect((await lines.next()).value).toBe(`vault.unpaused ${again[0].event_id}`);

      const forged = await fetch(`http://127.0.0.1:${port}/hook`, {
        method: "POST",
        headers: {
          "webhook-id": "evt_forged",
          "webhook-timestamp": String(Math.floor(Date.now() / 1000)),
          "webhook-signature": `v1,${Buffer.alloc(32).toString("base64")}`,
        },
        body: "{}",
      });
      expect(forged.status).toBe(400);
    } finally {
      child.kill("SIGKILL");
    }
  },
);

async function start(fence: string, file: string, command: string[], port: number, secret: string) {
  const guide = await readFile(GUIDE, "utf8");
  const [, program = ""] = new RegExp(`^\`\`\`${fence}\\n(.*?)^\`\`\``, "ms").exec(guide) ?? [];
  const sdk = pathToFileURL(join(ROOT, "sdk/src/verify-webhook.ts")).href;
  await writeFile(join(dir, file), program.replace("@vaultops/sdk/verify-webhook", sdk));
  const [executable, ...rest] = command;
  const child: ChildProcess = spawn(executable as string, [...rest, join(dir, file)], {
    env: { ...process.env, PORT: String(port), VAULTOPS_WEBHOOK_SECRET: secret },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  return { child, lines };
}
