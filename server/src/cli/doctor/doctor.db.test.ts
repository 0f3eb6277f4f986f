// `vaultops doctor` over an installation that is in order, and over the same with one thing at fault.
import { randomBytes, randomUUID } from "node:crypto";
import { chmod, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { chainEntry } from "../../../test/audit.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { freePort } from "../../../test/free-port.ts";
import { LOOPBACK_CERTIFICATE } from "../../../test/loopback-certificate.ts";
import { startPgbouncer } from "../../../test/pgbouncer.ts";
import { startReceiver } from "../../../test/receiver.ts";
import { startTestNode, TEST_CHAIN_ID, type TestNode } from "../../../test/rpc.ts";
import { type MailReceiver, startMailReceiver } from "../../../test/smtp-receiver.ts";
import { startSocketNode } from "../../../test/socket-node.ts";
import { record } from "../../audit/append/record.ts";
import { createCheckpoints } from "../../audit/tree/checkpoint.ts";
import { openIssuerKeys } from "../../auth/issuer/keys.ts";
import { loadConfig } from "../../config/load.ts";
import { systemClock } from "../../platform/clock.ts";
import { silentLogger } from "../../platform/log.ts";
import { openSecretBox, sealedIn } from "../../platform/secret-box.ts";
import { createProcessNote } from "../../service/processes.ts";
import { doctorCommand } from "./doctor.ts";
import { CHECKS } from "./list.ts";

const AGGREGATOR = "0x10AC0b33e1C4501CF3ec1cB1AE51ebfdbd2d4698";
const CHANNEL = randomUUID();
const trusted = getCACertificates("default");

let database: TestDatabase;
let node: TestNode;
let mail: MailReceiver;
let dir: string;
let env: Record<string, string>;

beforeAll(async () => {
  setDefaultCACertificates([...trusted, LOOPBACK_CERTIFICATE.cert]);
  database = await createTestDatabase();
  node = await startTestNode();
  mail = await startMailReceiver({ tls: LOOPBACK_CERTIFICATE });
  dir = await mkdtemp(join(tmpdir(), "vaultops-doctor-"));
  const box = openSecretBox({ keys: null, file: join(dir, "secrets", "keys") });
  await openIssuerKeys(join(dir, "identity"), systemClock);
  await database.db.transaction((tx) => record(tx, [chainEntry(1)]));
  await createCheckpoints({
    db: database.db,
    folder: join(dir, "audit"),
    origin: "x",
    log: silentLogger(),
  }).sign();
  const config = randomUUID();
  const secrets = { url: "https://127.0.0.1:1/hook", secret: `whsec_${randomBytes(24).toString("base64")}` };
  await database.db.pool.query(
    `insert into notification_channels (id, provider, name, created_by, created_at, updated_at)
     values ($1, 'webhook', 'Operators', $2, now(), now())`,
    [CHANNEL, AGGREGATOR],
  );
  await database.db.pool.query(
    `insert into channel_configs (id, channel_id, config, masks, sealed_secrets, created_at) values ($1, $2, '{}', '{}', $3, now())`,
    [
      config,
      CHANNEL,
      box.seal(JSON.stringify(secrets), sealedIn("channel_configs", "sealed_secrets", config)),
    ],
  );
});
afterAll(async () => {
  setDefaultCACertificates(trusted);
  await Promise.all([database.drop(), node.close(), mail.stop()]);
  await rm(dir, { recursive: true });
});

const hex = (number: number) => `0x${number.toString(16)}`;
/** The node as a good one is: at the head, with the state of the past and Multicall3. */
function beGood(ageSeconds = 0): void {
  node.onRequest = () => undefined;
  node.onCall = ({ method, params }) => {
    if (method === "eth_getBlockByNumber" && params[0] === "latest")
      return { result: { number: hex(5000), timestamp: hex(Math.floor(Date.now() / 1000) - ageSeconds) } };
    if (method === "eth_getCode") return { result: "0x60" };
    if (method === "eth_getBalance") return { result: "0x0" };
    return undefined;
  };
}

async function good(): Promise<Record<string, string>> {
  beGood();
  const chain = {
    chain_id: TEST_CHAIN_ID,
    name: "Test",
    rpc_urls: [node.url],
    sources: [{ family: "supervault", aggregator: AGGREGATOR }],
  };
  return {
    VAULTOPS_DATA_DIR: dir,
    VAULTOPS_DATABASE__URL: database.url,
    VAULTOPS_DATABASE__OWNER_URL: database.ownerUrl,
    VAULTOPS_HTTP__PORT: String(await freePort()),
    VAULTOPS_ADMIN__PORT: String(await freePort()),
    VAULTOPS_AUTH__EMBEDDED__ENABLED: "true",
    VAULTOPS_CHAINS: JSON.stringify([chain]),
    VAULTOPS_SMTP__URL: mail.url,
    VAULTOPS_SMTP__FROM: "alerts@vaults.example",
    VAULTOPS_EGRESS__ALLOWED_NETWORKS: '["127.0.0.0/8"]',
    VAULTOPS_ALERTS__SYSTEM_CHANNELS: JSON.stringify([CHANNEL]),
    VAULTOPS_AUDIT__CHECKPOINT_FILE: join(dir, "checkpoints"),
  };
}

interface Report {
  faults: number;
  warnings: number;
  checks: { check: string; state: string; says: string; mend?: string }[];
}

async function doctor(clock = systemClock): Promise<{ code: number; report: Report; text: string }> {
  const lines: string[] = [];
  const load = () => loadConfig({ env });
  const code = await doctorCommand({ load, clock, isJson: true, print: (line) => lines.push(line) });
  const text = lines.join("\n");
  return { code, report: JSON.parse(text) as Report, text };
}

const others = (report: Report) => report.checks.filter(({ state }) => state !== "ok");

it("finds nothing on a good installation, looks at everything, and leaves it as it was", async () => {
  env = await good();
  const before = await snapshot();
  const { code, report } = await doctor();
  expect(others(report)).toEqual([]);
  expect(code).toBe(0);
  const looked = new Set(report.checks.map(({ check }) => check));
  const unconfigured = new Set(["listener", "replica", "proxy"]);
  expect(
    CHECKS.map(({ name }) => name).filter((name) => !looked.has(name) && !unconfigured.has(name)),
  ).toEqual([]);
  expect(await snapshot()).toEqual(before);
  expect(mail.mails).toEqual([]);
});

/** What is stored: rows of every table by its size, and every file with its time. */
async function snapshot() {
  const { rows } = await database.owner.pool.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1",
  );
  const counts = [];
  for (const { name } of rows) {
    const { rows: found } = await database.owner.pool.query(`select count(*)::int as n from ${name}`);
    counts.push([name, found[0].n]);
  }
  const files = await readdir(dir, { recursive: true });
  const times = await Promise.all(files.map(async (file) => [file, (await stat(join(dir, file))).mtimeMs]));
  return { counts, times: times.sort() };
}

