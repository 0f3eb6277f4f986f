import type { Browser } from "playwright-core";
import type { Stack } from "./stack.ts";

/** What a suite tests with: set before its first test. */
export interface World {
  browser: Browser;
  stack: Stack;
}
