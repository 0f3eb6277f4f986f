// The package as it is sent out: packed, installed in an empty folder without a network, and used on whatever Node there is.
import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { otherNode, packCopy } from "../scripts/packed.ts";
import { testExport } from "./src/test-export.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..");
const MAX_BYTES = 30_000;
const other = await otherNode();
let home: string;
let tarball: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "vaultops-pack-"));
  tarball = await packCopy("proof", join(home, "repository"));
  const folder = join(home, "empty");
  await cp(tarball, join(folder, "proof.tgz"));
  await writeFile(join(folder, "package.json"), '{"type":"module","private":true}');
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", "./proof.tgz"], { cwd: folder });
  const { text, key } = testExport(50);
  await writeFile(join(folder, "audit-log.ndjson"), text);
  await writeFile(join(folder, "key.txt"), `${key}\n`);
  const readme = await readFile(join(import.meta.dirname, "README.md"), "utf8");
  await writeFile(join(folder, "readme.js"), /```js\n(.*?)```/s.exec(readme)![1]!);
});
afterAll(() => rm(home, { recursive: true, force: true }));

it("is one small file, whose package names what was built", async () => {
  expect((await stat(tarball)).size).toBeLessThan(MAX_BYTES);
  const installed = join(home, "empty/node_modules/@vaultops/proof");
  expect((await readdir(installed)).sort()).toEqual(["LICENSE", "README.md", "dist", "package.json"]);
  expect(JSON.parse(await readFile(join(installed, "package.json"), "utf8")).exports).toEqual({
    ".": { types: "./dist/index.d.ts", default: "./dist/index.js" },
  });
});

it("leaves the sources' package as it was", async () => {
  const now = await readFile(join(home, "repository/proof/package.json"), "utf8");
  expect(now).toBe(await readFile(join(import.meta.dirname, "package.json"), "utf8"));
  expect(await readdir(join(home, "repository/proof"))).not.toContain("dist");
});

it("verifies an export as its README says", () => verifyWith(process.execPath));

it.skipIf(other === null)(
  `verifies an export on another Node: ${other?.version ?? "none is on the path"}`,
  () => verifyWith(other!.path),
);

async function verifyWith(node: string): Promise<void> {
  const folder = join(home, "empty");
  const { stdout } = await run(node, ["readme.js"], { cwd: folder });
  expect(stdout).toBe("Each of 50 entries is in the log that was signed.\n");
  const text = await readFile(join(folder, "audit-log.ndjson"), "utf8");
  const changed = `import { verifyExport } from "@vaultops/proof";
    import { readFile } from "node:fs/promises";
    const text = (await readFile("audit-log.ndjson", "utf8")).replace('"assets":"7"', '"assets":"8"');
    const { ok, failure } = await verifyExport(text, { keys: [await readFile("key.txt", "utf8")] });
    console.log(JSON.stringify({ ok, failure }));`;
  expect(text).toContain('"assets":"7"');
  await writeFile(join(folder, "changed.js"), changed);
  expect(JSON.parse((await run(node, ["changed.js"], { cwd: folder })).stdout)).toEqual({
    ok: false,
    failure: { seq: "7", reason: "it is not in the tree that was signed" },
  });
}

it("has declarations that another project compiles against", async () => {
  const folder = join(home, "empty");
  const use = `import { type ExportCheck, leafHash, verifyExport, verifyInclusion } from "@vaultops/proof";
    export const check: Promise<ExportCheck> = verifyExport(new Uint8Array(), { keys: [] });
    export const isIn: boolean = verifyInclusion(leafHash({}), { index: 0, size: 1, hashes: [] }, leafHash({}));
    // @ts-expect-error: keys are no option
    void verifyExport("");`;
  await writeFile(join(folder, "use.ts"), use);
  const options = [
    "--strict",
    "--noEmit",
    "--module",
    "nodenext",
    "--target",
    "es2022",
    "--lib",
    "es2022,dom",
  ];
  const tsc = join(root, "node_modules/@typescript/native/bin/tsc");
  await run(process.execPath, [tsc, ...options, "--types", "", "use.ts"], { cwd: folder });
});
