import { defineConfig } from "vitest/config";
import SlowFirstSequencer from "./scripts/slow-first-sequencer.ts";

// Tests drive real servers on two cores, and wait a good deal meanwhile: so time-outs are generous, and three files run at a time.
export default defineConfig({
  test: {
    include: ["{server,sdk,console,demo,scripts,bench}/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/.scratch/**"],
    globalSetup: ["server/test/global-setup.ts"],
    testTimeout: 120_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    pool: "forks",
    maxWorkers: 3,
    sequence: { sequencer: SlowFirstSequencer },
    reporters: ["default", "./scripts/closing-line-reporter.ts"],
  },
});
