// Two services on one database, as they are run: one leads, the other takes over, whatever becomes of the first; and what the first
// does when it wakes changes nothing.
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { createFollowed, type Followed } from "../../../test/followed.ts";
import { type ServiceProcess, startServiceProcess } from "../../../test/service-process.ts";

const CONFIRMATIONS = 2;

let database: TestDatabase;
let followed: Followed;
const services: ServiceProcess[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  followed = await createFollowed({ seed: 41, confirmations: CONFIRMATIONS, database });
});
afterAll(async () => {
  for (const service of services) await service.end();
  await followed.end();
});

it("is followed by one of two services at a time, through kill -9, a pause and an orderly end, and nothing is lost or doubled", async () => {
  const [first, second] = [start(), start()];
  await leading(first, second);
  await follow();
  // Which of them leads may change on a machine that stands still for longer than a lease lasts.
  let [leader, standby] = [first, second];
  const told = async () => {
    leader = await leading(first, second);
    standby = leader === first ? second : first;
    return [
      await readiness(leader),
      await metric(leader, "vaultops_chain_is_leading"),
      await readiness(standby),
    ];
  };
  await expect
    .poll(told, WAIT)
    .toEqual([
      expect.stringMatching(/this process leads the chain/),
      1,
      expect.stringMatching(/another process leads the chain since/),
    ]);

  leader.kill("SIGKILL");
  await followed.activity.block();
  expect(await leading(standby)).toBe(standby);
  await follow();

  // A process that hangs: it holds its connections, and the lease, until that has run out.
  standby.kill("SIGSTOP");
  const third = start();
  await followed.activity.block();
  expect(await leading(third)).toBe(third);
  await follow();
  standby.kill("SIGCONT");
  await standby.line(({ msg }) => msg === "this process no longer leads the chain");
  await followed.activity.reorg(3);
  await follow();
  const ending = await leading(third, standby);
  const last = ending === third ? standby : third;

  ending.kill("SIGTERM");
  expect(await ending.ended).toBe(0);
  expect(await leading(last)).toBe(last);
  await follow();
  last.kill("SIGTERM");
  expect(await last.ended).toBe(0);
  expect(await holder()).toBeNull();

  followed.start();
  await followed.settle();
  await followed.expectTruth();
});

const WAIT = { timeout: 240_000, interval: 50 };

function start(): ServiceProcess {
  const { anvil, activity } = followed;
  const service = startServiceProcess(["--role", "indexer"], {
    VAULTOPS_DATA_DIR: "/nonexistent",
    VAULTOPS_DATABASE__URL: database.url,
    VAULTOPS_DATABASE__OWNER_URL: database.ownerUrl,
    VAULTOPS_CHAINS: JSON.stringify([
      {
        chain_id: anvil.chainId,
        name: "Test chain",
        rpc_urls: [anvil.rpcUrl],
        confirmations: CONFIRMATIONS,
        max_lag_seconds: 1_000_000_000,
        sources: [{ family: "supervault", aggregator: activity.system.aggregator }],
      },
    ]),
  });
  services.push(service);
  return service;
}

/** The one of these that holds the lease, once one does. */
async function leading(...among: ServiceProcess[]): Promise<ServiceProcess> {
  let found: ServiceProcess | undefined;
  await expect
    .poll(async () => {
      const name = await holder();
      found = among.find(({ pid }) => name?.endsWith(`:${pid}`));
      return found !== undefined;
    }, WAIT)
    .toBe(true);
  return found as ServiceProcess;
}

async function holder(): Promise<string | null> {
  const { rows } = await database.db.pool.query<{ holder_name: string | null }>(
    "select case when holder is not null then holder_name end as holder_name from chain_leases",
  );
  return rows[0]?.holder_name ?? null;
}

/** Some blocks, and the wait until they are stored. */
async function follow(): Promise<void> {
  for (let block = 0; block < 3; block += 1) await followed.activity.block();
  const head = await followed.activity.mine();
  await expect
    .poll(
      async () => (await database.db.pool.query("select head_number from chains")).rows[0]?.head_number,
      WAIT,
    )
    .toBe(head);
}

async function readiness(service: ServiceProcess): Promise<string> {
  const checks = (await (await fetch(`${await service.adminUrl()}/readyz`)).json()) as {
    name: string;
    detail: string | null;
  }[];
  return checks.find(({ name }) => name === `chain ${followed.anvil.chainId}`)?.detail ?? "";
}

async function metric(service: ServiceProcess, name: string): Promise<number> {
  const text = await (await fetch(`${await service.adminUrl()}/metrics`)).text();
  return Number(new RegExp(`^${name}\\{.*\\} (\\d+)$`, "m").exec(text)?.[1]);
}
