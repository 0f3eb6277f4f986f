// The outbound proxy, against a real one on the loopback that notes what it is asked for.
import { createServer, type Server } from "node:http";
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type LookupFunction,
  type Socket,
} from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createEgress, type Egress, EgressError, type EgressSettings } from "./egress.ts";
import { fixedProxy, type ProxySettings, proxyByEnvironment } from "./proxy.ts";

/** A public address to which nothing goes: the proxy leads it to the target. */
const PUBLIC = "93.184.215.14";
let target: Server;
let proxy: Server;
let asked: { path: string; authorization: string | undefined }[] = [];
let refusal: number | null = null;
let lead: (socket: Socket, head: Buffer) => void;
const sockets = new Set<Socket>();

beforeAll(async () => {
  target = createServer((request, response) => response.end(`${request.method} ${request.headers.host}`));
  proxy = createServer((_request, response) => response.writeHead(501).end());
  proxy.on("connect", (request, socket: Socket, head) => {
    sockets.add(socket);
    asked.push({ path: request.url ?? "", authorization: request.headers["proxy-authorization"] });
    if (refusal !== null) return void socket.end(`HTTP/1.1 ${refusal} No\r\n\r\n`);
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    lead(socket, head);
  });
  for (const server of [target, proxy])
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  for (const server of [target, proxy])
    await new Promise((resolve) => server.close(resolve).closeAllConnections());
});

const opened: Egress[] = [];
afterEach(async () => {
  for (const egress of opened.splice(0)) await egress.close();
  asked = [];
  refusal = null;
  lead = toTarget;
});

const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;
function toTarget(socket: Socket): void {
  const onward = connect(portOf(target), "127.0.0.1");
  sockets.add(onward);
  onward.on("error", () => socket.destroy());
  socket.on("error", () => onward.destroy());
  onward.pipe(socket).pipe(onward);
}
lead = toTarget;

const resolving =
  (address: string): LookupFunction =>
  (_hostname, options, callback) =>
    options.all === true ? callback(null, [{ address, family: 4 }]) : callback(null, address, 4);

function egressBy(proxyOf: Partial<ProxySettings>, settings: Partial<EgressSettings> = {}): Egress {
  const proxyFor = fixedProxy(`http://user:p%40ss@127.0.0.1:${portOf(proxy)}`);
  const egress = createEgress({
    allowedNetworks: [],
    allowHttp: true,
    lookup: resolving(PUBLIC),
    proxy: { proxyFor, resolves: false, ...proxyOf },
    ...settings,
  });
  opened.push(egress);
  return egress;
}

const limits = { timeoutMs: 120_000, maxBytes: 65_536 };

describe("a user's URL", () => {
  it("goes through the proxy, which is asked for the address that was judged here, with its credentials", async () => {
    const answer = await egressBy({}).request({ url: "http://hooks.example:8080/in", ...limits });
    expect(answer.body.toString()).toBe("GET hooks.example:8080");
    expect(asked).toEqual([
      { path: `${PUBLIC}:8080`, authorization: `Basic ${Buffer.from("user:p@ss").toString("base64")}` },
    ]);
  });

  it.each(["10.0.0.7", "169.254.169.254", "127.0.0.1"])(
    "whose name leads inward to %s is refused, and the proxy is not asked at all",
    async (address) => {
      const egress = egressBy({}, { lookup: resolving(address) });
      const error = await egress
        .request({ url: "http://inner.example/", ...limits })
        .catch((reason) => reason);
      expect(error).toMatchObject({ failure: "refused" });
      expect(asked).toEqual([]);
    },
  );

  it("is asked for by its name only where the operator leaves names to the proxy", async () => {
    const egress = egressBy({ resolves: true }, { lookup: resolving("10.0.0.7") });
    await egress.request({ url: "http://hooks.example/in", ...limits });
    expect(asked.map(({ path }) => path)).toEqual(["hooks.example:80"]);
    const literal = await egress.request({ url: "http://10.0.0.7/", ...limits }).catch((reason) => reason);
    expect(literal).toMatchObject({ failure: "refused" });
  });

  it("of https speaks TLS with the target, under its name, through the tunnel", async () => {
    const spoken = Promise.withResolvers<Buffer>();
    lead = (socket) => {
      socket.once("data", (chunk) => {
        spoken.resolve(chunk);
        socket.destroy();
      });
    };
    const error = egressBy({})
      .request({ url: "https://hooks.example/in", ...limits })
      .catch((reason) => reason);
    const hello = await spoken.promise;
    expect(hello[0]).toBe(0x16);
    expect(hello.includes("hooks.example")).toBe(true);
    expect(await error).toBeInstanceOf(EgressError);
    expect(asked[0]?.path).toBe(`${PUBLIC}:443`);
  });

  it.each([403, 407, 502])(
    "that the proxy refuses with %i may be tried again, and the error says no secret",
    async (status) => {
      refusal = status;
      const error = await egressBy({})
        .request({ url: "http://hooks.example/", ...limits })
        .catch((reason) => reason);
      expect(error).toMatchObject({ failure: "unreachable" });
      expect(error.message).toBe(`hooks.example could not be reached (PROXY_${status})`);
    },
  );

  it("may be tried again where the proxy is away", async () => {
    const closed = createTcpServer();
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
    const port = portOf(closed);
    await new Promise((resolve) => closed.close(resolve));
    const egress = egressBy({ proxyFor: fixedProxy(`http://127.0.0.1:${port}`) });
    const error = await egress.request({ url: "http://hooks.example/", ...limits }).catch((reason) => reason);
    expect(error).toMatchObject({
      failure: "unreachable",
      message: expect.stringContaining("PROXY_ECONNREFUSED"),
    });
  });
});

