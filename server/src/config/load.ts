// The configuration: one YAML file, every key also by environment variable, one schema (config/schema.ts) that validates both and
// documents both. The only reader of the environment.
//
// Guarantee: what `loadConfig` returns is valid as a whole, addresses checksummed and defaults filled in; else it throws one
// ConfigError that names every offending key and whether the file or a variable said it.
import { join } from "node:path";
import type { ValidateFunction } from "ajv";
import { fixedProxy, type ProxySettings, proxyByEnvironment } from "../platform/egress/proxy.ts";
import type { HttpSettings } from "../platform/http/rules.ts";
import type { RingSource } from "../platform/secret-box.ts";
import { inconsistencies } from "./checks.ts";
import { ConfigError } from "./error.ts";
import { faultsOf } from "./faults.ts";
import { buildConfigAjv } from "./forms.ts";
import { originOf, readRaw } from "./read.ts";
import { takeRpcHeaders } from "./rpc-headers.ts";
import { type Config, ConfigSchema } from "./schema.ts";
import { createSecretReader, type SecretChanges } from "./secret-files.ts";
import { takeSecrets } from "./secrets.ts";
import type { Schema } from "./shape.ts";

export type { Config } from "./schema.ts";

/**
 * Loads the configuration from `file`, or the one that `VAULTOPS_CONFIG` names, and the environment, which stands before the file.
 * Without a file the environment and the defaults make it up. Throws ConfigError.
 */
export function loadConfig(options: { file?: string; env?: NodeJS.ProcessEnv } = {}): Config {
  const env = options.env ?? process.env;
  const raw = readRaw(options.file ?? (env.VAULTOPS_CONFIG || undefined), env, ConfigSchema as Schema);
  const origin = (path: string) => originOf(raw, path);
  refuse([...takeSecrets(raw, ConfigSchema as Schema), ...takeRpcHeaders(raw)]);
  validator ??= buildConfigAjv().compile(ConfigSchema);
  const validate = validator;
  if (!validate(raw.tree)) refuse(faultsOf(validate.errors ?? [], origin));
  const config = raw.tree as Config;
  config.http.public_url ??= `http://${hostInUrl(config.http.host)}:${config.http.port}`;
  for (const stream of config.audit.streams) stream.name ??= new URL(stream.url).host;
  refuse(inconsistencies(config, origin));
  readers.set(
    config,
    createSecretReader(config, raw.secretFiles, (changed) => inconsistencies(changed, origin)),
  );
  return config;
}

const readers = new WeakMap<Config, () => SecretChanges>();

/** Puts what secret files hold now in place of what they held: of a configuration that `loadConfig` returned. */
export function readSecretsAgain(config: Config): SecretChanges {
  return readers.get(config)?.() ?? { changed: [], faults: [] };
}

let validator: ValidateFunction | null = null;

/** What is allowed but should be known to who runs the service; to be logged at every start. */
export function configWarnings(config: Config): string[] {
  const warnings = config.auth.issuers
    .filter(({ audience }) => audience === "any")
    .map(
      ({ issuer }) =>
        `auth.issuers: ${issuer} is trusted for any audience, so its tokens for other services are accepted here`,
    );
  if (config.database.url !== null && config.database.owner_url === null) {
    warnings.push(
      "database.owner_url is not set: the database does not enforce that the audit log is append-only",
    );
  }
  if (config.audit.witness_url !== null) {
    warnings.push(
      "audit.witness_url is ignored since it was no witness's protocol: name the witness among audit.witnesses",
    );
  }
  for (const { name, url } of config.audit.streams)
    if (url.startsWith("http:"))
      warnings.push(`audit.streams: entries and the token go to ${name} unencrypted, since its url is http`);
  if (config.chains.length === 0) warnings.push("chains is empty: no chain is followed");
  if (config.auth.issuers.length === 0 && !config.auth.embedded.enabled) {
    warnings.push("auth.issuers is empty and auth.embedded is off: nobody can sign in");
  }
  if (config.admin.token === null && !/^(127\.|::1$|localhost$)/.test(config.admin.host)) {
    warnings.push(
      "admin.token is not set: whoever reaches admin.host may read the metrics, and why a part is not ready",
    );
  }
  if (config.egress.allow_http) warnings.push("egress.allow_http is on: webhooks may be sent unencrypted");
  if (config.egress.proxy !== null && config.egress.proxy_resolves) {
    warnings.push(
      "egress.proxy_resolves is on: only the proxy keeps webhooks and channels from internal addresses; make sure that it refuses them",
    );
  }
  return warnings;
}

/** What goes through a proxy. */
export function proxySettingsOf(
  { egress }: Pick<Config, "egress">,
  env: NodeJS.ProcessEnv = process.env,
): ProxySettings {
  const { proxy, proxy_resolves: resolves } = egress;
  if (proxy === null) return { proxyFor: () => null, resolves };
  // Asked for each connection, since the URL may come from a file that changes.
  const fixed: ProxySettings["proxyFor"] = (target) => fixedProxy(egress.proxy ?? proxy)(target);
  return { proxyFor: proxy === "environment" ? proxyByEnvironment(env) : fixed, resolves };
}

/** The HTTP settings of a configuration, in the platform's words. */
export function httpSettingsOf(config: Config): HttpSettings & { trustedProxies: readonly string[] } {
  const { public_url, cors_origins, trusted_proxies, rate_limits } = config.http;
  return {
    publicUrl: public_url ?? "",
    corsOrigins: cors_origins,
    trustedProxies: trusted_proxies,
    rateLimits: {
      perWallet: rate_limits.per_wallet,
      perIp: rate_limits.per_ip,
      challengesPerIp: rate_limits.challenges_per_ip,
      recordedPerWallet: rate_limits.recorded_per_wallet,
    },
  };
}

/** Where the keys are that seal secrets at rest. */
export function secretRingOf(config: Config): RingSource {
  return {
    get keys() {
      return config.secrets.keys;
    },
    file: join(config.data_dir, "secrets", "keys"),
  };
}

/** A secret that a command takes from the environment alone: what stands on a command line can be read by others. */
export function environmentSecret(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`Set ${name} in the environment.`);
  return value;
}

/** The same where one may be set. */
export function environmentSecretIfAny(name: string): string | null {
  return process.env[name] || null;
}

function refuse(faults: string[]): void {
  if (faults.length > 0) throw new ConfigError(faults);
}

/** A listening address as a client on this machine can name it. */
function hostInUrl(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
