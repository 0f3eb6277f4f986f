// Every fault of egress that public projects have shown (DNS rebinding, other spellings of an address, redirects, endless answers), each
// against a real server on the loopback and a resolver that says what the test wants.
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTcpServer, type LookupFunction } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { checkUserUrl, createEgress, type Egress, EgressError, type EgressSettings } from "./egress.ts";

let server: Server;
let port: number;
let reached = 0;
let handler: RequestListener;
beforeAll(async () => {
  server = createServer((request, response) => {
    reached++;
    handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as { port: number }).port;
});
afterAll(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));

const opened: Egress[] = [];
afterEach(async () => {
  for (const egress of opened.splice(0)) await egress.close();
  reached = 0;
});

function egressOf(settings: Partial<EgressSettings> = {}): Egress {
  const egress = createEgress({ allowedNetworks: [], allowHttp: true, ...settings });
  opened.push(egress);
  return egress;
}

/** A resolver that gives these answers one after the other, the last again and again. */
function resolving(...answers: string[][]): LookupFunction {
  let asked = 0;
  return (_hostname, options, callback) => {
    const addresses = answers[Math.min(asked++, answers.length - 1)] ?? [];
    const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    if (options.all === true) callback(null, found);
    else callback(null, found[0]?.address ?? "", found[0]?.family ?? 4);
  };
}

async function failureOf(work: Promise<unknown>): Promise<EgressError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(EgressError);
  return error as EgressError;
}

/** Nothing that has them is about time. */
const limits = { timeoutMs: 120_000, maxBytes: 65_536 };
const LOOPBACK = ["127.0.0.0/8"];
const ok: RequestListener = (_request, response) => response.end("ok");

describe("addresses", () => {
  it.each([
    "http://127.0.0.1:PORT/",
    "http://0x7f000001:PORT/",
    "http://2130706433:PORT/",
    "http://017700000001:PORT/",
    "http://0177.0.0.1:PORT/",
    "http://127.1:PORT/",
    "http://0:PORT/",
    "http://[::ffff:127.0.0.1]:PORT/",
    "http://[::ffff:7f00:1]:PORT/",
    "http://[::1]:PORT/",
    "http://[64:ff9b::a9fe:a9fe]:PORT/",
    "http://[fe80::1]:PORT/",
    "http://[fd00::1]:PORT/",
    "http://169.254.169.254/latest/meta-data/",
    "http://localhost:PORT/",
    "http://LOCALHOST:PORT/",
    "http://①②⑦.⓪.⓪.①:PORT/",
  ])("refuse %s", async (url) => {
    handler = ok;
    const error = await failureOf(egressOf().request({ url: url.replace("PORT", String(port)), ...limits }));
    expect(error.failure).toBe("refused");
    expect(reached).toBe(0);
  });

  it.each([
    ["a name that resolves to a private address", [["10.0.0.1"]]],
    ["a name with one private address among several", [["1.1.1.1", "127.0.0.1"]]],
    ["a name that resolves to an IPv4-mapped private address", [["::ffff:127.0.0.1"]]],
    ["a name that resolves to a metadata address behind NAT64", [["64:ff9b::a9fe:a9fe"]]],
    ["a name that resolves to nothing", [[]]],
    ["a name that resolves to what is no address", [["not-an-address"]]],
  ])("refuse %s", async (_what, answers) => {
    handler = ok;
    const egress = egressOf({ lookup: resolving(...answers) });
    const error = await failureOf(egress.request({ url: `http://hook.example:${port}/`, ...limits }));
    expect(error.failure).toBe("refused");
    expect(reached).toBe(0);
  });

  it("refuse a name that was public when it was saved and is private when it is called (DNS rebinding)", async () => {
    handler = ok;
    const settings = { allowedNetworks: [], allowHttp: true, lookup: resolving(["1.1.1.1"], ["127.0.0.1"]) };
    checkUserUrl(`http://hook.example:${port}/`, settings);
    settings.lookup("hook.example", { all: true }, () => undefined);
    const error = await failureOf(
      egressOf(settings).request({ url: `http://hook.example:${port}/`, ...limits }),
    );
    expect(error.failure).toBe("refused");
    expect(reached).toBe(0);
  });

  it("refuse a private name with a trailing dot", async () => {
    handler = ok;
    const egress = egressOf({ lookup: resolving(["127.0.0.1"]) });
    expect((await failureOf(egress.request({ url: `http://localhost.:${port}/`, ...limits }))).failure).toBe(
      "refused",
    );
    expect(reached).toBe(0);
  });

  it("are checked again for each new connection", async () => {
    handler = (_request, response) => response.setHeader("connection", "close").end("ok");
    const egress = egressOf({
      allowedNetworks: ["127.0.0.1/32"],
      lookup: resolving(["127.0.0.1"], ["127.0.0.2"]),
    });
    const request = { url: `http://hook.example:${port}/`, ...limits };
    expect((await egress.request(request)).status).toBe(200);
    await sleep(50);
    expect((await failureOf(egress.request(request))).failure).toBe("refused");
    expect(reached).toBe(1);
  });

  it("of allowed networks are reached, by name and by number", async () => {
    handler = ok;
    const egress = egressOf({ allowedNetworks: LOOPBACK, lookup: resolving(["127.0.0.1"]) });
    for (const host of ["hook.example", "127.0.0.1", "0x7f000001"]) {
      expect((await egress.request({ url: `http://${host}:${port}/`, ...limits })).body.toString()).toBe(
        "ok",
      );
    }
  });

  it("do not matter for a URL of the operator's own configuration", async () => {
    handler = (_request, response) => response.end('{"keys":[]}');
    expect(await egressOf({ allowHttp: false }).fetchJson(`http://localhost:${port}/jwks`, limits)).toEqual({
      keys: [],
    });
  });
});

