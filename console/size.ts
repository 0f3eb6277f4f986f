// The size gate: what the home page needs of script before it can be used, compressed as it is served. Run by `npm run check`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const LIMIT_KB = 250;
const HOME = "src/pages/vaults/page.tsx";
const DIST = join(import.meta.dirname, "dist");

interface Chunk {
  file: string;
  isEntry?: boolean;
  imports?: string[];
}

const manifest = JSON.parse(readFileSync(join(DIST, ".vite/manifest.json"), "utf8")) as Record<string, Chunk>;
const entry = Object.keys(manifest).find((key) => manifest[key]?.isEntry);
const files = filesOf([entry, HOME]);
const bytes = files.map((file) => gzipSync(readFileSync(join(DIST, file)), { level: 9 }).length);
const totalKb = bytes.reduce((sum, size) => sum + size, 0) / 1000;
console.log(
  `home page: ${totalKb.toFixed(1)} kB of script, gzipped, in ${files.length} files (limit ${LIMIT_KB} kB)`,
);
if (totalKb > LIMIT_KB) {
  for (const [index, file] of files.entries())
    console.error(`${((bytes[index] ?? 0) / 1000).toFixed(1)} kB  ${file}`);
  process.exit(1);
}

/** The files of the chunks and of all that they import at once. */
function filesOf(keys: readonly (string | undefined)[]): string[] {
  const seen = new Set<string>();
  const open = [...keys];
  for (let key = open.pop(); key !== undefined || open.length > 0; key = open.pop()) {
    const chunk = key === undefined ? undefined : manifest[key];
    if (!chunk) throw new Error(`The build has no ${key}: the gate looks at the wrong page.`);
    if (seen.has(chunk.file)) continue;
    seen.add(chunk.file);
    open.push(...(chunk.imports ?? []));
  }
  return [...seen];
}
