// What the service listens on and whom it reaches: ports, the outbound proxy, identity providers.
import { readFile } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { hostname } from "node:os";
import { sql } from "kysely";
import { usableKeys } from "../../auth/tokens/keys.ts";
import { proxySettingsOf } from "../../config/load.ts";
import { type Check, type Finding, fault, type Ground, ok, reasonOf } from "./check.ts";

export const ports: Check = {
  name: "ports",
  looksAt: "the ports are free, or held by a process of this very service",
  async run(ground) {
    const { http, admin } = ground.config;
    return [
      await port(ground, "http", http.host, http.port),
      await port(ground, "admin", admin.host, admin.port),
    ];
  },
};

async function port({ db }: Ground, key: string, host: string, number: number): Promise<Finding> {
  const at = `${host}:${number}`;
  if (number === 0) return ok(`${key}: any free one`);
  const server = createServer();
  try {
    await listening(server, number, host);
    return ok(`${key}: ${at} is free`);
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === "EADDRINUSE") {
      if (db !== null && (await isOwn(db, at))) return ok(`${key}: ${at} is held by the running service`);
      return fault(
        `${key}: another program listens on ${at}`,
        `end it (ss -ltnp), or choose another ${key}.port`,
      );
    }
    return fault(
      `${key}: ${at} cannot be listened on (${reason})`,
      reason === "EACCES"
        ? `choose a ${key}.port above 1023`
        : `name an address of this machine by ${key}.host`,
    );
  } finally {
    server.close();
  }
}

async function isOwn(db: NonNullable<Ground["db"]>, at: string): Promise<boolean> {
  const { rows } = await sql`
    select from processes
    where host = ${hostname()} and ${at} = any (listens) and seen_at > now() - interval '60 seconds'`.execute(
    db.kysely,
  );
  return rows.length > 0;
}

function listening(server: Server, number: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port: number, host, exclusive: true }, resolve);
  });
}

const CONNECT_MS = 5_000;

export const proxy: Check = {
  name: "proxy",
  looksAt: "the outbound proxy takes connections",
  async run({ config }) {
    if (config.egress.proxy === null) return [];
    const url = proxySettingsOf(config).proxyFor(new URL("https://example.org"));
    if (url === null) return [ok("the environment names none for https")];
    const where = {
      host: url.hostname.replace(/^\[|\]$/g, ""),
      port: Number(url.port || (url.protocol === "https:" ? 443 : 80)),
    };
    const reason = await new Promise<string | null>((resolve) => {
      const socket = connect({ ...where, timeout: CONNECT_MS });
      const end = (said: string | null) => {
        socket.destroy();
        resolve(said);
      };
      socket.once("connect", () => end(null));
      socket.once("timeout", () => end("no answer in time"));
      socket.once("error", (error) => end(reasonOf(error)));
    });
    if (reason === null) return [ok(`${url.host} takes connections`)];
    return [fault(`${url.host} cannot be reached (${reason})`, "start the proxy, or mend egress.proxy")];
  },
};

const MAX_KEYS_BYTES = 1_000_000;

export const identityProviders: Check = {
  name: "identity providers",
  looksAt: "the keys of every identity provider can be had",
  async run(ground) {
    const { issuers, embedded } = ground.config.auth;
    const found = await Promise.all(issuers.map((issuer) => keysOf(ground, issuer)));
    return found.length === 0 && embedded.enabled ? [ok("the embedded one")] : found;
  },
};

async function keysOf(
  { egress }: Ground,
  { issuer, jwks_url, jwks_file }: Ground["config"]["auth"]["issuers"][number],
): Promise<Finding> {
  try {
    const limits = { timeoutMs: CONNECT_MS, maxBytes: MAX_KEYS_BYTES };
    const document: unknown =
      jwks_file === null
        ? await egress.fetchJson(jwks_url as string, limits)
        : JSON.parse(await readFile(jwks_file, "utf8"));
    const { keys } = usableKeys(document);
    if (keys.length > 0) return ok(`${issuer}: ${keys.length} keys`);
    return fault(`${issuer}: no key of it can be used`, "let jwks_url, or jwks_file, name its JWK Set");
  } catch (error) {
    return fault(
      `${issuer}: its keys cannot be had (${reasonOf(error)})`,
      "mend jwks_url or jwks_file; look whether this machine, or its proxy, reaches the provider",
    );
  }
}
