// What no key is wrong in alone, but several together are.
import { readWitness } from "@vaultops/proof";
import { contradictions } from "../monitors/alert-rules.ts";
import type { Config } from "./schema.ts";

/** One line for each contradiction. `origin` tells where the value at a dotted path came from. */
export function inconsistencies(config: Config, origin: (path: string) => string | null): string[] {
  const faults: string[] = [];
  const fault = (path: string, message: string) => {
    const from = origin(path);
    faults.push(`${from === null ? "" : `${from}: `}${path.replace(/\.(\d+)(?=\.|$)/g, "[$1]")} ${message}`);
  };
  const once = <T>(
    items: readonly T[],
    keyOf: (item: T) => string,
    path: (index: number) => string,
    what: string,
  ) => {
    const seen = new Set<string>();
    for (const [index, item] of items.entries()) {
      if (seen.has(keyOf(item))) fault(path(index), `${what} ${keyOf(item)} is given twice`);
      seen.add(keyOf(item));
    }
  };

  once(
    config.chains,
    (chain) => String(chain.chain_id),
    (i) => `chains.${i}.chain_id`,
    "the chain",
  );
  for (const [c, chain] of config.chains.entries()) {
    const urls = chain.rpc_urls.map((node) => (typeof node === "string" ? node : node.url));
    for (const [u, url] of urls.entries()) {
      const first = urls.indexOf(url);
      // The URL itself may hold a key.
      if (first < u) fault(`chains.${c}.rpc_urls.${u}`, `is the same URL as rpc_urls[${first}]`);
    }
    const asked = urls.filter((url) => !/^wss?:/i.test(url)).length;
    if (asked === 0)
      fault(`chains.${c}.rpc_urls`, "needs an http or https URL: a ws or wss URL only announces new blocks");
    else if (chain.rpc_quorum > asked)
      fault(
        `chains.${c}.rpc_quorum`,
        `asks for ${chain.rpc_quorum} nodes, but there ${asked === 1 ? "is only 1 http URL" : `are only ${asked} http URLs`}`,
      );
    const followed = chain.sources.flatMap((source, s) => {
      const path = `chains.${c}.sources.${s}`;
      if (source.family === "supervault") return [{ address: source.aggregator, path: `${path}.aggregator` }];
      const vaults = source.vaults.map(({ address }, v) => ({
        address,
        path: `${path}.vaults.${v}.address`,
      }));
      if (!("factory" in source)) return vaults;
      if ((source.factory === null) === (vaults.length === 0))
        fault(path, "must name either a factory or vaults");
      if (source.factory === null && source.managers.length > 0)
        fault(`${path}.managers`, "choose among the vaults of a factory: name the vaults themselves");
      return source.factory === null ? vaults : [{ address: source.factory, path: `${path}.factory` }];
    });
    once(
      followed,
      ({ address }) => address,
      (i) => followed[i]?.path ?? "chains",
      "the address",
    );
  }
  once(
    config.auth.issuers,
    ({ issuer }) => issuer,
    (i) => `auth.issuers.${i}.issuer`,
    "the issuer",
  );
  for (const [i, issuer] of config.auth.issuers.entries()) {
    if ((issuer.jwks_url === null) === (issuer.jwks_file === null)) {
      fault(`auth.issuers.${i}`, "must have either jwks_url or jwks_file");
    }
    if (issuer.wallet_claim !== null && issuer.profile !== "generic") {
      fault(`auth.issuers.${i}.wallet_claim`, `has no meaning for the profile ${issuer.profile}`);
    }
    for (const [key, message] of consoleFaults(issuer)) fault(`auth.issuers.${i}.console.${key}`, message);
  }
  if (config.database.url === null) {
    for (const key of ["owner_url", "listen_url", "replica_url"] as const) {
      if (config.database[key] !== null) fault(`database.${key}`, "has no meaning without database.url");
    }
  }
  if (config.smtp.url !== null && config.smtp.from === null)
    fault("smtp.from", "is missing; smtp.url is given");
  const {
    token_url: tokenUrl,
    client_id: clientId,
    client_secret: secret,
    refresh_token: refresh,
  } = config.smtp.oauth2;
  if (tokenUrl !== null) {
    const server = config.smtp.url === null ? null : new URL(config.smtp.url);
    if (server === null || server.username === "" || server.password !== "")
      fault("smtp.url", "must name the user and no password, since smtp.oauth2 is set");
    if (clientId === null) fault("smtp.oauth2.client_id", "is missing; smtp.oauth2.token_url is given");
    if (secret === null && refresh === null) fault("smtp.oauth2", "needs client_secret or refresh_token");
  }
  const witnesses = config.audit.witnesses.map(({ vkey }) => readWitness(vkey));
  once(
    config.audit.witnesses,
    ({ name }) => name,
    (i) => `audit.witnesses.${i}.name`,
    "the name",
  );
  // Who gives one key two names is one witness all the same.
  for (const [i, { key }] of witnesses.entries()) {
    const first = witnesses.findIndex((other) => other.key === key);
    if (first < i) fault(`audit.witnesses.${i}.vkey`, `is the same key as witnesses[${first}]`);
  }
  const counting = witnesses.filter(({ isChecked }) => isChecked).length;
  const quorum = config.audit.witness_quorum;
  if (quorum !== null && quorum > counting)
    fault("audit.witness_quorum", `asks for ${quorum} witnesses, but ${counting} of witnesses count`);
  once(
    config.audit.streams,
    ({ name }) => name ?? "",
    (i) => `audit.streams.${i}.name`,
    "the name",
  );
  for (const [i, { type, token }] of config.audit.streams.entries()) {
    if (type === "splunk_hec" && token === null) fault(`audit.streams.${i}`, "needs token_file, or a token");
  }
  for (const { path, message } of contradictions(config.alerts.rules, "alerts/rules"))
    fault(path.replaceAll("/", "."), message);
  return faults;
}

type Issuer = Config["auth"]["issuers"][number];

/** What is wrong with how the console signs in with an issuer. */
function* consoleFaults({
  issuer,
  audience,
  console: sign,
}: Issuer): Generator<[key: string, message: string]> {
  if (sign.client_id === null) return;
  if (sign.sign_in_url !== null) yield ["sign_in_url", "has no meaning together with client_id"];
  if (audience !== "any" && !audience.includes(sign.client_id))
    yield ["client_id", "must be among audience: the ID token is for it"];
  if (!URL.canParse(issuer) || !/^https?:$/.test(new URL(issuer).protocol))
    yield ["client_id", "needs an issuer that is the provider's URL"];
  if (!sign.scope.split(" ").includes("openid")) yield ["scope", "must contain openid"];
}
