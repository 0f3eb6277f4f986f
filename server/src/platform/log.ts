// Logs: one JSON object a line on standard output (pino), with nothing secret in it.
//
// Two guards: known names of secrets are censored wherever they stand at the top or one level down, and URLs lose their credentials,
// query and path secrets through `redactUrl`, which whoever logs a URL must use.
import pino from "pino";

export type Logger = pino.Logger;
export type LogLevel = "fatal" | "error" | "warn" | "info" | "debug" | "trace" | "silent";

const SECRET_NAMES = [
  "authorization",
  "cookie",
  "token",
  "secret",
  "password",
  "private_key",
  "privateKey",
  "api_key",
  "apiKey",
  "signature",
  "routing_key",
  "bot_token",
  "webhook_url",
];

/**
 * A logger. Lines are gathered and written in the background, except those of level error and above and at exit, so that a busy
 * service does not wait for its log.
 */
export function createLogger(
  options: { level?: LogLevel; destination?: pino.DestinationStream } = {},
): Logger {
  return pino(
    {
      level: options.level ?? "info",
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorForLog },
      redact: {
        paths: SECRET_NAMES.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        censor: "[secret]",
      },
    },
    options.destination ?? pino.destination({ sync: false, minLength: 0 }),
  );
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
  return `${parsed.protocol}//${parsed.host}${parsed.pathname === "/" && parsed.search === "" ? "" : "/…"}`;
}

/** An error for the log: kind, message, stack and causes, but none of the values that drivers hang on their errors. */
function errorForLog(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return error;
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: withoutUrls(error.message),
    ...(code === undefined ? {} : { code }),
    stack: error.stack === undefined ? undefined : withoutUrls(error.stack),
    ...(error.cause === undefined || depth >= 3 ? {} : { cause: errorForLog(error.cause, depth + 1) }),
  };
}

const URLS = /\b(?:https?|wss?|postgres(?:ql)?|smtps?):\/\/[^\s"'<>)\]]+/gi;

/** The text with every URL in it redacted (libraries quote the URL they called in their messages). */
export function withoutUrls(text: string): string {
  return text.replace(URLS, redactUrl);
}
