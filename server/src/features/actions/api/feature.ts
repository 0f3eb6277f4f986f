// Actions: what may be done to a vault, prepared and simulated here, signed elsewhere.
import type { Address } from "viem";
import type { ChainClient } from "../../../chain/client/client.ts";
import { CONTROLLER_ACTIONS } from "../../../chain/controllers/actions.ts";
import type { Families } from "../../../chain/families/family/family.ts";
import { isChainFault } from "../../../chain/rpc/fault.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/db/db.ts";
import type { Notifier } from "../../../platform/db/notifier.ts";
import type { Feature } from "../../../platform/lifecycle/feature.ts";
import type { Logger } from "../../../platform/log.ts";
import { createDispatchCalls, type DispatchCalls } from "../dispatch/dispatch.ts";
import { followTasks } from "../follow/task.ts";
import { findMultiSend } from "../formats/multi-send.ts";
import { createDelays } from "../prepare/delays.ts";
import type { Foreteller } from "../prepare/foreteller.ts";
import { pruneTask } from "../prepare/prune.ts";
import { functionsOf } from "./formatted.ts";
import { actionRoutes } from "./routes.ts";

export interface ActionsParts {
  db: Database;
  clock: Clock;
  log: Logger;
  families: Families;
  foreteller: Foreteller;
  /** Of the chains on which what was prepared is followed. */
  clients: ReadonlyMap<number, ChainClient>;
  notifier: Pick<Notifier, "listen">;
  /** How long the node has for one action. Default: 10 s. */
  nodeMs?: number;
}

function noneOnFault(error: unknown): null {
  if (isChainFault(error)) return null;
  throw error;
}

const NODE_MS = 10_000;
/** And for calls that go out with an alert, which waits for them. */
const DISPATCH_NODE_MS = 8_000;

export interface ActionsFeature extends Feature {
  /** For alerts, which hand them to bots. */
  dispatchCalls: DispatchCalls;
}

export function actionsFeature(parts: ActionsParts): ActionsFeature {
  const { db, clock, log, families, foreteller, clients, notifier, nodeMs = NODE_MS } = parts;
  const nowMs = () => clock.now();
  const titles = new Map<string, string>([
    ...Object.values(families).flatMap((family) =>
      (family.actions ?? []).map((action) => [`${family.name}:${action.name}`, action.title] as const),
    ),
  ]);
  for (const { name, title } of CONTROLLER_ACTIONS) titles.set(name, title);
  const multiSends = new Map<string, Address>();
  return {
    name: "actions",
    dispatchCalls: createDispatchCalls({ db, foreteller, families, log, nowMs, nodeMs: DISPATCH_NODE_MS }),
    tasks: [...followTasks({ db, clock, log, clients, notifier }), pruneTask({ db, clock, log })],
    routes(app) {
      actionRoutes(app, {
        db,
        foreteller,
        families,
        log,
        nowMs,
        nodeMs,
        delays: createDelays(foreteller, nowMs),
        view: {
          functions: functionsOf(families),
          titleOf: (family, action) => titles.get(`${family}:${action}`) ?? titles.get(action) ?? action,
          async multiSendOf(chainId, version) {
            const key = `${chainId}:${version}`;
            const known = multiSends.get(key);
            if (known !== undefined) return known;
            // What was prepared is shown though the node is out: without the Safe's transaction then.
            const code = (address: Address) => foreteller.codeAt(chainId, address);
            const found = await findMultiSend(version, code).catch(noneOnFault);
            if (found !== null) multiSends.set(key, found);
            return found;
          },
        },
      });
    },
  };
}
