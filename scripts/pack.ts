// What `npm pack` sends out of a package: JavaScript with declarations. In the workspace its sources are imported as they stand, so
// package.json names those; in the packed file it names what was built from them. Run in the package's folder, `prepack` builds dist/ and
// then turns the names, `postpack` turns them back and removes what was
// made. Whoever imports the package meanwhile gets the same either way.
import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

type Target = string | { types: string; default: string };

const folder = process.cwd();
const manifestPath = join(folder, "package.json");
const dist = join(folder, "dist");
const license = join(folder, "LICENSE");

if (process.argv[2] === "prepack") {
  rmSync(dist, { recursive: true, force: true });
  build();
  copyFileSync(join(import.meta.dirname, "../LICENSE"), license);
  turn(toBuilt);
} else {
  turn(toSource);
  for (const made of [dist, license]) rmSync(made, { recursive: true, force: true });
}

function build(): void {
  const tsc = join(import.meta.dirname, "../node_modules/@typescript/native/bin/tsc");
  const options = ["--noEmit", "false", "--declaration", "--rootDir", "src", "--outDir", dist];
  const { status } = spawnSync(process.execPath, [tsc, "-p", folder, ...options], {
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) process.exit(1);
}

function turn(change: (target: Target) => Target): void {
  const manifest = JSON.parse(readFileSync(manifestPath, "utf8"));
  const exports = Object.entries<Target>(manifest.exports).map(([name, target]) => [name, change(target)]);
  manifest.exports = Object.fromEntries(exports);
  writeFileSync(manifestPath, `${JSON.stringify(manifest, null, 2)}\n`);
}

/** a source file → `./dist/x.js` and its declarations. */
function toBuilt(target: Target): Target {
  const name = typeof target === "string" ? /^\.\/src\/(.*)\.ts$/.exec(target)?.[1] : undefined;
  return name === undefined ? target : { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` };
}

function toSource(target: Target): Target {
  return typeof target === "string" ? target : target.default.replace(/^\.\/dist\/(.*)\.js$/, "./src/$1.ts");
}
