// npm test: the gates, then every test. `--full` runs with full-size numbers instead of the scaled ones;
// any other argument goes to vitest (a path or `-t name` narrows the run and leaves the gates out).
import { CHECKS } from "./check.ts";
import { runSteps } from "./steps.ts";

const args = process.argv.slice(2);
if (args.includes("--help")) {
  console.log(
    "npm test [-- PATH… | -t NAME]   the gates and all tests, or only those named\nnpm run test:full               the same with the full numbers, and that every figure of bench/ still comes out",
  );
  process.exit(0);
}
const full = args.includes("--full");
const narrowed = args.filter((argument) => argument !== "--full");

process.exit(
  await runSteps([
    ...(narrowed.length > 0 ? [] : CHECKS),
    {
      title: full ? "tests, full numbers" : "tests",
      command: ["vitest", "run", ...narrowed],
      env: full ? { VAULTOPS_FULL: "1" } : {},
    },
    // No figure is asserted, but each must come to one.
    ...(full && narrowed.length === 0
      ? [{ title: "figures, small numbers", command: ["node", "bench/main.ts", "--quick"] }]
      : []),
  ]),
);
