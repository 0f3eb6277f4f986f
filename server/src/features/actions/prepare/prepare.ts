// Prepare: exact calls, what must hold for them as the chain is now, and what they would do. Nothing here signs or sends, and what is kept could do
// neither.
import { randomUUID } from "node:crypto";
import type { Families } from "../../../chain/families/family/family.ts";
import { readParameters } from "../../../chain/families/family/parameters.ts";
import type { Json } from "../../../chain/governance.ts";
import { isChainFault } from "../../../chain/rpc/fault.ts";
import type { Database } from "../../../platform/db/db.ts";
import { Problem } from "../../../platform/errors.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import type { Logger } from "../../../platform/log.ts";
import type { PreparedAction } from "../prepared.ts";
import { actionsOf } from "./catalogue.ts";
import type { Foreteller, Foretelling, Standing } from "./foreteller.ts";
import { eventsOf, simulationOf } from "./outcome.ts";
import { type AskedOf, planOf, standingFor, within } from "./plan.ts";
import { loadHolders } from "./store.ts";

export interface Asked extends AskedOf {
  account: string;
  action: string;
  parameters: Readonly<Record<string, unknown>>;
  safeNonce: bigint | null;
}

export interface PrepareParts {
  db: Pick<Database, "kysely">;
  foreteller: Foreteller;
  families: Families;
  log: Logger;
  nowMs(): number;
  /** How long the node has in all. */
  nodeMs: number;
}

const LIFE_MS = 7 * 86_400_000;

/** @throws Problem `invalid_request`, `from_required`, `action_not_possible`, `service_unavailable` */
export async function prepare(parts: PrepareParts, asked: Asked): Promise<PreparedAction> {
  const { action, values } = await chosen(parts, asked);
  const deadline = AbortSignal.timeout(parts.nodeMs);
  const standing = await standingFor(parts.foreteller, asked, deadline);
  const planned = await planOf(parts.foreteller, asked, { action, values }, standing, deadline);
  const { sender, plan, preconditions } = planned;
  const told = await foretell(parts, standing, deadline, {
    from: sender.address,
    isContract: sender.kind !== "eoa",
    isSafe: sender.kind === "safe",
    calls: plan.calls,
    execution: plan.execution ?? null,
  });
  const { number, hash } = standing.block;
  const simulation =
    told.foretelling && simulationOf(told.foretelling, { block_hash: hash, errors: standing.family.errors });
  return {
    id: randomUUID(),
    chainId: asked.chainId,
    vaultAddress: asked.vaultAddress,
    family: standing.vault.family,
    action: action.name,
    parameters: values,
    wallet: asked.wallet,
    account: asked.account,
    from: sender.address,
    fromKind: sender.kind,
    fromVersion: sender.version,
    safeNonce: asked.safeNonce,
    calls: plan.calls.map(({ to, ...call }) => ({ target: to, ...call })),
    events:
      told.foretelling?.method === "eth_simulateV1"
        ? eventsOf(told.foretelling.events, told.foretelling.laterEvents)
        : [],
    preconditions,
    simulation: simulation as Readonly<Record<string, Json>> | null,
    simulationUnavailableReason: told.reason,
    block: { number, hash },
    createdAt: timestampOfMs(parts.nowMs()),
    expiresAt: timestampOfMs(parts.nowMs() + LIFE_MS),
  };
}

/** What is asked for, as far as it can be told without the node. @throws Problem `invalid_request` */
async function chosen({ db, families }: PrepareParts, asked: Asked) {
  const { family, ...holders } = await loadHolders(db, asked.chainId, asked.vaultAddress);
  const action = actionsOf(families, family, holders).find(({ name }) => name === asked.action);
  if (action === undefined) {
    const message = "is no action of this vault: see its catalogue";
    throw new Problem("invalid_request", `action ${message}.`, { errors: [{ path: "action", message }] });
  }
  const read = readParameters(action.parameters, asked.parameters);
  if ("values" in read) return { action, values: read.values };
  const [first] = read.faults;
  throw new Problem("invalid_request", `${first!.path} ${first!.message}.`, { errors: read.faults });
}

interface MaybeTold {
  foretelling: Foretelling | null;
  reason: string | null;
}

async function foretell(
  { log }: PrepareParts,
  standing: Standing,
  deadline: AbortSignal,
  asked: Parameters<Standing["foretell"]>[0],
): Promise<MaybeTold> {
  try {
    const told = standing.foretell(asked, deadline);
    return {
      foretelling: await within(deadline, told, "The calls were not simulated in time."),
      reason: null,
    };
  } catch (error) {
    if (error instanceof Problem && error.code === "service_unavailable")
      return { foretelling: null, reason: error.message };
    if (!isChainFault(error)) throw error;
    log.warn({ err: error }, "an action could not be simulated");
    return { foretelling: null, reason: `The chain's node did not simulate the calls (${error.code}).` };
  }
}
