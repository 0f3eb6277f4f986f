// The only way out: every HTTP request that the service makes of its own (RPC nodes aside, which the chain layer calls) goes through
// here. It is bounded in time as a whole and in size, follows no redirect, and says nothing secret when it fails.
//
// To addresses that users name (webhooks, channels) it goes only where the address rule allows, checked on the very address that is
// connected to: a name that resolves to something else later is resolved and checked again, and no name is ever checked apart from
// its connection. An outbound proxy is asked for that very address. URLs from the operator's own configuration (`trusted`) skip that rule alone.
import { lookup as systemLookup } from "node:dns";
import { isIP, type LookupFunction, type Socket } from "node:net";
import { Agent, buildConnector } from "undici";
import { AddressRule } from "./address.ts";
import { type Answer, BrokenOff, exchange } from "./exchange.ts";
import { type ProxySettings, proxiedConnector, trustedConnector } from "./proxy.ts";

export interface EgressRequest {
  url: string;
  method?: "GET" | "POST" | "PUT";
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** For the whole exchange: name, connection, request, headers and body. */
  timeoutMs: number;
  /** How much of the answer's body is read. */
  maxBytes: number;
  /** From the operator's configuration, not from a user: the address rule and `allowHttp` do not apply. */
  trusted?: boolean;
  /** Breaks the exchange off. */
  signal?: AbortSignal;
}

/** `isTruncated`: the body was longer than `maxBytes`; the rest was not read. */
export type EgressResponse = Answer;

/** Why a request was not made or brought no answer. `refused` will not change by repeating; the others may. */
export type EgressFailure = "refused" | "timeout" | "unreachable";

/** Its message holds at most the URL's scheme and host. */
export class EgressError extends Error {
  readonly failure: EgressFailure;

  constructor(failure: EgressFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "EgressError";
    this.failure = failure;
  }
}

export interface EgressSettings {
  allowedNetworks: readonly string[];
  allowHttp: boolean;
  /** Through which proxy requests go; none unless told. */
  proxy?: ProxySettings;
  /** For tests; the system's resolver by default. */
  lookup?: LookupFunction;
}

export interface Egress {
  /** Sends the request. Any status is an answer. Throws EgressError. */
  request(request: EgressRequest): Promise<EgressResponse>;
  /** GETs JSON from a URL of the configuration. Throws EgressError, also for a status other than 200 or a body too long or no JSON. */
  fetchJson(url: string, limits: { timeoutMs: number; maxBytes: number }): Promise<unknown>;
  close(): Promise<void>;
}

const MAX_HEADER_BYTES = 16_384;
/** Many endpoints may stand on one host, and one of them that hangs must not hold the connections of the others. */
const CONNECTIONS_PER_ORIGIN = 128;

export function createEgress(settings: EgressSettings): Egress {
  const rule = new AddressRule(settings.allowedNetworks);
  const lookup = settings.lookup ?? (systemLookup as LookupFunction);
  const common = {
    maxHeaderSize: MAX_HEADER_BYTES,
    connections: CONNECTIONS_PER_ORIGIN,
    keepAliveTimeout: 10_000,
  };
  const proxyFor = settings.proxy?.proxyFor ?? (() => null);
  const addressOf = settings.proxy?.resolves
    ? async (hostname: string) => hostname
    : (hostname: string) => permittedAddress(hostname, rule, lookup);
  const guarded = new Agent({
    ...common,
    connect: proxiedConnector(proxyFor, guardedConnector(rule, lookup), addressOf),
  });
  const trusted = new Agent({ ...common, connect: trustedConnector(proxyFor, { lookup }) });

  async function request(request: EgressRequest): Promise<EgressResponse> {
    const url = checkedUrl(request, settings, rule);
    try {
      return await exchange(request.trusted === true ? trusted : guarded, {
        url,
        method: request.method ?? "GET",
        headers: { "user-agent": "VaultOps", ...request.headers },
        body: request.body ?? null,
        timeoutMs: request.timeoutMs,
        maxBytes: request.maxBytes,
        signal: request.signal,
      });
    } catch (error) {
      throw egressError(error, url, request.timeoutMs);
    }
  }

  return {
    request,
    async fetchJson(url, limits) {
      const answer = await request({
        url,
        ...limits,
        headers: { accept: "application/json" },
        trusted: true,
      });
      const { host } = new URL(url);
      if (answer.status !== 200) throw new EgressError("unreachable", `${host} answered ${answer.status}`);
      if (answer.isTruncated)
        throw new EgressError("unreachable", `${host} answered more than ${limits.maxBytes} bytes`);
      try {
        return JSON.parse(answer.body.toString("utf8"));
      } catch {
        throw new EgressError("unreachable", `${host} did not answer JSON`);
      }
    },
    async close() {
      await Promise.all([guarded.destroy(), trusted.destroy()]);
    },
  };
}

