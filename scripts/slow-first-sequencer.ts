// The order of the test files: those that take longest first. Left to itself the runner begins with the largest files, and ends with one
// worker at the browser's tests while the others have nothing left to do.
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files of more than a minute, and those that mostly wait. */
const SLOW = [
  "console/e2e/console.test.ts",
  "server/test/simulation/faults.db.test.ts",
  "server/test/simulation/simulation.db.test.ts",
  "server/src/features/channels/send/kill.db.test.ts",
  "demo/src/start/main.node.test.ts",
  "server/src/ingest/head/outage.db.test.ts",
];

export default class SlowFirstSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = SLOW.findIndex((path) => moduleId.endsWith(path));
      return place === -1 ? SLOW.length : place;
    };
    // Stable: the others keep the runner's order.
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
