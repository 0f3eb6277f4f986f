// The code of before, out of this repository's own history, in a folder of its own from which it runs: with the packages that are installed here, and
// its own of what the repository itself holds.
import { execFile, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** The repository's own packages, which node_modules links to. */
const OWN = ["console", "demo", "proof", "sdk", "server"];

/** The last commit before processes of two releases were tried beside each other. */
export const COMMIT_BEFORE = "6917338";

/** Null, or why there is no code of before: a copy without its history, or no git. */
export function whyNoHistory(commit = COMMIT_BEFORE): string | null {
  const { status, error } = spawnSync("git", ["-C", ROOT, "cat-file", "-e", `${commit}^{commit}`]);
  if (error !== undefined) return "git is not installed";
  return status === 0 ? null : `the repository's history does not reach back to ${commit}`;
}

/** Resolves with the folder. */
export async function checkOut(commit = COMMIT_BEFORE): Promise<{ root: string; remove(): Promise<void> }> {
  const root = await mkdtemp(join(tmpdir(), "vaultops-before-"));
  const archive = join(root, "code.tar");
  const run = promisify(execFile);
  await run("git", ["-C", ROOT, "archive", "--output", archive, commit]);
  await run("tar", ["-xf", archive, "-C", root]);
  const modules = join(root, "node_modules");
  await mkdir(join(modules, "@vaultops"), { recursive: true });
  for (const name of await readdir(join(ROOT, "node_modules")))
    if (name !== "@vaultops" && !name.startsWith("."))
      await symlink(join(ROOT, "node_modules", name), join(modules, name));
  for (const name of OWN) await symlink(join(root, name), join(modules, "@vaultops", name));
  return { root, remove: () => rm(root, { recursive: true, force: true }) };
}