it("tells each check in a line, with what to mend under it", async () => {
  env = { ...(await good()), VAULTOPS_SMTP__URL: `smtp://127.0.0.1:${await freePort()}` };
  const lines: string[] = [];
  const parts = { load: () => loadConfig({ env }), clock: systemClock, isJson: false };
  expect(await doctorCommand({ ...parts, print: (line) => lines.push(line) })).toBe(1);
  const at = lines.findIndex((line) => line.startsWith("FAULT  mail"));
  expect(lines[at]).toMatch(/^FAULT {2}mail +127\.0\.0\.1:\d+ cannot be used \(ECONNECTION\)$|\(ESOCKET\)$/);
  expect(lines[at + 1]).toMatch(/^ +→ look whether/);
  expect(lines.at(-1)).toMatch(/^\n1 at fault, 0 to look at, \d+ looked at\.$/);
});

describe("one thing at fault is found, and named", () => {
  const undo: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
  });
  const set = (changes: Record<string, string>) => Object.assign(env, changes);
  const sql = async (plant: string, mend: string) => {
    await database.owner.pool.query(plant);
    undo.push(() => database.owner.pool.query(mend));
  };
  const move = async (file: string) => {
    await rename(file, `${file}.away`);
    undo.push(() => rename(`${file}.away`, file));
  };
  const listen = async (answer = "{}") => {
    const server = createServer((_request, response) => response.end(answer));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    undo.push(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));
    return (server.address() as AddressInfo).port;
  };
  const refuse = (method: string) => {
    const { onCall } = node;
    node.onCall = (call) =>
      call.method === method ? { error: { code: -32601, message: "not available" } } : onCall(call);
  };
  const signingKey = async () => {
    const names = await readdir(join(dir, "audit"));
    return join(dir, "audit", names.find((name) => name.startsWith("signing-key-")) as string);
  };
  const appRole = () => new URL(database.url).username;
  const closed = () => freePort();
  const elsewhere = async () => {
    const other = await createTestDatabase();
    undo.push(() => other.drop());
    return other;
  };
  const pooled = async () => {
    const pooler = await startPgbouncer(database.url, "transaction");
    undo.push(() => pooler.stop());
    return pooler.url;
  };

  it.each<[check: string, what: RegExp, plant: () => unknown]>([
    ["configuration", /http\.port must be/, () => set({ VAULTOPS_HTTP__PORT: "70000" })],
    [
      "database",
      /cannot be reached/,
      async () => set({ VAULTOPS_DATABASE__URL: database.url.replace(/:\d+\//, `:${await closed()}/`) }),
    ],
    [
      "database",
      /only reads/,
      () => {
        const { pathname } = new URL(database.url);
        const alter = (what: string) =>
          `alter database ${pathname.slice(1)} ${what} default_transaction_read_only`;
        return sql(`${alter("set")} = on`, `begin read write; ${alter("reset")}; commit`);
      },
    ],
    [
      "database roles",
      /not append-only.*audit_entries/,
      () =>
        sql(
          `grant update on audit_entries to ${appRole()}`,
          `revoke update on audit_entries from ${appRole()}`,
        ),
    ],
    ["database roles", /use one role/, () => set({ VAULTOPS_DATABASE__OWNER_URL: database.url })],
    [
      "database roles",
      /owner cannot sign in/,
      () => {
        const url = new URL(database.ownerUrl);
        url.password = "wrong";
        set({ VAULTOPS_DATABASE__OWNER_URL: url.href });
      },
    ],
    [
      "schema",
      /^migrations \d{6}_\w+ are missing/,
      async () => {
        const { rows } = await database.owner.pool.query(
          "delete from schema_migrations where version = (select max(version) from schema_migrations) returning version, name, checksum, applied_at",
        );
        const { version, name, checksum, applied_at } = rows[0];
        undo.push(() =>
          database.owner.pool.query(
            "insert into schema_migrations (version, name, checksum, applied_at) values ($1, $2, $3, $4)",
            [version, name, checksum, applied_at],
          ),
        );
      },
    ],
    [
      "database roles",
      /owner_url leads to another server or database/,
      async () => set({ VAULTOPS_DATABASE__OWNER_URL: (await elsewhere()).ownerUrl }),
    ],
    [
      "listener",
      /listen_url cannot be used \(ECONNREFUSED\)/,
      async () =>
        set({ VAULTOPS_DATABASE__LISTEN_URL: database.url.replace(/:\d+\//, `:${await closed()}/`) }),
    ],
    [
      "listener",
      /listen_url leads to another server or database/,
      async () => set({ VAULTOPS_DATABASE__LISTEN_URL: (await elsewhere()).url }),
    ],
    [
      "listener",
      /listen_url leads through a pooler that gives a session to several clients/,
      async () => set({ VAULTOPS_DATABASE__LISTEN_URL: await pooled() }),
    ],
    ["replica", /no standby/, () => set({ VAULTOPS_DATABASE__REPLICA_URL: database.url })],
    [
      "replica",
      /server of another database/,
      async () => set({ VAULTOPS_DATABASE__REPLICA_URL: (await elsewhere()).url }),
    ],
    [
      "replica",
      /cannot be reached \(ECONNREFUSED\)/,
      async () =>
        set({ VAULTOPS_DATABASE__REPLICA_URL: database.url.replace(/:\d+\//, `:${await closed()}/`) }),
    ],
    [
      "disk",
      /cannot be written to/,
      () => set({ VAULTOPS_DATA_DIR: join(dir, "secrets", "keys", "inside") }),
    ],
    [
      "keys",
      /others may read .*signing-key/,
      async () => {
        await chmod(await signingKey(), 0o644);
        undo.push(async () => chmod(await signingKey(), 0o600));
      },
    ],
    ["keys", /signs the audit log, is missing/, async () => move(await signingKey())],
    ["keys", /keys is missing, and the database holds secrets/, () => move(join(dir, "secrets", "keys"))],
    [
      "channels",
      /secrets of the channel .* do not open/,
      async () => {
        const file = join(dir, "secrets", "keys");
        const text = await readFile(file, "utf8");
        await writeFile(file, randomBytes(32).toString("base64"));
        undo.push(() => writeFile(file, text));
      },
    ],
    [
      "channels",
      /which is no channel/,
      () => set({ VAULTOPS_ALERTS__SYSTEM_CHANNELS: JSON.stringify([CHANNEL, randomUUID()]) }),
    ],
    [
      "channels",
      /cannot be reached \(127\.0\.0\.1:1 is not a public address\)/,
      () => set({ VAULTOPS_EGRESS__ALLOWED_NETWORKS: "[]" }),
    ],
    [
      "checkpoints",
      /cannot be appended to/,
      () => set({ VAULTOPS_AUDIT__CHECKPOINT_FILE: "/proc/self/nowhere/checkpoints" }),
    ],
    [
      "checkpoints",
      /2 processes share the database/,
      async () => {
        set({ VAULTOPS_AUDIT__CHECKPOINT_FILE: "" });
        for (const role of ["api", "worker"] as const) await noteProcess([role], []);
        undo.push(() => database.db.pool.query("delete from processes"));
      },
    ],
    [
      "streams",
      /the receiver siem answers 403/,
      async () => {
        const receiver = await startReceiver();
        receiver.answer = (response) => response.writeHead(403).end('{"text":"Invalid token","code":4}');
        undo.push(() => receiver.close());
        const stream = { type: "splunk_hec", name: "siem", url: receiver.url, token: "t0" };
        set({ VAULTOPS_AUDIT__STREAMS: JSON.stringify([stream]) });
      },
    ],
    [
      "ports",
      /http: another program listens/,
      async () => set({ VAULTOPS_HTTP__PORT: String(await listen()) }),
    ],
    [
      "ports",
      /admin: .* cannot be listened on/,
      () => set({ VAULTOPS_ADMIN__HOST: "192.0.2.1", VAULTOPS_ADMIN__TOKEN: "x".repeat(32) }),
    ],
    [
      "proxy",
      /cannot be reached/,
      async () => set({ VAULTOPS_EGRESS__PROXY: `http://user:pl4nted@127.0.0.1:${await closed()}` }),
    ],
    [
      "identity providers",
      /no key of it can be used/,
      async () => set({ VAULTOPS_AUTH__ISSUERS: issuer(await listen('{"keys":[]}')) }),
    ],
    [
      "identity providers",
      /keys cannot be had/,
      async () => set({ VAULTOPS_AUTH__ISSUERS: issuer(await closed()) }),
    ],
    [
      "nodes",
      /serves the chain 4242/,
      () => set({ VAULTOPS_CHAINS: String(env.VAULTOPS_CHAINS).replace('"chain_id":4242', '"chain_id":1') }),
    ],
    [
      "nodes",
      /does not answer/,
      () => {
        node.onRequest = () => ({ status: 401, body: "no such key: pl4nted" });
      },
    ],
    ["nodes", /is 36\d\d s old/, () => beGood(3600)],
    ["nodes", /ahead of this machine's clock/, () => beGood(-3600)],
    ["nodes", /gives no logs/, () => refuse("eth_getLogs")],
    [
      "mail",
      /cannot be used/,
      async () => set({ VAULTOPS_SMTP__URL: `smtps://user:pl4nted@127.0.0.1:${await closed()}` }),
    ],
  ])("%s: %s", async (check, what, plant) => {
    env = await good();
    await plant();
    const { code, report, text } = await doctor();
    // Without its folder there are no keys either.
    const own = (fault: { check: string }) => check !== "disk" || fault.check !== "keys";
    const faults = report.checks.filter((each) => each.state === "fault" && own(each));
    expect(faults.map((fault) => fault.check)).toEqual([check]);
    expect(faults[0]?.says).toMatch(what);
    expect(faults[0]?.mend).toEqual(expect.any(String));
    expect(code).toBe(1);
    expect(text).not.toContain("pl4nted");
    expect(text).not.toContain(new URL(database.url).password);
    expect(text).not.toContain("secret-key");
  });

  it("listener: a pooler before database.url is in order where listen_url leads past it, and is said where none is set", async () => {
    const url = await pooled();
    for (const [changes, expected] of [
      [{ VAULTOPS_DATABASE__LISTEN_URL: database.url }, /^the database's role has no /],
      [{}, /database.url leads through a pooler/],
    ] as const) {
      env = { ...(await good()), VAULTOPS_DATABASE__URL: url, ...changes };
      const { code, report } = await doctor();
      const found = others(report).filter(({ check }) => check === "listener");
      expect(found.map(({ state }) => state)).toEqual(found.map(() => "warning"));
      for (const { says } of found) expect(says).toMatch(expected);
      expect([code, found.length > 0]).toEqual([0, true]);
    }
  });

  it("clock: this machine's and the database's differ", async () => {
    env = await good();
    beGood(-20);
    const { report } = await doctor({ now: () => Date.now() + 20_000 });
    expect(others(report)).toMatchObject([{ check: "clock", says: "20 s from the database's" }]);
  });

  it.each<[what: RegExp, plant: () => void]>([
    [
      /logs of 100 blocks at a time: the past from block 0 takes 50 requests/,
      () => {
        const { onCall } = node;
        node.onCall = (call) => {
          const [filter] = call.params as [{ fromBlock: string; toBlock: string }];
          if (call.method === "eth_getLogs" && Number(filter.toBlock) - Number(filter.fromBlock) >= 100)
            return { error: { code: -32005, message: "range too wide" } };
          return onCall(call);
        };
      },
    ],
    [
      /no batch of 20/,
      () => {
        node.onRequest = (calls) => (calls.length > 1 ? { status: 400, body: "{}" } : undefined);
      },
    ],
    [/no state at block 1/, () => refuse("eth_getBalance")],
    [
      /Multicall3 is not at/,
      () => {
        const { onCall } = node;
        node.onCall = (call) => (call.method === "eth_getCode" ? { result: "0x" } : onCall(call));
      },
    ],
  ])("nodes: %s, which is no fault", async (what, plant) => {
    env = await good();
    plant();
    const { code, report } = await doctor();
    expect(others(report)).toMatchObject([
      { check: "nodes", state: "warning", says: expect.stringMatching(what) },
    ]);
    expect(code).toBe(0);
  });

  it("nodes: one of subscriptions is asked over its WebSocket for its chain", async () => {
    for (const chainId of [TEST_CHAIN_ID, 5]) {
      const socket = await startSocketNode(chainId);
      undo.push(() => socket.close());
      env = await good();
      set({
        VAULTOPS_CHAINS: String(env.VAULTOPS_CHAINS).replace('"],"sources"', `","${socket.url}"],"sources"`),
      });
      const says =
        chainId === 5
          ? [expect.objectContaining({ says: expect.stringContaining("serves the chain 5") })]
          : [];
      expect(others((await doctor()).report)).toEqual(says);
    }
  });

  it("ports: the service's own running process is no other program", async () => {
    const port = await listen();
    env = { ...(await good()), VAULTOPS_HTTP__PORT: String(port) };
    await noteProcess(["api", "indexer", "worker"], [`127.0.0.1:${port}`]);
    undo.push(() => database.db.pool.query("delete from processes"));
    expect(others((await doctor()).report)).toEqual([]);
  });
});

function issuer(port: number): string {
  return JSON.stringify([
    {
      issuer: "https://id.example",
      audience: ["a"],
      profile: "generic",
      jwks_url: `http://127.0.0.1:${port}/jwks`,
    },
  ]);
}

async function noteProcess(
  roles: readonly ("api" | "indexer" | "worker")[],
  listens: string[],
): Promise<void> {
  const stopping = new AbortController();
  const note = createProcessNote({
    db: database.db,
    log: silentLogger(),
    roles,
    listens: () => listens,
    checkpointsIn: async () => roles.join(),
  });
  const running = note.task.run(stopping.signal);
  stopping.abort();
  await running;
}
