// The thresholds of a vault's alerts: its own over the configuration's.
import { isDeepStrictEqual } from "node:util";
import type { FastifyInstance } from "fastify";
import { sql } from "kysely";
import { Type } from "typebox";
import type { Address } from "viem";
import { record } from "../../../audit/append/record.ts";
import { grantOn } from "../../../auth/vaults.ts";
import {
  type AlertRules,
  AlertRulesPatch,
  contradictions,
  EffectiveAlertRules,
} from "../../../monitors/alert-rules.ts";
import { ALERT_SEVERITIES, type AlertSeverity } from "../../../monitors/base/finding.ts";
import { type Database, executeNamed, type Tx } from "../../../platform/db/db.ts";
import { Problem } from "../../../platform/errors.ts";
import { polled } from "../../../platform/http/etag.ts";
import { route } from "../../../platform/http/route.ts";
import {
  AddressText,
  ChainId,
  Nullable,
  named,
  OneOf,
  strictBody,
  Timestamp,
  VaultAddressPath,
} from "../../../platform/http/schemas.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import type { VaultRef } from "../../../vault.ts";
import type { DispatchCalls } from "../dispatch/calls.ts";
import {
  changedDispatch,
  type DispatchRow,
  dispatchOf,
  NewDispatch,
  NO_DISPATCH,
  type StoredSetting,
  shownDispatch,
  storeDispatch,
} from "../dispatch/settings.ts";
import { ALERTS_CHANNEL } from "../judge/worker.ts";
import { REPLAYED_CATEGORIES, replayVault } from "../replay/replay.ts";
import { effectiveRules } from "../state/rules.ts";
import { needsManager, requireOperator } from "./access.ts";
import type { AlertRouteParts } from "./alert-routes.ts";

const PATH = "/api/v1/vaults/:chain_id/:vault_address/alert-rules";
const tags = ["Alerts"];

const RulesSchema = named(
  "VaultAlertRules",
  Type.Object({
    chain_id: ChainId,
    vault_address: AddressText,
    rules: EffectiveAlertRules,
    own_rules: AlertRulesPatch,
    updated_by: Nullable(AddressText),
    updated_at: Nullable(Timestamp),
    ...shownDispatch,
  }),
);

const Count = Type.Integer({ minimum: 0 });

const PreviewSchema = named(
  "AlertRulesEffect",
  Type.Object({
    from_timestamp: Timestamp,
    to_timestamp: Timestamp,
    categories: Type.Array(
      Type.Object({ category: Type.String(), critical: Count, warning: Count, info: Count }),
    ),
    alerts: Type.Array(
      Type.Object({
        at: Timestamp,
        category: Type.String(),
        subject: Type.String(),
        severity: OneOf(ALERT_SEVERITIES),
        title: Type.String(),
        message: Type.String(),
      }),
    ),
  }),
);

export interface RuleRouteParts extends AlertRouteParts {
  defaults: AlertRules;
  calls: Pick<DispatchCalls, "check">;
}

export function addRuleRoutes(app: FastifyInstance, parts: RuleRouteParts): void {
  const { db, clock, defaults } = parts;
  addPreviewRoute(app, parts);
  route(
    app,
    "GET",
    PATH,
    {
      schema: {
        tags,
        summary: "Alert rules of a vault",
        description:
          "`rules` are the rules in force: `own_rules`, set here for this vault, override the configuration's. `updated_by` and `updated_at` describe the last change; null where there was none. `dispatch` is set for the vault alone, by a primary manager.",
        params: VaultAddressPath,
        response: { 200: RulesSchema },
      },
      config: { permission: "vault_member" },
    },
    async (request, reply) => {
      const place = placeOf(request.params);
      const row = await loadRules(db, place);
      return polled(request, reply, JSON.stringify(await rulesOf(db, place, row, defaults)));
    },
  );

  route(
    app,
    "PUT",
    PATH,
    {
      schema: {
        tags,
        summary: "Set the alert rules of a vault",
        description:
          "Replaces the vault's own rules. A category or key that is left out follows the configuration; `{}` makes all of it follow. For managers and operators; rules of `governance` are changed by managers alone. `dispatch` is set by primary managers alone, and stays as it is where it is left out; so are rules of the categories that it names.",
        params: VaultAddressPath,
        body: named(
          "AlertRulesChange",
          strictBody({ rules: AlertRulesPatch, dispatch: Type.Optional(NewDispatch) }),
        ),
        response: { 200: RulesSchema },
      },
      config: { permission: "vault_operator", isRecorded: true },
    },
    async (request, reply) => {
      const { rules: own, dispatch: sent } = request.body;
      ruled(defaults, own);
      const place = placeOf(request.params);
      const { wallet } = request.caller;
      const before = await loadRules(db, place);
      const grant = grantOn(request.caller.grants, place);
      const isPrimary = grant?.role === "primary_manager" && grant.canWrite;
      const dispatch =
        sent === undefined
          ? null
          : await changedDispatch(parts, place, { isPrimary, sent, stored: before ?? NO_DISPATCH });
      if (changesAny(needsManager, before?.rules, own)) requireOperator(request.caller, place, true);
      const change = { rules: own, dispatch, by: wallet, at: timestampOfMs(clock.now()), isPrimary };
      await storeRules(db, place, change, defaults);
      return reply.send(await rulesOf(db, place, changed(before, change), defaults));
    },
  );
}

