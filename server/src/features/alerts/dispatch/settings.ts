// What a vault's primary manager has bots handed with its critical alerts: de-risking actions by category. It stands beside the thresholds, with who set
// it, since it counts only while that wallet is a primary manager of the vault.
import { isDeepStrictEqual } from "node:util";
import { sql } from "kysely";
import { type Static, Type } from "typebox";
import type { Address } from "viem";
import { isPrimaryManager } from "../../../auth/vaults.ts";
import { MONITORS } from "../../../monitors/registry.ts";
import type { Database, Tx } from "../../../platform/db/db.ts";
import { type FieldError, Problem } from "../../../platform/errors.ts";
import { AddressText, Nullable, named, OneOf, Timestamp } from "../../../platform/http/schemas.ts";
import type { VaultRef } from "../../../vault.ts";
import type { DispatchCalls } from "./calls.ts";

const MOST = 32;
const MOST_OF_CATEGORY = 4;

/** Those of vaults. */
const Category = OneOf([...new Set(MONITORS.map(({ category }) => category))]);

const parameters = Type.Record(Type.String(), Type.Unknown());

export const NewDispatchSetting = named(
  "NewAlertDispatch",
  Type.Object(
    {
      category: Category,
      action: Type.String({
        minLength: 1,
        maxLength: 64,
        description: "A de-risking action of the vault: one with `dispatch_parameters` in its catalogue.",
      }),
      parameters: Type.Optional(
        Type.Unsafe<Record<string, unknown>>({
          ...parameters,
          description:
            "As its `dispatch_parameters` say; `{}` where left out. What has `x-from-alert` may be left out for those categories: the alert tells it.",
        }),
      ),
      from: Type.Optional(
        Type.Unsafe<Address | null>({
          type: ["string", "null"],
          "x-address": true,
          description:
            "Who will send the calls. Left out: whoever set it where they hold the role, else the one Safe for which they sign that does.",
        }),
      ),
    },
    { additionalProperties: false },
  ),
);

/** Of a change of the rules. */
export const NewDispatch = Type.Array(NewDispatchSetting, {
  maxItems: MOST,
  description:
    "De-risking actions whose calls `alert.dispatch` hands to bots; for primary managers. Left out: what is set stays. `[]`: none.",
});

export const DispatchSetting = named(
  "AlertDispatchSetting",
  Type.Object({
    category: Category,
    action: Type.String(),
    parameters,
    from: Nullable(AddressText),
  }),
);

/** As rules are shown. */
export const shownDispatch = {
  dispatch: Type.Array(DispatchSetting, {
    description: "De-risking actions whose calls `alert.dispatch` hands to bots.",
  }),
  dispatch_updated_by: Nullable(AddressText),
  dispatch_updated_at: Nullable(Timestamp),
  is_dispatch_in_force: Type.Boolean({
    description:
      "Whoever set `dispatch` is a primary manager of the vault now. False: no calls are handed out until one that is sets it again.",
  }),
};

/** A setting as it is stored. */
export interface StoredSetting {
  category: Static<typeof Category>;
  action: string;
  parameters: Record<string, unknown>;
  from: Address | null;
}

/** The columns of `alert_rules`; null: nothing was ever set. */
export interface DispatchRow {
  dispatch: StoredSetting[] | null;
  dispatch_updated_by: Address | null;
  dispatch_updated_at: string | null;
}

export const NO_DISPATCH: DispatchRow = {
  dispatch: null,
  dispatch_updated_by: null,
  dispatch_updated_at: null,
};

export async function dispatchOf(
  db: Pick<Database, "kysely">,
  place: VaultRef,
  row: DispatchRow,
): Promise<{ [K in keyof typeof shownDispatch]: Static<(typeof shownDispatch)[K]> }> {
  return {
    dispatch: (row.dispatch ?? []) as Static<(typeof shownDispatch)["dispatch"]>,
    dispatch_updated_by: row.dispatch_updated_by,
    dispatch_updated_at: row.dispatch_updated_at,
    is_dispatch_in_force: await isInForce(db, place, row),
  };
}

async function isInForce(
  db: Pick<Database, "kysely">,
  place: VaultRef,
  { dispatch, dispatch_updated_by: by }: DispatchRow,
): Promise<boolean> {
  return (dispatch ?? []).length > 0 && by !== null && (await isPrimaryManager(db, by, place));
}

/**
 * What is to be stored; null: nothing, for the same stands there already, which anybody may send back who may change rules. What is not in force
 * a primary manager sets anew by sending it back.
 * @throws Problem `invalid_request`, `insufficient_role`
 */
export async function changedDispatch(
  { db, calls }: { db: Pick<Database, "kysely">; calls: Pick<DispatchCalls, "check"> },
  place: VaultRef,
  { isPrimary, sent, stored }: { isPrimary: boolean; sent: Static<typeof NewDispatch>; stored: DispatchRow },
): Promise<StoredSetting[] | null> {
  const settings = sent.map(({ category, action, parameters: given = {}, from = null }) => ({
    category,
    action,
    parameters: given,
    from,
  }));
  const isStored = (those: readonly StoredSetting[]) => isDeepStrictEqual(those, stored.dispatch ?? []);
  if (!isPrimary && isStored(settings)) return null;
  const checked = await calls.check(place, settings);
  const faults = "faults" in checked ? checked.faults : tooMany(checked.settings as StoredSetting[]);
  if (faults[0] !== undefined)
    throw new Problem("invalid_request", `${faults[0].path} ${faults[0].message}.`, { errors: faults });
  if (!isPrimary)
    throw new Problem(
      "insufficient_role",
      "Only a primary manager of the vault, whose role is confirmed, may set which calls are handed to bots. Leave dispatch out.",
    );
  const kept = (checked as { settings: StoredSetting[] }).settings;
  return isStored(kept) && (await isInForce(db, place, stored)) ? null : kept;
}

function tooMany(settings: readonly StoredSetting[]): FieldError[] {
  return settings.flatMap((setting, index) => {
    const before = settings.slice(0, index);
    const path = `/dispatch/${index}`;
    if (before.some((other) => isDeepStrictEqual(other, setting)))
      return [{ path, message: "is there twice" }];
    return before.filter(({ category }) => category === setting.category).length >= MOST_OF_CATEGORY
      ? [{ path, message: `is one too many: at most ${MOST_OF_CATEGORY} of a category` }]
      : [];
  });
}

/** Beside rules that were stored in the same transaction. */
export async function storeDispatch(
  tx: Tx,
  { chainId, vaultAddress }: VaultRef,
  { settings, by, at }: { settings: readonly StoredSetting[]; by: Address; at: string },
): Promise<void> {
  await sql`
    update alert_rules
       set dispatch = ${JSON.stringify(settings)}::jsonb, dispatch_updated_by = ${by}, dispatch_updated_at = ${at}
     where chain_id = ${chainId} and vault_address = ${vaultAddress}`.execute(tx);
}

/** What is set for a category, with who set it; empty where that is nobody. */
export async function loadDispatch(
  db: Pick<Database, "kysely">,
  { chainId, vaultAddress }: VaultRef,
  category: string,
): Promise<{ by: Address; settings: StoredSetting[] } | null> {
  const { rows } = await sql<DispatchRow>`
    select dispatch, dispatch_updated_by, dispatch_updated_at from alert_rules
     where chain_id = ${chainId} and vault_address = ${vaultAddress}`.execute(db.kysely);
  const [row] = rows;
  if (!row?.dispatch || row.dispatch_updated_by === null) return null;
  return {
    by: row.dispatch_updated_by,
    settings: row.dispatch.filter((setting) => setting.category === category),
  };
}
