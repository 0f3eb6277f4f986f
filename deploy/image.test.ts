// The release and its image, as an operator gets them: built twice alike, installed on a bare base by buildah, started as another user on a
// tree that is mounted read-only, healthy by its own check, ended in order. It takes Debian's base system and packages of the registry, so it
// belongs to `npm run test:full`.
import type { ChildProcess } from "node:child_process";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { chown, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import packageFile from "../package.json" with { type: "json" };
import { release } from "../scripts/release.ts";
import { freePort } from "../server/test/free-port.ts";
import { type ImageTools, imageTools, makeBases, startConfined } from "./image-tools.ts";

const run = promisify(execFile);
const MADE_MS = 1_800_000;
const IS_ROOT = process.getuid?.() === 0;
const REASON = IS_ROOT ? "" : " (left out: only root may build and confine it)";

describe.runIf(process.env.VAULTOPS_FULL === "1" && IS_ROOT)(`the image${REASON}`, () => {
  let tools: ImageTools & { home: string };
  let folder: string;
  let root: string;
  let data: string;
  let image: { Config: Record<string, unknown>; Docker: { config: Config } };

  interface Config {
    User: string;
    Env: string[];
    Entrypoint: string[];
    Cmd: string[];
    Labels: Record<string, string>;
    Volumes: Record<string, object>;
    Healthcheck: { Test: string[] };
  }
  const config = () => image.Docker.config;

  beforeAll(async () => {
    tools = await imageTools();
    folder = join(tools.home, "release");
    await release(folder);
    await makeBases(tools);
    const npmrc = join(tools.home, "npmrc");
    const own = await readFile(join(homedir(), ".npmrc"), "utf8").catch(() => "");
    await writeFile(npmrc, `${own}\ncafile=/etc/ssl/certs/ca-certificates.crt\n`);
    await tools.buildah(
      ...["bud", "--isolation", "chroot", "--format", "docker", "--secret", `id=npmrc,src=${npmrc}`],
      ...["--build-arg", "BASE=localhost/base", "--build-arg", "BUILDER=localhost/builder"],
      ...["--build-arg", `VERSION=${packageFile.version}`, "-f", join(import.meta.dirname, "Containerfile")],
      ...["-t", "localhost/vaultops", folder],
    );
    image = JSON.parse(await tools.buildah("inspect", "--type", "image", "localhost/vaultops"));
    const container = (await tools.buildah("from", "localhost/vaultops")).trim();
    root = (await tools.buildah("mount", container)).trim();
    data = join(tools.home, "data");
    await mkdir(data, { mode: 0o700 });
    await chown(data, 10_001, 10_001);
  }, MADE_MS);
  afterAll(() => tools.remove(), 300_000);

  it("is made of a release that says by checksums, a list of parts and licences what it is", async () => {
    await run("sha256sum", ["--check", "SHA256SUMS"], { cwd: folder });
    const names = await readdir(folder);
    for (const name of ["vaultops", "vaultops-proof", "vaultops-sdk", "vaultops-demo"])
      expect(names).toContain(`${name}-${packageFile.version}.tgz`);
    expect(names).toContain("THIRD-PARTY-NOTICES");
    const bill = JSON.parse(await readFile(join(folder, "sbom.cdx.json"), "utf8"));
    expect(bill).toMatchObject({ bomFormat: "CycloneDX", serialNumber: expect.stringMatching(/^urn:uuid:/) });
    const parts = bill.components.map(({ name }: { name: string }) => name);
    expect(parts).toEqual(expect.arrayContaining(["vaultops", "@vaultops/proof", "pg", "fastify"]));
    const lock = JSON.parse(await readFile(join(folder, "package-lock.json"), "utf8"));
    for (const path of Object.keys(lock.packages).filter((each) => each !== ""))
      expect(parts, path).toContain(path.replace(/^.*node_modules\//, ""));
  });

  it("is nobody's but its own user's, with labels, a volume, a health check; no npm is in it", async () => {
    expect(config()).toMatchObject({
      User: "10001:10001",
      Entrypoint: ["vaultops"],
      Volumes: { "/var/lib/vaultops": {} },
      Labels: {
        "org.opencontainers.image.title": "VaultOps",
        "org.opencontainers.image.version": packageFile.version,
        "org.opencontainers.image.licenses": "MIT",
      },
    });
    expect(config().Healthcheck.Test[0]).toBe("CMD");
    expect(await readdir(join(root, "usr/local/bin"))).toEqual(["node"]);
    expect(await readdir(join(root, "opt/vaultops"))).toEqual([
      "node_modules",
      "package-lock.json",
      "package.json",
    ]);
  });

  it("runs on a tree that nothing can be written to, as another user", async () => {
    const told = await outcome(
      confined(["sh", "-c", "id -u; touch /opt/vaultops/x /etc/vaultops/x; touch /tmp/x"]),
    );
    expect(told.out).toBe("10001\n");
    expect(told.err.match(/Read-only file system/g)).toHaveLength(2);
  });

  it("serves with its own database, is healthy by its own check, and stops in order", async () => {
    const [port, adminPort] = [await freePort(), await freePort()];
    const env = [`VAULTOPS_HTTP__PORT=${port}`, `VAULTOPS_ADMIN__PORT=${adminPort}`];
    const command = [...config().Entrypoint, ...config().Cmd];
    const tookMs: number[] = [];
    // The first start makes the database, the second finds it.
    for (const _ of [1, 2]) {
      const startedAt = performance.now();
      const service = confined(command, env);
      const ended = outcome(service);
      await serving(service);
      tookMs.push(performance.now() - startedAt);
      expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toContain("<title>");
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
      const check = config()
        .Healthcheck.Test.slice(1)
        .map((word) => word.replace(":9090/", `:${adminPort}/`));
      expect((await outcome(confined(check))).code).toBe(0);
      service.kill("SIGTERM");
      expect((await ended).code).toBe(0);
      expect((await outcome(confined(check))).code).toBe(1);
      expect(await readdir(join(data, "postgres/data"))).not.toContain("postmaster.pid");
    }
    const [{ size }] = JSON.parse(await tools.buildah("images", "--json", "localhost/vaultops"));
    console.log(
      `image ${size}; ready after ${tookMs.map((ms) => `${(ms / 1000).toFixed(1)} s`).join(", then ")}`,
    );
  });

  it("runs its commands", async () => {
    const { code, out } = await outcome(confined([...config().Entrypoint, "--help"]));
    expect([code, out]).toEqual([0, expect.stringMatching(/^Usage: vaultops COMMAND/)]);
  });

  const confined = (command: readonly string[], env: readonly string[] = []): ChildProcess =>
    startConfined({ root, data, user: config().User, env: [...config().Env, ...env] }, command);
});

async function outcome(child: ChildProcess): Promise<{ code: number | null; out: string; err: string }> {
  const [out, err, [code]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, "exit"),
  ]);
  return { code, out, err };
}

/** Resolves when the service says that it serves. @throws with what it said when it ends before */
async function serving(service: ChildProcess): Promise<void> {
  let told = "";
  const found = Promise.withResolvers<void>();
  for (const stream of [service.stdout, service.stderr])
    stream?.on("data", (chunk) => {
      told += chunk;
      if (told.includes('"msg":"serving"')) found.resolve();
    });
  service.once("exit", () => found.reject(new Error(told)));
  await found.promise;
}
