// `vaultops listen`: a receiver on this machine for whoever develops one. It verifies each delivery, prints it, and hands it on to a
// program with the same bytes and headers, whose answer it gives back.
import { timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { signedHeaders } from "../delivery/standard-webhooks.ts";

export interface ListenOptions {
  port: number;
  /** Where deliveries are handed on to; null: they are answered 204. */
  forwardTo: string | null;
  /** Verifies; null: nothing is verified. Asked for each delivery. */
  secret(): string | null;
  print(line: string): void;
  signal: AbortSignal;
}

const MAX_BODY_BYTES = 1_048_576;
const FORWARDED = ["content-type", "user-agent", "webhook-id", "webhook-timestamp", "webhook-signature"];

/** Receives until the signal aborts; `onListening` is told the URL, once. */
export async function listen(
  options: ListenOptions,
  onListening: (url: string) => Promise<void> | void,
): Promise<void> {
  const server = createServer((request, response) => {
    receive(options, request, response).catch((error: Error) => {
      options.print(`  failed: ${error.message}`);
      if (!response.headersSent) response.writeHead(502).end();
    });
  });
  server.listen(options.port, "127.0.0.1");
  await once(server, "listening");
  try {
    await onListening(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    if (!options.signal.aborted) await once(options.signal, "abort");
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function receive(
  options: ListenOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await bodyOf(request);
  if (body === null) {
    response.writeHead(413).end();
    return;
  }
  const secret = options.secret();
  const isForged = secret !== null && !isSigned(request, body, secret);
  const verdict = isForged ? "NOT SIGNED BY THIS SECRET" : secret === null ? "not verified" : "verified";
  options.print(`${request.headers["webhook-id"] ?? "no webhook-id"} (${verdict}) ${body.toString("utf8")}`);
  if (isForged) {
    response.writeHead(400).end();
    return;
  }
  const answer = options.forwardTo === null ? 204 : await forward(options.forwardTo, request, body);
  options.print(`  ${answer}`);
  response.writeHead(answer).end();
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function isSigned({ headers }: IncomingMessage, body: Buffer, secret: string): boolean {
  const expected = signedHeaders({
    id: String(headers["webhook-id"]),
    timestampSeconds: Number(headers["webhook-timestamp"]),
    body: body.toString("utf8"),
    secrets: [secret],
  })["webhook-signature"] as string;
  return String(headers["webhook-signature"])
    .split(" ")
    .some(
      (each) => each.length === expected.length && timingSafeEqual(Buffer.from(each), Buffer.from(expected)),
    );
}

/** The status that the program answers. */
async function forward(url: string, { headers }: IncomingMessage, body: Buffer): Promise<number> {
  const { status } = await fetch(url, {
    method: "POST",
    headers: Object.fromEntries(
      FORWARDED.flatMap((name) => (typeof headers[name] === "string" ? [[name, headers[name]]] : [])),
    ),
    body: new Uint8Array(body),
    redirect: "manual",
    signal: AbortSignal.timeout(15_000),
  });
  return status;
}
