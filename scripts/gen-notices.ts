// THIRD-PARTY-NOTICES: name, version, licence and copyright text of every package that is shipped, that is, what the service and the console need
// at run time. What belongs to it is read from the lock file, so it is the same on every machine; the texts from the installed packages.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

/** Packages that are only built with, but of which something ends in what is shipped: a base style sheet, contracts of the demo. */
const BUILT_IN = ["tailwindcss", "@safe-global/safe-contracts", "@openzeppelin/contracts"];

export interface Locked {
  version?: string;
  license?: string;
  link?: boolean;
  resolved?: string;
  os?: string[];
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

interface Shipped {
  name: string;
  version: string;
  license: string;
  text: string;
}

export function renderNotices(): string {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, Locked>;
  };
  const paths = [
    ...shippedPaths(packages, ["server", "console"]),
    ...BUILT_IN.map((name) => `node_modules/${name}`),
  ];
  const shipped = paths.map((path) => describe(path, packages[path] ?? {}));
  shipped.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  return `${HEAD}${[...byText(shipped)].map(([text, names]) => `${RULE}\n${names.join("\n")}\n\n${text}\n`).join("\n")}`;
}

/** The paths in the lock file of everything that these workspaces need at run time. */
export function shippedPaths(packages: Record<string, Locked>, workspaces: readonly string[]): string[] {
  const paths = new Set<string>();
  for (const workspace of workspaces) follow(packages, workspace, paths);
  return [...paths];
}

const HEAD = `VaultOps contains or installs the packages below, each under its own licence. Packages with the same text stand together.
PostgreSQL and Node.js come as packages too, with their own licences inside.
Written by \`npm run gen\` from package-lock.json and the installed packages; do not edit.

`;
const RULE = "=".repeat(80);

const keyOf = ({ name, version }: Shipped) => `${name} ${version}`;

/** Adds the paths in the lock file of everything that the package at `path` needs at run time. */
function follow(packages: Record<string, Locked>, path: string, found: Set<string>): void {
  const { dependencies, optionalDependencies } = packages[path] ?? {};
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const place = placeOf(packages, path, name);
    // What is optional for another package may not be in the lock file.
    if (place === null) continue;
    const target = packages[place]?.link === true ? (packages[place]?.resolved ?? place) : place;
    if (target !== place) follow(packages, target, found);
    else if (!found.has(place)) follow(packages, place, found.add(place));
  }
}

/** Where Node finds a package that is imported from `path`: the nearest node_modules above. */
function placeOf(packages: Record<string, Locked>, path: string, name: string): string | null {
  for (let from = path; ; from = from.replace(/(^|\/)[^/]*$/, "")) {
    const place = `${from === "" ? "" : `${from}/`}node_modules/${name}`;
    if (packages[place] !== undefined) return place;
    if (from === "") return null;
  }
}

function describe(path: string, { version = "", license = "", os }: Locked): Shipped {
  const name = path.replace(/^.*node_modules\//, "");
  // Of packages for one platform only that of this machine is installed.
  const text = os === undefined ? textOf(join(root, path), version) : "The licence lies in the package.";
  return { name, version, license, text };
}

/** The package's licence and notice files; where it has none, whom its manifest names. Throws for another version than the locked one. */
function textOf(dir: string, version: string): string {
  const manifest = JSON.parse(readFileSync(join(dir, "package.json"), "utf8"));
  if (manifest.version !== version)
    throw new Error(`${dir} holds ${manifest.version}, the lock file ${version}`);
  const files = readdirSync(dir)
    .filter((name) => /^(licen[cs]e|notice|copying)([.-]|$)/i.test(name))
    .sort();
  const texts = files.map((name) => readFileSync(join(dir, name), "utf8").replaceAll("\r\n", "\n").trim());
  if (texts.length > 0) return texts.join("\n\n");
  const { author } = manifest;
  const by = typeof author === "string" ? author : author?.name;
  return `Copyright ${by ?? `the authors of ${manifest.name}`}. No licence text comes with the package.`;
}

function byText(shipped: readonly Shipped[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const one of shipped) {
    const names = groups.get(one.text) ?? [];
    groups.set(one.text, [...names, `${one.name} ${one.version} (${one.license})`]);
  }
  return groups;
}