/** Days of history that a rule is tried on. */
const PREVIEW_DAYS = 30;
/** Notices that an answer shows, the newest; counts are of all. */
const MOST_SHOWN = 100;

function addPreviewRoute(
  app: FastifyInstance,
  { db, clock, defaults }: AlertRouteParts & { defaults: AlertRules },
): void {
  route(
    app,
    "POST",
    `${PATH}/preview`,
    {
      schema: {
        tags,
        summary: "Try alert rules on the last 30 days",
        description:
          "What would have been told of the vault within the last 30 days if these had been its own rules, of the categories of which enough is stored. Nothing is stored and nobody is told. Times are those of the blocks; silences and acknowledgements are left out. `alerts` are the newest 100.",
        params: VaultAddressPath,
        body: named("AlertRulesPreview", strictBody({ rules: AlertRulesPatch })),
        response: { 200: PreviewSchema },
      },
      config: { permission: "vault_member" },
    },
    async (request, reply) => {
      const rules = ruled(defaults, request.body.rules);
      const place = placeOf(request.params);
      const toMs = clock.now();
      const fromMs = toMs - PREVIEW_DAYS * 86_400_000;
      const told = await db.transaction((tx) => replayVault(tx, place, rules, { fromMs, toMs }), {
        isolation: "repeatable read",
      });
      const fired = (told ?? []).filter(({ type }) => type === "firing");
      return reply.send({
        from_timestamp: timestampOfMs(fromMs),
        to_timestamp: timestampOfMs(toMs),
        categories: REPLAYED_CATEGORIES.map((category) => {
          const of = fired.filter(({ signal }) => signal.category === category);
          const count = (severity: AlertSeverity) =>
            of.filter(({ signal }) => signal.severity === severity).length;
          return { category, critical: count("critical"), warning: count("warning"), info: count("info") };
        }),
        alerts: fired
          .slice(-MOST_SHOWN)
          .reverse()
          .map(({ atMs, signal: { category, subject, severity, title, message } }) => ({
            at: timestampOfMs(atMs),
            category,
            subject,
            severity,
            title,
            message,
          })),
      });
    },
  );
}

/** Rules that contradict one another are refused. */
function ruled(defaults: AlertRules, own: AlertRulesPatch): AlertRules {
  const rules = effectiveRules(defaults, own);
  const errors = contradictions(rules, "/rules");
  if (errors[0] !== undefined)
    throw new Problem("invalid_request", `${errors[0].path} ${errors[0].message}.`, { errors });
  return rules;
}

/** Whether the rules of one of those categories are changed. */
function changesAny(
  isOne: (category: string) => boolean,
  before: AlertRulesPatch = {},
  after: AlertRulesPatch,
): boolean {
  const own = (rules: AlertRulesPatch) =>
    Object.fromEntries(Object.entries(rules).filter(([category]) => isOne(category)));
  return !isDeepStrictEqual(own(before), own(after));
}

/**
 * Who decides when a category's alerts fire decides when its calls are handed out: both are for who may set `dispatch`. Against the row that is
 * locked, since `dispatch` may have been set since it was read.
 * @throws Problem `insufficient_role`
 */
