import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import SlowFirstSequencer from "./scripts/slow-first-sequencer.ts";
import { useMemory } from "./scripts/test-folder.ts";

// Tests start the service some two hundred times, and a good part of its start is the compiling of what has not changed since the last:
// every process of a run, and those that its tests start, keep what they have compiled here.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
  new URL("node_modules/.cache/vaultops-compiled", import.meta.url),
);

// Other programs read this file as well.
if (process.env.VITEST !== undefined) useMemory();

/** What measures its own process, or alters what all of it share: each gets a process of its own. */
const OWN_PROCESS = ["server/test/hostile.db.test.ts", "demo/src/engine/service-killed.db.test.ts"];

// Of each project, for a project takes nothing from the whole by itself.
const options = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  teardownTimeout: 120_000,
  expect: { poll: { timeout: 120_000 } },
  pool: "forks",
} as const;

// Tests drive real servers on two cores, and wait a good deal meanwhile: so time-outs are generous, and three files run at a time. The files
// follow one another in the same processes: to load the modules again for each would take as long as a fifth of all tests.
export default defineConfig({
  test: {
    globalSetup: ["server/test/global-setup.ts"],
    maxWorkers: 3,
    sequence: { sequencer: SlowFirstSequencer },
    reporters: ["default", "./scripts/failures-at-once-reporter.ts", "./scripts/closing-line-reporter.ts"],
    projects: [
      {
        test: {
          ...options,
          name: "shared",
          include: ["{server,proof,sdk,console,demo,scripts,bench,deploy}/**/*.test.ts"],
          exclude: ["**/node_modules/**", "**/.scratch/**", ...OWN_PROCESS],
          isolate: false,
        },
      },
      { test: { ...options, name: "own process", include: OWN_PROCESS } },
    ],
  },
});
