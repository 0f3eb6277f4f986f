// The admin listener: metrics, and the health checks once more, for the operator's own network. It listens on the loopback by default.
//
// Guarantee: where a token is set, nothing but `/livez` is said to anybody who comes from elsewhere than this machine without it, a proxy on
// this machine included.
import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { Registry } from "prom-client";
import type { Readiness } from "../platform/lifecycle/health.ts";
import type { Logger } from "../platform/log.ts";

export interface AdminParts {
  registry: Registry;
  readiness: Readiness;
  log: Logger;
  /** What is asked of whoever is not on this machine; null: nothing. Called for each request, since its file may change. */
  token?: () => string | null;
}

/** Builds the listener; `listen` it. GET /metrics (Prometheus text), /livez, /readyz. */
export function buildAdmin({ registry, readiness, log, token = () => null }: AdminParts): Server {
  const answers: Record<string, () => Promise<{ status: number; type: string; body: string }>> = {
    "/metrics": async () => ({ status: 200, type: registry.contentType, body: await registry.metrics() }),
    "/livez": async () => ({ status: 200, type: "application/json", body: '{"status":"ok"}' }),
    "/readyz": async () => {
      const report = await readiness.report();
      return {
        status: report.isReady ? 200 : 503,
        type: "application/json",
        body: JSON.stringify(report.checks),
      };
    },
  };
  return createServer({ headersTimeout: 15_000, requestTimeout: 30_000 }, (request, response) => {
    const answer = answers[request.url?.split("?", 1)[0] ?? ""];
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (answer === undefined || !isRead) {
      response.writeHead(answer === undefined ? 404 : 405, isRead ? {} : { allow: "GET, HEAD" }).end();
      return;
    }
    const wanted = token();
    if (wanted !== null && answer !== answers["/livez"] && !isLocal(request) && !carries(request, wanted)) {
      response.writeHead(401, { "www-authenticate": "Bearer", "cache-control": "no-store" }).end();
      return;
    }
    answer().then(
      ({ status, type, body }) => {
        response.writeHead(status, { "content-type": type, "cache-control": "no-store" });
        response.end(request.method === "HEAD" ? undefined : body);
      },
      (error) => {
        log.error({ err: error, path: request.url }, "admin request failed");
        response.writeHead(500).end();
      },
    );
  });
}

/** From this machine, and for itself: what a proxy hands on comes from elsewhere. */
function isLocal({ socket, headers }: IncomingMessage): boolean {
  const address = (socket.remoteAddress ?? "").replace(/^::ffff:/i, "");
  const isLoopback = address === "::1" || address.startsWith("127.");
  return isLoopback && headers.forwarded === undefined && headers["x-forwarded-for"] === undefined;
}

/** Hashed first, so that neither the token's length nor how much of it was guessed shows in the time. */
function carries({ headers }: IncomingMessage, token: string): boolean {
  const given = /^bearer +(\S+) *$/i.exec(headers.authorization ?? "")?.[1] ?? "";
  const [left, right] = [given, token].map((text) => createHash("sha256").update(text).digest());
  return timingSafeEqual(left as Buffer, right as Buffer);
}