describe("the operator's own URL", () => {
  it("goes through the proxy by its name, inner or not; this machine is reached without it", async () => {
    const egress = egressBy({}, { lookup: resolving("10.0.0.7") });
    await egress.request({ url: "http://issuer.internal/jwks", trusted: true, ...limits });
    expect(asked.map(({ path }) => path)).toEqual(["issuer.internal:80"]);
    const near = egressBy({}, { lookup: resolving("127.0.0.1") });
    await near.request({ url: `http://127.0.0.1:${portOf(target)}/`, trusted: true, ...limits });
    expect(asked).toHaveLength(1);
  });
});

describe("the environment's variables", () => {
  const by = (variables: Record<string, string>) => {
    const proxyFor = proxyByEnvironment(variables);
    return (url: string) => proxyFor(new URL(url))?.host ?? null;
  };

  it("name a proxy for https and wss, another for http and ws; small letters come first", () => {
    const find = by({
      HTTPS_PROXY: "http://s.example:1",
      https_proxy: "http://t.example:2",
      HTTP_PROXY: "p.example:3",
    });
    expect(["https://a.example/", "wss://a.example/"].map(find)).toEqual(["t.example:2", "t.example:2"]);
    expect(["http://a.example/", "ws://a.example/"].map(find)).toEqual(["p.example:3", "p.example:3"]);
    expect(by({})("https://a.example/")).toBeNull();
    expect(by({ HTTP_PROXY: "http://p.example:3" })("https://a.example/")).toBeNull();
  });

  it.each([
    ["*", "https://a.example/", null],
    ["a.example", "https://a.example/", null],
    ["a.example", "https://b.a.example/", null],
    ["a.example", "https://ba.example/", "p.example"],
    [".a.example", "https://b.a.example/", null],
    ["*.a.example", "https://b.a.example/", null],
    ["A.Example", "https://a.example/", null],
    ["a.example:8443", "https://a.example:8443/", null],
    ["a.example:8443", "https://a.example/", "p.example"],
    ["a.example:443", "https://a.example/", null],
    ["x.example, a.example", "https://a.example/", null],
    ["10.0.0.0/8", "https://10.1.2.3/", null],
    ["10.0.0.0/8", "https://11.1.2.3/", "p.example"],
    ["10.1.2.3", "https://10.1.2.3/", null],
    ["fd00::/8", "https://[fd12::1]/", null],
    ["fd12::1", "https://[fd12::1]/", null],
    ["", "https://localhost/", null],
    ["", "https://127.0.0.1/", null],
    ["", "https://[::1]/", null],
    ["", "https://a.example/", "p.example"],
  ])("NO_PROXY=%j: %s goes by %s", (noProxy, url, expected) => {
    expect(by({ HTTPS_PROXY: "http://p.example", NO_PROXY: noProxy })(url)).toBe(expected);
  });
});
