// npm run check: every gate that needs no server. --fix lets the formatter mend what it can.
import { runSteps, type Step } from "./steps.ts";

const fix = process.argv.includes("--fix");

/** Types under a configuration. What was found is kept for the next check, which looks at what has changed alone; builds keep nothing. */
function types(title: string, config: string): Step {
  const kept = `node_modules/.cache/types/${config.replaceAll("/", "-")}.tsbuildinfo`;
  const incremental = ["--incremental", "--tsBuildInfoFile", kept];
  return {
    title,
    command: ["node", "node_modules/@typescript/native/bin/tsc", "-p", config, ...incremental],
  };
}

export const CHECKS: Step[] = [
  {
    title: "format and lint",
    command: ["biome", "check", "--error-on-warnings", ...(fix ? ["--write"] : []), "."],
  },
  types("types", "tsconfig.json"),
  types("types of what runs anywhere", "proof/tsconfig.json"),
  types("types of what engines and clients import", "sdk/tsconfig.json"),
  types("types of the console", "console/tsconfig.json"),
  types("types of the console's tests", "console/e2e/tsconfig.json"),
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
