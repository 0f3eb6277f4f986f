// POST …/submissions: whoever signed elsewhere tells what came of it. What is told here makes an action `submitted` and no more: that it was
// executed is for the chain to say.
import type { FastifyInstance } from "fastify";
import { sql } from "kysely";
import { type Static, Type } from "typebox";
import type { Address, Hash, Hex } from "viem";
import type { Clock } from "../../../platform/clock.ts";
import type { Database, Tx } from "../../../platform/db/db.ts";
import { chargeStored, type StoredQuota } from "../../../platform/db/stored-quota.ts";
import { Problem } from "../../../platform/errors.ts";
import { route } from "../../../platform/http/route.ts";
import { AddressParam, ChainId, named, strictBody } from "../../../platform/http/schemas.ts";
import { accountOf, type Caller } from "../../../platform/permission.ts";
import type { SenderKind } from "../prepared.ts";
import { PreparedActionSchema } from "../schemas.ts";

const HashParam = (description: string) => Type.String({ pattern: "^0x[0-9a-fA-F]{64}$", description });

const SubmissionPath = Type.Object({
  chain_id: ChainId,
  vault: AddressParam,
  id: Type.String({ format: "uuid" }),
});

const NewSubmission = named(
  "NewActionSubmission",
  strictBody({
    transaction_hash: Type.Optional(HashParam("Of the transaction that was sent.")),
    safe_tx_hash: Type.Optional(HashParam("Of the Safe's transaction that was proposed.")),
  }),
);

export interface SubmissionParts {
  db: Database;
  clock: Clock;
  /** The action as it is served; null where the caller has none of that id. */
  view(
    caller: Caller,
    place: { chainId: number; vaultAddress: Address },
    id: string,
  ): Promise<Static<typeof PreparedActionSchema> | null>;
}

/** Each is asked for again and again until it is known what became of it. */
const SUBMITTED: StoredQuota = {
  name: "action_submissions",
  quota: 60,
  windowSeconds: 60,
  what: "submissions told by a wallet",
};
/** One who sends again and again, faster each time, has few more. */
const MOST_SUBMISSIONS = 20;

export function addSubmissionRoute(app: FastifyInstance, { db, clock, view }: SubmissionParts): void {
  route(
    app,
    "POST",
    "/api/v1/vaults/:chain_id/:vault/prepared-actions/:id/submissions",
    {
      schema: {
        tags: ["Actions"],
        summary: "Tell what was submitted for a prepared action",
        description:
          "Either the hash of a transaction or that of a Safe's transaction, once it was signed elsewhere. The action is then `submitted`; a transaction that reverts makes it `failed`, one whose nonce another took `replaced`. An execution is found on the chain, whether it was told or not, and a submission that names some other transaction confirms nothing. The same hash may be told again.",
        params: SubmissionPath,
        body: NewSubmission,
        response: { 200: PreparedActionSchema },
      },
      config: { permission: "vault_member", problems: ["not_found", "conflict", "rate_limited"] },
    },
    async (request) => {
      const { chain_id: chainId, vault: vaultAddress, id } = request.params;
      const told = hashOf(request.body);
      const place = { chainId, vaultAddress };
      const now = new Date(clock.now()).toISOString();
      await db.transaction((tx) =>
        submit(tx, { ...place, id, account: accountOf(request.caller), now }, told),
      );
      const action = await view(request.caller, place, id);
      if (action === null) throw notFound();
      return action;
    },
  );
}

type Told = { transaction: Hash } | { safeTransaction: Hash };

function hashOf({ transaction_hash, safe_tx_hash }: Static<typeof NewSubmission>): Told {
  if (transaction_hash !== undefined && safe_tx_hash === undefined)
    return { transaction: transaction_hash.toLowerCase() as Hex };
  if (safe_tx_hash !== undefined && transaction_hash === undefined)
    return { safeTransaction: safe_tx_hash.toLowerCase() as Hex };
  throw new Problem("invalid_request", "Give either `transaction_hash` or `safe_tx_hash`.", {
    errors: [{ path: "body", message: "must have one of transaction_hash and safe_tx_hash" }],
  });
}

