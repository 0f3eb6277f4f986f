// Pages of the audit log at 10 million entries, over HTTP from the service as it is run, each with its exact total: against the bare
// query of a page's columns, and deep in the log against its first page.
import { join } from "node:path";
import { filledDatabase } from "../support/audit-database.ts";
import { createPlainTable } from "../support/audit-plain.ts";
import { forkProgram } from "../support/audit-process.ts";
import { type AuditServed, MANAGED } from "../support/audit-served.ts";
import { type Figure, type FigureResult, interleave } from "../support/figure.ts";
import { measure } from "../support/raw-client.ts";

const CONNECTIONS = 8;
const BARE = "the bare query of a page's columns, pgbench";

export const figures: Figure[] = [
  {
    name: "audit page of 100 over HTTP, of a vault",
    against: BARE,
    aim: 0.7,
    run: ({ quick }) => pages(quick, MANAGED),
  },
  {
    name: "audit page of 100 over HTTP, of the whole log",
    against: BARE,
    aim: 0.7,
    run: ({ quick }) => pages(quick, []),
  },
  {
    name: "audit page of 100 over HTTP, each another page",
    against: `${BARE}, at the same offsets`,
    aim: 0.7,
    run: ({ quick }) => pages(quick, [], MANY),
  },
  {
    name: "audit page at nine tenths of the log",
    against: "page at offset 0",
    aim: 0.33,
    run: ({ quick }) => deepPage(quick),
  },
];

let serving: Promise<AuditServed> | undefined;

/** One service for all; it ends with this process. */
async function serve(quick: boolean): Promise<AuditServed> {
  const database = await filledDatabase(quick);
  const program = join(import.meta.dirname, "../support/audit-served.ts");
  serving ??= forkProgram(program, [JSON.stringify(database)]).then(({ said }) => said as AuditServed);
  return serving;
}

/** More pages than the service keeps. */
const MANY = 900;

/** Pages of places in turn, or, without places, of the whole log; at so many offsets, each in its turn. */
async function pages(quick: boolean, places: typeof MANAGED, offsets = 1): Promise<FigureResult> {
  const { port, maintainer, manager } = await serve(quick);
  const plain = await createPlainTable(await filledDatabase(quick));
  const seconds = quick ? 0.7 : 4;
  const filters = places.map((place) => `chain_id=${place.chain_id}&vault_address=${place.vault_address}&`);
  const load = {
    port,
    path: Array.from({ length: offsets }, (_, offset) =>
      (places.length === 0 ? [""] : filters).map(
        (filter) => `/api/v1/audit/logs?${filter}limit=100&offset=${offset}`,
      ),
    ).flat(),
    headers: { authorization: `Bearer ${places.length === 0 ? maintainer : manager}` },
    status: 200,
    connections: CONNECTIONS,
    seconds,
  };
  try {
    const result = await interleave({
      rounds: quick ? 3 : 7,
      unit: "pages/s",
      ours: () => measure(load),
      limit: () => plain.measure(places, CONNECTIONS, Math.ceil(seconds), offsets),
    });
    return { ...result, notes: { limit_by: plain.program } };
  } finally {
    await plain.close();
  }
}

/** One page after the other, each another one, so that each is read from the database; of a registry maintainer. */
async function deepPage(quick: boolean): Promise<FigureResult> {
  const { port, maintainer } = await serve(quick);
  const { size } = await filledDatabase(quick);
  const rate = (offset: number) =>
    measure({
      port,
      path: Array.from({ length: MANY }, (_, i) => `/api/v1/audit/logs?limit=100&offset=${offset + i}`),
      headers: { authorization: `Bearer ${maintainer}` },
      status: 200,
      connections: 1,
      seconds: quick ? 0.7 : 3,
    });
  return interleave({
    rounds: quick ? 3 : 7,
    unit: "pages/s",
    ours: () => rate(Math.floor(size * 0.9)),
    limit: () => rate(0),
  });
}
