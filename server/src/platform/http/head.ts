// The head of an answer: what it says beside what its handler says, added when the answer is sent.
import { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { QuotaState } from "./rate-limit.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** What the request was charged to. */
    quota: QuotaState | null;
    /** Names and values in turn, as cors.ts has them ready. */
    corsHead: readonly string[] | null;
  }
}

/** Keeps answers out of shared caches, and asks for their validation each time. */
export const NOT_SHARED = "private, no-cache";

/** Names and values in turn, in lower case, without `cache-control`. */
function headOf(request: FastifyRequest): string[] {
  const { plan, quota, corsHead } = request;
  const head = plan === null ? [] : plan.head.slice();
  head.push("x-request-id", request.id);
  if (corsHead !== null) for (let i = 0; i < corsHead.length; i++) head.push(corsHead[i] as string);
  if (quota !== null) head.push("ratelimit-policy", quota.policy, "ratelimit", quota.limit);
  return head;
}

/** The same for an answer that is written by hand, such as a stream. */
export function headersOf(request: FastifyRequest): Record<string, string> {
  const head = headOf(request);
  const headers: Record<string, string> = {};
  for (let i = 0; i < head.length; i += 2) headers[head[i] as string] = head[i + 1] as string;
  return headers;
}

/** How long a client may leave an answer unread before its connection ends. */
export const UNREAD_TIMEOUT_MS = 120_000;

/** Adds to an answer whatever of its head the handler has not said itself. */
export function completeHead(request: FastifyRequest, reply: FastifyReply): void {
  const head = headOf(request);
  head.push("cache-control", NOT_SHARED);
  for (let i = 0; i < head.length; i += 2) {
    const name = head[i] as string;
    if (!reply.hasHeader(name)) reply.header(name, head[i + 1]);
  }
  limitSilence(reply);
}

/** Node takes the limit off with the next request. A route's own one stays. */
function limitSilence({ raw: { socket } }: FastifyReply): void {
  // An injected request comes over no connection.
  if (socket instanceof Socket && !socket.timeout) socket.setTimeout(UNREAD_TIMEOUT_MS);
}
