// A typed client of the API for browsers and Node: `call("GET /api/v1/chains")`, with paths, parameters, bodies and answers from
// schema.ts, which is made from openapi.json.
//
// Every failure is one of two errors: ApiError when the service answered (a problem document, RFC 9457), ApiUnreachable when it did not.
import { retryAfterOf } from "./pause.ts";
import type { Problem, Routes } from "./schema.ts";

export type Route = keyof Routes;
/** What a route answers. */
export type Answer<R extends Route> = Routes[R]["answer"];
/** What a route may be asked with in the query string. */
export type Query<R extends Route> = Routes[R]["query"];

export type CallOptions<R extends Route> = (object extends Routes[R]["path"]
  ? { path?: Routes[R]["path"] }
  : { path: Routes[R]["path"] }) &
  (object extends Routes[R]["query"] ? { query?: Routes[R]["query"] } : { query: Routes[R]["query"] }) &
  (undefined extends Routes[R]["body"] ? { body?: Routes[R]["body"] } : { body: Routes[R]["body"] }) & {
    headers?: Record<string, string>;
    signal?: AbortSignal;
  };

export interface ClientOptions {
  /** Where the service answers, e.g. `https://vaultops.example.com`; empty for the page's own origin. */
  baseUrl: string;
  /** A JWT, or what gets one; asked before every call. None: no `Authorization` header. */
  token?: () => string | null | Promise<string | null>;
  /** Of one call. Default 15,000. */
  timeoutMs?: number;
  /** Told of every answer, before it is read. */
  onResponse?: (response: Response) => void;
  /** Default: the global one. */
  fetch?: typeof fetch;
}

export interface Client {
  /** Calls a route and resolves with its body. Throws ApiError or ApiUnreachable; an aborted `signal` throws its own reason. */
  call<R extends Route>(route: R, ...options: Arguments<R>): Promise<Answer<R>>;
  /** The same, but resolves with the answer unread, for exports and streams. No time-out beside `signal`. */
  open<R extends Route>(route: R, ...options: Arguments<R>): Promise<Response>;
}

type Arguments<R extends Route> =
  object extends CallOptions<R> ? [options?: CallOptions<R>] : [options: CallOptions<R>];

/** The service answered with a status of 400 or above. */
export class ApiError extends Error {
  readonly status: number;
  /** Of the catalogue in docs/errors.md; null when something between answered in the service's place. */
  readonly code: string | null;
  readonly title: string;
  readonly detail: string;
  readonly requestId: string | null;
  readonly retryAfterMs: number | null;
  /** Which inputs are wrong, where the answer says so. */
  readonly errors: readonly { path: string; message: string }[];

  constructor(response: Response, problem: Partial<Problem>) {
    const detail = problem.detail ?? `The service answered ${response.status}.`;
    super(detail);
    this.name = "ApiError";
    this.status = response.status;
    this.code = problem.code ?? null;
    this.title = problem.title ?? (response.statusText || `Status ${response.status}`);
    this.detail = detail;
    this.requestId = problem.request_id ?? response.headers.get("x-request-id");
    this.retryAfterMs = retryAfterOf(response);
    this.errors = problem.errors ?? [];
  }
}

/** No answer came, or none that could be read. */
export class ApiUnreachable extends Error {
  constructor(message: string, options: ErrorOptions) {
    super(message, options);
    this.name = "ApiUnreachable";
  }
}

const TIMEOUT_MS = 15_000;

export function createClient(client: ClientOptions): Client {
  const { timeoutMs = TIMEOUT_MS } = client;

  /** What the token's source throws is the caller's own, and thrown as it is. */
  const tokenNow = async () => (await client.token?.()) ?? null;

  async function open(
    route: Route,
    options: AnyOptions,
    token: string | null,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    const [method = "GET", template = ""] = route.split(" ");
    const headers = new Headers(options.headers);
    if (token) headers.set("authorization", `Bearer ${token}`);
    if (options.body !== undefined && !headers.has("content-type"))
      headers.set("content-type", "application/json");
    const response = await (client.fetch ?? fetch)(urlOf(client.baseUrl, template, options), {
      method,
      headers,
      // The service never redirects: that is something between.
      redirect: "error",
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    client.onResponse?.(response);
    if (!response.ok) throw new ApiError(response, await problemIn(response));
    return response;
  }

  return {
    async open(route, ...[options = {} as never]) {
      const { signal } = options as AnyOptions;
      const token = await tokenNow();
      try {
        return await open(route, options, token, signal);
      } catch (error) {
        throw signal?.aborted || error instanceof ApiError ? error : unreachable(error);
      }
    },
    async call(route, ...[options = {} as never]) {
      const { signal } = options as AnyOptions;
      const token = await tokenNow();
      const timeout = AbortSignal.timeout(timeoutMs);
      try {
        const both = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
        const response = await open(route, options, token, both);
        const type = response.headers.get("content-type") ?? "";
        if (response.status === 204) return undefined as never;
        if (type.includes("html")) throw new Error("a page came in place of the service's answer");
        return (type.includes("json") ? await response.json() : await response.text()) as never;
      } catch (error) {
        if (signal?.aborted || error instanceof ApiError) throw error;
        throw timeout.aborted
          ? new ApiUnreachable(`The service has not answered within ${timeoutMs / 1000} s.`, { cause: error })
          : unreachable(error);
      }
    },
  };
}

interface AnyOptions {
  path?: object;
  query?: object;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

function urlOf(baseUrl: string, template: string, { path = {}, query = {} }: AnyOptions): string {
  const values = path as Record<string, unknown>;
  const filled = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(values[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  }
  const text = search.toString();
  return `${baseUrl.replace(/\/$/, "")}${filled}${text === "" ? "" : `?${text}`}`;
}

async function problemIn(response: Response): Promise<Partial<Problem>> {
  // Something between may answer in JSON too, in words of its own.
  if (!response.headers.get("content-type")?.startsWith("application/problem+json")) return {};
  try {
    return (await response.json()) as Partial<Problem>;
  } catch {
    return {};
  }
}

function unreachable(cause: unknown): ApiUnreachable {
  return new ApiUnreachable("The service does not answer.", { cause });
}
