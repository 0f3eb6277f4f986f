// npm run bench: every figure in this folder, each a ratio against its limit in the same run.
//   --quick        smaller numbers, in a few minutes in all
//   --peers        the figures in peers/ instead, against other programs that are installed apart
//   --only TEXT    only figures whose name holds TEXT
//   --soak         a whole installation under load for an hour instead, and whether it holds
//       --minutes N  how long, --scale F  how much of a platform's load, --entries N  in the log before
// Prints a table and writes bench/results/<date>-<commit>.json. Nothing is asserted: a figure is information.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Figure, FigureResult } from "./support/figure.ts";

const USAGE =
  "npm run bench [-- --quick] [--peers] [--only TEXT]   measures every figure in bench/ (or bench/peers/) against its limit\n" +
  "npm run bench -- --soak [--minutes 60] [--scale F] [--entries 3000000]   runs a whole installation under load";
const values = readArguments();
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
if (values.soak) {
  const { scaleOf } = await import("./soak/scale.ts");
  const { runSoak } = await import("./soak/soak.ts");
  const scale = scaleOf({
    factor: values.scale === "" ? null : Number(values.scale),
    minutes: Number(values.minutes),
    entries: Number(values.entries),
  });
  const result = await runSoak(scale, (line) => process.stderr.write(`${line}\n`));
  console.table(
    result.latencies.map(({ what, count, p50Ms, p99Ms }) => ({
      what,
      count,
      p50: `${format(p50Ms)} ms`,
      p99: `${format(p99Ms)} ms`,
    })),
  );
  console.table(result.memory);
  console.table(result.growth);
  console.table(result.cost);
  for (const fault of result.faults.slice(0, 50)) console.log(`FAULT ${fault}`);
  console.log(writeResult("-soak", result));
  process.exit(result.faults.length > 0 ? 1 : 0);
}

const figures = (await load()).filter((figure) => figure.name.includes(values.only));
if (figures.length === 0) {
  console.error(`No figure's name holds "${values.only}".`);
  process.exit(1);
}

const results: (Partial<FigureResult> & { name: string; against: string; aim: number; error?: string })[] =
  [];
for (const [index, { name, against, aim, run }] of figures.entries()) {
  process.stderr.write(`[${index + 1}/${figures.length}] ${name} … `);
  const startedAt = Date.now();
  try {
    const result = await run({ quick: values.quick });
    results.push({ name, against, aim, ...result });
    process.stderr.write(`${result.ratio.toFixed(2)} (${((Date.now() - startedAt) / 1000).toFixed(0)} s)\n`);
  } catch (error) {
    results.push({ name, against, aim, error: error instanceof Error ? error.message : String(error) });
    process.stderr.write(`failed: ${error instanceof Error ? error.stack : error}\n`);
  }
}

console.table(
  results.map((row) => ({
    figure: row.name,
    against: row.against,
    ratio: row.ratio?.toFixed(2) ?? row.error,
    aim: row.aim,
    ours: row.ours && `${format(row.ours)} ${row.unit}`,
    limit: row.limit && `${format(row.limit)} ${row.unit}`,
    spread: row.spread === undefined ? "" : `${(row.spread * 100).toFixed(0)} %`,
  })),
);
const suffix = `${values.peers ? "-peers" : ""}${values.quick ? "-quick" : ""}`;
console.log(writeResult(suffix, { quick: values.quick, results }));
process.exit(results.some((row) => row.error) ? 1 : 0);

/** @returns the file that it is in */
function writeResult(suffix: string, result: object): string {
  mkdirSync(join(import.meta.dirname, "results"), { recursive: true });
  const commit = spawnSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).stdout.trim();
  const day = new Date().toISOString().slice(0, 10);
  const file = join(import.meta.dirname, "results", `${day}-${commit}${suffix}.json`);
  writeFileSync(file, `${JSON.stringify({ node: process.version, ...result }, null, 2)}\n`);
  return file;
}

async function load(): Promise<Figure[]> {
  const own = new Set(["main.ts"]);
  const folders = values.peers ? ["peers"] : [".", "audit"];
  const files = folders.flatMap((folder) =>
    readdirSync(join(import.meta.dirname, folder))
      .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !own.has(file))
      .sort()
      .map((file) => join(import.meta.dirname, folder, file)),
  );
  const modules = await Promise.all(files.map((file) => import(file)));
  return modules.flatMap(
    (module: { figure?: Figure; figures?: Figure[] }) =>
      module.figures ?? (module.figure ? [module.figure] : []),
  );
}

function format(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(3);
}

function readArguments() {
  try {
    const options = {
      quick: { type: "boolean", default: false },
      peers: { type: "boolean", default: false },
      only: { type: "string", default: "" },
      soak: { type: "boolean", default: false },
      minutes: { type: "string", default: "60" },
      scale: { type: "string", default: "" },
      entries: { type: "string", default: "3000000" },
      help: { type: "boolean", default: false },
    } as const;
    return parseArgs({ options }).values;
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`);
    process.exit(2);
  }
}
