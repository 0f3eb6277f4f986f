// Answers to what is not a request: bytes that are no HTTP, headers too large, requests that do not arrive whole in time. They never
// reach a route, so their problem document is written to the socket itself.
import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { Problem } from "../errors.ts";
import { type ProblemSettings, renderProblem } from "./problem.ts";

/** For the server's `clientError` event: answers if the socket still takes it, and closes the connection. */
export function answerClientError(
  error: Error & { code?: string },
  socket: Socket,
  settings: ProblemSettings,
): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  endWith(problemOf(error.code), socket, settings);
}

/** For the server's `connect` event: this is no proxy. */
export function refuseTunnel(socket: Socket, settings: ProblemSettings): void {
  // A client that goes away meanwhile is nobody's fault.
  socket.on("error", () => {});
  const detail = "CONNECT is a method of proxies, and this is not a proxy.";
  const headers = { allow: "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS" };
  endWith(new Problem("method_not_allowed", detail, { headers }), socket, settings);
}

function endWith(problem: Problem, socket: Socket, settings: ProblemSettings): void {
  const requestId = randomUUID();
  const { body, headers } = renderProblem(problem, requestId, settings);
  const lines = Object.entries({
    ...headers,
    "content-length": Buffer.byteLength(body),
    connection: "close",
  });
  const head = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n`;
  socket.end(`${head}${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`);
}

function problemOf(code: string | undefined): Problem {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return new Problem("headers_too_large", "The request line and headers are too large.");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new Problem("request_timeout", "The request did not arrive completely in time.");
    default:
      return new Problem("invalid_request", "What was sent is not an HTTP request.");
  }
}