interface Place {
  chainId: number;
  vaultAddress: Address;
  id: string;
  account: string;
  now: string;
}

async function submit(tx: Tx, place: Place, told: Told): Promise<void> {
  const { id, now } = place;
  const own = await loadOwn(tx, place);
  if (own === null) throw notFound();
  const transaction = "transaction" in told ? told.transaction : null;
  const safeTransaction = "transaction" in told ? null : told.safeTransaction;
  if (own.told.includes(transaction ?? safeTransaction!)) {
    if (transaction !== null) await takeUp(tx, place, transaction);
    return;
  }
  await chargeStored(tx, SUBMITTED, place.account);
  if (own.execution !== null && own.execution !== transaction && transaction !== null)
    throw new Problem("conflict", `The action was executed already, by the transaction ${own.execution}.`);
  if (safeTransaction !== null && own.from_kind !== "safe")
    throw new Problem("conflict", "The action was not prepared for a Safe.");
  if (own.told.length >= MOST_SUBMISSIONS)
    throw new Problem(
      "conflict",
      `At most ${MOST_SUBMISSIONS} submissions of one action are kept. Prepare it anew.`,
    );
  await sql`
    insert into prepared_action_submissions (action_id, position, transaction_hash, safe_tx_hash, submitted_at)
    values (${id}, ${own.told.length}, ${transaction}, ${safeTransaction}, ${now}::timestamptz)`.execute(tx);
  if (transaction !== null) await claim(tx, place, transaction);
}

/** One that was given up may have been sent only now. */
async function takeUp(tx: Tx, { id, now }: Place, transaction: Hash): Promise<void> {
  await sql`
    update prepared_action_submissions set unrelated_at = null, submitted_at = ${now}::timestamptz, look_at = '-infinity'
     where action_id = ${id} and transaction_hash = ${transaction} and unrelated_at is not null`.execute(tx);
}

interface Own {
  from_kind: SenderKind;
  execution: Hash | null;
  told: Hash[];
}

async function loadOwn(tx: Tx, { chainId, vaultAddress, id, account }: Place): Promise<Own | null> {
  // Against another submission of the same action.
  await sql`select pg_advisory_xact_lock(hashtextextended(${id}, 0))`.execute(tx);
  const { rows } = await sql<Own>`
    select p.from_kind,
           (select x.transaction_hash from prepared_action_executions x where x.action_id = p.id) as execution,
           array(select coalesce(s.transaction_hash, s.safe_tx_hash) from prepared_action_submissions s
                  where s.action_id = p.id) as told
      from prepared_actions p
     where p.id = ${id} and p.chain_id = ${chainId} and p.vault_address = ${vaultAddress} and p.account = ${account}`.execute(
    tx,
  );
  return rows[0] ?? null;
}

/**
 * Of several like actions of one account a transaction counts for the oldest, until it is told which one was meant: then it is looked into
 * again, and the one that names it comes first.
 */
async function claim(tx: Tx, { chainId, account }: Place, transaction: Hash): Promise<void> {
  await sql`
    with given as (
      delete from prepared_action_executions x using prepared_actions p
       where p.id = x.action_id and x.chain_id = ${chainId} and x.transaction_hash = ${transaction} and p.account = ${account}
         and not exists (
           select from prepared_action_submissions s where s.action_id = x.action_id and s.transaction_hash = x.transaction_hash)
      returning x.chain_id, x.block_number, x.transaction_hash)
    insert into prepared_action_candidates (chain_id, block_number, transaction_hash)
    select chain_id, block_number, transaction_hash from given
    on conflict do nothing`.execute(tx);
}

function notFound(): Problem {
  return new Problem("not_found", "You have prepared no action of that id on this vault.");
}
