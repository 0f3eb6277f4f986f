// Serves the operator console: its built files, and its one page at `/` and at every deep link.
// Guarantee: scripts come from this service's files alone, nothing inline, no other host is loaded or called. Files whose names hold
// their hash are cached for good; the page itself is asked for again each time, so that a new release is seen at once.
import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Problem } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import { etagOf, polled, takesGzip } from "../etag.ts";

/** Styles may be set by script (dialogs hold the page behind them still); wallets give their icons as `data:` URIs. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const TYPES: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};
/** What is compressed already gains nothing. */
const PACKED_ALREADY = new Set([".woff2"]);
const YEAR_SECONDS = 31_536_000;

interface ConsoleFile {
  type: string;
  plain: Buffer;
  packed: Buffer | null;
  etag: string;
}

/** The console's files by their path, such as `assets/index-8f2a.js`. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

/** Reads the built console, a few hundred kilobytes, into memory. Null, with a warning, where it is not built. */
export async function readConsole(dir: string, log: Logger): Promise<ConsoleFiles | null> {
  const files = new Map<string, ConsoleFile>();
  const names = await readdir(dir, { recursive: true }).catch(() => []);
  for (const name of names) {
    const type = TYPES[extname(name)];
    if (type !== undefined)
      files.set(name.replaceAll("\\", "/"), await readConsoleFile(join(dir, name), type));
  }
  if (files.has("index.html")) return files;
  log.warn({ dir }, "the console is not built and not served: run `npm run build:console`");
  return null;
}

async function readConsoleFile(path: string, type: string): Promise<ConsoleFile> {
  const plain = await readFile(path);
  const packed = PACKED_ALREADY.has(extname(path)) ? null : await promisify(gzip)(plain, { level: 9 });
  return { type, plain, packed, etag: etagOf(plain).slice(1, -1) };
}

/** Adds `/` and the files. Deep links are answered by `sendConsolePage`, where no route has the path. */
export function addConsole(app: FastifyInstance, files: ConsoleFiles): void {
  const open = {
    schema: { hide: true },
    config: { permission: "public", rateLimit: "none", contentSecurityPolicy: PAGE_POLICY },
  } as const;
  app.get("/", open, (request, reply) => send(files.get("index.html") as ConsoleFile, request, reply));
  app.get("/assets/*", open, (request, reply) => {
    const name = `assets/${(request.params as { "*": string })["*"]}`;
    const file = files.get(name);
    if (!file) throw new Problem("not_found", "The console has no such file; it may be of another release.");
    return send(file, request, reply, { publicMaxAgeSeconds: YEAR_SECONDS, isImmutable: true });
  });
  for (const [name, file] of files) {
    if (name.includes("/") || name === "index.html") continue;
    app.get(`/${name}`, open, (request, reply) => send(file, request, reply, { publicMaxAgeSeconds: 3600 }));
  }
}

/**
 * Answers a browser's navigation to an address within the console with its page, which then finds its way. Everything under `/api`
 * and whatever does not ask for a page by name is left to the problem documents. Returns whether it answered.
 */
export function sendConsolePage(files: ConsoleFiles, request: FastifyRequest, reply: FastifyReply): boolean {
  const isNavigation =
    (request.method === "GET" || request.method === "HEAD") &&
    request.headers.accept?.includes("text/html") === true &&
    !/^\/(?:api|identity|docs|assets)(?:[/?]|$)/.test(request.url);
  if (!isNavigation) return false;
  reply.header("content-security-policy", PAGE_POLICY).header("referrer-policy", "no-referrer");
  reply
    .header("cross-origin-opener-policy", "same-origin")
    .header("cross-origin-resource-policy", "same-origin");
  send(files.get("index.html") as ConsoleFile, request, reply);
  return true;
}

function send(
  { type, plain, packed, etag }: ConsoleFile,
  request: FastifyRequest,
  reply: FastifyReply,
  caching: { publicMaxAgeSeconds?: number; isImmutable?: boolean } = {},
): FastifyReply {
  const isPacked = packed !== null && takesGzip(request);
  if (packed !== null) reply.header("vary", "Accept-Encoding");
  if (isPacked) reply.header("content-encoding", "gzip");
  return polled(request, reply, isPacked ? packed : plain, {
    etag: isPacked ? `"${etag}-gzip"` : `"${etag}"`,
    contentType: type,
    ...caching,
  });
}
