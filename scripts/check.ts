// npm run check: every gate that needs no server. --fix lets the formatter mend what it can.
import { runSteps, type Step } from "./steps.ts";

const fix = process.argv.includes("--fix");

export const CHECKS: Step[] = [
  {
    title: "format and lint",
    command: ["biome", "check", "--error-on-warnings", ...(fix ? ["--write"] : []), "."],
  },
  { title: "types", command: ["node", "node_modules/@typescript/native/bin/tsc", "-p", "tsconfig.json"] },
  {
    title: "types of what runs anywhere",
    command: ["node", "node_modules/@typescript/native/bin/tsc", "-p", "proof/tsconfig.json"],
  },
  {
    title: "types of what engines and clients import",
    command: ["node", "node_modules/@typescript/native/bin/tsc", "-p", "sdk/tsconfig.json"],
  },
  {
    title: "types of the console",
    command: ["node", "node_modules/@typescript/native/bin/tsc", "-p", "console/tsconfig.json"],
  },
  {
    title: "types of the console's tests",
    command: ["node", "node_modules/@typescript/native/bin/tsc", "-p", "console/e2e/tsconfig.json"],
  },
  {
    title: "import rules",
    command: [
      "depcruise",
      "--config",
      ".dependency-cruiser.cjs",
      "server",
      "proof",
      "sdk",
      "console",
      "demo",
      "bench",
      "scripts",
      "deploy",
    ],
  },
  { title: "build of the console", command: ["node", "console/build.ts"] },
  { title: "size of the console", command: ["node", "console/size.ts"] },
  { title: "unused files, exports and dependencies", command: ["knip"] },
];

if (import.meta.main) process.exit(await runSteps(CHECKS));
