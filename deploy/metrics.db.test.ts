// Rules and panels name only what the service serves: a real one, with every role, is scraped, and each metric and label of every
// expression must be there. A metric that is renamed takes its rules and panels along, or this fails.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startWholeService, type WholeService } from "../server/test/whole-service.ts";
import { namesIn, readExpressions } from "./expressions.ts";

const REFERENCE = join(import.meta.dirname, "../docs/operations/metrics-and-logs.md");
/** Of Prometheus itself. */
const BY_PROMETHEUS = new Map([["up", new Set<string>()]]);
const ON_ALL = ["job", "instance"];

let service: WholeService;
let metrics: Map<string, Set<string>>;

beforeAll(async () => {
  service = await startWholeService({ chains: [{ chain_id: 8453, rpc_urls: ["http://127.0.0.1:1"] }] });
  // Those of alerts are there once a worker has begun to evaluate them.
  do metrics = metricsIn(await served());
  while (!metrics.has("vaultops_alert_evaluation_seconds") && (await sleep(50)) === undefined);
});
afterAll(() => service.stop());

const served = async () => await (await fetch(`${service.adminUrl}/metrics`)).text();

it("the service serves what its reference lists", () => {
  expect([...metrics.keys()].filter((name) => name.startsWith("vaultops_")).sort()).toEqual(
    [...described().keys()].filter((name) => name.startsWith("vaultops_")).sort(),
  );
});

it("every rule and panel names metrics that the service serves, and labels that they have", () => {
  const expressions = readExpressions();
  expect(expressions.length).toBeGreaterThan(80);
  expect(
    expressions.flatMap(({ place, text }) => faultsOf(text).map((fault) => `${place}: ${fault}`)),
  ).toEqual([]);
});

it("a name that nothing has is found", () => {
  expect(faultsOf('sum by (chain) (rate(vaultops_chain_facts_total{chain_id="1"}[5m]))')).toEqual([
    "no metric here has the label chain",
  ]);
  expect(faultsOf('vaultops_chain_fact_total{chain_id="1"} > 0')).toEqual([
    "there is no vaultops_chain_fact_total",
  ]);
  expect(faultsOf('vaultops_chain_facts_total{chain="1"}')).toEqual([
    "vaultops_chain_facts_total has no label chain",
  ]);
});

function faultsOf(text: string): string[] {
  const { metrics: named, grouped } = namesIn(text);
  const known = new Map([...metrics, ...BY_PROMETHEUS]);
  const all = new Set(ON_ALL);
  const faults: string[] = [];
  for (const { name, labels } of named) {
    const own = known.get(name) ?? histogramOf(known, name);
    if (own === undefined) faults.push(`there is no ${name}`);
    else {
      for (const label of own) all.add(label);
      for (const label of labels)
        if (!own.has(label) && !ON_ALL.includes(label)) faults.push(`${name} has no label ${label}`);
    }
  }
  if (faults.length > 0) return faults;
  return grouped.filter((label) => !all.has(label)).map((label) => `no metric here has the label ${label}`);
}

function histogramOf(known: ReadonlyMap<string, ReadonlySet<string>>, name: string): Set<string> | undefined {
  const [, base = "", suffix] = /^(.*)_(bucket|sum|count)$/.exec(name) ?? [];
  const labels = known.get(base);
  return labels && new Set([...labels, ...(suffix === "bucket" ? ["le"] : [])]);
}

/** Names by what is served, each with the labels that the reference gives it: a metric that has counted nothing yet shows none. */
function metricsIn(text: string): Map<string, Set<string>> {
  const labels = described();
  const names = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = ""]) => name);
  return new Map(names.map((name) => [name, labels.get(name) ?? new Set<string>()]));
}

function described(): Map<string, Set<string>> {
  const rows = readFileSync(REFERENCE, "utf8").matchAll(
    /^\| `(\w+)` \| (?:counter|gauge|histogram) \| (.*?) \|/gm,
  );
  return new Map(
    [...rows].map(([, name = "", labels = ""]) => [
      name,
      new Set([...labels.matchAll(/`(\w+)`/g)].map(([, label = ""]) => label)),
    ]),
  );
}
