// Conditional answers for what is polled: an ETag on each, and 304 without a body when the client has it already (RFC 9110, 13).
import { hash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { NOT_SHARED } from "./head.ts";

/** What a polled answer may say beside its body. */
export interface PolledOptions {
  /** The whole entity tag, quotes and `W/` included. Default: the hash of the body. */
  etag?: string;
  /** Lets shared caches keep the answer that long. Only for the unauthenticated listings. Default: `private, no-cache`. */
  publicMaxAgeSeconds?: number;
  /** The address names the content, so a cache need never ask again. */
  isImmutable?: boolean;
  /** Default: `application/json; charset=utf-8`. */
  contentType?: string;
}

/**
 * Sends a ready body with its ETag, or 304 when `If-None-Match` names it (weak comparison, lists and `*` understood).
 * A body that is already text or bytes is sent as it is, which is several times as fast as serialising it again.
 */
export function polled(
  request: FastifyRequest,
  reply: FastifyReply,
  body: string | Buffer,
  options: PolledOptions = {},
): FastifyReply {
  const etag = options.etag ?? etagOf(body);
  reply.header("etag", etag).header("cache-control", cacheControlOf(options));
  const asked = request.headers["if-none-match"];
  if (asked !== undefined && matchesEtag(asked, etag)) return reply.code(304).send();
  return reply.header("content-type", options.contentType ?? "application/json; charset=utf-8").send(body);
}

function cacheControlOf({ publicMaxAgeSeconds, isImmutable }: PolledOptions): string {
  if (publicMaxAgeSeconds === undefined) return NOT_SHARED;
  return `public, max-age=${publicMaxAgeSeconds}${isImmutable ? ", immutable" : ""}`;
}

/** Whether the client reads gzip. */
export function takesGzip(request: FastifyRequest): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s*,|\s*$))/.test(request.headers["accept-encoding"] ?? "");
}

/** A strong entity tag of these exact bytes. */
export function etagOf(body: string | Buffer): string {
  return `"${hash("sha1", body, "base64url")}"`;
}

/** A weak entity tag of a text that stands for the parts of an answer that count (not, say, a countdown). */
export function weakEtagOf(text: string): string {
  return `W/"${hash("sha1", text, "base64url")}"`;
}

const TAG = /(?:W\/)?("[^"]*")/g;

/** Whether an `If-None-Match` header names the tag: `*`, or a list of which one equals it but for `W/` (RFC 9110, 8.8.3.2). */
export function matchesEtag(header: string, etag: string): boolean {
  if (header === etag || header.trim() === "*") return true;
  const opaque = etag.startsWith("W/") ? etag.slice(2) : etag;
  for (const match of header.matchAll(TAG)) {
    if (match[1] === opaque) return true;
  }
  return false;
}
