// While a release is rolled out, processes of the one before read what the new one has written: an audit entry of an action, and an alert of
// a category, that they do not know is served, exported, followed and verified like any other.
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { verifyExport } from "@vaultops/proof";
import { type AuditEntry, pollAuditLog } from "@vaultops/sdk/audit-log";
import { afterAll, beforeAll, expect, it } from "vitest";
import { record } from "../src/audit/append/record.ts";
import { ZERO_ADDRESS } from "../src/audit/entries/entries.ts";
import { auditVerifyLogCommand } from "../src/cli/audit/audit.ts";
import { apiEntry, chainEntry, VAULTS } from "./audit.ts";
import { type AuditApp, MAINTAINER, MANAGER, startAuditApp } from "./audit-app.ts";

let t: AuditApp;
/** Of the chain, of the API and of an engine. */
const NEWER = ["weather_settle", "weather_subscribe", "weather_report"];
const [ONCHAIN, API, REPORTED] = NEWER as [string, string, string];
const OLDER = 40;

beforeAll(async () => {
  t = await startAuditApp();
  const place = VAULTS[0] as (typeof VAULTS)[number];
  const newer = [
    { ...chainEntry(OLDER, { vault: 0, isHistory: true }), action_type: ONCHAIN },
    { ...apiEntry(MANAGER, place), action_type: API, details: { station: "north" } },
    {
      ...apiEntry(ZERO_ADDRESS, place),
      action_type: REPORTED,
      details: { reported_details: { block_timestamp: "never" }, source: "/engine", reported: true },
    },
  ];
  await t.database.db.transaction((tx) =>
    record(tx, [
      ...Array.from({ length: OLDER }, (_, n) => chainEntry(n, { isHistory: n % 4 === 0 })),
      ...(newer as never[]),
    ]),
  );
});
afterAll(() => t.close());

const get = (path: string, accept = "application/json") =>
  fetch(`${t.url}/api/v1/audit${path}`, { headers: { ...t.as(MAINTAINER), accept } });
const actionsOf = (logs: { action_type: string }[]) =>
  logs.map(({ action_type }) => action_type).filter((action) => NEWER.includes(action));
interface Page {
  logs: AuditEntry[];
  total: number;
}

it("is listed, in pages by cursor and by number, under every filter that is not of actions, and each alone", async () => {
  for (const query of [
    "?order=asc&limit=1000",
    "?cursor=start&limit=1000",
    `?order=asc&limit=1000&vault_address=${VAULTS[0]?.vault_address}`,
    `?order=asc&limit=1000&chain_id=${VAULTS[0]?.chain_id}&time_field=block&from_timestamp=2026-01-01T00:00:00Z`,
  ]) {
    const answer = await get(`/logs${query}`);
    expect(answer.status).toBe(200);
    expect(actionsOf(((await answer.json()) as Page).logs).sort(), query).toEqual([...NEWER].sort());
  }
  const { logs, total } = (await (await get("/logs?limit=3&order=desc&offset=0")).json()) as Page;
  expect(total).toBe(OLDER + NEWER.length);
  for (const { id } of logs) {
    const one = await get(`/logs/${id}`);
    expect([one.status, ((await one.json()) as AuditEntry).id]).toEqual([200, id]);
  }
  const known = (await (await get("/logs?action_type=deposit&limit=1000")).json()) as Page;
  expect([actionsOf(known.logs), known.logs.length > 0]).toEqual([[], true]);
});

it("comes by the stream", async () => {
  const request = httpRequest(`${t.url}/api/v1/audit/stream?cursor=start`, {
    headers: t.as(MAINTAINER),
    agent: false,
  });
  request.end();
  const [response] = await once(request, "response");
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) {
    text += chunk;
    if (text.includes(`"seq":"${OLDER + NEWER.length}"`) && text.endsWith("\n\n")) break;
  }
  for (const action of NEWER) expect(text).toContain(`"action_type":"${action}"`);
});

it("is followed by the SDK, whose place goes on behind it", async () => {
  const taken: AuditEntry[] = [];
  const errors: Error[] = [];
  const end = new AbortController();
  let place: string | null = null;
  await pollAuditLog({
    baseUrl: t.url,
    token: t.as(MAINTAINER).authorization.replace("Bearer ", ""),
    store: {
      load: () => Promise.resolve(place),
      save: async (cursor) => {
        place = cursor;
        if (taken.length === OLDER + NEWER.length) end.abort();
      },
    },
    handle: (entries) => void taken.push(...entries),
    onError(error) {
      errors.push(error);
      end.abort();
    },
    limit: 10,
    signal: end.signal,
  });
  expect(errors).toEqual([]);
  expect(actionsOf(taken)).toEqual(NEWER);
});

it.each(["application/json", "application/x-ndjson", "text/csv"])(
  "is exported as %s, and the file verifies offline",
  async (accept) => {
    const text = await (await get("/export", accept)).text();
    for (const action of NEWER) expect(text).toContain(action);
    const checked = await verifyExport(text, { keys: [] });
    expect(checked).toMatchObject({ entries: OLDER + NEWER.length, failure: null });
    if (accept === "text/csv") return;
    const proven = await (await get("/export?proofs=true", accept)).text();
    expect(await verifyExport(proven, { keys: [] })).toMatchObject({ failure: null });
  },
);

it("is verified with the log, counts and all", async () => {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const code = await auditVerifyLogCommand({ db: t.database.db, folder: t.folder, print });
  expect([code, lines[0]]).toEqual([0, expect.stringMatching(/^OK: 43 entries/)]);
});
