// For tests of what is sent out: packs a package and finds a Node to run it on.
import { execFile } from "node:child_process";
import { cp, readdir, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { root } from "./steps.ts";

const run = promisify(execFile);

/** Packs a copy of the package, since packing changes its folder, which other tests read meanwhile. `repository`: where the copy stands.
 * Resolves with the packed file's path. */
export async function packCopy(
  name: string,
  repository: string,
  more: readonly string[] = [],
): Promise<string> {
  const copied = ["src", "README.md", "package.json", "tsconfig.json"].map((path) => `${name}/${path}`);
  for (const path of [...copied, ...more, "scripts/pack.ts", "tsconfig.json", "LICENSE"])
    await cp(join(root, path), join(repository, path), { recursive: true });
  await writeFile(join(repository, "package.json"), '{"type":"module"}');
  await symlink(join(root, "node_modules"), join(repository, "node_modules"));
  const folder = join(repository, name);
  await run("npm", ["pack"], { cwd: folder });
  const tarball = (await readdir(folder)).find((each) => each.endsWith(".tgz"));
  return join(folder, tarball!);
}

/** The machine's own Node, beside the one that the project brings along. */
export async function otherNode(): Promise<{ path: string; version: string } | null> {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    if (folder.includes("node_modules")) continue;
    const path = join(folder, "node");
    const found = await run(path, ["--version"]).catch(() => null);
    if (found !== null && path !== process.execPath) return { path, version: found.stdout.trim() };
  }
  return null;
}
