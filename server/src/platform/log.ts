// Logs: one JSON object a line on standard output (pino), with nothing secret in it.
//
// Three guards: values under names that hold secrets are censored at any place that is looked at (four levels deep); URLs in errors lose
// everything but scheme and host; and whoever logs a URL of its own uses `redactUrl`, because providers put keys in paths.
import pino from "pino";

export type Logger = pino.Logger;
export type LogLevel = "fatal" | "error" | "warn" | "info" | "debug" | "trace" | "silent";

/** Names, in lower case without separators, whose values are secret. */
const SECRET_NAMES = new Set([
  "authorization",
  "cookie",
  "token",
  "jwt",
  "secret",
  "password",
  "privatekey",
  "apikey",
  "signature",
  "routingkey",
  "bottoken",
  "webhookurl",
]);
const MAX_DEPTH = 4;

/**
 * A logger. Lines are gathered and written in the background, and at exit, so that a busy service does not wait for its log.
 * Errors go under the name `err`.
 */
export function createLogger(
  options: { level?: LogLevel; destination?: pino.DestinationStream } = {},
): Logger {
  const log = pino(
    {
      level: options.level ?? "info",
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: censorObject },
      serializers: { err: errorForLog },
    },
    options.destination ?? pino.destination({ sync: false, minLength: 0 }),
  );
  // pino writes the bindings of a child down without its formatter; children inherit this method.
  const child = log.child;
  log.child = function (this: Logger, bindings: object, childOptions?: object) {
    return child.call(this, censorObject(bindings), childOptions);
  } as typeof log.child;
  return log;
}

/** A logger that says nothing, for tests and tools. */
export function silentLogger(): Logger {
  return pino({ level: "silent" });
}

/**
 * A URL as it may stand in a log or an error: scheme, host and port only. Credentials, path and query are dropped, because providers
 * of RPC nodes and chat tools put their keys in any of them.
 */
export function redactUrl(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return "[not a URL]";
  return `${parsed.protocol}//${parsed.host}${parsed.pathname.length <= 1 && parsed.search === "" ? "" : "/…"}`;
}

const URLS = /\b(?:https?|wss?|postgres(?:ql)?|smtps?):\/\/[^\s"'<>)\]]+/gi;

/** The text with every URL in it redacted (libraries quote the URL they called in their messages). */
export function withoutUrls(text: string): string {
  return text.includes("://") ? text.replace(URLS, redactUrl) : text;
}

/** An error for the log: kind, message, stack and causes, but none of the values that drivers hang on their errors. */
function errorForLog(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === "string" ? withoutUrls(error) : error;
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: withoutUrls(error.message),
    ...(code === undefined ? {} : { code }),
    stack: error.stack === undefined ? undefined : withoutUrls(error.stack),
    ...(error.cause === undefined || depth >= 3 ? {} : { cause: errorForLog(error.cause, depth + 1) }),
    ...(error instanceof AggregateError && depth < 3
      ? { errors: error.errors.slice(0, 5).map((one) => errorForLog(one, depth + 1)) }
      : {}),
  };
}

function censorObject(value: object): Record<string, unknown> {
  return censor(value, 0) as Record<string, unknown>;
}

/** The same value where nothing in it is secret, else a copy with the secrets censored. */
function censor(value: object, depth: number): object {
  if (depth >= MAX_DEPTH || value instanceof Error) return value;
  let copy: Record<string, unknown> | unknown[] | null = null;
  for (const [key, inner] of Object.entries(value)) {
    let clean: unknown = inner;
    if (inner !== null && inner !== undefined && isSecretName(key)) clean = "[secret]";
    else if (typeof inner === "object" && inner !== null) clean = censor(inner, depth + 1);
    if (clean === inner) continue;
    copy ??= Array.isArray(value) ? [...value] : { ...value };
    (copy as Record<string, unknown>)[key] = clean;
  }
  return copy ?? value;
}

const known = new Map<string, boolean>();

function isSecretName(name: string): boolean {
  let isSecret = known.get(name);
  if (isSecret === undefined) {
    isSecret = SECRET_NAMES.has(name.toLowerCase().replace(/[-_]/g, ""));
    if (known.size < 1000) known.set(name, isSecret);
  }
  return isSecret;
}
