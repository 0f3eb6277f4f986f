// docs/guides/authentication.md: its code signs in as it stands there, and its configurations load.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { expect, test } from "vitest";
import { freePort } from "../../test/free-port.ts";
import { buildIdentityService, layIdentityGround } from "../../test/identity.ts";
import { loadConfig } from "../config/load.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** The guide's blocks of that language. */
async function blocks(language: string): Promise<string[]> {
  const guide = await readFile(join(ROOT, "docs/guides/authentication.md"), "utf8");
  return [...guide.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "gms"))].map(
    ([, block]) => block as string,
  );
}

test("the code of the programmatic flow runs as printed and gives a token for reading", async () => {
  const [code = ""] = await blocks("js");
  const ground = await layIdentityGround();
  const port = await freePort();
  const service = await buildIdentityService({ ground, publicUrl: `http://127.0.0.1:${port}` });
  await service.app.listen({ host: "127.0.0.1", port });

  const privateKey = generatePrivateKey();
  const env = { VAULTOPS_URL: `http://127.0.0.1:${port}`, VAULTOPS_PRIVATE_KEY: privateKey };
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", code], {
    cwd: ROOT,
    env,
  });
  const { body } = await service.me(stdout.trim());
  expect(body).toMatchObject({ wallet_address: privateKeyToAccount(privateKey).address, scope: "read" });

  await service.app.close();
  await ground.remove();
});

test("every configuration in it is one that the service takes", async () => {
  const dir = await mkdtemp(join(tmpdir(), "guide-"));
  const files = await blocks("yaml");
  expect(files.length).toBe(6);
  for (const [index, yaml] of files.entries()) {
    const file = join(dir, `${index}.yaml`);
    await writeFile(file, yaml);
    const { auth } = loadConfig({ file, env: {} });
    expect(auth.issuers.length > 0 || auth.embedded.enabled).toBe(true);
  }
  await rm(dir, { recursive: true });
});
