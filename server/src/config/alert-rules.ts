// The thresholds of alerts: the one list of them, with their defaults. The configuration, the API and the monitors take theirs from here.
import { type Static, type TObject, type TProperties, type TSchema, Type } from "typebox";
import type { FieldError } from "../platform/errors.ts";
import { named, QuantityParam } from "../platform/http/schemas.ts";

const seconds = (fallback: number, description: string) =>
  Type.Integer({ minimum: 1, maximum: 31_536_000, default: fallback, description });
const share = (fallback: number, description: string) =>
  Type.Number({ minimum: 0, maximum: 1, default: fallback, description });
const count = (fallback: number, maximum: number, description: string) =>
  Type.Integer({ minimum: 1, maximum, default: fallback, description });

const isEnabled = Type.Boolean({ default: true, description: "Whether the category is watched." });

const rule = <T extends TProperties>(properties: T, description: string) =>
  Type.Object(
    { is_enabled: isEnabled, ...properties },
    { additionalProperties: false, default: {}, description },
  );

/** Thresholds by category. Every key has a default. */
export const AlertRules = Type.Object(
  {
    upkeep: rule(
      {
        reserve: Type.Unsafe<string>({
          ...QuantityParam,
          default: "0",
          description:
            "Raw upkeep tokens to keep above what an update of the price costs: less is a warning, less than an update costs is critical.",
        }),
      },
      "Upkeep short of what the next update of the price costs, or of a reserve.",
    ),
    pps_staleness: rule(
      {
        warning_seconds: seconds(3600, "Remaining time of the price at which it is a warning."),
        warning_fraction: share(
          0.25,
          "Remaining part of the price's lifetime at which it is a warning, if that is less time.",
        ),
        critical_seconds: seconds(600, "Remaining time of the price at which it is critical."),
        critical_fraction: share(
          0.1,
          "Remaining part of the price's lifetime at which it is critical, if that is less time.",
        ),
      },
      "A price per share that expires soon, or has.",
    ),
    keeper_run: rule(
      {
        consecutive_failures: count(3, 20, "Failed runs in a row that are a warning."),
        warning_success_rate: share(0.95, "Success rate of the last 100 runs under which it is a warning."),
        critical_success_rate: share(0.8, "Success rate under which it is critical."),
        warning_schedules: count(2, 100, "Schedules without a run that are a warning."),
        critical_schedules: count(3, 100, "Schedules without a run that are critical."),
      },
      "A service that fails or falls silent.",
    ),
    session_key: rule(
      { expires_within_seconds: seconds(86_400, "Remaining lifetime of the key at which it is a warning.") },
      "A session key that is not ready, expires soon, or is to be rotated.",
    ),
    emergency_pause: rule({}, "A vault that is paused."),
    emergency_exit: rule({}, "An emergency liquidity exit that is armed."),
    merkle: rule({}, "A merkle root that could not be generated or published, or was vetoed."),
    execution: rule(
      {
        failures: count(
          3,
          100,
          "Failed or aborted intents of a strategy that are a warning; twice as many are critical.",
        ),
        window_seconds: Type.Integer({
          minimum: 1,
          maximum: 86_400,
          default: 900,
          description: "Within how long.",
        }),
      },
      "Intents of a strategy that fail again and again.",
    ),
  },
  {
    additionalProperties: false,
    default: {},
    description: "Thresholds of vaults that have none of their own.",
  },
);

export type AlertRules = Static<typeof AlertRules>;
export type RuleCategory = keyof AlertRules;

/** As the API takes them: every key may be left out. */
export type AlertRulesPatch = { [C in RuleCategory]?: Partial<AlertRules[C]> };

export const AlertRulesPatch = named(
  "AlertRulesPatch",
  Type.Unsafe<AlertRulesPatch>(bare(AlertRules, Type.Optional)),
);
/** As the API shows them: whole. */
export const EffectiveAlertRules = named(
  "AlertRules",
  Type.Unsafe<AlertRules>(bare(AlertRules, (schema) => schema)),
);

/** What no threshold is wrong in alone, but two are together. `path` is the place under `at`. */
export function contradictions(rules: AlertRules, at: string): FieldError[] {
  const { pps_staleness: pps, keeper_run: keeper } = rules;
  const pairs: [boolean, string, string][] = [
    [pps.critical_seconds > pps.warning_seconds, "pps_staleness/critical_seconds", "warning_seconds"],
    [pps.critical_fraction > pps.warning_fraction, "pps_staleness/critical_fraction", "warning_fraction"],
    [
      keeper.critical_success_rate > keeper.warning_success_rate,
      "keeper_run/critical_success_rate",
      "warning_success_rate",
    ],
  ];
  const errors = pairs
    .filter(([isWrong]) => isWrong)
    .map(([, path, other]) => ({ path: `${at}/${path}`, message: `must not be greater than ${other}` }));
  if (keeper.critical_schedules < keeper.warning_schedules)
    errors.push({
      path: `${at}/keeper_run/critical_schedules`,
      message: "must not be less than warning_schedules",
    });
  return errors;
}

/** The same without defaults, each property wrapped: what a client leaves out must not be filled in. */
function bare(schema: TSchema, wrap: (property: TSchema) => TSchema): TSchema {
  const { default: _, ...rest } = schema as TSchema & { default?: unknown };
  if (!("properties" in rest)) return rest;
  const { properties, required: __, ...others } = rest as unknown as TObject;
  return Type.Object(
    Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, wrap(bare(value, wrap))])),
    { ...others },
  );
}
