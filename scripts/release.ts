// npm run release [-- --out FOLDER]: everything that a release sends out, in one folder, which is the image's context too: the packed
// packages, a manifest and a lock file that install the service with the versions that were tested, the list of what is in it (CycloneDX),
// licences and checksums.
//
// Guarantee: the packages are built twice, in copies of the repository at different places, and both times come out the same to the byte; else
// nothing is written. Nothing but the files that git knows goes in.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs, promisify } from "node:util";
import { type Bill, checkLicences, imageProject, settledBill } from "./release-parts.ts";
import { root } from "./steps.ts";

const run = promisify(execFile);
/** In the order in which they are published: each after what it depends on. */
const PACKAGES = ["proof", "sdk", "server", "demo"];

if (import.meta.main) {
  const { values } = parseArgs({ options: { out: { type: "string", default: "release" } } });
  await release(resolve(values.out));
}

/** Writes the release into `out`, which must be new or empty. @throws where two builds differ */
export async function release(out: string): Promise<void> {
  await mkdir(out, { recursive: true });
  if ((await readdir(out)).length > 0) throw new Error(`${out} is not empty: name a folder that is.`);
  const home = await mkdtemp(join(tmpdir(), "vaultops-release-"));
  try {
    const [first, second] = [join(home, "first"), join(home, "second", "elsewhere")];
    for (const repository of [first, second]) await build(repository);
    const files = await compare(first, second);
    for (const file of files) await cp(join(first, "packed", file), join(out, file));
    await describe(out, files);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

async function build(repository: string): Promise<void> {
  const { stdout } = await run("git", ["ls-files", "-z"], { cwd: root, maxBuffer: 64 * 2 ** 20 });
  for (const path of stdout.split("\0").filter((each) => each !== "")) {
    await mkdir(dirname(join(repository, path)), { recursive: true });
    await cp(join(root, path), join(repository, path));
  }
  await symlink(join(root, "node_modules"), join(repository, "node_modules"));
  // Where this says something else than "production", the console would be built for development, with paths of this machine in it.
  const env = { ...process.env, NODE_ENV: "production" };
  await run(process.execPath, ["console/build.ts"], { cwd: repository, env });
  const packed = join(repository, "packed");
  await mkdir(packed);
  for (const name of PACKAGES)
    await run("npm", ["pack", "--pack-destination", packed], { cwd: join(repository, name), env });
  // npm names the file by the manifest of the sources.
  for (const file of await readdir(packed))
    await rename(join(packed, file), join(packed, file.replace("vaultops-server-", "vaultops-")));
}

/** The names of the packed files. @throws naming what differs in them */
async function compare(first: string, second: string): Promise<string[]> {
  const files = (await readdir(join(first, "packed"))).sort();
  const differing: string[] = [];
  for (const file of files) {
    const [one, other] = await Promise.all(
      [first, second].map((each) => readFile(join(each, "packed", file))),
    );
    if (!one?.equals(other as Buffer)) differing.push(`${file}:\n${await differences(first, second, file)}`);
  }
  if (differing.length > 0) throw new Error(`Two builds differ. ${differing.join("\n")}`);
  return files;
}

async function differences(first: string, second: string, file: string): Promise<string> {
  const unpacked = [first, second].map((each) => join(each, `unpacked-${file}`));
  for (const [at, folder] of unpacked.entries()) {
    await mkdir(folder);
    await run("tar", ["-xzf", join(at === 0 ? first : second, "packed", file), "-C", folder]);
  }
  // It ends with 1 where there is something to say.
  return await run("diff", ["-rq", ...unpacked]).then(
    () => "only in how it is packed",
    ({ stdout }) => stdout,
  );
}

async function describe(out: string, files: readonly string[]): Promise<void> {
  const packed = await Promise.all(
    ["vaultops", "vaultops-proof"].map(async (name) => {
      const file = files.find((each) => each.replace(/-\d.*/, "") === name) as string;
      const { stdout } = await run("tar", ["-xzOf", join(out, file), "package/package.json"]);
      return { file, manifest: JSON.parse(stdout), bytes: await readFile(join(out, file)) };
    }),
  );
  const lock = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8"));
  const project = imageProject(packed, lock.packages);
  await writeFile(join(out, "package.json"), `${JSON.stringify(project.manifest, null, 2)}\n`);
  await writeFile(join(out, "package-lock.json"), `${JSON.stringify(project.lock, null, 2)}\n`);
  const bill = await billOf(out);
  checkLicences(bill);
  await writeFile(join(out, "sbom.cdx.json"), `${JSON.stringify(bill, null, 2)}\n`);
  await cp(join(root, "THIRD-PARTY-NOTICES"), join(out, "THIRD-PARTY-NOTICES"));
  const sums = await Promise.all(
    (await readdir(out)).sort().map(async (name) => {
      const sum = createHash("sha256").update(await readFile(join(out, name)));
      return `${sum.digest("hex")}  ${name}\n`;
    }),
  );
  await writeFile(join(out, "SHA256SUMS"), sums.join(""));
}

/** What npm says is in the image, without its own time and number, so that it is the same for the same release. */
async function billOf(out: string): Promise<Bill> {
  const options = ["--sbom-format", "cyclonedx", "--package-lock-only", "--omit", "dev"];
  const { stdout } = await run("npm", ["sbom", ...options], { cwd: out, maxBuffer: 64 * 2 ** 20 });
  return settledBill(JSON.parse(stdout));
}
