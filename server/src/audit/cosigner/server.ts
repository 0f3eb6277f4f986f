// The witness over HTTP: `POST /add-checkpoint`, and `GET /<hash of the log's name>/checkpoint` for whoever watches the log.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Logger } from "../../platform/log.ts";
import type { Cosigner } from "./cosigner.ts";

/** A checkpoint with 63 hashes and signatures of every kind is smaller. */
const MAX_BYTES = 65_536;

/** Listens, and resolves once it does. */
export async function serveCosigner(
  cosigner: Cosigner,
  { host, port }: { host: string; port: number },
  log: Logger,
): Promise<Server> {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, (request, response) => {
    handle(cosigner, request, response).catch((error) => {
      log.error({ err: error }, "a request could not be answered");
      response.writeHead(500).end();
    });
  });
  server.listen(port, host);
  await once(server, "listening");
  return server;
}

async function handle(cosigner: Cosigner, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path = ""] = (request.url ?? "").split("?");
  const hash = /^\/([0-9a-f]{64})\/checkpoint$/.exec(path)?.[1];
  if (path !== "/add-checkpoint" && hash === undefined) return send(response, 404, "there is nothing here\n");
  if (hash !== undefined) {
    if (request.method !== "GET" && request.method !== "HEAD") return send(response, 405, "GET\n");
    const note = await cosigner.checkpoint(hash);
    if (note === null) return send(response, 404, "no checkpoint of this log was cosigned\n");
    return send(response, 200, note);
  }
  if (request.method !== "POST") return send(response, 405, "POST\n");
  const body = await read(request);
  if (body === null) return send(response, 413, "it is too long\n");
  const answer = await cosigner.addCheckpoint(body);
  send(response, answer.status, answer.body, answer.contentType);
}

async function read(request: IncomingMessage): Promise<Buffer | null> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > MAX_BYTES) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function send(
  response: ServerResponse,
  status: number,
  body: string,
  contentType = "text/plain; charset=utf-8",
): void {
  response.writeHead(status, { "content-type": contentType }).end(body);
}
