import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { openLine } from "../../../test/line.ts";
import { asSuperuser } from "../../../test/test-server.ts";
import { createNotifier, type Watch, type WatchingNotifier } from "./notifier.ts";

let test: TestDatabase;
let notifier: WatchingNotifier;
const stop = new AbortController();

beforeAll(async () => {
  test = await createTestDatabase();
  notifier = createNotifier(test.db);
});
afterAll(async () => {
  stop.abort();
  await notifier.close();
  await test.drop();
});

const notify = (channel: string, payload: string) =>
  test.db.pool.query("select pg_notify($1, $2)", [channel, payload]);

function listen(channel: string, signal = stop.signal): (string | null)[] {
  const heard: (string | null)[] = [];
  notifier.listen(channel, (payload) => heard.push(payload), signal);
  return heard;
}

async function listeningSessions(): Promise<number[]> {
  const name = new URL(test.url).pathname.slice(1);
  return asSuperuser(inject("testServer"), async (client) => {
    const { rows } = await client.query(
      "select pid from pg_stat_activity where datname = $1 and application_name = 'vaultops notifications'",
      [name],
    );
    return rows.map(({ pid }) => pid);
  });
}

const soon = <T>(look: () => T) => expect.poll(look, { timeout: 120_000 });

/** The watch's version once it has one: on a machine that stood still it has none for a moment. */
async function versionOf(watch: Watch): Promise<number> {
  let version: number | null = null;
  await soon(() => {
    version = watch.version();
    return version;
  }).not.toBeNull();
  return version as unknown as number;
}

it("each listener hears its channel, after being told that it listens", async () => {
  const [one, two, other] = [listen("a"), listen("a"), listen('odd "name"')];
  await soon(() => [one, two, other]).toEqual([[null], [null], [null]]);
  await notify("a", "1");
  await notify('odd "name"', "");
  await soon(() => [one, two, other]).toEqual([
    [null, "1"],
    [null, "1"],
    [null, ""],
  ]);
  expect(await listeningSessions()).toHaveLength(1);
});

it("a listener that comes later is told that it listens, too", async () => {
  const first = listen("later");
  await soon(() => first).toEqual([null]);
  const second = listen("later");
  await soon(() => second).toEqual([null]);
  await notify("later", "x");
  await soon(() => [first, second]).toEqual([
    [null, "x"],
    [null, "x"],
  ]);
});

it("a lost connection is made again, and every listener told to look for what it missed", async () => {
  const heard = listen("again");
  await soon(() => heard).toEqual([null]);
  const [session] = await listeningSessions();
  await asSuperuser(inject("testServer"), (client) =>
    client.query("select pg_terminate_backend($1)", [session]),
  );
  await soon(() => heard).toEqual([null, null]);
  await notify("again", "after");
  await soon(() => heard).toEqual([null, null, "after"]);
});

it("a listener that throws takes nothing from the others", async () => {
  notifier.listen(
    "hard",
    () => {
      throw new Error("broken listener");
    },
    stop.signal,
  );
  const heard = listen("hard");
  await soon(() => heard).toEqual([null]);
  await notify("hard", "1");
  await soon(() => heard).toEqual([null, "1"]);
});

it("an aborted listener hears no more, and the others go on", async () => {
  const ended = new AbortController();
  const [stays, leaves] = [listen("b"), listen("b", ended.signal)];
  await soon(() => [stays, leaves]).toEqual([[null], [null]]);
  ended.abort();
  await notify("b", "1");
  await soon(() => stays).toEqual([null, "1"]);
  expect(leaves).toEqual([null]);
});

it("closed, it leaves no connection", async () => {
  const own = createNotifier(test.db);
  const heard: (string | null)[] = [];
  own.listen("c", (payload) => heard.push(payload), stop.signal);
  await soon(() => heard).toEqual([null]);
  const before = (await listeningSessions()).length;
  await own.close();
  await soon(listeningSessions).toHaveLength(before - 1);
});

describe("a watch", () => {
  it("counts what its channel says, and nothing else", async () => {
    const watch = notifier.watch("watched");
    const before = await versionOf(watch);
    await notify("watched", "");
    await soon(() => watch.version()).toBe(before + 1);
    await notify("unwatched", "");
    await notify("watched", "");
    await soon(() => watch.version()).toBe(before + 2);
    watch.changed();
    await soon(() => watch.version()).toBe(before + 3);
  });

  it("has no version until its channel is heard, and another one after the connection was lost", async () => {
    const watch = notifier.watch("cut");
    expect(watch.version()).toBeNull();
    const before = await versionOf(watch);
    const [session] = await listeningSessions();
    await asSuperuser(inject("testServer"), async (client) => {
      await client.query("select pg_terminate_backend($1)", [session]);
      await notify("cut", "while nobody hears");
    });
    await soon(() => watch.version() ?? before).toBeGreaterThan(before);
  });

  it("has no version over a connection that has fallen silent, and another one when it is heard again", async () => {
    const line = await openLine(test.url);
    const far = createNotifier({ ...test.db, directUrl: line.url });
    const watch = far.watch("silent");
    const before = await versionOf(watch);
    line.hold(true);
    await notify("silent", "");
    await soon(() => watch.version()).toBeNull();
    line.hold(false);
    await soon(() => watch.version() ?? before).toBeGreaterThan(before);
    await Promise.all([far.close(), line.close()]);
  });

  it("has no version where sessions get no notices, as behind a pooler", async () => {
    const line = await openLine(test.url, (bytes) =>
      Buffer.from(bytes.toString("latin1").replaceAll("vaultops_heartbeat", "somebody_elses_one"), "latin1"),
    );
    const deaf = createNotifier({ ...test.db, directUrl: line.url });
    const watch = deaf.watch("deaf");
    const heard: (string | null)[] = [];
    deaf.listen("deaf", (payload) => heard.push(payload), stop.signal);
    await soon(() => heard).toEqual([null]);
    expect(watch.version()).toBeNull();
    await Promise.all([deaf.close(), line.close()]);
  });

  it("has none either where notices come, but from another database than changes are committed in", async () => {
    const other = await createTestDatabase();
    const astray = createNotifier({ ...test.db, directUrl: other.url });
    const watch = astray.watch("astray");
    const heard: (string | null)[] = [];
    astray.listen("astray", (payload) => heard.push(payload), stop.signal);
    await soon(() => heard).toEqual([null]);
    await other.db.pool.query("select pg_notify('astray', 'from there')");
    await soon(() => heard).toEqual([null, "from there"]);
    expect(watch.version()).toBeNull();
    await astray.close();
    await other.drop();
  });
});
