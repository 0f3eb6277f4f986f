// A request's logger, made only when something is logged: most requests log nothing, and pino's child costs more than all other rules
// of a request together.
import type { FastifyBaseLogger } from "fastify";
import type { Logger } from "../log.ts";

/** A logger for Fastify whose children are RequestLogs. By a factory of ours instead, each child's methods would be looked through. */
export function logForRequests(log: Logger): Logger {
  const own: Logger = Object.create(log);
  const child = (bindings: Record<string, unknown>) => {
    for (const _name in bindings) return new RequestLog(log, bindings);
    // Fastify makes its own logger as a child without bindings.
    return own;
  };
  return Object.assign(own, { child });
}

/** Used in place of `logger.child(bindings)`. */
class RequestLog {
  readonly #logger: Logger;
  readonly #bindings: Record<string, unknown>;
  #child: Logger | null = null;

  constructor(logger: Logger, bindings: Record<string, unknown>) {
    this.#logger = logger;
    this.#bindings = bindings;
  }

  get level(): string {
    return this.#logger.level;
  }

  #log(): Logger {
    this.#child ??= this.#logger.child(this.#bindings);
    return this.#child;
  }

  fatal(...line: Parameters<FastifyBaseLogger["fatal"]>): void {
    this.#log().fatal(...line);
  }
  error(...line: Parameters<FastifyBaseLogger["error"]>): void {
    this.#log().error(...line);
  }
  warn(...line: Parameters<FastifyBaseLogger["warn"]>): void {
    this.#log().warn(...line);
  }
  info(...line: Parameters<FastifyBaseLogger["info"]>): void {
    this.#log().info(...line);
  }
  debug(...line: Parameters<FastifyBaseLogger["debug"]>): void {
    this.#log().debug(...line);
  }
  trace(...line: Parameters<FastifyBaseLogger["trace"]>): void {
    this.#log().trace(...line);
  }
  silent(): void {}
  child(bindings: Record<string, unknown>): Logger {
    return this.#log().child(bindings);
  }
}