/** Whether a URL that a user names could be called at all, for a check when it is saved. Throws EgressError `refused`. */
export function checkUserUrl(url: string, settings: EgressSettings): void {
  checkedUrl({ url, timeoutMs: 0, maxBytes: 0 }, settings, new AddressRule(settings.allowedNetworks));
}

/** Resolves the host of a URL that a user names, and judges it as a request would; connects nowhere. Throws EgressError, or the resolver's error. */
export async function resolveUserUrl(url: string, settings: EgressSettings): Promise<void> {
  const rule = new AddressRule(settings.allowedNetworks);
  const { hostname } = checkedUrl({ url, timeoutMs: 0, maxBytes: 0 }, settings, rule);
  await permittedAddress(
    hostname.replace(/^\[|\]$/g, ""),
    rule,
    settings.lookup ?? (systemLookup as LookupFunction),
  );
}

function checkedUrl(request: EgressRequest, settings: EgressSettings, rule: AddressRule): URL {
  const url = URL.parse(request.url);
  if (url === null) throw new EgressError("refused", "the URL is not valid");
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new EgressError("refused", "the URL is not https");
  if (request.trusted === true) return url;
  if (url.protocol === "http:" && !settings.allowHttp)
    throw new EgressError("refused", "the URL is not https");
  if (url.username !== "" || url.password !== "")
    throw new EgressError("refused", "the URL contains a user name or password");
  // A literal address is connected to without being looked up. The URL parser has brought every spelling of it to one form.
  const literal = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(literal) !== 0 && !rule.permits(literal)) throw notPublic(url.host);
  return url;
}

function notPublic(host: string): EgressError {
  return new EgressError("refused", `${host} is not a public address`);
}

/** The addresses of a name, of which each must be permitted. Rejects with EgressError `refused` otherwise. */
function permittedAddress(hostname: string, rule: AddressRule, lookup: LookupFunction): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  checkedLookup(rule, lookup)(hostname, {}, (error, address) =>
    error === null ? resolve(String(address)) : reject(error),
  );
  return promise;
}

/** Connects only to permitted addresses: each one that a name resolves to must be, and the one connected to is looked at again. */
function guardedConnector(rule: AddressRule, lookup: LookupFunction): buildConnector.connector {
  const connect = buildConnector({ lookup: checkedLookup(rule, lookup) });
  return (options, callback) => {
    connect(options, (...[error, socket]: buildConnector.CallbackArgs) => {
      if (error) return callback(error, null);
      const { remoteAddress } = socket as Socket;
      if (remoteAddress === undefined || !rule.permits(remoteAddress)) {
        socket.destroy();
        return callback(notPublic(options.hostname), null);
      }
      callback(null, socket);
    });
  };
}

/** A resolver that gives an answer only where each of its addresses is permitted. */
function checkedLookup(rule: AddressRule, lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, "", 0);
      const addresses = Array.isArray(found)
        ? found
        : [{ address: String(found), family: isIP(String(found)) }];
      const [first] = addresses;
      if (first === undefined || addresses.some(({ address }) => !rule.permits(address))) {
        return callback(notPublic(hostname), "", 0);
      }
      if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function egressError(error: unknown, url: URL, timeoutMs: number): EgressError {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof EgressError) return cause;
    if (cause instanceof AggregateError) {
      const inner = cause.errors.find((one) => one instanceof EgressError);
      if (inner !== undefined) return inner;
    }
  }
  if (error instanceof BrokenOff && error.why === "timeout")
    return new EgressError("timeout", `${url.host} did not answer completely within ${timeoutMs} ms`);
  const code = (error as { code?: unknown }).code;
  return new EgressError(
    "unreachable",
    `${url.host} could not be reached (${typeof code === "string" ? code : "network error"})`,
    {
      cause: error,
    },
  );
}
