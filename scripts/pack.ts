// What `npm pack` sends out of a package: JavaScript with declarations. In the workspace its sources are imported as they stand, so
// package.json names those; in the packed file it names what was built from them. Run in the package's folder, `prepack` builds dist/,
// then lays the manifest aside and writes that of the packed file in its place; `postpack` puts it back and removes what was made.
// Whoever imports the package meanwhile gets the same either way.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

type Target = string | { types: string; default: string };

const folder = process.cwd();
const root = join(import.meta.dirname, "..");
const manifestPath = join(folder, "package.json");
const asidePath = join(folder, "package.source.json");

/** What a packing makes in the folder; none of it stands in the repository there. */
const MADE = ["dist", "console", "config.example.yaml", "LICENSE", "THIRD-PARTY-NOTICES"];
/** What goes along beside the code, by the package's folder: from the repository → to the package. */
const ALONG: Record<string, readonly (readonly [string, string])[]> = {
  server: [
    ["config.example.yaml", "config.example.yaml"],
    ["THIRD-PARTY-NOTICES", "THIRD-PARTY-NOTICES"],
    ["console/dist", "console/dist"],
    ["server/migrations", "dist/migrations"],
    ["server/src/platform/postgres/watchdog.sh", "dist/src/platform/postgres/watchdog.sh"],
  ],
  // It runs the service from within: what is built of it lies in the package too.
  demo: [
    ["THIRD-PARTY-NOTICES", "THIRD-PARTY-NOTICES"],
    ["console/dist-demo", "dist/console/dist-demo"],
    ["demo/contracts", "dist/demo/contracts"],
    ["server/migrations", "dist/server/migrations"],
    ["server/src/platform/postgres/watchdog.sh", "dist/server/src/platform/postgres/watchdog.sh"],
  ],
};

if (dirname(folder) !== root) throw new Error("This is run in a package's folder, by npm.");
cleanUp();
if (process.argv[2] === "prepack") {
  build();
  bring("LICENSE", "LICENSE");
  for (const [from, to] of ALONG[basename(folder)] ?? []) bring(from, to);
  if (basename(folder) === "demo") bringPublishedContracts();
  const source = readFileSync(manifestPath, "utf8");
  renameSync(manifestPath, asidePath);
  writeFileSync(manifestPath, `${JSON.stringify(packed(JSON.parse(source)), null, 2)}\n`);
}

/** Puts back and removes whatever a packing made, this one or an earlier one that was broken off. */
function cleanUp(): void {
  if (existsSync(asidePath)) renameSync(asidePath, manifestPath);
  for (const made of MADE) rmSync(join(folder, made), { recursive: true, force: true });
}

function bring(from: string, to: string): void {
  if (!existsSync(join(root, from))) throw new Error(`There is no ${from}: build it first.`);
  // The console's build leaves notes for the next one, with paths of this machine.
  const filter = (path: string) => !basename(path).startsWith(".");
  cpSync(join(root, from), join(folder, to), { recursive: true, filter });
}

/** The demo deploys contracts of others, which its package does not depend on. */
function bringPublishedContracts(): void {
  const list = readFileSync(join(folder, "contracts/published.json"), "utf8");
  for (const [name, path] of Object.entries<string>(JSON.parse(list)))
    bring(`node_modules/${path}`, `dist/demo/contracts/published/${name}.json`);
}

function build(): void {
  const tsc = join(root, "node_modules/@typescript/native/bin/tsc");
  const options = ["--noEmit", "false", "--declaration"];
  const { status } = spawnSync(process.execPath, [tsc, "-p", folder, ...options], {
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) process.exit(1);
}

interface Manifest {
  name: string;
  version: string;
  private?: boolean;
  exports?: Record<string, Target>;
  dependencies?: Record<string, string>;
}

/** The manifest in the packed file. That of the sources is private, so that only such a file is ever published. */
function packed({ private: _, ...manifest }: Manifest): Manifest {
  const { version, exports } = manifest;
  // The demo runs the service from within, and tells of its command line.
  const ofService: Record<string, string> =
    basename(folder) === "demo" ? { ...dependenciesOf("server"), vaultops: "*" } : {};
  const dependencies = { ...ofService, ...manifest.dependencies };
  // Where the sources are published, which a registry holds against the provenance; a release says it.
  const url = process.env.VAULTOPS_REPOSITORY;
  return {
    ...manifest,
    ...(url && { repository: { type: "git", url: `git+${url}.git`, directory: basename(folder) } }),
    // The workspace's root bears the product's name, and two in a workspace cannot.
    name: manifest.name === "@vaultops/server" ? "vaultops" : manifest.name,
    ...(exports && { exports: valuesBy(exports, toBuilt) }),
    // Packages of this repository go together, all at one version.
    dependencies: valuesBy(dependencies, (range) => (range === "*" ? version : range)),
  };
}

function dependenciesOf(name: string): Record<string, string> {
  return JSON.parse(readFileSync(join(root, name, "package.json"), "utf8")).dependencies;
}

function valuesBy<A, B>(record: Record<string, A>, change: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}

/** a source file → `./dist/x.js` and its declarations. */
function toBuilt(target: Target): Target {
  const name = typeof target === "string" ? /^\.\/src\/(.*)\.ts$/.exec(target)?.[1] : undefined;
  return name === undefined ? target : { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` };
}
