// Builds the console where it is missing or older than its sources: `node console/build.ts`, run before `npm run demo`, `npm start`
// and `npm test`. With `--check` it only says so: it ends with 0 when there is nothing to build, else with 3. dist/ is what a service serves; dist-demo/ is the same with a wallet for each of the demo's accounts.
//
// Older is told by content, not by time: a stamp holds the hash of all that goes in, so a fresh clone or a switched branch is seen
// for what it is. The build is made beside and moved in place whole, so a build that is killed leaves the one before or none.
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  globSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

const here = import.meta.dirname;
const root = join(here, "..");
const DIST = join(here, "dist");
const DEMO = join(here, "dist-demo");
const STAMP = join(DIST, ".stamp");

const SOURCES = [
  "console/{src,demo,public}/**/*",
  "console/{index.html,vite.config.ts,build.ts,package.json}",
  "sdk/src/{alert-categories,client,schema}.ts",
  "proof/{package.json,src/*.ts}",
  "node_modules/.package-lock.json",
];

const TO_BUILD = 3;

if (isCurrent()) process.exit(0);
if (process.argv.includes("--check")) process.exit(TO_BUILD);
removeLeftovers();
const startedAt = Date.now();
process.stderr.write("Building the console … ");
await buildAll();
process.stderr.write(`${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`);

function isCurrent(): boolean {
  return existsSync(STAMP) && existsSync(DEMO) && readFileSync(STAMP, "utf8") === stamp();
}

/** The hash of all that the build is made from. */
function stamp(): string {
  const hash = createHash("sha256");
  for (const path of globSync(SOURCES, { cwd: root, exclude: (name) => name.endsWith(".test.ts") }).sort()) {
    const file = join(root, path);
    try {
      hash.update(`${path}\0`).update(readFileSync(file));
    } catch {
      // A folder.
    }
  }
  return hash.digest("hex");
}

async function buildAll(): Promise<void> {
  const { build } = await import("vite");
  const madeFrom = stamp();
  const mine = `.new-${process.pid}`;
  const [dist, demo, wallets] = [DIST + mine, DEMO + mine, join(here, `dist-wallets${mine}`)];
  const common = { configFile: join(here, "vite.config.ts"), logLevel: "warn" } as const;
  try {
    await build({ ...common, build: { outDir: dist } });
    await build({
      ...common,
      publicDir: false,
      build: {
        outDir: wallets,
        rolldownOptions: { input: { "demo-wallets": join(here, "demo/wallets.ts") } },
      },
    });
    cpSync(dist, demo, { recursive: true });
    cpSync(join(wallets, "assets"), join(demo, "assets"), { recursive: true });
    addScript(join(demo, "index.html"), entryOf(wallets));
    writeFileSync(join(dist, ".stamp"), madeFrom);
    replace(demo, DEMO);
    replace(dist, DIST);
  } finally {
    for (const dir of [dist, demo, wallets]) rmSync(dir, { recursive: true, force: true });
  }
}

/** The one entry's file, from Vite's manifest. */
function entryOf(dir: string): string {
  const manifest = JSON.parse(readFileSync(join(dir, ".vite/manifest.json"), "utf8")) as Record<
    string,
    { file: string; isEntry?: boolean }
  >;
  return Object.values(manifest).find(({ isEntry }) => isEntry)?.file as string;
}

function addScript(page: string, file: string): void {
  const html = readFileSync(page, "utf8");
  writeFileSync(page, html.replace("</head>", `  <script type="module" src="/${file}"></script>\n  </head>`));
}

/** What is in place is moved away whole before it is removed: half of it must not look like a build. */
function replace(from: string, to: string): void {
  const old = `${to}.old-${process.pid}`;
  if (existsSync(to)) renameSync(to, old);
  renameSync(from, to);
  rmSync(old, { recursive: true, force: true });
}

/** Of builds that were killed. Nobody else builds now (scripts/setup.mjs). */
function removeLeftovers(): void {
  for (const name of readdirSync(here)) {
    if (/^dist.*\.(new|old)-\d+$/.test(name)) rmSync(join(here, name), { recursive: true, force: true });
  }
}