async function requireSetter(
  tx: Tx,
  { chainId, vaultAddress }: VaultRef,
  own: AlertRulesPatch,
): Promise<void> {
  const { rows } = await sql<Pick<RuleRow, "rules" | "dispatch">>`
    select rules, dispatch from alert_rules where chain_id = ${chainId} and vault_address = ${vaultAddress} for update`.execute(
    tx,
  );
  const [row] = rows;
  const handed = new Set<string>(row?.dispatch?.map(({ category }) => category));
  if (!changesAny((category) => handed.has(category), row?.rules, own)) return;
  throw new Problem(
    "insufficient_role",
    "Calls are handed to bots with alerts of that category: only a primary manager may change its rules.",
  );
}

interface RuleRow extends DispatchRow {
  rules: AlertRulesPatch;
  updated_by: Address;
  updated_at: string;
}

function placeOf(params: { chain_id: number; vault_address: Address }): VaultRef {
  return { chainId: params.chain_id, vaultAddress: params.vault_address };
}

async function rulesOf(
  db: Pick<Database, "kysely">,
  place: VaultRef,
  row: RuleRow | null,
  defaults: AlertRules,
) {
  const own = row?.rules ?? {};
  return {
    chain_id: place.chainId,
    vault_address: place.vaultAddress,
    rules: effectiveRules(defaults, own),
    own_rules: own,
    updated_by: row?.updated_by ?? null,
    updated_at: row?.updated_at ?? null,
    ...(await dispatchOf(db, place, row ?? NO_DISPATCH)),
  };
}

async function loadRules(
  db: Pick<Database, "kysely">,
  { chainId, vaultAddress }: VaultRef,
): Promise<RuleRow | null> {
  const { rows } = await executeNamed(
    db.kysely,
    "alert_rules",
    sql<RuleRow>`
      select rules, updated_by, updated_at, dispatch, dispatch_updated_by, dispatch_updated_at from alert_rules
      where chain_id = ${chainId} and vault_address = ${vaultAddress}`,
  );
  return rows[0] ?? null;
}

interface RuleChange {
  rules: AlertRulesPatch;
  /** null: what is set stays. */
  dispatch: readonly StoredSetting[] | null;
  by: Address;
  at: string;
  /** Whoever changes them may set `dispatch`. */
  isPrimary: boolean;
}

/** As it is stored. */
function changed(before: RuleRow | null, { rules, dispatch, by, at }: RuleChange): RuleRow {
  return {
    ...(dispatch === null
      ? (before ?? NO_DISPATCH)
      : { dispatch: [...dispatch], dispatch_updated_by: by, dispatch_updated_at: at }),
    rules,
    updated_by: by,
    updated_at: at,
  };
}

/** With the audit entry of the change, and a word to whoever evaluates. Categories that only another release knows keep their rules. */
async function storeRules(
  db: Pick<Database, "transaction">,
  { chainId, vaultAddress }: VaultRef,
  { rules, dispatch, by, at, isPrimary }: RuleChange,
  defaults: AlertRules,
): Promise<void> {
  await db.transaction(async (tx) => {
    if (!isPrimary) await requireSetter(tx, { chainId, vaultAddress }, rules);
    await sql`
      insert into alert_rules (chain_id, vault_address, rules, updated_by, updated_at)
      values (${chainId}, ${vaultAddress}, ${JSON.stringify(rules)}::jsonb, ${by}, ${at})
      on conflict (chain_id, vault_address) do update set
        rules = (alert_rules.rules - ${Object.keys(defaults)}::text[]) || excluded.rules, updated_by = excluded.updated_by, updated_at = excluded.updated_at`.execute(
      tx,
    );
    if (dispatch !== null) await storeDispatch(tx, { chainId, vaultAddress }, { settings: dispatch, by, at });
    await sql`select pg_notify(${ALERTS_CHANNEL}, '')`.execute(tx);
    await record(tx, [
      {
        action_type: "alert_rule_update",
        chain_id: chainId,
        vault_address: vaultAddress,
        actor_wallet: by,
        details: { rules, ...(dispatch !== null && { dispatch }) },
      },
    ]);
  });
}
