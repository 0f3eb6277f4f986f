// Says why a test failed when it fails: a run that is ended by hand, or that stands still, keeps its causes.
import type { Reporter, TestCase } from "vitest/node";

export default class FailuresAtOnceReporter implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const result = test.result();
    if (result.state !== "failed") return;
    console.error(`\n── failed: ${test.module.relativeModuleId} > ${test.fullName}`);
    for (const { message, stack, diff } of result.errors)
      console.error([message, diff, stack].filter(Boolean).join("\n"));
  }
}