describe("URLs", () => {
  it.each([
    ["with a user name", "https://user@hook.example/"],
    ["with a password", "https://user:pass@hook.example/"],
    ["of another scheme", "ftp://hook.example/"],
    ["of a file", "file:///etc/passwd"],
    ["that are none", "hook.example/x"],
    ["that are empty", ""],
  ])("%s are refused", async (_what, url) => {
    expect((await failureOf(egressOf().request({ url, ...limits }))).failure).toBe("refused");
    expect(() => checkUserUrl(url, { allowedNetworks: [], allowHttp: true })).toThrow(EgressError);
  });

  it("without encryption are refused unless configured", async () => {
    const error = await failureOf(
      egressOf({ allowHttp: false }).request({ url: "http://hook.example/", ...limits }),
    );
    expect(error.failure).toBe("refused");
  });
});

describe("answers", () => {
  const local = () => egressOf({ allowedNetworks: LOOPBACK });
  const url = () => `http://127.0.0.1:${port}/hook?token=secret`;

  it("of every status are answers, and a redirect is not followed", async () => {
    handler = (request, response) => {
      if (request.url === "/internal") return response.end("internal");
      return response.writeHead(302, { location: "http://169.254.169.254/latest" }).end();
    };
    const answer = await local().request({ url: url(), ...limits });
    expect(answer.status).toBe(302);
    expect(answer.headers.location).toBe("http://169.254.169.254/latest");
    expect(reached).toBe(1);
  });

  it("are read up to the limit and no further", async () => {
    let written = 0;
    handler = (_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, "x"))) written += 65_536;
      };
      response.on("drain", more);
      more();
    };
    const answer = await local().request({ url: url(), timeoutMs: 120_000, maxBytes: 1_000 });
    expect(answer).toMatchObject({ status: 200, isTruncated: true });
    expect(answer.body).toHaveLength(1_000);
    expect(written).toBeLessThan(100 * 1_048_576);
  });

  it("that drip in a byte at a time end at the deadline for the whole", async () => {
    handler = (_request, response) => {
      const timer = setInterval(() => response.write("x"), 20);
      response.on("close", () => clearInterval(timer));
    };
    expect((await failureOf(local().request({ url: url(), timeoutMs: 300, maxBytes: 65_536 }))).failure).toBe(
      "timeout",
    );
  });

  it("that never begin end at the deadline", async () => {
    handler = () => undefined;
    expect((await failureOf(local().request({ url: url(), timeoutMs: 200, maxBytes: 10 }))).failure).toBe(
      "timeout",
    );
  });

  it("with headers without end are cut off", async () => {
    const endless = createTcpServer((socket) => {
      socket.on("error", () => undefined);
      socket.write("HTTP/1.1 200 OK\r\n");
      const timer = setInterval(() => socket.write(`X-${"a".repeat(1000)}: ${"b".repeat(1000)}\r\n`), 1);
      socket.on("close", () => clearInterval(timer));
    });
    await new Promise<void>((resolve) => endless.listen(0, "127.0.0.1", resolve));
    const at = (endless.address() as { port: number }).port;
    const error = await failureOf(
      local().request({ url: `http://127.0.0.1:${at}/`, timeoutMs: 120_000, maxBytes: 10 }),
    );
    expect(error.failure).toBe("unreachable");
    await new Promise((resolve) => endless.close(resolve));
  });

  it("that break off, and nobody there, are told apart from a refusal", async () => {
    handler = (_request, response) => {
      response.writeHead(200, { "content-length": "100" }).write("half");
      setTimeout(() => response.destroy(), 20);
    };
    expect((await failureOf(local().request({ url: url(), ...limits }))).failure).toBe("unreachable");
    expect((await failureOf(local().request({ url: "http://127.0.0.1:1/", ...limits }))).failure).toBe(
      "unreachable",
    );
    const noName: LookupFunction = (_host, _options, callback) =>
      callback(Object.assign(new Error("no"), { code: "ENOTFOUND" }), "", 0);
    const lost = await failureOf(
      egressOf({ lookup: noName }).request({ url: "http://gone.example/", ...limits }),
    );
    expect(lost.failure).toBe("unreachable");
  });

  it("carry the exact bytes that were sent", async () => {
    const received: Buffer[] = [];
    handler = (request, response) => {
      request.on("data", (chunk) => received.push(chunk));
      request.on("end", () => response.end(request.headers["x-signature"]));
    };
    const body = '{"ü": 1,  "b": [ ]}';
    const answer = await local().request({
      url: url(),
      method: "POST",
      headers: { "x-signature": "v1" },
      body,
      ...limits,
    });
    expect(Buffer.concat(received).toString()).toBe(body);
    expect(answer.body.toString()).toBe("v1");
  });
});

