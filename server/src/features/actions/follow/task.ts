// Follows prepared actions to their end: what blocks noted is looked into, what was submitted is asked about. All it knows stands in the database,
// so that whoever leads the chain goes on where another ended; done twice, the second finds nothing to do.
import { sql } from "kysely";
import type { Notifier } from "../../../platform/db/notifier.ts";
import { every } from "../../../platform/lifecycle/every.ts";
import type { Task } from "../../../platform/lifecycle/feature.ts";
import type { Logger } from "../../../platform/log.ts";
import { type JudgeParts, type JudgingClient, judgeDue } from "./judge.ts";
import { enrol } from "./project.ts";
import { type LookingClient, lookAfter, lookAtNonces } from "./submissions.ts";

export type FollowingClient = JudgingClient & LookingClient;

export interface FollowParts extends JudgeParts {
  clients: ReadonlyMap<number, FollowingClient>;
  log: Logger;
  notifier: Pick<Notifier, "listen">;
}

const ROUND_MS = 2_000;

/** One for each chain, so that a node that is out holds up no other chain's. */
export function followTasks(parts: FollowParts): Task[] {
  return [...parts.clients].map(([chainId, client]) => {
    let confirmed = -1;
    return every(
      {
        name: `prepared actions of chain ${chainId}`,
        role: "indexer",
        ledBy: chainId,
        ms: ROUND_MS,
        log: parts.log,
        wakenBy: (wake, signal) => parts.notifier.listen("head", wake, signal),
      },
      async (signal) => {
        confirmed = await followOnce(parts, client, confirmed, signal);
      },
    );
  });
}

/**
 * One round; `before` is the confirmed block that the last one ended with, which is returned. Nonces are held against a confirmed block, after
 * what its blocks noted was looked into: a transaction that took one was the action's own, or it replaced it.
 */
export async function followOnce(
  parts: JudgeParts,
  client: FollowingClient,
  before = -1,
  signal?: AbortSignal,
): Promise<number> {
  const { db, clock } = parts;
  const { chainId } = client;
  const { rows } = await sql<{ confirmed: number | null; is_any: boolean; is_new: boolean }>`
    select confirmed_number as confirmed,
           exists (select from prepared_actions p where p.chain_id = ${chainId}) as is_any,
           exists (select from prepared_actions p where p.chain_id = ${chainId}
                      and not exists (select from prepared_action_follows w where w.action_id = p.id)) as is_new
      from chains where chain_id = ${chainId}`.execute(db.kysely);
  const [chain] = rows;
  if (!chain?.is_any) return before;
  if (chain.is_new) await db.transaction((tx) => enrol(tx, chainId, new Date(clock.now()).toISOString()));
  while (!signal?.aborted && (await judgeDue(parts, client, signal)) > 0);
  if (signal?.aborted || chain.confirmed === null) return before;
  await lookAfter(parts, client, chain.confirmed);
  if (chain.confirmed > before) await lookAtNonces(parts, client, chain.confirmed);
  return chain.confirmed;
}
