// The admin listener: metrics, and the health checks once more, for the operator's own network. It knows no tokens, so it must not be
// reachable from elsewhere; it listens on the loopback by default.
import { createServer, type Server } from "node:http";
import type { Registry } from "prom-client";
import type { Readiness } from "../platform/lifecycle/health.ts";
import type { Logger } from "../platform/log.ts";

export interface AdminParts {
  registry: Registry;
  readiness: Readiness;
  log: Logger;
}

/** Builds the listener; `listen` it. GET /metrics (Prometheus text), /livez, /readyz. */
export function buildAdmin({ registry, readiness, log }: AdminParts): Server {
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