describe("failures", () => {
  it("name at most the host: no path, query or credentials", async () => {
    const egress = egressOf();
    for (const url of [
      "http://127.0.0.1:9/path-secret?key=secret",
      "https://user:secret@hook.example/secret",
      "http://127.0.0.1:9/secret",
    ]) {
      const error = await failureOf(
        egress.request({ url, ...limits, trusted: url.endsWith("/secret") && !url.includes("user") }),
      );
      expect(error.message).not.toContain("secret");
    }
  });
});

describe("fetchJson", () => {
  it.each([
    ["another status", (response: Parameters<RequestListener>[1]) => response.writeHead(500).end("{}")],
    [
      "a redirect",
      (response: Parameters<RequestListener>[1]) => response.writeHead(302, { location: "/x" }).end(),
    ],
    ["no JSON", (response: Parameters<RequestListener>[1]) => response.end("<html>")],
    [
      "more than the limit",
      (response: Parameters<RequestListener>[1]) => response.end(`"${"x".repeat(2_000)}"`),
    ],
  ])("fails for %s", async (_what, answer) => {
    handler = (_request, response) => answer(response);
    const error = await failureOf(
      egressOf().fetchJson(`http://127.0.0.1:${port}/`, { timeoutMs: 120_000, maxBytes: 1_000 }),
    );
    expect(error.failure).toBe("unreachable");
  });
});
