// For tests of alerts: the calls that bots are handed as the service makes them, over a test database; the chain answers as the test says.
import { createFamilies } from "../src/chain/families/registry.ts";
import { createDispatchCalls, type DispatchCalls } from "../src/features/actions/dispatch/dispatch.ts";
import type { Foreteller } from "../src/features/actions/prepare/foreteller.ts";
import type { Database } from "../src/platform/db/db.ts";
import { silentLogger } from "../src/platform/log.ts";

/** `stand`: how the vault stands at the node; left out, it is followed no more. */
export function testDispatchCalls(
  db: Pick<Database, "kysely">,
  stand: Foreteller["stand"] = async () => null,
  nodeMs = 60_000,
): DispatchCalls {
  const log = silentLogger();
  return createDispatchCalls({
    db,
    families: createFamilies(log),
    foreteller: { stand, codeAt: async () => "0x" },
    log,
    nowMs: () => Date.now(),
    nodeMs,
  });
}
