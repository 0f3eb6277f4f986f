// For tests: every expression of Prometheus's rules and Grafana's panels, and the names that it uses. Whether it is well formed is for the
// real Prometheus to say (tools.test.ts); this reads no more than names, so that it runs anywhere.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

const HERE = import.meta.dirname;

export interface Expression {
  /** Where it stands. */
  place: string;
  text: string;
}

interface Rules {
  groups: { name: string; rules: { alert: string; expr: string }[] }[];
}
interface Dashboard {
  panels: { title: string; targets: { expr: string }[] }[];
  templating: { list: { type: string; query: string | { query: string } }[] };
}

/** With Grafana's variables as it would fill them in. */
export function readExpressions(): Expression[] {
  const rules = parse(readFileSync(join(HERE, "prometheus/rules.yaml"), "utf8")) as Rules;
  const ofRules = rules.groups.flatMap((group) =>
    group.rules.map(({ alert, expr }) => ({ place: `rules.yaml: ${alert}`, text: expr })),
  );
  const names = readdirSync(join(HERE, "grafana")).filter((name) => name.endsWith(".json"));
  const ofPanels = names.flatMap((name) => {
    const { panels, templating } = JSON.parse(readFileSync(join(HERE, "grafana", name), "utf8")) as Dashboard;
    const queries = panels.flatMap(({ title, targets }) =>
      targets.map(({ expr }) => ({ place: `${name}: ${title}`, text: filled(expr) })),
    );
    const variables = templating.list.flatMap(({ query }) => {
      const [, selector] =
        /^label_values\((.*), \w+\)$/.exec(typeof query === "string" ? "" : query.query) ?? [];
      return selector === undefined ? [] : [{ place: `${name}: a variable`, text: selector }];
    });
    return [...queries, ...variables];
  });
  return [...ofRules, ...ofPanels];
}

function filled(expr: string): string {
  return expr.replaceAll("$__rate_interval", "1m").replaceAll(/\$\w+/g, ".*");
}

export interface Names {
  /** Each metric with the labels that its own selector names. */
  metrics: { name: string; labels: string[] }[];
  /** Labels that are grouped or matched by. */
  grouped: string[];
}

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|[a-zA-Z_:][\w:]*|[\d.]+[a-z]*|=~|!~|[!=<>]=|[-+*/%^<>=(){}[\],])\s*/y;
const LISTED = new Set("by without on ignoring group_left group_right".split(" "));
const WORDS = new Set("and or unless bool offset".split(" "));

/** @throws Error at what is no token, and at brackets that do not close */
export function namesIn(text: string): Names {
  const names: Names = { metrics: [], grouped: [] };
  const tokens = tokensOf(text);
  const open: string[] = [];
  for (const [at, token] of tokens.entries()) {
    const next = tokens[at + 1] ?? "";
    if ("([{".includes(token)) open.push(token === "(" && LISTED.has(tokens[at - 1] ?? "") ? "list" : token);
    else if (")]}".includes(token) && open.pop() === undefined)
      throw new Error(`${text}: ${token} closes nothing`);
    else if (/^[a-zA-Z_:]/.test(token)) {
      const place = open.at(-1);
      if (place === "[") continue;
      if (place === "{") names.metrics.at(-1)?.labels.push(token);
      else if (place === "list") names.grouped.push(token);
      else if (!WORDS.has(token) && !LISTED.has(token) && next !== "(" && !LISTED.has(next))
        names.metrics.push({ name: token, labels: [] });
    }
  }
  if (open.length > 0) throw new Error(`${text}: ${open.join(" ")} is not closed`);
  return names;
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex;
    const [, token] = TOKEN.exec(text) ?? [];
    if (token === undefined) throw new Error(`${text}: what stands at ${at}?`);
    tokens.push(token);
  }
  return tokens;
}
