// The outbound proxy: which requests go through it, and the connections that do, made by CONNECT for http and https alike.
//
// Guarantee: what is asked of the proxy for a URL of a user's is the address that was resolved and judged here, never its name, unless the
// operator leaves that to the proxy.
import { request as httpRequest, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { BlockList, isIP, type Socket } from "node:net";
import { buildConnector } from "undici";

/** What the configuration says. */
export interface ProxySettings {
  /** By which proxy a URL is reached; null: by none. */
  proxyFor(url: URL): URL | null;
  /** Names of users' URLs are resolved by the proxy, which then alone decides where they lead. */
  resolves: boolean;
}

/** The variables of the environment that say something of proxies. */
export interface ProxyVariables {
  HTTP_PROXY?: string | undefined;
  HTTPS_PROXY?: string | undefined;
  NO_PROXY?: string | undefined;
  http_proxy?: string | undefined;
  https_proxy?: string | undefined;
  no_proxy?: string | undefined;
}

const CONNECT_TIMEOUT_MS = 10_000;

/** One proxy for everything. Only this machine is reached without it. */
export function fixedProxy(proxy: string): ProxySettings["proxyFor"] {
  const url = new URL(proxy);
  return (target) => (isThisMachine(target.hostname) ? null : url);
}

/** By `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, in small letters first, as curl reads them. */
export function proxyByEnvironment(variables: ProxyVariables): ProxySettings["proxyFor"] {
  const [secure, plain] = [
    variables.https_proxy || variables.HTTPS_PROXY,
    variables.http_proxy || variables.HTTP_PROXY,
  ].map((value) => (value ? new URL(value.includes("://") ? value : `http://${value}`) : null));
  const exempt = exemptions(variables.no_proxy || variables.NO_PROXY || "");
  return (target) => {
    if (isThisMachine(target.hostname) || exempt(target)) return null;
    return (target.protocol === "https:" || target.protocol === "wss:" ? secure : plain) ?? null;
  };
}

/** `*`, a host, a domain with all below it (`example.org`, `.example.org`, `*.example.org`), an address, a network; each with a port or none. */
function exemptions(text: string): (url: URL) => boolean {
  const tests = text
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .map((entry): ((host: string, port: string) => boolean) => {
      if (entry === "*") return () => true;
      const network = /^(.+)\/(\d{1,3})$/.exec(entry);
      if (network !== null && isIP(network[1] as string) !== 0) {
        const list = new BlockList();
        const family = isIP(network[1] as string) === 6 ? "ipv6" : "ipv4";
        list.addSubnet(network[1] as string, Number(network[2]), family);
        return (host) => isIP(host) !== 0 && list.check(host, isIP(host) === 6 ? "ipv6" : "ipv4");
      }
      const [, bare = entry, wanted] = isIP(entry) === 6 ? [] : (/^(.*?)(?::(\d+))?$/.exec(entry) ?? []);
      const name = bare
        .replace(/^\[|\]$/g, "")
        .replace(/^\*?\./, "")
        .toLowerCase();
      return (host, port) =>
        (wanted === undefined || wanted === port) &&
        (host === name || (isIP(name) === 0 && host.endsWith(`.${name}`)));
    });
  return (url) => {
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const port = url.port || (url.protocol === "https:" || url.protocol === "wss:" ? "443" : "80");
    return tests.some((test) => test(host, port));
  };
}

function isThisMachine(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/**
 * Connects through the proxy where there is one for the target, and else by `direct`. `addressOf` gives what the proxy is asked for in
 * place of a host's name.
 */
export function proxiedConnector(
  proxyFor: ProxySettings["proxyFor"],
  direct: buildConnector.connector,
  addressOf: (hostname: string) => Promise<string>,
  { allowH2 = true }: { allowH2?: boolean | undefined } = {},
): buildConnector.connector {
  const secured = buildConnector({ timeout: CONNECT_TIMEOUT_MS, allowH2 });
  return (options, callback) => {
    const { protocol, hostname, port, servername } = options;
    const proxy = proxyFor(new URL(`${protocol}//${hostname}${port === "" ? "" : `:${port}`}`));
    if (proxy === null) return direct(options, callback);
    const connect = async () => {
      const address = await addressOf(hostname.replace(/^\[|\]$/g, ""));
      const host = isIP(address) === 6 ? `[${address}]` : address;
      return tunnel(proxy, `${host}:${port || (protocol === "https:" ? 443 : 80)}`);
    };
    connect().then(
      (socket) => {
        if (protocol !== "https:") return callback(null, socket);
        // The certificate is the target's, by its name, whatever the proxy was asked for.
        const name = servername || (isIP(hostname.replace(/^\[|\]$/g, "")) === 0 ? hostname : undefined);
        secured(
          { ...options, ...(name === undefined ? {} : { servername: name }), httpSocket: socket },
          callback,
        );
      },
      (error: Error) => callback(error, null),
    );
  };
}

/** For URLs of the operator's own: the proxy is asked for them by their names. */
export function trustedConnector(
  proxyFor: ProxySettings["proxyFor"],
  options: buildConnector.BuildOptions,
): buildConnector.connector {
  return proxiedConnector(proxyFor, buildConnector(options), async (hostname) => hostname, options);
}

/** A connection to `target` (host and port) through the proxy. */
function tunnel(proxy: URL, target: string): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const isSecure = proxy.protocol === "https:";
  const options: RequestOptions = {
    method: "CONNECT",
    host: proxy.hostname.replace(/^\[|\]$/g, ""),
    port: proxy.port || (isSecure ? 443 : 80),
    path: target,
    headers: { host: target, ...authorisation(proxy) },
    agent: false,
    timeout: CONNECT_TIMEOUT_MS,
  };
  const request = (isSecure ? httpsRequest : httpRequest)(options);
  request.on("connect", ({ statusCode }, socket: Socket, head) => {
    if (statusCode !== 200) {
      socket.destroy();
      reject(proxyError(`PROXY_${statusCode}`));
      return;
    }
    // Nothing speaks before it is spoken to.
    if (head.length > 0) socket.unshift(head);
    socket.setTimeout(0);
    resolve(socket);
  });
  request.on("response", (response) => {
    response.destroy();
    reject(proxyError(`PROXY_${response.statusCode}`));
  });
  request.on("timeout", () => request.destroy(proxyError("PROXY_TIMEOUT")));
  request.on("error", (error: NodeJS.ErrnoException) =>
    reject(error.code?.startsWith("PROXY_") ? error : proxyError(`PROXY_${error.code ?? "ERROR"}`)),
  );
  request.end();
  return promise;
}

/** Its code stands in what a delivery says; the proxy's own address does not. */
function proxyError(code: string): Error {
  return Object.assign(new Error("the outbound proxy did not connect"), { code });
}

function authorisation({ username, password }: URL): Record<string, string> {
  if (username === "") return {};
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}` };
}
