// A channel's configuration: checked against its provider's schema, taken apart into what is secret and what is not, shown masked, and
// changed without the secrets having to be known.
import type { ErrorObject } from "ajv";
import { checkUserUrl, EgressError, type EgressSettings } from "../../../platform/egress/egress.ts";
import { type FieldError, Problem } from "../../../platform/errors.ts";
import { type Check, createChecks } from "../../../platform/http/validate.ts";
import { patternMessage } from "../../../platform/http/validation-faults.ts";
import { KEEPS_DESTINATION, PROVES_SENDER, SIGNS_ONLY } from "../providers/fields.ts";
import type { ChannelConfig, Provider } from "../providers/provider.ts";
import type { ProviderName } from "../providers/registry.ts";
import { PROVIDERS } from "../providers/registry.ts";

/** What stands for a secret in every answer, before its last four characters. */
const MASK = "••••";
/** Of a shorter secret nothing is shown. */
const LEAST_TO_SHOW = 12;

export function maskOf(secret: string): string {
  return secret.length < LEAST_TO_SHOW ? MASK : MASK + secret.slice(-4);
}

/** A configuration taken apart. */
export interface SplitConfig {
  /** What is not secret. */
  config: ChannelConfig;
  secrets: ChannelConfig;
  /** The secrets as they are shown. */
  masks: ChannelConfig;
}

export function split({ secrets: names }: Provider, whole: ChannelConfig): SplitConfig {
  const entries = Object.entries(whole);
  const secrets = entries.filter(([name]) => names.includes(name));
  return {
    config: Object.fromEntries(entries.filter(([name]) => !names.includes(name))),
    secrets: Object.fromEntries(secrets),
    masks: Object.fromEntries(secrets.map(([name, value]) => [name, maskOf(value)])),
  };
}

/**
 * The configuration that a client sent, checked. No value of it stands in an error.
 * @throws Problem `invalid_request`, naming each place
 */
export function checkedConfig(name: ProviderName, sent: unknown, egress: EgressSettings): ChannelConfig {
  const config = structuredClone(sent) as ChannelConfig;
  const faults = checkOf(name)(config);
  if (faults !== null) throw invalid(faults.map(faultOf));
  const errors: FieldError[] = [];
  for (const [member, value] of Object.entries(config)) {
    if (!/^(?:webhook_|base_)?url$/.test(member)) continue;
    try {
      checkUserUrl(value, egress);
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      errors.push({ path: `/config/${member}`, message: error.message });
    }
  }
  if (errors.length > 0) throw invalid(errors);
  return config;
}

/**
 * The configuration as `changes` make it: what they do not name stays, null takes a member out, and a secret that is sent back as it
 * was shown stays as it is, unless it would be sent to another place or work on another.
 * @throws Problem `invalid_request`, `secret_required`
 */
export function changedConfig(
  name: ProviderName,
  { config, secrets, masks }: SplitConfig,
  changes: Record<string, unknown>,
  egress: EgressSettings,
): ChannelConfig {
  const whole: Record<string, unknown> = { ...config, ...secrets };
  for (const [member, value] of Object.entries(changes)) {
    if (value === null) delete whole[member];
    else if (typeof value === "string" && value.startsWith(MASK)) {
      if (value !== masks[member])
        throw invalid([{ path: `/config/${member}`, message: "is not the secret that the channel has" }]);
    } else whole[member] = value;
  }
  const after = checkedConfig(name, whole, egress);
  const missing = secretsMissing(PROVIDERS[name], { ...config, ...secrets }, after, changes);
  if (missing.length > 0) {
    const errors = missing.map((member) => ({ path: `/config/${member}`, message: "is needed in full" }));
    throw new Problem(
      "secret_required",
      `What you change decides where the channel's secrets are sent. Send them in full with it: ${missing.join(", ")}.`,
      { errors },
    );
  }
  return after;
}

/** The secrets that must be sent in full with a change, because it leads them elsewhere, and were not. */
function secretsMissing(
  { configSchema, secrets }: Provider,
  before: ChannelConfig,
  after: ChannelConfig,
  changes: Record<string, unknown>,
): string[] {
  const members = Object.entries(configSchema.properties) as [string, MemberSchema][];
  const isMoved = members.some(
    ([member, schema]) =>
      schema[SIGNS_ONLY] !== true &&
      schema[KEEPS_DESTINATION] !== true &&
      (before[member] ?? schema.default) !== (after[member] ?? schema.default),
  );
  if (!isMoved) return [];
  return members
    .filter(([member, schema]) => secrets.includes(member) && schema[SIGNS_ONLY] !== true)
    .map(([member]) => member)
    .filter((member) => member in after && changes[member] !== after[member]);
}

interface MemberSchema {
  default?: string;
  [SIGNS_ONLY]?: boolean;
  [KEEPS_DESTINATION]?: boolean;
}

/** The names of what differs. */
export function changesBetween(before: SplitConfig, after: SplitConfig): string[] {
  const [a, b] = [before, after].map(({ config, secrets }) => ({ ...config, ...secrets })) as [
    ChannelConfig,
    ChannelConfig,
  ];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((name) => a[name] !== b[name]).sort();
}

const compile = createChecks({ vocabulary: [SIGNS_ONLY, KEEPS_DESTINATION, PROVES_SENDER] });
const checks = new Map<ProviderName, Check>();

function checkOf(name: ProviderName): Check {
  let check = checks.get(name);
  if (check === undefined) {
    check = compile(PROVIDERS[name].configSchema);
    checks.set(name, check);
  }
  return check;
}

function faultOf({ instancePath, keyword, params, message, parentSchema }: ErrorObject): FieldError {
  const child = (name: string) => `/config${instancePath}/${name}`;
  if (keyword === "additionalProperties")
    return { path: child(String(params.additionalProperty)), message: "is not known to this provider" };
  if (keyword === "required") return { path: child(String(params.missingProperty)), message: "is missing" };
  const path = `/config${instancePath}`;
  if (keyword === "pattern") return { path, message: patternMessage(parentSchema) };
  return { path, message: message ?? "is not valid" };
}

function invalid(errors: FieldError[]): Problem {
  const [first] = errors;
  return new Problem("invalid_request", `${first?.path ?? "/config"} ${first?.message ?? "is not valid"}.`, {
    errors: errors.slice(0, 20),
  });
}
