// For the image's test: buildah with a store of its own, a base that has nothing but Debian's smallest system and Node, and a container's
// surroundings without a container: another user on a tree that is mounted read-only.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { debianProgram } from "../server/test/debian.ts";

const run = promisify(execFile);
const BIG = { maxBuffer: 256 * 2 ** 20 };
const SUITE = "bookworm";
const AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt";

export interface ImageTools {
  buildah(...args: string[]): Promise<string>;
  remove(): Promise<void>;
}

/** Not in memory, where tests keep their files: images take much room. */
export async function imageTools(): Promise<ImageTools & { home: string }> {
  const home = await mkdtemp("/var/tmp/vaultops-image-");
  const program = await debianProgram("buildah");
  const store = ["--root", join(home, "store"), "--runroot", join(home, "run"), "--storage-driver", "vfs"];
  const buildah = async (...args: string[]) => (await run(program, [...store, ...args], BIG)).stdout;
  return {
    home,
    buildah,
    async remove() {
      await buildah("umount", "--all").catch(() => {});
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Debian's smallest system with this Node as `localhost/base`; the same with npm as `localhost/builder`. */
export async function makeBases({ home, buildah }: ImageTools & { home: string }): Promise<void> {
  const base = join(home, "base");
  await run(await debianProgram("debootstrap"), ["--variant=minbase", SUITE, base], BIG);
  for (const kept of ["var/cache/apt/archives", "var/lib/apt/lists"])
    await rm(join(base, kept), { recursive: true });
  await cp(process.execPath, join(base, "usr/local/bin/node"));
  const builder = join(home, "builder");
  await mkdir(join(builder, "usr/local/bin"), { recursive: true });
  const { stdout } = await run("sh", ["-c", "command -v npm"]);
  // …/npm/bin/npm-cli.js
  const npm = dirname(dirname(await realpath(stdout.trim())));
  await cp(npm, join(builder, "usr/local/lib/node_modules/npm"), { recursive: true });
  await symlink("../lib/node_modules/npm/bin/npm-cli.js", join(builder, "usr/local/bin/npm"));
  await cp(AUTHORITIES, join(builder, AUTHORITIES), { dereference: true });
  for (const [name, folder, from] of [
    ["base", base, "scratch"],
    ["builder", builder, "localhost/base"],
  ] as const) {
    const file = join(home, `Containerfile.${name}`);
    await writeFile(file, `FROM ${from}\nCOPY . /\n`);
    await buildah(
      "bud",
      "--isolation",
      "chroot",
      "--format",
      "docker",
      "-f",
      file,
      "-t",
      `localhost/${name}`,
      folder,
    );
    await rm(folder, { recursive: true });
  }
}

const SURROUNDINGS = `set -e
root=$1 data=$2 user=$3
shift 3
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/tmp"
mount --bind "$data" "$root/var/lib/vaultops"
exec chroot --userspec="$user" "$root" env -i "$@"`;

export interface Confined {
  root: string;
  data: string;
  user: string;
  env: readonly string[];
}

/** Starts a command of the image as its orchestrator would; what is mounted is gone with it. Its process is the command's own. */
export function startConfined({ root, data, user, env }: Confined, command: readonly string[]): ChildProcess {
  const args = ["--mount", "sh", "-c", SURROUNDINGS, "sh", root, data, user, ...env, ...command];
  return spawn("unshare", args, { stdio: ["ignore", "pipe", "pipe"] });
}
