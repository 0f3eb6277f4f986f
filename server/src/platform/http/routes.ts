// What paths there are and with which methods: for 405 with `Allow`, and for the answer to a CORS preflight, neither of which the
// router itself tells. Only asked when no route matched, so it may be slow.
import type { Permission } from "../permission.ts";

interface KnownRoute {
  pattern: RegExp;
  methods: Set<string>;
  publicGet: boolean;
}

/** The table of an app's routes, filled as they are added. */
export class RouteTable {
  readonly #routes = new Map<string, KnownRoute>();

  add(url: string, method: string | string[], permission: Permission | undefined): void {
    const known = this.#routes.get(url) ?? {
      pattern: patternOf(url),
      methods: new Set<string>(),
      publicGet: false,
    };
    for (const one of [method].flat()) {
      known.methods.add(one.toUpperCase());
      if (one.toUpperCase() === "GET" && permission === "public") known.publicGet = true;
    }
    this.#routes.set(url, known);
  }

  /** The methods that a path has, sorted; empty when there is no such path. */
  methodsOf(path: string): string[] {
    const methods = new Set<string>();
    for (const route of this.#matches(path)) for (const method of route.methods) methods.add(method);
    return [...methods].sort();
  }

  /** Whether anyone may GET the path, from any web page. */
  isPublicGet(path: string): boolean {
    return this.#matches(path).some((route) => route.publicGet);
  }

  #matches(path: string): KnownRoute[] {
    return [...this.#routes.values()].filter((route) => route.pattern.test(path));
  }
}

/** A route's pattern in the router's language (`:name` a segment, `*` the rest) as an expression. */
function patternOf(url: string): RegExp {
  const source = url
    .replace(/[.+?^${}()|[\]\\]/g, "\\$&")
    .replace(/:[A-Za-z_]\w*/g, "[^/]+")
    .replace(/\*/g, ".*");
  return new RegExp(`^${source}$`);
}
